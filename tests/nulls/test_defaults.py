"""The null that is used where none is asked for."""

from dataclasses import dataclass

import numpy as np
import pytest

from kmerf import KMERF, Permutation, Portfolio, Sequential
from kmerf.core.settings import LEVEL
from kmerf.nulls.judging import default_null, refits_for_pairs
from kmerf.reading.samples import read_independence


@dataclass(frozen=True)
class Sized:
    """All that the choice looks at."""

    n: int
    learns: bool
    work: float | None = None


@pytest.mark.parametrize(
    ("problem", "null"),
    [
        (Sized(19, True), Permutation(999)),
        (Sized(20, True), Sequential(99)),
        (Sized(2000, False), Permutation(999)),
        (Sized(50, True, 5e5), Sequential(999)),
        (Sized(50, True, 6e5), Sequential(399)),
        (Sized(50, True, 2e6), Sequential(99)),
    ],
)
def test_few_rows_and_cheap_permutations_get_the_exact_test(problem, null):
    assert default_null(problem) == null


@pytest.mark.parametrize(
    ("n", "p", "refits"), [(50, 5, 999), (150, 5, 999), (200, 5, 399), (500, 5, 399), (1000, 5, 99), (100, 100, 99)]
)
def test_small_data_can_afford_more_refits(n, p, refits):
    x = np.random.default_rng(0).normal(size=(n, p))
    problem = Portfolio().prepare(read_independence(x, x[:, 0]), 1)
    assert default_null(problem) == Sequential(refits)
    assert default_null(problem, most=500) == Sequential(min(refits, 399))


def test_a_forest_of_another_library_has_the_fewest_refits():
    forest = pytest.importorskip("sklearn.ensemble").RandomForestRegressor(5)
    x = np.random.default_rng(0).normal(size=(30, 2))
    assert default_null(KMERF(forest).prepare(read_independence(x, x[:, 0]), 1)) == Sequential(99)


@pytest.mark.parametrize(
    ("pairs", "work", "refits"), [(3, 1e4, 999), (15, 1e4, 1499), (66, 1e4, 6599), (15, 1e6, 599), (500, 1e4, 9999)]
)
def test_pairs_of_groups_have_enough_permutations_for_holms_method(pairs, work, refits):
    assert refits_for_pairs(Sized(40, True, work), pairs) == refits
    assert pairs / (1 + refits) <= LEVEL
