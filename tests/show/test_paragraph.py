"""A paragraph to paste."""

import dataclasses

import kmerf
import views
from kmerf.results.parts import Adjustment, Change, Effect, Kind, Margin, Names
from kmerf.show.head import PAPER


def plain(text):
    return " ".join(text.split())


def test_it_has_methods_result_version_seed_and_citations():
    change = Change("a", "y", "a", "mean", "rises", "1 or less", "3 or more", 2.0, 1.5, 2.5, 40)
    effect = Effect(measure="R2", score=0.4, rank_score=0.41, rank_low=0.3, rank_high=0.5)
    fields = {"names": Names(("y",), ("a", "b", "c")), "changes": (change,), "effect": effect}
    fields |= {"kinds": (Kind("level", 0.001, 0.004),), "margin": Margin(0.06, "R2 of ranks", "above", 0.41, 0.3, 0.5)}
    text = plain(views.result(**fields).paragraph())
    assert text.startswith("We asked: Does y depend on a, b and c? The data had 1,200 rows and 3 columns; y numeric.")
    assert f"The test was KMERF (kmerf {kmerf.__version__}; the forest kernel test is that of Panda" in text
    assert "seed 7)" in text
    assert "19 permutations" in text
    assert (
        "There is evidence that y is related to a, b and c (p = 0.001; strong effect: R2 of ranks 0.410 (95 %" in text
    )
    assert "With 95 % intervals: y rises with a: by 2.00 from 1 or less to 3 or more (1.50 to 2.50)." in text
    assert "Kinds of change, adjusted by Holm's method: level (p = 0.004)." in text
    assert "The effect is above R2 of ranks 0.06 (0.300 to 0.500)." in text
    assert text.endswith(PAPER)


def test_what_was_given_is_named_and_the_paper_is_cited_only_for_its_test():
    given = Adjustment(("age", "sex"), 0.4, 0.25, 0.5, 0.6)
    text = views.result(adjustment=given, importances=None).paragraph()
    assert "Given: age, sex." in plain(text)
    assert "arXiv" not in text
    assert max(map(len, text.splitlines())) <= 88


def test_without_evidence_it_says_what_there_is_at_most():
    effect = Effect(measure="AUC", score=0.5, score_low=0.45, score_high=0.58)
    text = plain(views.grouped(0.6, effect=effect).paragraph())
    assert "There is no clear evidence that the groups differ (p = 0.600" in text
    assert "Any difference these forests can detect has an AUC of at most 0.58." in text


def test_a_screen_has_one_too():
    text = plain(views.screen(y_names=("weight",)).paragraph())
    assert text.startswith("We asked: Which columns are related to weight? The data had 50 rows; y numeric.")
    assert "We tested 3 columns one by one with Dcorr (kmerf" in text
    assert "at a false discovery rate of 0.05" in text
    assert "2 of 3 columns are related to weight: g1, g3." in text


def test_row_orders_of_the_user_are_part_of_the_method():
    text = plain(views.result(settings={"permutations": {"count": 499, "digest": "0f1e"}}).paragraph())
    assert "permutations of the rows of y, taken from our list of 499 (SHA-256 0f1e...), refitting" in text
    text = plain(views.result(settings={"permutations": {"count": None, "digest": "spun"}}).paragraph())
    assert "permutations of the rows of y, drawn by our function spun, refitting" in text


def test_time_order_and_strata_are_part_of_the_method():
    order = {"lags": [0, 2], "run": 1, "rows": 90}
    text = plain(views.result(settings={"order": order}).paragraph())
    assert "what the past of a series predicts was removed before the test" in text
    assert "x was taken at lags 0, 2." in text
    text = plain(views.result(settings={"order": order | {"past": True}}).paragraph())
    assert "Rows are in time order, and x was taken at lags 0, 2." in text
    null = dataclasses.replace(views.result().null, name="permutation inside strata")
    text = plain(views.result(null=null).paragraph())
    assert "permutations of the rows of y among rows with the same covariates" in text
