"""Numbers as text: two notations, p-values and bounds, and one word for the strength."""

import math

import pytest

import views
from kmerf.results.parts import Effect
from kmerf.show.numbers import PLAIN, STRENGTHS, TYPESET, p_is_text, p_text, strength, tail_text


@pytest.mark.parametrize(
    ("p", "plain", "typeset"),
    [
        (1.0, "1.000", "1.000"),
        (0.05, "0.050", "0.050"),
        (0.001, "0.001", "0.001"),
        (0.0009, "9.0e-04", "9.0 × 10⁻⁴"),
        (0.0001, "1.0e-04", "1.0 × 10⁻⁴"),
        (0.00009, "9.0e-05", "9.0 × 10⁻⁵"),
        (3.2e-16, "3.2e-16", "3.2 × 10⁻¹⁶"),
        (9e-17, "< 1e-16", "< 10⁻¹⁶"),
        (0.0, "< 1e-16", "< 10⁻¹⁶"),
        (math.nan, "-", "–"),
    ],
)
def test_p_values(p, plain, typeset):
    assert (PLAIN.p(p), TYPESET.p(p)) == (plain, typeset)


def test_what_a_p_value_is():
    assert PLAIN.p_is(0.03) == "p = 0.030"
    assert TYPESET.p_is(1e-30) == "p < 10⁻¹⁶"


@pytest.mark.parametrize("notation", [PLAIN, TYPESET])
def test_zero_has_no_sign_and_what_is_missing_is_a_dash(notation):
    assert notation.decimal(-0.0004) == "0.000"
    assert notation.decimal(math.nan) == notation.general(math.nan) == notation.missing


def test_significant_digits():
    assert PLAIN.general(115_590.0) == "1.1559e+05"
    assert TYPESET.general(115_590.0) == "1.1559 × 10⁵"
    assert PLAIN.general(0.123456, 2) == "0.12"
    assert TYPESET.general(-3.0) == "−3"


def test_plain_text_is_ascii():
    for value in (-1e-9, 1e-9, -12.3, 1e9, math.nan):
        assert (PLAIN.p(abs(value)) + PLAIN.decimal(value) + PLAIN.general(value) + PLAIN.measure("R2")).isascii()


def test_the_robust_score_decides():
    assert STRENGTHS == ("none", "faint", "moderate", "strong")
    assert strength(Effect(measure="R2", score=0.9, rank_score=0.009)) == "none"
    assert strength(Effect(measure="R2", score=0.05)) == "faint"
    assert strength(Effect(measure="AUC", score=0.65)) == "moderate"
    assert strength(Effect(measure="mean AUC", score=0.62)) == "moderate"
    assert strength(Effect(measure="AUC", score=0.2, about="beyond z")) is None


def test_a_relation_of_numbers_and_groups_has_one_word_whichever_is_y():
    """Groups of 5 and 95 %, d = 0.8: a strong difference that explains little."""
    as_numbers = Effect(measure="R2", score=0.03, rank_score=0.027, auc=0.72, auc_measure="AUC")
    as_groups = Effect(measure="AUC", score=0.72, rank_score=0.027)
    assert strength(as_numbers) == strength(as_groups) == "strong"
    assert strength(Effect(0.3)) is None


@pytest.mark.parametrize(
    ("null", "plain", "typeset"),
    [
        (views.null(0.02, 99), "p = 0.020", "p = 0.020"),
        (views.null(0.001, 999, bound=0.001), "p <= 0.001", "p ≤ 0.001"),
        (views.null(1e-4, 99, extrapolated=True), "p <= 0.01", "p ≤ 0.01"),  # what it is by ranks
        (views.null(3e-5, None, None), "p = 3.0e-05", "p = 3.0 × 10⁻⁵"),
    ],
)
def test_a_p_value_is_known_or_at_most_a_bound(null, plain, typeset):
    assert (p_is_text(null, PLAIN), p_is_text(null, TYPESET)) == (plain, typeset)
    assert p_text(null, PLAIN) == plain.removeprefix("p ").removeprefix("= ")


@pytest.mark.parametrize(
    ("modelled", "says"),
    [
        (3e-6, "the tail model suggests about 1e-05 or less"),
        (1e-6, "the tail model suggests about 1e-06 or less"),
        (4e-4, ""),  # no more than the bound says
        (None, ""),
    ],
)
def test_the_model_is_said_to_a_power_of_ten(modelled, says):
    assert tail_text(views.null(0.001, 999, bound=0.001, modelled=modelled), PLAIN) == says


def test_without_a_bound_there_is_no_model():
    assert tail_text(views.null(0.02, 99), PLAIN) == ""
