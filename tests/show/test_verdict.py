"""What is said of a result: the one verdict that terminal, report and demonstration use."""

from dataclasses import replace

import numpy as np
import pytest

import kmerf
import views
from kmerf.core.settings import LEVEL
from kmerf.results.parts import Effect, Names
from kmerf.results.views import Details, SurvivalCurve, SurvivalCurves
from kmerf.show.numbers import PLAIN, strength
from kmerf.show.verdict import agreeing, question, verdict


def led_by(member, outcome):
    """Give a result members, of which one carries the answer."""
    members = [replace(each, share=0.0) for each in (views.AVERAGE, views.SPREAD, views.LOCAL) if each is not member]
    return replace(outcome, members=(*members, replace(member, share=0.9)))


def test_the_question():
    assert question(views.result(), "weight") == "Does weight depend on these columns?"
    assert question(views.result(), "") == "Does y depend on these columns?"
    assert question(views.grouped(), "arm") == "Do the groups of arm differ?"
    assert question(views.grouped(), "") == "Do the groups differ?"


def test_several_columns_of_y_take_the_verb_of_several():
    both = views.result(0.001, 0.004, q=2)
    assert question(both, "time and status") == "Do time and status depend on these columns?"
    assert verdict(both, "time and status").headline == (
        "There is evidence that time and status are related to these columns, but so weakly that they hardly "
        "predict them."
    )
    assert "that time and status are independent of them" in str(verdict(replace(both, pvalue=0.4), "time and status"))
    classes = views.result(0.001, 0.4, q=2, y_kind="categorical")
    assert "that arm is related" in verdict(classes, "arm").headline


def test_an_auc_is_about_the_classes_of_the_outcome_or_the_groups():
    found = views.grouped(0.001, 0.8)
    assert "Of two rows of different groups, the model" in str(verdict(found, "arm"))
    classes = replace(found, question="independence", names=Names(("healed",), ("group",)))
    assert "Of two rows of different classes of healed, the model" in str(verdict(classes, "healed"))


def test_what_is_found_of_a_censored_y_is_about_its_scores():
    found = led_by(views.SPREAD, views.result(0.001, 0.004, q=2, y_kind="censored"))
    assert "The main finding is that the spread of the log-rank scores of days and dead changes." in str(
        verdict(found, "days and dead")
    )


def test_where_events_come_sooner_is_told_if_the_column_matters():
    flat = np.array([1.0])
    sides = [SurvivalCurve(label, 9, 4, flat, flat) for label in ("up to 50", "above 50")]
    curves = SurvivalCurves("x2", "days", tuple(sides), "dead", soonest="up to 50")
    found = views.result(0.001, 0.4, q=2, y_kind="censored", details=Details(None, None, (), survival=curves))
    assert "Events come sooner if x2 is up to 50." in str(verdict(found))
    assert "Events come" not in str(verdict(replace(found, pvalue=0.4)))
    for other in (replace(curves, feature="x1"), replace(curves, soonest="")):  # x1 has a p-value of 0.3
        assert "Events come" not in str(verdict(replace(found, details=Details(None, None, (), survival=other))))


def test_a_single_column_is_called_by_its_name():
    one = views.result(0.001, 0.4, p=1, importances=views.importances(("height",), (1.0,)))
    assert question(one, "mass") == "Does mass depend on height?"
    assert verdict(one, "mass").headline == "There is evidence that mass is related to height."
    nameless = views.result(0.4, 0.0, p=1, importances=views.importances(("x1",), (1.0,)))
    assert question(nameless, "") == "Does y depend on this column?"
    assert "independent of it" in str(verdict(nameless))


def test_y_is_permuted_under_its_name_and_inside_of_blocks():
    free = views.result(0.05, 0.4, null=views.null(0.05, 19))
    assert "With mass permuted 19 times, no statistic" in str(verdict(free, "mass"))
    for exchange, words in {
        "within": " inside each of 18 blocks of rows",
        "whole": ", 18 whole blocks of rows at a time",
    }.items():
        blocked = replace(free, settings=free.settings | {"blocks": 18, "exchange": exchange})
        assert f"With mass permuted 19 times{words}, no statistic" in str(verdict(blocked, "mass"))


