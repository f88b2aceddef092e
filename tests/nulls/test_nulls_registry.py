"""Names of nulls: one list for Python and for the shell."""

import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.nulls.registry import NULLS, choose_null, needs_single


def test_values_and_names():
    assert choose_null("chi-square") == kmerf.ChiSquare()
    assert choose_null(kmerf.Permutation(19)) == kmerf.Permutation(19)
    assert choose_null(None) is None


def test_only_the_chi_square_null_needs_a_single_statistic():
    assert {name for name in NULLS if needs_single(choose_null(name))} == {"chi-square"}


def test_what_is_no_null():
    with pytest.raises(InputError, match="pass a value such as"):
        choose_null(kmerf.Permutation)
