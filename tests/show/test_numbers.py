"""How numbers are written."""

import math

import pytest

from kmerf.show.numbers import PLAIN, TYPESET


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
