"""The first lines."""

from dataclasses import replace

import pytest

import views
from kmerf.core.errors import Note
from kmerf.core.safe_text import cells
from kmerf.results.parts import Adjustment, Change, Effect, GroupNumbers, Kind, Margin, Names
from kmerf.show.head import MOST_LINES, head, head_lines, screen_words, wrapped
from kmerf.show.words import WIDTH

GROUPS = tuple(GroupNumbers(f"a group of some length {k}", 100 + k, 1234.5 * k, 17.0) for k in range(6))
MORE = "(more: here{notes})"


def change(name="column_of_some_length", **fields):
    usual = {"measure": "mean", "shape": "differs", "first": GROUPS[0].label, "second": GROUPS[5].label, "n": 600}
    return Change(name, name, "kind", estimate=6172.5, low=5000.0, high=7000.0, groups=GROUPS, **(usual | fields))


def few_groups():
    return replace(change(), groups=GROUPS[:3])


def wordy(**fields):
    """Return a result with all that there can be to say."""
    usual = {
        "names": Names(("a name of y that is long indeed",), tuple(f"a rather long name {k}" for k in range(4))),
        "p": 40,
        "changes": (change(), change("second_column"), change("third_column")),
        "kinds": tuple(Kind(name, 0.001, 0.004) for name in ("level", "spread", "shape", "joint")),
        "margin": Margin(0.6, "AUC", "below", 0.55, 0.5, 0.58),
        "pairwise": tuple(views.pair(f"group {k}", f"group {k + 1}", 0.001) for k in range(9)),
        "effect": Effect(measure="AUC", score=0.55, score_low=0.5, score_high=0.58),
        "notes": (Note("This p-value cannot be trusted. " * 9, rank="doubt"), "A note.", Note("Small.", rank="detail")),
    }
    return views.grouped(groups=[f"group {k}" for k in range(10)], **(usual | fields))


@pytest.mark.parametrize("fields", [{}, {"notes": ()}, {"pairwise": (), "margin": None}, {"changes": (change(),)}])
def test_never_more_than_12_lines_of_80_letters(fields):
    for lines in (str(wordy(**fields)).splitlines(), head_lines(head(wordy(**fields)))):
        assert len(lines) <= MOST_LINES
        assert max(map(len, lines)) <= WIDTH


def test_no_sentence_is_cut():
    for fields in ({}, {"notes": ()}, {"pairwise": (), "margin": None}, {"notes": (), "pairwise": (), "kinds": ()}):
        first = head(wordy(**fields))
        text = " ".join(" ".join(head_lines(first, MORE)).split())
        for sentence, _ in first.changes:
            name = sentence.split()[0]
            assert (f"- {name} " in text) == (sentence in text)


def test_in_full_nothing_is_left_out():
    first = head(wordy())
    text = " ".join(" ".join(wordy().in_full().splitlines()).split())
    for sentence in (first.kinds, first.margin, first.pairs, *(words for words, _ in first.changes)):
        assert " ".join(sentence.split()) in text


def test_means_per_group_are_left_out_before_changes_are():
    first = head(wordy(names=None, notes=(), pairwise=(), margin=None, kinds=()))
    lines = head_lines(first, MORE)
    assert sum(line.startswith("  - ") for line in lines) == len(first.changes) == 3
    assert not any("mean (sd, n)" in line for line in lines)
    few = head(wordy(names=None, notes=(), pairwise=(), margin=None, kinds=(), changes=(few_groups(),)))
    assert any("mean (sd, n)" in line for line in head_lines(few, MORE))


def test_the_first_doubt_is_said_and_other_notes_are_counted():
    lines = str(wordy()).splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("  warning  This p-value cannot be trusted."))
    assert lines[at + 1].endswith(" ...")
    assert lines[-1] == "(more: print(result.in_full()), .paragraph(), 2 notes in .notes)"
    plain = views.result(notes=(Note("It may be wrong.", rank="doubt"), "A note.", Note("Small.", rank="detail")))
    assert "  warning  It may be wrong." in str(plain)
    assert "note: A note." in str(plain)
    assert "Small" not in str(plain)


