"""Very many rows: blocks of them, each with some of the trees."""

from dataclasses import replace

import numpy as np
import pytest

import kmerf
from kmerf.core.streams import Purpose, seed_for
from kmerf.data.read_sample import read_independence
from kmerf.data.sample_values import Sample
from kmerf.methods import row_blocks
from kmerf.methods.kmerf import KMERF
from kmerf.methods.portfolio import Portfolio, read_together
from kmerf.methods.row_blocks import BlockedForestProblem, deal

N = 100
FOREST = kmerf.ForestSpec(n_trees=30, min_samples_leaf=3)
READINGS = [KMERF(FOREST, "all"), KMERF(FOREST), KMERF(FOREST, statistic="prediction")]


@pytest.fixture
def sample(monkeypatch) -> Sample:
    monkeypatch.setattr(row_blocks, "BLOCK_ROWS", 40)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 3))
    return read_independence(x, x[:, 0] + 0.5 * rng.normal(size=N))


def blocked(sample: Sample) -> BlockedForestProblem:
    problem = read_together([each.prepare(sample, 7) for each in READINGS], deal(sample.x, 7))
    assert isinstance(problem, BlockedForestProblem)
    return problem


def test_every_row_is_in_one_block(sample):
    blocks = deal(sample.x, 3)
    assert [len(block.rows) for block in blocks] == [34, 33, 33]
    assert sorted(np.concatenate([block.rows for block in blocks])) == list(range(N))
    assert not np.array_equal(blocks[0].rows, deal(sample.x, 4)[0].rows)
    for rows, x, columns in blocks:
        assert np.array_equal(x.values, sample.x.values[rows])
        assert columns.x.shape == x.values.shape
    assert deal(read_independence(np.arange(40.0), np.arange(40.0)).x, 3) == ()


def test_statistics_are_the_means_of_those_of_tests_on_the_blocks(sample):
    problem = blocked(sample)
    fit = problem.fit(np.arange(N), 0)
    for number, method in enumerate(READINGS):
        alone = []
        for g, (rows, x, _) in enumerate(problem.blocks):
            part = Sample(x, sample.y.take(rows), 0, ())
            small = method.with_trees(10).prepare(part, seed_for(7, Purpose.ROW_BLOCK, g))
            alone.append(small.fit(np.arange(len(rows)), 0).statistic)
        assert fit.parts[number].statistic == pytest.approx(np.mean(alone), rel=1e-12)
    assert fit.parts[0].gains.shape == (30, 3)
    assert [part.gains is None for part in fit.parts] == [False, True, True]


def test_a_permutation_is_another_order_of_y(sample):
    order = np.random.default_rng(1).permutation(N)
    moved = replace(sample, y=sample.y.take(order))
    permuted = blocked(sample).fit(order, 5, reasons=True)
    again = blocked(moved).fit(np.arange(N), 5, reasons=True)
    assert permuted.statistics.tolist() == again.statistics.tolist()
    assert permuted.shares().tolist() == again.shares().tolist()


def test_predictions_of_blocks_come_together(sample):
    forest = blocked(sample).fit(np.arange(N), 0).parts[0].forest
    known = forest.predictions(sample.y.values)
    assert (known.times > 0).sum() > 0.9 * N
    seen = known.times > 0
    guess = known.total[seen, 0] / known.times[seen]
    assert np.corrcoef(guess, sample.y.values[seen, 0])[0, 1] > 0.6


@pytest.mark.parametrize("classes", [False, True])
def test_the_whole_test_runs_in_blocks_with_the_same_bits_for_any_number_of_workers(monkeypatch, classes):
    monkeypatch.setattr(row_blocks, "BLOCK_ROWS", 40)
    rng = np.random.default_rng(2)
    x = rng.normal(size=(N, 3))
    y = x[:, 1] + 0.5 * rng.normal(size=N)
    y = np.where(y > 0.0, "high", "low") if classes else y
    options = {"method": Portfolio().with_trees(12), "details": True, "rng": 3}
    one, two = (kmerf.independence(x, y, n_jobs=n_jobs, **options) for n_jobs in (1, 2))
    assert one.to_dict() == two.to_dict()
    assert one.pvalue < 0.01
    assert one.features.significant() == ("x2",)
    assert one.effect.score > (0.8 if classes else 0.3)


def test_forests_that_are_kept_whole_are_grown_on_all_rows(sample):
    whole = KMERF(FOREST, statistic="multiscale").prepare(sample, 1)
    assert read_together([whole], deal(sample.x, 1)) is whole
