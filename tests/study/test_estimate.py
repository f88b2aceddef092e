"""Power, by the published rule and by p-values, and its error."""

import numpy as np

from kmerf import study
from kmerf.study.estimate import bootstrap, cutoff, wilson
from studies import LINEAR, PLAN, Slope


def cell(statistic, permuted, pvalue=None):
    numbers = [None if a is None else np.asarray(a, dtype=float) for a in (statistic, permuted, pvalue)]
    return study.Cell("t", LINEAR, np.arange(len(numbers[0])), *numbers)


def test_power_by_the_published_rule(tmp_path, monkeypatch):
    # 40 permuted statistics 1..40 in any order: the cutoff is entry ceil(38) = 38 from 0, that is 39
    permuted = np.random.default_rng(0).permutation(np.arange(1.0, 41.0))
    statistic = np.r_[np.full(30, 10.0), np.full(4, 39.0), np.full(5, 50.0), np.nan]
    monkeypatch.setattr(study.estimate, "cells", lambda plan, path: [cell(statistic, permuted, np.linspace(0, 1, 40))])
    by_cutoff, by_pvalue = study.power(PLAN, "no file")
    assert (by_cutoff.rule, by_cutoff.cutoff, by_cutoff.rejections, by_cutoff.power) == ("published", 39.0, 9, 10 / 41)
    assert (by_pvalue.rule, by_pvalue.cutoff, by_pvalue.rejections, by_pvalue.rate) == ("pvalue", None, 2, 0.05)
    assert by_cutoff.interval[0] <= by_cutoff.wilson[0] < 9 / 40 < by_cutoff.wilson[1] <= by_cutoff.interval[1]
    assert by_pvalue.interval == by_pvalue.wilson == wilson(2, 40)


def test_the_cutoff_is_entry_ceil_of_95_percent():
    for replicates in range(1, 1000):
        k = -(-95 * replicates // 100)
        assert cutoff(np.arange(float(replicates))) == (k if k < replicates else np.inf)


def test_the_bootstrap_knows_the_error_of_the_cutoff():
    rng = np.random.default_rng(5)
    truth, total, covered, errors, estimates = 0.6387, 200, 0, [], []  # P(N(2, 1) > 1.645)
    for _ in range(200):
        statistic, permuted = rng.normal(2.0, 1.0, total), rng.normal(size=total)
        rates = bootstrap(statistic, permuted, 0.05, 300)
        low, high = np.quantile(rates, [0.025, 0.975])
        covered += low <= truth <= high
        errors.append(rates.std())
        estimates.append((statistic >= cutoff(permuted)).mean())
    assert covered >= 180
    assert 0.8 < np.mean(errors) / np.std(estimates) < 1.25
    assert np.std(estimates) > 1.3 * np.sqrt(truth * (1 - truth) / total)  # the binomial error alone is too small


def test_the_bootstrap_does_not_depend_on_its_blocks(monkeypatch):
    rng = np.random.default_rng(5)
    statistic, permuted = rng.normal(1.0, 1.0, 50), rng.normal(size=50)
    whole = bootstrap(statistic, permuted, 0.05, 100)
    monkeypatch.setattr(study.estimate, "_BLOCK", 333)
    np.testing.assert_array_equal(bootstrap(statistic, permuted, 0.05, 100), whole)
    assert bootstrap(statistic[:10], permuted[:10], 0.05, 3).tolist() == [0.0, 0.0, 0.0]


def test_type_one_error_and_power_from_one_table(tmp_path):
    null, linear = study.Simulated("multimodal_independence", n=30), study.Simulated("linear", n=30, p=1, kappa=0.1)
    plan = study.Study({"slope": Slope()}, [null, linear], replicates=400)
    study.run(plan, tmp_path / "a.sqlite", n_jobs=1, backend="threads")
    at_null, at_linear = study.power(plan, tmp_path / "a.sqlite")
    assert at_null.interval[0] < 0.05 < at_null.interval[1]
    assert at_linear.power == 1.0
    assert at_linear.interval[0] < 1.0
    assert set(study.timings(plan, tmp_path / "a.sqlite")) == {("slope", null), ("slope", linear)}


def test_nothing_in_the_rows_depends_on_time(rows):
    assert set(rows) == {
        "code",
        "test",
        "data",
        "seed",
        "replicate",
        "part",
        "weight",
        "statistic",
        "permuted",
        "pvalue",
    }
