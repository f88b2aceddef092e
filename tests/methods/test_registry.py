"""Tests by the names that users write."""

import pytest

import kmerf
from kmerf import rivals
from kmerf.core.errors import InputError
from kmerf.methods.registry import METHODS, named_method


def test_every_name_makes_a_test():
    for name in METHODS:
        assert callable(named_method(name).prepare)


def test_the_names_are_those_of_the_default_of_one_forest_and_of_the_rivals():
    assert named_method("kmerf") == kmerf.Portfolio()
    assert named_method("forest") == kmerf.KMERF()
    assert named_method("paper") == kmerf.KMERF(proximity="all")
    made = {type(named_method(name)).__name__ for name in METHODS} - {"Portfolio", "KMERF"}
    assert made == set(rivals.__all__) - {"NormalisedCovariance"}  # which is there for comparison with hyppo


def test_another_name_is_answered_with_the_nearest():
    with pytest.raises(InputError, match="method='dcor' is not an option; did you mean 'dcorr'"):
        named_method("dcor")
