"""Checking a test on one's own x."""

import numpy as np
import pytest

import kmerf
from kmerf.figures import plot_tail

FOREST = kmerf.ForestSpec(n_trees=40)


def data(n=40, p=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.integers(0, 2, n).astype(bool)


def test_the_published_p_value_is_found_out():
    paper = kmerf.KMERF(FOREST, proximity="all")
    with pytest.warns(kmerf.KmerfWarning, match="not valid"):
        check = kmerf.check_calibration(*data(), method=paper, null=kmerf.ChiSquare(), replicates=100, rng=0)
    assert check.rates[0] == 1.0
    assert "too many" in str(check)


@pytest.mark.parametrize("proximity", ["all", "either", "oob"])
@pytest.mark.parametrize("null", [kmerf.Extrapolated(99), kmerf.Permutation(39)])
def test_permuting_keeps_its_level_with_every_kernel(proximity, null):
    # The level holds exactly; over 600 replicates of one data set the standard error is below 0.009.
    method = kmerf.KMERF(FOREST, proximity=proximity)
    check = kmerf.check_calibration(*data(), method=method, null=null, replicates=600, rng=1)
    assert 0.01 < check.rates[0] < 0.095
    assert check.rates[1] < 0.03


def test_the_check_is_seeded_and_does_not_depend_on_workers():
    options = {"method": kmerf.KMERF(FOREST), "null": kmerf.ChiSquare(), "replicates": 30, "rng": 3}
    one, two = (kmerf.check_calibration(*data(), n_jobs=jobs, **options).pvalues for jobs in (1, 2))
    assert one.tolist() == two.tolist()


def test_a_check_needs_more_replicates_than_the_null_has_resamples():
    with pytest.raises(kmerf.InputError, match="replicates=50 must be more than the 99 resamples"):
        kmerf.check_calibration(*data(), replicates=50)


def test_a_check_takes_blocks_of_different_sizes():
    rng = np.random.default_rng(0)
    block = np.repeat(range(7), [3, 5, 4, 6, 7, 5, 10])
    y = rng.normal(size=7)[block]
    options = {"blocks": block, "exchange": "whole", "null": kmerf.Permutation(39), "replicates": 60}
    check = kmerf.check_calibration(data()[0], y, method=kmerf.KMERF(FOREST), rng=0, levels=0.05, **options)
    assert check.rates[0] < 0.3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": kmerf.KMERF}, "method=.* cannot be used"),
        ({"null": 7}, "null=7 cannot be used"),
        ({"null": kmerf.ChiSquare(), "blocks": np.arange(40) // 2}, "with blocks, use null=Permutation"),
        ({"null": kmerf.ChiSquare(), "method": kmerf.baselines.HHG()}, "use null=Permutation"),
    ],
)
def test_a_check_refuses_what_a_test_refuses(options, message):
    with pytest.raises(kmerf.InputError, match=message):
        kmerf.check_calibration(*data(), **options)


def test_the_tail_is_drawn_against_the_level():
    rng = np.random.default_rng(0)
    figure = plot_tail({"uniform": rng.uniform(size=1000), "too small": rng.uniform(size=1000) ** 2})
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    x, y = lines["too small"].get_data()
    assert np.interp(0.05, x, y) == pytest.approx(np.sqrt(0.05), abs=0.05)
