"""The sequential null: when it stops, that its p-value holds at every level, and what else holds where it stops."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.data.exchangeability import Exchange
from kmerf.methods.protocol import Fit
from kmerf.nulls.definitions import EARLY_STOPS, Extrapolated, InterimAnalysis, Permutation, Sequential, take_in_turn
from kmerf.nulls.judging import Run, draw_and_judge, judge, judge_in_turn
from null_problems import problem


@dataclass(frozen=True, eq=False)
class Scripted:
    """A problem whose permuted statistics are written down."""

    permuted: list[float]
    n: int = 30
    permutes_at_once: bool = False

    def fit(self, order, refit, n_jobs=1, importances=False):
        return Fit.of("t", self.permuted[refit - 1])


def judged(above: int, among: int, size: int = 99, **run):
    """Judge 1.0 where so many of the first permuted statistics, and no others, are above it."""
    values = np.linspace(0.1, 0.9, size)
    values[np.arange(among)[among - above :]] = 2.0
    return draw_and_judge(Sequential(size), Scripted(values.tolist()), Fit.of("t", 1.0), Run(seed=0, **run))


@pytest.mark.parametrize(
    ("above", "among", "drawn", "pvalue"),
    [(6, 19, 19, 7 / 20), (5, 19, 99, 6 / 100), (8, 39, 39, 9 / 40), (7, 39, 99, 8 / 100), (1, 99, 99, 2 / 100)],
)
def test_it_stops_where_p_is_above_the_bound_and_not_at_it(above, among, drawn, pvalue):
    judgement, permuted = judged(above, among)
    assert len(permuted.statistics) == judgement.null.distribution.size == drawn
    assert judgement.null.pvalue == pytest.approx(pvalue)
    assert judgement.null.stopped == (drawn < 99)
    assert not judgement.null.extrapolated


def test_where_something_is_there_it_is_the_exact_null_with_the_model_beside_it():
    data = problem(n=60, slope=1.0)
    observed = data.fit(np.arange(60), 0)
    sequential, extrapolated = (
        draw_and_judge(null, data, observed, Run(seed=3))[0] for null in (Sequential(), Extrapolated())
    )
    assert sequential.null.pvalue == sequential.null.bound == extrapolated.null.bound == 0.01
    assert sequential.null.modelled == extrapolated.null.pvalue < 0.01
    assert not sequential.null.extrapolated
    assert not sequential.null.stopped


def test_bounds_do_not_rise_and_the_last_look_takes_all():
    bounds = [look.stop_above for look in EARLY_STOPS]
    assert bounds == sorted(bounds, reverse=True)
    assert [look.n_resamples for look in Sequential().interim_analyses] == [19, 39, 99]
    assert [look.n_resamples for look in Sequential(999).interim_analyses] == [19, 39, 99, 399, 999]
    assert [look.n_resamples for look in Sequential(19).interim_analyses] == [19]
    assert Sequential(999).interim_analyses[-1].stop_above == 0.0
    with pytest.raises(InputError, match="n_resamples=18 must be a whole number of at least 19"):
        Sequential(18)


@pytest.mark.parametrize(
    ("above", "among", "drawn", "pvalue"),
    [(10, 99, 99, 11 / 100), (9, 99, 999, 10 / 1000), (28, 399, 399, 29 / 400), (27, 399, 999, 28 / 1000)],
)
def test_it_goes_on_to_more_permutations_where_p_may_be_small(above, among, drawn, pvalue):
    judgement, permuted = judged(above, among, 999)
    assert len(permuted.statistics) == drawn
    assert judgement.null.pvalue == pytest.approx(pvalue)
    assert judgement.null.stopped == (drawn < 999)


def test_the_p_values_hold_at_small_levels_too():
    # Ranks among exchangeable values; 20,000 data sets, so that the standard error at 0.001 is 0.0002.
    rng = np.random.default_rng(7)
    looks, replicates = Sequential(999).interim_analyses, 20_000
    tests, others = [], []
    for _ in range(replicates):
        t = rng.normal(size=1000).astype(np.float32)
        p, drawn = 1.0, 0
        for size, clear in looks:
            p, drawn = float(1 + (t[1 : size + 1] >= t[0]).sum()) / (1 + size), size
            if p > clear:
                break
        u = 0.7 * t[: drawn + 1] + 0.7 * rng.normal(size=drawn + 1)

        def beside(size, u=u):
            return np.array([(1 + (u[1 : size + 1] >= u[0]).sum()) / (1 + size)])

        q = float(take_in_turn(looks, drawn, beside)[0])
        tests.append(p)
        others.append(max(q, p) if drawn < 99 else q)
    levels = np.array([0.001, 0.002, 0.0025, 0.005, 0.009, 0.01, 0.02, 0.05, 0.1])
    for pvalues in (tests, others):
        rates = (np.array(pvalues)[:, None] <= levels + 1e-9).mean(axis=0)
        assert (rates <= levels + 4.0 * np.sqrt(levels * (1 - levels) / replicates)).all()
    assert abs(np.mean(np.array(tests) <= 0.01 + 1e-9) - 0.01) < 0.003


def test_progress_counts_towards_the_most_and_ends_where_drawing_does():
    seen = []
    judged(10, 10, progress=lambda *state: seen.append(state))
    assert seen[:2] == [(1, 99), (2, 99)]
    assert seen[-2:] == [(19, 99), (19, 19)]
    seen.clear()
    judged(0, 0, progress=lambda *state: seen.append(state))
    assert seen == [(done, 99) for done in range(1, 100)]


@cache
def simulated(replicates, seed):
    """Return p-values of a combined test under exchangeability, and of one of its members with the rule for those."""
    rng = np.random.default_rng(seed)
    weights = np.array([1.0, 0.5, 0.3])
    looks = (InterimAnalysis(19, 0.3), InterimAnalysis(39, 0.2), InterimAnalysis(99))
    tests, members = [], []
    for _ in range(replicates):
        common = rng.normal(size=(100, 1))
        rows = np.column_stack([common + rng.normal(size=(100, 1)), rng.chisquare(1, 100), rng.normal(size=100)])

        def judge_at(size, rows=rows):
            return judge(Sequential(), rows[0], rows[1 : 1 + size], weights, 50, Exchange())

        outcome = judge_in_turn(looks, judge_at).null
        drawn = rows[1 : 1 + outcome.distribution.size, 0]
        alone = Permutation(len(drawn)).judge(rows[0, 0], drawn, 50).pvalue
        tests.append(outcome.pvalue)
        members.append(max(alone, outcome.pvalue) if outcome.stopped else alone)
    return np.array(tests), np.array(members)


@pytest.mark.parametrize("which", [0, 1])
def test_the_p_value_holds_at_every_level(which):
    pvalues = simulated(1500, 5)[which]
    levels = np.arange(1, 100) / 100
    rates = (pvalues[:, None] <= levels + 1e-9).mean(axis=0)
    assert (rates <= levels + 4.0 * np.sqrt(levels * (1 - levels) / pvalues.size)).all()
    assert abs(rates[4] - 0.05) < 0.025  # and is not conservative where decisions are made


@pytest.mark.parametrize(("n_jobs", "backend"), [(3, "threads"), (2, "loky")])
def test_workers_change_nothing(n_jobs, backend):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    options = {"method": kmerf.KMERF(kmerf.ForestSpec(n_trees=10)), "null": kmerf.Sequential(), "rng": 2}
    one = kmerf.independence(x, y, n_jobs=1, **options)
    many = kmerf.independence(x, y, n_jobs=n_jobs, backend=backend, **options)
    assert one.to_dict() == many.to_dict()


def test_where_it_stops_no_feature_or_member_has_a_smaller_p_value():
    stopped = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(40, 6)), rng.normal(size=40)
        found = kmerf.independence(x, y, method=kmerf.Portfolio().with_trees(8), rng=seed)
        assert found.settings["null"] == {"class": "Sequential", "n_resamples": 999}
        if found.null.distribution.size < 99:
            stopped += 1
            assert found.null.stopped
            for pvalues in (found.features.pvalues, found.features.adjusted_fwer, found.features.adjusted_fdr):
                assert pvalues.min() >= found.pvalue
            assert min(member.pvalue for member in found.members) >= found.pvalue
            assert kmerf.Result.from_dict(found.to_dict()).null.stopped
    assert stopped >= 3


def test_more_refits_change_nothing_where_p_is_large_and_no_feature_above_the_smallest_p_value():
    settled = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(30, 3))
        y = rng.normal(size=30) + 0.5 * seed * x[:, 0]
        method = kmerf.Portfolio().with_trees(8)
        short, more = (kmerf.independence(x, y, method=method, null=null, rng=1) for null in (Sequential(99), None))
        assert more.settings["null"]["n_resamples"] == 999
        if short.pvalue > 0.1:
            settled += 1
            assert more.pvalue == short.pvalue
            assert more.null.distribution.tolist() == short.null.distribution.tolist()
            assert more.features.to_dict() == short.features.to_dict()
            assert [member.to_dict() for member in more.members] == [member.to_dict() for member in short.members]
        known = short.features.pvalues > 0.01
        assert more.features.pvalues[known].tolist() == short.features.pvalues[known].tolist()
    assert 0 < settled < 4
