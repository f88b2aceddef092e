"""Pairs of columns that act together."""

import itertools

import numpy as np
import pytest
from scipy.stats import rankdata

import kmerf
from kmerf.methods import column_tests
from kmerf.methods.column_tests import PairsOfColumns
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence, read_ksample


@pytest.mark.parametrize("classes", [False, True])
def test_the_best_pair_is_that_of_all_pairs_one_at_a_time(classes):
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(45, 5)) ** 3, rng.normal(size=45)
    groups = rng.permutation(np.repeat(["a", "b", "c"], 15))
    sample = read_ksample(x, groups=groups) if classes else read_independence(x, y)
    sides = [groups == name for name in "abc"] if classes else [rankdata(y)]
    ranks = np.column_stack([rankdata(column) - 23.0 for column in x.T])
    slow = max(
        np.corrcoef(ranks[:, i] * ranks[:, j], side.astype(float))[0, 1] ** 2
        for i, j in itertools.combinations(range(5), 2)
        for side in sides
    )
    assert observe(PairsOfColumns().prepare(sample, 0)).statistic == pytest.approx(slow, rel=1e-9)


def test_of_many_pairs_some_are_drawn_each_once():
    for p, seed in itertools.product((36, 100, 5000), (1, 2)):
        one, other = column_tests._pairs(p, seed)
        assert len({*zip(one.tolist(), other.tolist(), strict=True)}) == column_tests.MOST_PAIRS
        assert (other >= 0).all()
        assert (other < one).all()
        assert one.max() < p


def test_one_column_has_no_pairs():
    sample = read_independence(np.arange(30.0), np.arange(30.0))
    assert observe(PairsOfColumns().prepare(sample, 0)).statistic == 0.0


def test_columns_that_are_correlated_in_one_group_are_noticed():
    rng = np.random.default_rng(7)
    apart, together = rng.normal(size=(60, 4)), rng.normal(size=(60, 4))
    together[:, 1] = 0.8 * together[:, 0] + 0.6 * together[:, 1]
    result = kmerf.ksample(apart, together, method=PairsOfColumns(), null=kmerf.Permutation(199), rng=0)
    assert result.pvalue <= 0.01


def test_the_levels_of_one_category_make_no_pairs():
    """As in warpbreaks: breaks by tension alone, which no two columns can move."""
    rng = np.random.default_rng(0)
    tension = np.repeat(["L", "M", "H"], 18)
    breaks = np.where(tension == "L", 36.0, 24.0) + 5 * rng.normal(size=54)
    alone = read_independence({"tension": tension}, breaks)
    assert observe(PairsOfColumns().prepare(alone, 0)).statistic == 0.0
    result = kmerf.independence({"tension": tension}, breaks, null=kmerf.Permutation(39), rng=1)
    (pairs,) = (member for member in result.members if member.name == "interaction")
    assert (pairs.statistic, pairs.pvalue) == (0.0, 1.0)
    assert result.pvalue == 1 / 40
    wool = np.tile(["A", "B"], 27)
    two = read_independence({"tension": tension, "wool": wool, "n": rng.normal(size=54)}, breaks)
    ranks = [rankdata(column) - 27.5 for column in [*(tension == level for level in "HLM"), wool == "A", wool == "B"]]
    ranks.append(rankdata(two.x.values[:, 5]) - 27.5)
    apart = [(i, j) for i, j in itertools.combinations(range(6), 2) if two.x.column_of[i] != two.x.column_of[j]]
    slow = max(np.corrcoef(ranks[i] * ranks[j], rankdata(breaks))[0, 1] ** 2 for i, j in apart)
    assert observe(PairsOfColumns().prepare(two, 0)).statistic == pytest.approx(slow, rel=1e-9)
