"""Differences in regions of x, small or large."""

import numpy as np
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.methods import local
from kmerf.methods.local import Local
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


@pytest.mark.parametrize("classes", [2, 3, 60])
def test_true_nulls_are_rejected_no_more_often_than_they_should(classes):
    rng = np.random.default_rng(classes)
    rejected = 0
    for _ in range(100):
        sample = read_ksample(rng.normal(size=(120, 2)), groups=np.arange(120) % classes)
        rejected += pvalue(Local(), sample, rng, 19) <= 0.05
    assert rejected <= 12  # 0.99 of binomials with 0.05


def test_one_of_two_classes_says_what_both_do():
    rng = np.random.default_rng(2)
    x, groups = rng.normal(size=(60, 2)), np.repeat([0, 1], [20, 40])
    sample = read_ksample(x, groups=groups)
    raw = Local().prepare(sample, 1).statistic.raw
    both = local.RawStatistics(raw.cells, raw.part, np.array([1 / 3, 2 / 3]), groups.astype(np.int32))
    assert 2.0 * raw(np.arange(60)) == pytest.approx(both(np.arange(60)), rel=1e-9)


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
    assert "group" in Local().wording(True).asks
    assert "group" not in Local().wording(False).asks
