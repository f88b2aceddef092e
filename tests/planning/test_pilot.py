"""Parts of a pilot: which rows, which statistics, which scale."""

import numpy as np
import pytest

from kmerf import InputError
from kmerf.core.streams import Purpose, seed_for, stream
from kmerf.data.sample import draw_rows, take_rows
from kmerf.methods.covariance_tests import RV
from kmerf.methods.distance_tests import Dcorr
from kmerf.methods.portfolio import Portfolio
from kmerf.nulls.judging import Run
from kmerf.planning.planning import PartStatistics, PartTest, part_scores, score_parts
from kmerf.reading.samples import read_independence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
NUMBERS = read_independence(X, X[:, 0] + RNG.normal(size=60))


def test_a_part_is_tested_as_a_sample_of_its_rows_would_be():
    found = PartTest(NUMBERS, Dcorr(), 7, (20, 30))(3)
    rng = stream(7, Purpose.PART_OF_PILOT, 3)
    rows = draw_rows(NUMBERS, 30, rng)
    assert len(set(rows.tolist())) == 30  # no row is there twice
    problem = Dcorr().prepare(take_rows(NUMBERS, rows), seed_for(7, Purpose.PART_OF_PILOT, 3))
    np.testing.assert_array_equal(found.observed, problem.fit(np.arange(30), 0).statistics)
    np.testing.assert_array_equal(found.permuted, problem.fit(rng.permutation(30), 1).statistics)


def test_scores_are_on_the_scale_of_the_null():
    rng = np.random.default_rng(1)
    parts = [
        PartStatistics(np.array([10 + 3 * a]), np.array([4 + 2 * b]), np.ones(1)) for a, b in rng.normal(size=(500, 2))
    ]
    (scores,) = part_scores({50: parts})
    assert scores.permuted.mean() == pytest.approx(0.0, abs=1e-12)
    assert scores.permuted.std(ddof=1) == pytest.approx(1.0)
    assert scores.observed.mean() == pytest.approx(3.0, abs=0.3)


def test_the_number_of_workers_does_not_matter_and_sizes_have_their_own_parts():
    method = Portfolio().with_trees(5)
    one, two = (score_parts(NUMBERS, method, (20, 40), 6, Run(3, n_jobs=jobs)) for jobs in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert a.size == b.size
        np.testing.assert_array_equal(a.observed, b.observed)
        np.testing.assert_array_equal(a.permuted, b.permuted)
    assert [each.size for each in one] == [20, 40]
    assert one[0].observed.size == 6


def test_every_part_of_classes_has_all_of_them():
    y = np.array(["rare"] * 4 + ["common"] * 56)
    sample = read_independence(X, y)
    for number in range(10):
        part = PartTest(sample, Dcorr(), number, (12,))._draw(12, np.random.default_rng(number))
        assert np.bincount(part.y.codes).min() >= 2


def test_a_y_that_hardly_ever_differs_is_refused():
    y = np.zeros(2000)
    y[:2] = 1.5, 2.5
    test = PartTest(read_independence(np.arange(2000.0), y), Dcorr(), 0, (4,))
    with pytest.raises(
        InputError, match="x: nearly every part of 4 rows has a single value of y: collect a larger pilot"
    ):
        test(0)


def test_parts_vary_in_x_and_have_events():
    rng = np.random.default_rng(0)
    rare = np.zeros(60)
    rare[3] = 1.0
    draw = PartTest(read_independence(rare, rng.normal(size=60)), RV(), 1, (20,))
    assert all(np.isfinite(draw(number).observed).all() for number in range(20))
    with pytest.raises(InputError, match="x: nearly every part of 4 rows has a single value of every column of x"):
        _ = [PartTest(draw.sample, RV(), 1, (4,))(number) for number in range(200)]