def test_not_finding_is_no_proof():
    answer = verdict(views.result(0.4, 0.01), "weight")
    assert answer.tone == "none"
    assert answer.headline == "There is no clear evidence that weight is related to these columns."
    assert "does not show that weight is independent" in str(answer)
    groups = verdict(views.grouped(0.4, 0.5))
    assert groups.headline == "There is no clear evidence that the groups differ."
    assert "does not show that the groups are the same" in str(groups)


@pytest.mark.parametrize(("p", "tone"), [(0.04, "found"), (0.05, "faint"), (0.0501, "none")])
def test_the_level_is_five_per_cent(p, tone):
    assert LEVEL == 0.05
    assert verdict(views.result(p, 0.4)).tone == tone


def test_a_small_p_with_a_negligible_effect_is_faint():
    answer = verdict(views.result(0.001, 0.004), "weight")
    assert answer.tone == "faint"
    assert answer.headline.endswith("is related to these columns, but so weakly that they hardly predict it.")
    assert "less than 1 % of the variance of weight (R² 0.004): almost nothing." in str(answer)
    assert "rows can hardly be assigned to their groups" in verdict(views.grouped(0.001, 0.51)).headline


def test_a_strong_relation():
    answer = verdict(views.result(0.001, 0.4), "weight")
    assert (answer.tone, answer.headline) == ("found", "There is evidence that weight is related to these columns.")
    assert "The best prediction explains about 40 % of the variance of weight (R² 0.400): a strong relation." in str(
        answer
    )
    assert answer.sentences[-1] == "The test does not show what causes what."
    groups = verdict(views.grouped(0.001, 0.981), "arm")
    assert groups.headline == "There is evidence that the groups of arm differ."
    assert (
        "the model picks the right one in 98.1 % of comparisons (AUC 0.981; 50 % is guessing): a strong difference."
        in str(groups)
    )


STEPS = {"R2": (0.01, 0.06, 0.14), "AUC": (0.556, 0.638, 0.714), "mean AUC": (0.532, 0.579, 0.622)}


@pytest.mark.parametrize("measure", STEPS)
def test_strengths_begin_at_the_steps_of_cohen(measure):
    """AUC is the normal distribution at d / sqrt(2) for d = 0.2, 0.5, 0.8; R2 is the eta squared of these."""
    words = ["none", "faint", "moderate", "strong"]
    for step, below, above in zip(STEPS[measure], words[:-1], words[1:], strict=True):
        assert strength(views.result(score=step - 1e-9, measure=measure).effect) == below
        assert strength(views.result(score=step, measure=measure).effect) == above
    assert strength(views.result(score=0.9, measure="unknown").effect) is None
    assert strength(None) is None


def test_an_outlier_does_not_make_a_strong_relation_faint():
    effect = Effect(0.3, measure="R2", score=-0.02, rank_score=0.45)
    answer = verdict(views.result(0.001, effect=effect), "mass", PLAIN)
    assert answer.tone == "found"
    assert "45 % of the variance of the ranks of mass (R2 0.450; of the values 0.000): a strong relation." in str(
        answer
    )


def test_what_r2_does_not_measure_is_not_called_faint():
    answer = verdict(led_by(views.SPREAD, views.result(0.001, -0.02)), "weight")
    assert answer.tone == "found"
    assert "The main finding is that the spread of weight changes." in str(answer)
    assert "which measures its average alone." in str(answer)
    strong = str(verdict(led_by(views.SPREAD, views.result(0.001, 0.4)), "weight"))
    assert "a strong relation" in strong
    assert "What was found" not in strong
    assert verdict(led_by(views.AVERAGE, views.result(0.001, 0.001))).tone == "faint"


def test_what_an_auc_does_not_measure_is_not_called_faint():
    answer = verdict(led_by(views.SPREAD, views.grouped(0.001, 0.51)), "arm")
    assert answer.tone == "found"
    assert "The main finding is that the spread of y changes" in str(answer)
    assert "(AUC 0.510; 50 % is guessing), which does not measure that." in str(answer)


@pytest.mark.parametrize(
    ("null", "says"),
    [
        (views.null(0.05, 19, bound=0.05), "With y permuted 19 times, no statistic was as large: p ≤ 0.05."),
        (views.null(0.10, 19), "19 times, 1 statistic was as large: p = 0.100."),
        (views.null(0.15, 19), "19 times, 2 statistics were as large: p = 0.150."),
        (
            views.null(0.001, 999, bound=0.001, modelled=3e-6),
            "no statistic was as large: p ≤ 0.001; the tail model suggests about 10⁻⁵ or less.",
        ),
        (replace(views.null(0.037, 39), name="normal"), "With y permuted 39 times, the normal null gives p = 0.037."),
        (views.null(0.03, None, None), "would occur with probability 0.030, by the chi-square approximation."),
    ],
)
def test_p_values_are_said_with_what_they_rest_on(null, says):
    assert says in str(verdict(views.result(null.pvalue, null=null)))