def test_names_are_left_out_until_a_line_is_enough():
    names = Names(("species",), ("length_of_the_bill", "depth_of_the_bill", "mass"))
    groups = ("Adelie penguins", "Chinstrap penguins", "Gentoo penguins")
    first = head(views.grouped(groups=groups, names=names))
    assert first.question == "Do the 3 groups of species differ in length_of_the_bill and 2 more?"
    few = head(views.grouped(groups=("f", "m"), names=Names(("sex",), ("mass",)), p=1))
    assert few.question == "Do groups f and m of sex differ in mass?"
    assert few.headline == "There is evidence that groups f and m of sex differ in mass."


def test_without_evidence_many_columns_have_no_changes_and_there_is_a_limit():
    effect = Effect(measure="R2", score=0.0, rank_score=0.0, rank_low=0.0, rank_high=0.055)
    none = views.result(0.4, p=40, effect=effect, changes=(change(shape="unclear"),), kinds=(Kind("level", 0.3, 0.4),))
    assert head(none).changes == ()
    assert head(none).kinds == ""
    assert head(none).at_most == "any dependence these forests can detect explains at most 6 % of the variance of ranks"
    assert len(head(replace(none, p=2)).changes) == 1


def test_censored_times_have_their_concordance():
    effect = Effect(measure="R2", score=0.1, concordance=0.634, concordance_low=0.58, concordance_high=0.69)
    assert head(views.result(effect=effect)).effect == "C-index 0.63 (95 % interval 0.58 to 0.69)"


def test_narrow_terminals_get_more_lines():
    lines = head_lines(head(wordy()), MORE, width=40)
    assert max(map(len, lines)) <= 40


def test_pairs_are_named_as_far_as_a_line_goes():
    pairs = (views.pair("a", "b", 0.001), views.pair("a", "c", 0.9), views.pair("b", "c", 0.002))
    assert head(views.grouped(pairwise=pairs)).pairs == "2 of 3 pairs differ (Holm's method): a - b, b - c"
    assert head(views.grouped(pairwise=pairs[::2])).pairs == "all 2 pairs differ (Holm's method)"
    coarse = tuple(replace(pair, pvalue=0.05, adjusted=0.15, bound=0.05) for pair in pairs)
    assert head(views.grouped(pairwise=coarse)).pairs.startswith("too few permutations to call any of 3 pairs")


def test_words_of_a_screen():
    screen = views.screen(y_names=("weight",), changes={"g1": change("g1"), "g3": change("g3")})
    words = screen_words(screen)
    assert words["question"] == "Which columns are related to weight?"
    assert words["headline"] == "2 of 3 columns are related to weight: g1, g3."
    assert list(words["changes"]) == ["g1", "g3"]
    assert "6,200 (5,000 to 7,000)" in str(screen)


def test_kinds_make_room_for_changes_and_later_doubts_follow_the_first():
    doubts = (Note("Rows are in the order of time.", rank="doubt"), Note("With order=True: p = 0.4.", rank="doubt"))
    lines = head_lines(head(wordy(notes=doubts, names=None, pairwise=(), margin=None)), MORE)
    assert [line for line in lines if "warning" in line] == [
        "  warning  Rows are in the order of time.",
        "  warning  With order=True: p = 0.4.",
    ]
    assert sum(line.startswith("  - ") for line in lines) == 2
    assert not any(line.startswith("  kind") for line in lines)


def test_a_time_has_its_event_and_parts_of_a_date_are_one_column():
    names = Names(("months", "relapse"), ("date (elapsed)", "date (month)"))
    first = head(views.result(y_kind="censored", names=names, p=2, q=2))
    assert first.question == "Does months until relapse depend on date?"


def test_p_and_its_value_stay_on_one_line():
    text = "  kind     " + "word " * 11 + "level (p = 0.001), share 95 % of all"
    assert any("(p = 0.001)" in line for line in wrapped(text))


def test_columns_that_could_not_be_tested_are_not_in_the_answer():
    result = views.result(names=Names(("y",), ("age", "sex", "dose")), untested={"sex": "constant within every block"})
    first = head(result)
    assert first.question == "Does y depend on age and dose?"
    assert first.headline == "There is evidence that y is related to age and dose."


