"""Names of tests: one list for Python and for the shell."""

import pytest

import kmerf
from kmerf import baselines
from kmerf.core.errors import InputError
from kmerf.methods.registry import FORESTS, LEARNERS, METHODS, choose_method, named_method


@pytest.mark.parametrize("name", METHODS)
def test_every_name_gives_a_method(name):
    assert hasattr(named_method(name), "prepare")
    assert METHODS[name].help


def test_a_name_does_what_its_value_does():
    x, y = [[1], [2], [3], [4], [5], [6], [7]], [1, 3, 2, 5, 4, 7, 6]
    by_name = kmerf.independence(x, y, method="dcorr", null="permutation", rng=1)
    assert by_name == kmerf.independence(x, y, method=kmerf.baselines.Dcorr(), null=kmerf.Permutation(), rng=1)


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(InputError, match="method='dcor' is not an option; did you mean 'dcorr'?"):
        kmerf.independence([1, 2, 3, 4], [1, 2, 3, 4], method="dcor")
    with pytest.raises(InputError, match="null='permutations' is not an option; did you mean 'permutation'?"):
        kmerf.screen([1, 2, 3, 4], [1, 2, 3, 4], null="permutations")


def test_the_lists_of_forests_are_right():
    grown = {name for name in METHODS if hasattr(named_method(name), "with_trees")}
    assert set(FORESTS) == grown
    assert set(LEARNERS) == {name for name in grown if getattr(named_method(name), "sees_y", True)}


def test_a_preset_stands_alone():
    assert choose_method(None, "paper").proximity == "all"
    with pytest.raises(InputError, match="together with a method"):
        choose_method("hhg", "paper")


def test_classes_are_not_methods():
    with pytest.raises(InputError, match="pass a value such as"):
        choose_method(kmerf.KMERF)


def test_the_names_are_those_of_the_default_of_one_forest_and_of_the_rivals():
    assert named_method("kmerf") == kmerf.Portfolio()
    assert named_method("forest") == kmerf.KMERF()
    assert named_method("paper") == kmerf.KMERF(proximity="all")
    made = {type(named_method(name)).__name__ for name in METHODS} - {"Portfolio", "KMERF"}
    public = set(baselines.__all__) - {"NormalisedCovariance"}  # which is there for comparison with hyppo
    assert made == public, "every test in METHODS is listed in kmerf/baselines.py, and the other way round"
