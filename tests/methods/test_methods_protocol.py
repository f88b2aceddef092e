"""What every method gives: fits with their parts, and problems prepared again where rows of y repeat."""

import numpy as np
import pytest

import kmerf
from cases import SMALL, grown, related
from kmerf.data.exchangeability import exchange
from kmerf.methods.protocol import Fit, Part, PreparedAgain, check_chi_square, observe, prepare
from kmerf.reading.samples import read_independence


def test_a_fit_knows_its_statistics_and_weights():
    several = Fit((Part("a", 1.0), Part("b", 2.0, weight=0.5)))
    assert several.statistics.tolist() == [1.0, 2.0]
    assert several.weights.tolist() == [1.0, 0.5]
    assert Fit.of("a", 3.0).statistic == 3.0
    with pytest.raises(ValueError, match="too many values"):
        _ = several.statistic


def test_shares_are_credits_where_a_forest_tells_and_gains_elsewhere():
    gains, credits = np.array([[1.0, 3.0], [2.0, 2.0]]), np.array([[0.1, 0.5], [0.3, 0.1]])
    fit = Fit((Part("ours", 1.0, gains, credits), Part("theirs", 1.0, gains), Part("none", 1.0)))
    assert fit.shares() == pytest.approx(np.array([[0.2, 0.3], [0.375, 0.625]]))
    assert Fit.of("none", 1.0).shares() is None


def test_observing_is_fitting_in_the_order_of_the_data():
    problem = SMALL.prepare(read_independence(*related(30)), 1)
    assert observe(problem).statistic == problem.fit(np.arange(30), 0).statistic
    assert grown(read_independence(*related(30))).n_trees == 30


def test_blocks_of_different_sizes_are_prepared_again_for_every_order():
    x, _ = related(30)
    blocks = np.repeat(np.arange(6), [3, 4, 5, 5, 6, 7])
    y = np.random.default_rng(1).normal(size=6)[blocks]
    sample = read_independence(x, y, blocks=blocks)
    dcorr = kmerf.baselines.Dcorr()
    problem = prepare(dcorr, sample, 1, exchange(sample.blocks, "whole", sample.y))
    assert isinstance(problem, PreparedAgain)
    order = np.random.default_rng(2).integers(0, 30, 30)  # rows of y repeat
    fresh = dcorr.prepare(read_independence(x, y[order]), 1)
    assert problem.fit(order, 1).statistic == pytest.approx(observe(fresh).statistic)
    assert (problem.n, problem.learns, check_chi_square(problem)) == (30, False, None)
    free = prepare(dcorr, read_independence(x, y), 1, exchange(None, "within", sample.y))
    assert not isinstance(free, PreparedAgain)