def test_a_screen_with_changes_fits_a_line_of_80_letters():
    long = {f"g{k}": change(f"g{k}", second="a group with a name") for k in (1, 3)}
    lines = str(views.screen(y_names=("weight",), changes=long)).splitlines()
    assert max(map(len, lines)) <= 80
    head = next(line for line in lines if line.strip().startswith("column"))
    assert head.split()[-3:] == ["change", "(95", "%)"]
    changes = {f"long_name_of_a_column_ch_{k}": change(f"g{k}", second="one of the groups") for k in range(4)}
    screen = views.screen(pvalues=(1e-3,) * 4, names=tuple(changes), changes=changes)
    assert max(map(len, str(screen).splitlines())) <= 80
    many = ", ".join(f"a_long_name_of_column_{k}" for k in range(4))
    screen = views.screen(pvalues=(1e-3,) * 4, names=tuple(many.split(", ")))
    assert max(map(len, str(screen).splitlines())) <= 80


def test_answers_name_the_columns_that_clearly_change_and_questions_those_of_the_table():
    names = Names(("y",), ("age", "sex", "dose", "site"))
    unclear = replace(change("site"), low=-1.0, shape="unclear")
    found = (change("dose"), unclear, change("age"))
    first = head(views.result(p=5, names=names, changes=found))
    assert first.question == "Does y depend on age, sex and 3 more?"
    assert first.headline == "There is evidence that y is related to dose, age and 3 more."
    assert [text.split()[0].rstrip(":") for text, _ in first.changes] == ["dose", "age", "site"]
    assert "no clear" in first.changes[2][0]
    none = head(views.result(pvalue=0.4, p=3, names=replace(names, x=names.x[:3]), changes=found))
    assert none.headline == "There is no clear evidence that y is related to age, sex and dose."
    assert "no clear" in none.changes[1][0]  # nothing was found, so nothing comes first


def test_names_take_a_second_line_rather_than_be_left_out():
    names = Names(("arm",), ("pain_30_minutes_after_surgery", "cough_in_the_first_night"))
    first = head(views.grouped(groups=("licorice", "sugar"), names=names, p=2))
    assert first.headline == (
        "There is evidence that licorice and sugar (arm) differ in pain_30_minutes_after_surgery and "
        "cough_in_the_first_night."
    )
    assert len(first.answer_lines()) == 4
    assert max(map(len, first.answer_lines())) <= 80


def test_of_many_groups_the_lines_have_the_numbers_of_those_compared():
    places = ("Costa Rica", "Panama", "Queensland", "Sabah", "Tasmania", "Victoria")
    groups = tuple(GroupNumbers(place, 50, 10.0, 7.6) for place in places)
    fields = {"by": "place", "shape": "differs", "first": "Tasmania", "second": "Costa Rica", "groups": groups}
    found = replace(change("width"), **fields)
    lines = head_lines(head(views.grouped(groups=places, changes=(found,))))
    assert lines[-1].startswith("    mean (sd, n) Costa Rica: ")
    assert "; Tasmania: " in lines[-1]
    assert lines[-1].endswith("; 4 more")


def test_letters_of_two_cells_fit_the_lines_too():
    names = Names(("\u4f53\u91cd" * 5,), ("\u8eab\u9577" * 8, "\u5e74\u9f62" * 8, "sex"))
    lines = head_lines(head(views.result(names=names, p=3, changes=(change(names.x[0]),))), MORE)
    assert max(map(cells, lines)) <= 80
    assert not any("\0" in line for line in lines)


def test_a_clear_change_without_evidence_is_said_to_be_clear_by_itself_alone():
    clear, unclear = change("age"), replace(change("age"), low=-1.0, shape="unclear")
    for pvalue, one in ((0.2, clear), (0.01, clear), (0.2, unclear)):
        ((text, _),) = head(views.result(pvalue, p=1, changes=(one,))).changes
        alone = text.endswith("; clear by itself, but not among all that the test looks at")
        assert alone == (pvalue > 0.05 and one is clear)


def test_given_z_a_clear_slope_without_evidence_is_that_of_a_linear_regression():
    found = replace(views.result(0.2, p=1, changes=(change("age"),)), adjustment=Adjustment(("z",), 0.1, 0.1, 0.5, 0.5))
    ((text, _),) = head(found).changes
    assert text.endswith("; clear in a linear regression on the covariates, but not by this test")
