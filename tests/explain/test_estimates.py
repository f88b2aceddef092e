"""From held-out predictions to R2 and AUC, and their intervals."""

import numpy as np
import pytest
from scipy.stats import norm

from kmerf.explain.held_out import HeldOut, Layout, area, interval, share

N = 400


def held(y, first, second):
    """Return predictions of y around 0, all from one fold."""
    return HeldOut(*(each[None] for each in (first, second, y, y)), np.zeros((1, len(y)), np.int64))


def test_perfect_models_and_models_that_know_nothing():
    y = np.random.default_rng(0).normal(size=(N, 1))
    every = slice(0, 1)
    assert share(held(y, y, y), every, Layout(N), None).value == 1.0
    nothing = share(held(y, 0.0 * y, 0.0 * y), every, Layout(N), None)
    assert (nothing.value, nothing.low) == (0.0, 0.0)
    assert nothing.high < 0.05


def test_the_interval_of_a_share_is_about_that_of_normal_theory():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 1))
    y = x + rng.normal(size=(N, 1))
    found = share(held(y, x, x), slice(0, 1), Layout(N), None)
    assert found.value == pytest.approx(0.5, abs=0.08)
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(4 * 0.5 * 0.25 / N), rel=0.35)


def test_rows_of_a_block_count_less_if_they_are_alike():
    rng = np.random.default_rng(0)
    blocks = np.repeat(np.arange(N // 10), 10)
    x = rng.normal(size=(N, 1))
    y = x + 2.0 * rng.normal(size=(N // 10, 1))[blocks]
    alone = share(held(y, x, x), slice(0, 1), Layout(N), None)
    whole = share(held(y, x, x), slice(0, 1), Layout(N, blocks), None)
    assert whole.value == pytest.approx(alone.value, abs=0.02)
    assert whole.high - whole.low > alone.high - alone.low


def test_predictions_that_are_too_flat_are_stretched_if_a_penalty_may_have_made_them_so():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 1))
    y = x + 0.5 * rng.normal(size=(N, 1))
    flat = held(y, 0.8 * x, 0.8 * x)
    full, stretched, kept = (
        share(each, slice(0, 1), Layout(N), None).value for each in (held(y, x, x), flat, flat._replace(flat=False))
    )
    assert kept < full - 0.02
    assert stretched == pytest.approx(full, abs=0.01)


def test_the_upper_end_allows_for_a_part_that_only_some_models_find():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 1))
    y = x + 0.5 * rng.normal(size=(N, 1))
    half = np.where(np.arange(N)[:, None] % 2 == 0, x, 0.0)
    apart = held(y, half, x - half)  # of each row, one model finds it and the other does not
    wider, kept = (share(each, slice(0, 1), Layout(N), None) for each in (apart, apart._replace(flat=False)))
    assert wider.high > kept.high + 0.1
    assert wider.low == pytest.approx(kept.low)


def test_rows_within_blocks_count_almost_as_much_as_rows_without_blocks():
    rng = np.random.default_rng(0)
    blocks = np.repeat(np.arange(N // 10), 10)
    layout = Layout(N, blocks, within=True)
    x = layout.centred(rng.normal(size=(N, 1)))
    y = x + layout.centred(rng.normal(size=(N, 1)))
    within, alone = (share(held(y, x, x), slice(0, 1), each, None) for each in (layout, Layout(N)))
    assert within.high - within.low == pytest.approx(alone.high - alone.low, rel=0.3)


def test_what_z_leaves_bounds_the_interval():
    """z explains nine tenths, and x nothing: it can add a tenth at most."""
    rng = np.random.default_rng(0)
    z = 3.0 * rng.normal(size=(N, 1))
    y = z + rng.normal(size=(N, 1))
    noise = [0.1 * rng.normal(size=(N, 1)) for _ in range(2)]
    alone, beside = held(y, z, z), held(y, z + noise[0], z + noise[1])
    found = share(beside, slice(0, 1), Layout(N), None, alone)
    assert found.low == 0.0
    assert found.high < 0.01


def test_far_values_widen_the_interval():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 1))
    widths = []
    for noise in (rng.normal(size=(60, 1)), rng.standard_t(1.5, size=(60, 1))):
        y = x * np.std(noise) + noise
        found = share(held(y, x * np.std(noise), x * np.std(noise)), slice(0, 1), Layout(60), None)
        widths.append(found.high - found.low)
    assert widths[1] > 1.2 * widths[0]


def test_ties_of_levels_count_half():
    """Scores of a level that differ only by the luck of the deal do not widen the interval."""
    rng = np.random.default_rng(0)
    codes, levels = np.arange(N) % 2, rng.integers(0, 2, N)
    scores = levels[:, None] + 1e-6 * rng.normal(size=(N, 1))
    known = held(codes[:, None] - 0.5, scores, scores)
    loose, tied = (area(each, codes, Layout(N)) for each in (known, known._replace(levels=levels)))
    assert tied.high - tied.low < 0.95 * (loose.high - loose.low)


def test_the_auc_and_its_interval():
    rng = np.random.default_rng(0)
    codes = np.arange(N) % 2
    x = rng.normal(size=(N, 1)) + codes[:, None]
    found = area(held(codes[:, None] - 0.5, x, x), codes, Layout(N))
    assert found.value == pytest.approx(norm.cdf(np.sqrt(0.5)), abs=0.05)
    assert 0.07 < found.high - found.low < 0.12
    perfect = area(held(codes[:, None] - 0.5, codes[:, None] - 0.5, codes[:, None] - 0.5), codes, Layout(N))
    assert perfect.value == perfect.high == 1.0
    assert 0.95 < perfect.low < 1.0


def test_more_classes_are_compared_two_by_two():
    codes = np.arange(N) % 4
    ones = (codes[:, None] == np.arange(4)) - 0.25
    assert area(held(ones, ones, ones), codes, Layout(N)).value == 1.0
    merged = ones.copy()
    merged[codes >= 2, 2:] = 0.25  # the last two classes cannot be told apart
    assert area(held(ones, merged, merged), codes, Layout(N)).value == pytest.approx(5.5 / 6)


def test_an_estimate_outside_its_range_has_an_interval_inside():
    def flat(theta):
        return np.full(theta.shape, 1e-4)

    below = interval(-0.2, flat, 50)
    assert (below.value, below.low, below.high) == (-0.2, 0.0, 0.01)
    assert interval(1.0, flat, 50).high == 1.0
