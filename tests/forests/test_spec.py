"""How to grow a forest: settings, their defaults and their errors."""

import numpy as np
import pytest

import kmerf
from grown_forests import leaves
from kmerf.core.errors import InputError
from kmerf.forests.growing import Forest, presort
from kmerf.forests.spec import MOST_ROWS, ForestSpec


@pytest.mark.parametrize("argument", ["n_trees", "min_samples_leaf", "max_depth", "max_features", "max_samples"])
@pytest.mark.parametrize("value", [0, -3, True])
def test_numbers_below_one_are_refused(argument, value):
    with pytest.raises(InputError, match=rf"{argument}={value!r} must be a whole number of at least 1"):
        ForestSpec(**{argument: value})


@pytest.mark.parametrize("argument", ["n_trees", "min_samples_leaf", "max_depth"])
@pytest.mark.parametrize("value", [2.0, "many"])
def test_what_is_not_a_whole_number_is_refused(argument, value):
    with pytest.raises(InputError, match=rf"{argument}={value!r} must be a whole number of at least 1\."):
        ForestSpec(**{argument: value})


def test_max_samples_as_another_word_is_refused():
    with pytest.raises(InputError, match=r"max_samples='hal' is not an option; did you mean 'half'\?"):
        ForestSpec(max_samples="hal")


def test_splits_and_combinations_have_errors_of_their_own():
    with pytest.raises(InputError, match=r"splits='blinde' is not an option; did you mean 'blind'\?"):
        ForestSpec(splits="blinde")
    with pytest.raises(InputError, match=r"combinations=-1 must be a whole number of at least 0\."):
        ForestSpec(combinations=-1)


@pytest.mark.parametrize(("splits", "random", "tried"), [("best", False, 9), ("random", True, 9), ("blind", True, 1)])
def test_splits(splits, random, tried):
    rules = ForestSpec(splits=splits).rules(50, 9, False)
    assert rules.random == random
    assert rules.n_try == tried
    assert ForestSpec(splits=splits).sees_y == (splits != "blind")


@pytest.mark.parametrize(("n", "drawn"), [(1, 1), (51, 26), (2000, 1000), (10**6, 5623)])
def test_half_of_the_rows_is_no_more_than_trees_draw_by_default(n, drawn):
    assert ForestSpec(max_samples="half", bootstrap=False).rules(n, 10, False).n_draw == drawn


@pytest.mark.parametrize("argument", ["max_features", "max_samples"])
@pytest.mark.parametrize("value", [0.0, -0.5, 1.5, float("nan")])
def test_shares_out_of_range_are_refused(argument, value):
    message = rf"{argument}={value!r} must be a whole number of at least 1, or a share in \(0, 1\]\."
    with pytest.raises(InputError, match=message):
        ForestSpec(**{argument: value})


@pytest.mark.parametrize(("value", "nearest"), [("sqr", "sqrt"), ("SQRT", "sqrt"), ("al", "all"), ("atuo", "auto")])
def test_an_unknown_word_is_answered_with_the_nearest(value, nearest):
    message = rf"max_features='{value}' is not an option; did you mean '{nearest}'\? Options: 'auto', 'all', 'sqrt'\."
    with pytest.raises(InputError, match=message):
        ForestSpec(max_features=value)


def test_a_word_like_no_other_is_answered_with_the_options():
    with pytest.raises(InputError, match=r"max_features='xyz' is not an option\. Options: 'auto', 'all', 'sqrt'\."):
        ForestSpec(max_features="xyz")


@pytest.mark.parametrize("bootstrap", [False, True])
def test_more_samples_than_rows_are_refused_when_growing(bootstrap):
    spec = ForestSpec(max_samples=121, bootstrap=bootstrap)
    with pytest.raises(InputError, match=r"max_samples=121 is more than the number of rows \(120\)\."):
        leaves(spec)


@pytest.mark.parametrize(
    ("max_features", "classes", "tried"),
    [
        ("auto", False, 10),
        ("auto", True, 3),
        ("all", True, 10),
        ("sqrt", False, 3),
        (4, True, 4),
        (99, True, 10),
        (0.5, False, 5),
        (0.01, False, 1),
        (1.0, True, 10),
        (1, True, 1),
        (np.int64(2), False, 2),
    ],
)
def test_max_features_as_word_number_or_share(max_features, classes, tried):
    assert ForestSpec(max_features=max_features).rules(50, 10, classes).n_try == tried


@pytest.mark.parametrize(("max_samples", "drawn"), [(None, 50), (50, 50), (1, 1), (1.0, 50), (0.5, 25), (0.001, 1)])
def test_max_samples_as_number_or_share(max_samples, drawn):
    assert ForestSpec(max_samples=max_samples).rules(50, 10, False).n_draw == drawn


def test_by_default_trees_draw_all_rows_up_to_a_size_and_ever_smaller_shares_beyond():
    drawn = [ForestSpec().rules(n, 10, False).n_draw for n in (10, MOST_ROWS, 10**4, 10**5, 10**6, 10**7)]
    assert drawn[:2] == [10, MOST_ROWS]
    assert drawn == sorted(drawn)
    assert ForestSpec(max_samples=1.0).rules(10**5, 10, False).n_draw == 10**5


def test_specifications_are_values():
    assert ForestSpec(n_trees=10) == ForestSpec(n_trees=10)
    with pytest.raises(AttributeError, match="n_trees"):
        ForestSpec().n_trees = 3


def test_trees_of_few_rows_can_be_split():
    """Half of 18 rows could not be split into leaves of five."""
    spec = ForestSpec(min_samples_leaf=5, bootstrap=False, max_samples="half")
    assert [spec.rules(n, 1, False).min_leaf for n in (4, 12, 18, 20, 100)] == [1, 1, 2, 5, 5]


def test_a_screen_of_fifteen_rows_finds_a_line():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(15, 3))
    pvalues = kmerf.screen(x, x[:, 0] + 0.1 * rng.normal(size=15), rng=1).pvalues
    assert pvalues[0] <= 0.02 < pvalues[1:].min()


@pytest.mark.parametrize(
    ("n_draw", "leaf"), [(199, 1), (200, 4), (500, 10), (999, 19), (1000, 20), (1049, 20), (1500, 20), (100_000, 20)]
)
def test_leaves_grow_to_one_in_fifty_rows_and_to_twenty(n_draw, leaf):
    """`grow_leaves`: from 200 rows in a tree on, one in 50 of them, up to 20."""
    spec = ForestSpec(grow_leaves=True, max_samples=n_draw)
    assert spec.rules(100_000, 3, False).min_leaf == leaf
    assert ForestSpec(grow_leaves=True, max_samples=n_draw, min_samples_leaf=30).rules(100_000, 3, False).min_leaf == 30
    assert ForestSpec(max_samples=n_draw).rules(100_000, 3, False).min_leaf == 1


def test_grown_leaves_hold_as_many_rows():
    x = np.random.default_rng(0).normal(size=(600, 2))
    y = x[:, :1] + np.random.default_rng(1).normal(size=(600, 1))
    grown = Forest(ForestSpec(5, grow_leaves=True, bootstrap=False), presort(x), y, False, 0).leaves()
    smallest = min(np.bincount(codes).min() for codes in grown.codes)
    assert 12 <= smallest < 24
