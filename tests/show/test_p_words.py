"""A p-value as what it is."""

import pytest

import views
from kmerf.show.numbers import PLAIN, TYPESET, p_is_text, p_text, tail_text


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
