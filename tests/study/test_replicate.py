"""One replicate: its seeds, what the tests see, and what its rows hold."""

import os
from dataclasses import dataclass

import numpy as np
import pytest

import kmerf
from kmerf import KmerfError, Permutation, simulations, study
from kmerf.storage.provenance import canonical
from kmerf.study.design import Batch, Item, StudyTest, streams
from studies import LINEAR, PLAN, TURNED, Slope, SlopeProblem


def test_seeds_differ_between_studies_sources_and_replicates():
    seeds = [streams(s, canonical(d), r) for s in (0, 1) for d in PLAN.data for r in range(50)]
    assert len({seed for each in seeds for seed in each}) == 3 * len(seeds)
    assert all(0 <= each.method < 2**53 for each in seeds)


def test_all_tests_see_the_same_data_the_same_permutation_and_the_same_seed():
    @dataclass(frozen=True)
    class Spy:
        name: str
        seen: list

        def prepare(self, sample, seed):
            problem = Slope().prepare(sample, seed)
            self.seen.append((sample.x.values.tolist(), sample.y.values.tolist(), seed))
            return Listener(problem.x, problem.y, seed, self.seen)

    @dataclass(frozen=True)
    class Listener(SlopeProblem):
        seen: list

        def fit(self, order, refit, n_jobs=1, importances=False):
            self.seen.append((order.tolist(), refit))
            return super().fit(order, refit, n_jobs)

    seen = {1: [], 2: []}
    tests = {k: StudyTest(Spy("spy", seen[k]), None) for k in seen}
    rows = Batch(LINEAR, 3, tests, [Item(0, (1, 2)), Item(1, (2, 1))], {1: "", 2: ""}, os.getpid(), 60.0)()
    assert seen[1] == seen[2]
    assert [row.cell for row in rows] == [1, 2, 2, 1]
    first, second = (entry for entry in seen[1] if len(entry) == 3)
    assert first[0] != second[0]
    assert first[2] != second[2]
    assert [refit for *_, refit in seen[1][1:3]] == [0, 1]  # observed, then permuted
    assert sorted(seen[1][2][0]) == list(range(20))
    assert seen[1][2][0] != list(range(20))


def test_a_row_is_what_the_library_gives_on_that_data(rows):
    at = [k for k, data in enumerate(rows["data"]) if '"Rotated"' in data and "KMERF" in rows["test"][k]][7]
    seeds = streams(3, canonical(TURNED), 7)
    a, b = simulations.rotated("linear", 10, 2, angle="random", rng=np.random.default_rng(seeds.data))
    result = kmerf.ksample(a, b, method=PLAN.tests["KMERF"], null=Permutation(3), rng=seeds.method)
    assert (rows["replicate"][at], rows["statistic"][at], rows["pvalue"][at]) == (7, result.statistic, result.pvalue)


def test_a_worker_with_other_code_stops():
    plan = study.Study({"slope": Slope()}, [LINEAR], replicates=5)
    batch = Batch(LINEAR, 0, {1: plan.test("slope")}, [Item(0, (1,))], {1: "old"}, parent=-1, seconds=60.0)
    with pytest.raises(KmerfError, match="source code has changed since this run began"):
        batch()
