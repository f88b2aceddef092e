"""The joint test and the tests of columns: exact, whatever the columns hold, and they find what changed."""

import numpy as np
import pytest
from scipy import stats

from changed_tables import table
from kmerf.comparing import evidence
from kmerf.comparing.column_changes import changed_pairs
from kmerf.comparing.evidence import (
    Orders,
    decimals,
    distances,
    find_evidence,
    number_cells,
    products,
    refined,
    scores_of,
)
from kmerf.comparing.matching import ReadingOptions, match, read_side


def sample_of(old, new, blocks=None):
    options = ReadingOptions()
    sides = [read_side("reference", each, 10**6, 0, options) for each in (old, new)]
    return match(*sides, options, blocks).sample


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(evidence, "RESAMPLES", 99)


def test_decimals_are_those_of_the_shortest_text():
    values = np.array([0.1, 0.25, 1e-5, 3.0, 40.0, 1200.0, np.pi, -2.5, 0.0])
    assert decimals(values).tolist() == [1, 2, 5, 0, -1, -2, 6, 1, 0]


@pytest.mark.parametrize("ties", [False, True])
def test_functions_of_cells_have_mean_0_and_length_1(ties):
    rng = np.random.default_rng(0)
    values = rng.normal(size=300)
    values = np.round(values) if ties else values
    values[:20] = np.nan
    column = number_cells(values)
    counts = column.counts
    assert np.allclose(column.functions @ counts, 0.0, atol=1e-9)
    assert np.allclose(column.functions**2 @ counts, 1.0)
    assert np.exp(column.weights).sum() <= 1.0 + 1e-9
    assert "missingness" in column.kinds


def test_z_of_the_first_function_is_that_of_the_rank_sum():
    """A line through the ranks of bins is about Wilcoxon's test."""
    rng = np.random.default_rng(1)
    values, current = rng.normal(size=400), np.arange(400) % 2 == 1
    column = number_cells(values + 0.4 * current)
    counts = np.bincount(column.cells[current], minlength=column.functions.shape[1])
    z = evidence._z(column, counts[None], 400, 200)[0, column.kinds.index("level")]
    expected = stats.ranksums((values + 0.4 * current)[current], values[~current]).statistic
    assert z == pytest.approx(expected, rel=0.02)


def test_the_products_differ_as_correlations_do():
    rng = np.random.default_rng(2)
    a = rng.normal(size=4000)
    new = np.arange(4000) >= 2000
    b = np.where(new, -0.5, 0.5) * a + rng.normal(size=4000)
    scores = scores_of(sample_of({"a": a[~new], "b": b[~new]}, {"a": a[new], "b": b[new]}).x)
    each = products(scores)[:, 0].astype(float)
    z = np.sqrt(3999) * each[new].sum() / np.sqrt(4000 * 0.25)
    assert z < -10
    assert distances(scores).mean() == pytest.approx(2.0 / 1.1, rel=0.1)


def test_blocks_are_exchanged_whole():
    current = np.array([False] * 6 + [True] * 6)
    blocks = np.repeat(np.arange(6), 2)
    orders = Orders(current, blocks, 1)
    assert orders.new_rows(0).tolist() == current.tolist()
    for number in range(1, 30):
        rows = orders.new_rows(number)
        assert rows.sum() == 6
        assert all(rows[2 * k] == rows[2 * k + 1] for k in range(6))


def test_refined_pvalues_agree_with_permutations():
    rng = np.random.default_rng(3)
    values, current = rng.normal(size=120), np.arange(120) < 50
    column = number_cells(values)
    size = column.functions.shape[1]

    def statistic(rows):
        counts = np.bincount(column.cells[rows], minlength=size)
        return column.statistic(counts[None], 50)[0][0]

    observed = statistic(current)
    permuted = np.array([statistic(rng.permutation(current)) for _ in range(2000)])
    expected = (1 + (permuted >= observed - 1e-9).sum()) / 2001
    assert refined(column, current, observed, rng) == pytest.approx(expected, abs=0.04)


def test_the_joint_test_keeps_its_level(quick):
    """Of 100 pairs of tables from one distribution; 99 permutations give an exact level of 0.05."""
    rejected = [find_evidence(sample_of(table(40, 2 * r), table(30, 2 * r + 1)), r).pvalue <= 0.05 for r in range(100)]
    assert np.mean(rejected) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)