def test_a_close_call_is_marked():
    close = str(verdict(views.result(0.06, null=views.null(0.06, error=0.006))))
    assert "known to within about 0.012 and lies close to 0.05: another seed may put it on the other side" in close
    assert close.startswith("There is no clear evidence that y is related to these columns: p is near 0.05.")
    assert "other side" not in str(verdict(views.result(0.06, null=views.null(0.06, error=0.004))))
    found = verdict(views.result(0.048, 0.4, null=views.null(0.048, 9999, error=0.002)))
    assert found.tone == "faint"
    assert found.headline == (
        "There is some evidence that y is related to these columns, but no more than that: p is near 0.05."
    )
    known = str(verdict(views.result(0.047, 0.4, null=views.null(0.047, None, None))))
    assert "This p-value lies close to 0.05: do not read it as a clear yes or no." in known
    smallest = views.null(0.025, 39, error=0.025, bound=0.025)  # no statistic was as large: p is not near the level
    assert "near" not in str(verdict(views.result(0.025, 0.4, null=smallest)))


def test_a_member_leads_only_if_no_other_could_with_another_seed():
    def found(*known):
        kinds = zip((views.AVERAGE, views.LOCAL, views.SPREAD), known, strict=True)
        return replace(views.result(), members=tuple(replace(each, score=u, share=w) for each, (u, w) in kinds))

    many = found((18.0, 0.6), (17.0, 0.3), (16.5, 0.1))
    assert [member.name for member in agreeing(many)] == ["mean", "local", "spread"]
    assert [member.name for member in agreeing(found((2.2, 0.9), (1.5, 0.06), (1.2, 0.04)))] == ["mean"]
    assert len(agreeing(found((2.2, 0.5), (1.9, 0.3), (1.5, 0.2)))) > 1
    alone = agreeing(found((9.0, 0.9), (1.0, 0.06), (-0.7, 0.04)))
    assert [member.name for member in alone] == ["mean"]  # the others found nothing
    assert agreeing(views.result()) == ()


def test_several_members_that_agree_say_what_each_found():
    spread = replace(views.SPREAD, share=0.5, score=6.0)
    other = replace(views.LOCAL, share=0.4, score=5.8, meaning="neighbours of {y} are near")
    both = replace(views.result(0.001, -0.02), members=(spread, other))
    assert "The main finding is that the spread of weight changes, or that neighbours of weight are near." in str(
        verdict(both, "weight")
    )
    plain = replace(both, members=(replace(spread, share=0.2), replace(other, meaning="")))
    assert "main finding" not in str(verdict(plain, "weight"))


def test_what_a_test_of_groups_leaves_open():
    assert verdict(views.grouped(groups="ab")).sentences[-1] == "The test does not show why they differ."
    assert verdict(views.grouped(groups="abc")).sentences[-1] == "The test does not show which of them differ, or why."
    pairs = views.grouped(groups="abc", pairwise=(views.pair("a", "b", 0.1),))
    assert verdict(pairs).sentences[-1] == "The test does not show why they differ."


def test_in_plain_notation_it_is_ascii():
    for outcome in (views.result(1e-9, 0.4), views.result(0.001, -0.02), views.grouped(1e-7, 0.9)):
        assert str(verdict(outcome, "y", PLAIN)).isascii()
    assert "R2 0.000" in str(verdict(views.result(0.001, -0.02), "y", PLAIN))


def test_given_z_the_verdict_says_how_much_better_y_is_predicted():
    rng = np.random.default_rng(1)
    z, x = rng.normal(size=(200, 1)), rng.normal(size=(200, 2))
    y = z[:, 0] + x[:, 0] + 0.5 * rng.normal(size=200)
    result = kmerf.conditional(x, y, given=z, rng=1)
    beyond = result.adjustment
    sentence = (
        f"R2 of the ranks of y is {beyond.with_x:.2f} with these columns and {beyond.without_x:.2f} from z alone."
    )
    assert any(each.endswith(sentence) for each in verdict(result, "y")[2])
