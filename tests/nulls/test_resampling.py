"""Permuted statistics: numbered, the same bits for any number of workers, and each row of y used once."""

import numpy as np
import pytest

import kmerf
from cases import SMALL, related
from kmerf.data.exchangeability import Exchange
from kmerf.nulls.judging import AT_ONCE, Resample, Run, resample
from kmerf.reading.samples import read_independence
from null_problems import problem


@pytest.mark.parametrize(("n_jobs", "backend"), [(3, "threads"), (2, "loky")])
def test_statistics_do_not_depend_on_workers(n_jobs, backend):
    forest = SMALL.prepare(read_independence(*related(30)), 1)
    one = resample(forest, 6, Run(5), reasons=True)
    many = resample(forest, 6, Run(5, n_jobs, backend), reasons=True)
    assert many.statistics.tolist() == one.statistics.tolist()
    assert many.shares.tolist() == one.shares.tolist()


def test_a_permutation_is_known_by_its_number():
    few, more = (resample(problem(), size, Run(5)).statistics for size in (4, 9))
    assert more[:4].tolist() == few.tolist()
    assert resample(problem(), 4, Run(6)).statistics.tolist() != few.tolist()
    orders = [Resample(problem(), 5).order(number) for number in range(1, 6)]
    assert all(sorted(order) == list(range(30)) for order in orders)
    assert len({tuple(order) for order in orders}) == 5


def test_nothing_asked_for_is_nothing_drawn():
    none = resample(problem(), 0, Run(5))
    assert none.statistics.shape == (0, 1)
    assert none.shares is None


def test_progress_and_exchange_are_those_of_the_run():
    seen = []
    halves = Exchange(units=(np.arange(15)[:, None], np.arange(15, 30)[:, None]))
    run = Run(5, progress=lambda *state: seen.append(state), exchange=halves)
    found = resample(problem(), 3, run).statistics[:, 0]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    orders = [Resample(problem(), 5, halves).order(number) for number in (1, 2, 3)]
    assert all(sorted(order[:15]) == list(range(15)) for order in orders)
    assert found.tolist() == [problem().fit(order, 0).statistic for order in orders]


# --- many at once ---

BLIND = kmerf.KMERF(kmerf.ForestSpec(20, splits="blind"), "all", "target")


@pytest.mark.parametrize(("n_jobs", "backend"), [(3, "threads"), (2, "loky")])
def test_many_at_once_do_not_depend_on_workers_or_on_how_many_are_asked_for(n_jobs, backend):
    blind = BLIND.prepare(read_independence(*related(30)), 1)
    assert blind.permutes_at_once
    one = resample(blind, AT_ONCE + 300, Run(5)).statistics
    assert one.shape == (AT_ONCE + 300, 1)
    assert resample(blind, AT_ONCE + 300, Run(5, n_jobs, backend)).statistics.tolist() == one.tolist()
    assert resample(blind, 50, Run(5)).statistics.tolist() == one[:50].tolist()
    assert len(np.unique(one)) > 1300
    assert resample(blind, 50, Run(6)).statistics.tolist() != one[:50].tolist()
    assert resample(blind, 0, Run(5)).statistics.shape == (0, 1)


def test_where_rows_may_not_change_places_freely_each_order_is_drawn_by_itself():
    halves = Exchange(units=(np.arange(15)[:, None], np.arange(15, 30)[:, None]))
    blind = BLIND.prepare(read_independence(*related(30)), 1)
    found = resample(blind, 3, Run(5, exchange=halves)).statistics[:, 0]
    orders = [Resample(blind, 5, halves).order(number) for number in (1, 2, 3)]
    assert found.tolist() == [blind.fit(order, 1).statistic for order in orders]


def test_the_end_of_many_at_once_is_shown():
    seen = []
    blind = BLIND.prepare(read_independence(*related(30)), 1)
    resample(blind, 40, Run(5, progress=lambda *state: seen.append(state)))
    assert seen == [(40, 40)]