def test_a_crowd_is_compared_with_chance():
    """The likelihood ratio is that of Beta mixtures against equal odds, and has mean 1 by chance."""
    share = 0.3
    new = np.arange(8.0)
    ratios = np.exp(evidence._crowded(new[:, None], np.array([7.0]), np.array([[share]])))[:, 0]
    mixture = 0.7 * stats.betabinom.pmf(new, 7, 9, 1) + 0.3 * stats.betabinom.pmf(new, 7, 1, 9)
    chance = stats.binom.pmf(new, 7, share)
    assert ratios == pytest.approx(mixture / chance)
    assert chance @ ratios == pytest.approx(1.0)


def test_crowds_are_rare_levels_missing_values_and_ends():
    values = np.r_[np.arange(195.0), [np.nan] * 5]
    column = number_cells(values)
    sizes = column.crowds @ column.counts
    assert sizes.tolist() == [5, 32, 16, 8, 4, 32, 16, 8, 4]
    assert np.exp(column.weights).sum() + np.exp(column.crowd_weights).sum() < 1.0
    labels = ["common"] * 150 + ["rare"] * 10
    both = sample_of({"label": labels, "x": np.arange(160)}, {"label": labels, "x": np.arange(160)})
    column = evidence.cell_columns(both.x)[0]
    assert (column.crowds @ column.counts).tolist() == [20]


def test_ten_rows_of_a_new_level_are_found(quick):
    """Of 200 new rows, ten have a level that was not there: p = 0.001 by Fisher's exact test."""
    sample = sample_of(table(200, 1), table(200, 2, label=lambda v, rng: np.where(np.arange(v.size) < 10, "w", v)))
    found = find_evidence(sample, 0)
    assert found.pvalue <= 0.02
    assert sample.x.names[int(np.argmin(found.columns))] == "label"
    assert found.columns.min() < 0.005


def test_foreign_rows_are_found(quick):
    """Two in a hundred new rows lie anywhere in the range of each column: no column shows it, the rows do."""
    rng = np.random.default_rng(5)
    old, new = rng.gamma(1.0, size=(1000, 10)), rng.gamma(1.0, size=(1000, 10))
    new[:20] = rng.uniform(0.0, old.max(axis=0), (20, 10))
    sides = [{f"x{k}": each[:, k] for k in range(10)} for each in (old, new)]
    found = find_evidence(sample_of(*sides), 0)
    assert found.pvalue <= 0.02
    assert found.members["rows"] == 0.01


@pytest.mark.parametrize("name", ["a", "label", "gap"])
def test_it_finds_the_column_that_changed(quick, name):
    changes = {
        "a": lambda v, rng: v + 10,
        "label": lambda v, rng: np.where(rng.random(v.size) < 0.4, "z", v),
        "gap": lambda v, rng: np.where(rng.random(v.size) < 0.3, np.nan, v),
    }
    sample = sample_of(table(200, 1), table(200, 2, **{name: changes[name]}))
    found = find_evidence(sample, 0)
    assert found.pvalue == 0.01
    assert sample.x.names[int(np.argmin(found.columns))] == name
    assert found.columns.min() < 0.001


def test_it_finds_two_columns_that_no_longer_go_together(quick):
    sample = sample_of(table(300, 1), table(300, 2, b=lambda v, rng: rng.permutation(v)))
    found = find_evidence(sample, 0)
    assert found.pvalue == 0.01
    assert found.members["pairs"] == 0.01
    assert found.columns.min() > 0.001


def test_missing_values_do_not_change_how_columns_go_together(quick):
    """A third of one column is missing in the new rows: neither the test of pairs nor a pair itself may say more."""
    small = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x = 0.7 * rng.normal(size=(400, 1)) + 0.7 * rng.normal(size=(400, 3))
        x[200:, 0][rng.random(200) < 0.33] = np.nan
        sample = sample_of(x[:200], x[200:])
        pairs = changed_pairs(sample.x, np.arange(400) >= 200, 0.0, seed)
        small.append([find_evidence(sample, seed).members["pairs"] <= 0.05, min(p.adjusted for p in pairs) <= 0.05])
    assert np.mean(small, axis=0).max() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 30)


def test_a_smaller_pvalue_is_found_if_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(evidence, "RESAMPLES", 99)
    monkeypatch.setattr(evidence, "MOST_RESAMPLES", 999)
    sample = sample_of(table(100, 1), table(100, 2, a=lambda v, rng: v + 20))
    assert find_evidence(sample, 0).pvalue == 0.01
    assert find_evidence(sample, 0, below=0.003).pvalue == pytest.approx(1 / 1000, rel=0.01)
