"""Differences in regions of x, small or large."""

import numpy as np
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.methods import local
from kmerf.methods.local import Local
from kmerf.methods.portfolio import filled
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence, read_ksample


def bumps(n, rng):
    """Two samples of the unit interval: uniform, and thinned in every second eighth."""
    one, other = rng.random(n), rng.random(3 * n)
    other = other[(np.floor(8 * other) % 2 == 0) | (rng.random(3 * n) < 0.5)][:n]
    return np.r_[one, other][:, None]


def pvalue(method, sample, rng, size=99):
    problem = method.prepare(sample, 3)
    permuted = [problem.fit(rng.permutation(sample.n), k).statistic for k in range(1, size + 1)]
    return (1 + sum(each >= observe(problem).statistic for each in permuted)) / (size + 1)


def test_local_differences_are_found_that_a_distance_test_misses():
    rng = np.random.default_rng(0)
    found = {"local": 0, "distance": 0}
    for _ in range(10):
        sample = read_ksample(bumps(200, rng), groups=np.repeat(["a", "b"], 200))
        found["local"] += pvalue(Local(), sample, rng) <= 0.05
        found["distance"] += pvalue(kmerf.baselines.Dcorr(), sample, rng) <= 0.05
    assert found["local"] >= found["distance"] + 4


def test_a_wave_of_a_numeric_y_is_found():
    rng = np.random.default_rng(1)
    x = rng.random((300, 2))
    y = np.sin(25 * x[:, 0]) + rng.normal(size=300)
    assert pvalue(Local(), read_independence(x, y), rng) == 0.01


NULLS = {
    "two groups": lambda rng: read_ksample(rng.normal(size=(60, 2)), groups=np.arange(60) % 2),
    "three groups": lambda rng: read_ksample(rng.normal(size=(60, 2)), groups=np.arange(60) % 3),
    "pairs": lambda rng: read_ksample(rng.normal(size=(60, 2)), groups=np.arange(60) % 30),
    "ties": lambda rng: read_independence(rng.integers(3, size=(60, 2)), rng.integers(3, size=60)),
    "categories": lambda rng: read_independence(rng.choice(list("abcdef"), (60, 2)), rng.choice(list("uvw"), 60)),
    "wide": lambda rng: read_independence(rng.normal(size=(40, 300)), rng.normal(size=40)),
    "long tails": lambda rng: read_independence(rng.standard_cauchy((60, 3)), rng.standard_cauchy(60)),
    "twelve rows": lambda rng: read_independence(rng.normal(size=(12, 2)), rng.normal(size=12)),
    "missing values": lambda rng: read_independence(
        np.where(rng.random((60, 3)) < 0.3, np.nan, rng.normal(size=(60, 3))), rng.normal(size=60)
    ),
}


@pytest.mark.parametrize("kind", NULLS)
def test_true_nulls_are_rejected_no_more_often_than_they_should(kind):
    rng = np.random.default_rng(list(NULLS).index(kind))
    rejected = sum(pvalue(Local(), filled(NULLS[kind](rng)), rng, 19) <= 0.05 for _ in range(100))
    assert rejected <= 12  # 0.99 of binomials with 0.05


def test_one_of_two_classes_says_what_both_do():
    rng = np.random.default_rng(2)
    x, groups = rng.normal(size=(60, 2)), np.repeat([0, 1], [20, 40])
    sample = read_ksample(x, groups=groups)
    raw = Local().prepare(sample, 1).statistic.raw
    both = local.RawStatistics(raw.cells, raw.part, np.array([1 / 3, 2 / 3]), groups.astype(np.int32))
    assert 2.0 * raw(np.arange(60)) == pytest.approx(both(np.arange(60)), rel=1e-9)


@pytest.mark.parametrize("x", ["plain", "tied", "one column", "constant", "wide", "huge", "twelve rows"])
def test_boxes_hold_about_as_many_rows_as_random_cells(x):
    rng = np.random.default_rng(6)
    columns = {
        "plain": rng.normal(size=(600, 2)),
        "tied": rng.integers(4, size=(600, 3)).astype(float),
        "one column": rng.random((600, 1)),
        "constant": np.ones((600, 2)),
        "wide": rng.normal(size=(600, 500)),
        "huge": 1.7e308 * rng.uniform(-1.0, 1.0, (600, 2)),
        "twelve rows": rng.normal(size=(12, 3)),
    }[x]
    n = len(columns)
    random, found = local.RandomCells.random(columns, 5), local.RandomCells.boxes(columns, 5)
    for cells in (random, found):
        for s, t in np.ndindex(cells.n_cells.shape):
            ends = cells.ends[s, t, : cells.n_cells[s, t]]
            assert (np.diff(ends, prepend=0) > 0).all()
            assert ends[-1] == n
            assert sorted(cells.rows[t]) == list(range(n))
    if x == "constant":
        assert found.n_cells.tolist() == [[1] * local.TREES]
    elif x != "tied":
        assert len(found.ends) == len(random.ends)
        others = [[others_of(cells, s) for s in range(len(cells.ends))] for cells in (random, found)]
        assert (np.abs(np.log2(np.divide(*others))) < 1.0).all()  # a box has twice the rows of its half


def others_of(cells, size):
    """How many other rows a row has in its cell, on average."""
    each = [np.diff(ends[:k], prepend=0) for ends, k in zip(cells.ends[size], cells.n_cells[size], strict=True)]
    return np.mean([(rows * (rows - 1)).sum() / rows.sum() for rows in each])


def test_cells_do_not_depend_on_the_units_of_columns():
    x = np.random.default_rng(8).normal(size=(200, 3))
    one, other = (local.RandomCells.boxes(each, 9) for each in (x, 1024.0 * x - 4096.0 * np.arange(3)))
    assert (one.rows == other.rows).mean() > 0.99  # but for rounding at a cut
    assert one.n_cells == pytest.approx(other.n_cells, abs=1)


def test_scales_are_moments_and_leave_what_does_not_vary_alone():
    values = np.random.default_rng(3).gamma(2.0, size=(500, 2))
    mean, sd, skewness = local._scales(values)
    assert mean == pytest.approx(values.mean(axis=0))
    assert sd == pytest.approx(values.std(axis=0))
    assert (skewness > 1.0).all()
    flat = local._scales(np.ones((9, 1)))
    assert flat[1] == np.inf


def test_many_rows_are_sampled_and_the_sample_stays(monkeypatch):
    monkeypatch.setattr(local, "MAX_ROWS", 50)
    rng = np.random.default_rng(4)
    sample = read_independence(rng.normal(size=(80, 2)), rng.normal(size=80))
    problem = Local().prepare(sample, 7)
    part = problem.statistic.raw.part
    assert part.size == 50
    order = np.arange(80)
    order[np.setdiff1d(order, part)] = order[np.setdiff1d(order, part)][::-1]  # rows that are not looked at
    assert problem.fit(order, 1).statistic == observe(problem).statistic


def test_targets_and_words():
    with pytest.raises(InputError, match="target='mean' must be one of"):
        Local("mean")
    assert "group" in Local().wording(True).question
    assert "group" not in Local().wording(False).question
