"""Arithmetic in blocks: where columns vary, what is left of them, and one value per block."""

import numpy as np
import pytest

from kmerf.data.block_parts import Blocks


def blocks_of(*sizes):
    return Blocks.of(np.repeat(np.arange(len(sizes)), sizes))


def test_rows_need_not_be_sorted_by_block():
    rng = np.random.default_rng(0)
    labels = np.array([4, 9, 4, 1, 9, 4])
    values = rng.normal(size=(6, 2))
    found = Blocks.of(labels)
    assert found.sizes.tolist() == [3, 2, 1]
    for label in (1, 4, 9):
        rows = labels == label
        assert found.centred(values)[rows] == pytest.approx(values[rows] - values[rows].mean(axis=0))
    assert labels[found.first].tolist() == [4, 9, 1]


def test_blocks_of_equal_values_are_zero_and_ties_stay_ties():
    values = np.array([0.1, 0.1, 0.1, 1.1, 1.2, 1.3, 7.1, 7.2, 7.3])[:, None]
    left = blocks_of(3, 3, 3).centred(values).ravel()
    assert left[:3].tolist() == [0.0, 0.0, 0.0]
    assert left[3:6].tolist() == left[6:].tolist()


def test_missing_values_stay_missing():
    values = np.array([1.0, np.nan, 3.0, np.nan, np.nan])[:, None]
    blocks = blocks_of(3, 2)
    assert np.isnan(blocks.centred(values).ravel()).tolist() == [False, True, False, True, True]
    means = blocks.means(values).ravel()
    assert means[0] == 2.0
    assert np.isnan(means[1])
    assert blocks.vary(values).ravel().tolist() == [True, False]


def test_centring_commutes_with_exchanging_rows_inside_blocks():
    rng = np.random.default_rng(1)
    blocks = blocks_of(4, 3, 5)
    values = rng.normal(size=(12, 1))
    order = np.concatenate([rng.permutation(4), 4 + rng.permutation(3), 7 + rng.permutation(5)])
    assert blocks.centred(values)[order].tolist() == blocks.centred(values[order]).tolist()


def test_means_of_blocks_of_one_size_are_plain_means():
    values = np.random.default_rng(2).normal(size=(12, 1))
    assert blocks_of(3, 3, 3, 3).means(values).ravel() == pytest.approx(values.reshape(4, 3).mean(axis=1))


def test_means_of_small_blocks_are_drawn_to_the_middle_and_have_one_variance():
    rng = np.random.default_rng(3)
    sizes = np.tile([1, 20], 200)
    blocks = blocks_of(*sizes)
    level = 0.5 * rng.normal(size=400)
    values = (level[blocks.labels] + rng.normal(size=sizes.sum()))[:, None]
    means = blocks.means(values).ravel()
    plain = np.bincount(blocks.labels, values[:, 0]) / sizes
    assert means[1::2] == pytest.approx(plain[1::2], abs=1e-9)  # of the largest blocks as they are
    assert 0.8 < means[::2].std() / means[1::2].std() < 1.25
    assert plain[::2].std() / plain[1::2].std() > 1.8


def test_without_differences_between_blocks_means_count_by_the_root_of_their_size():
    values = np.array([3.0, -1.0, 1.0, -1.0, 1.0])[:, None]
    assert blocks_of(1, 4).means(values).ravel()[1] == pytest.approx(0.0)
    rng = np.random.default_rng(0)
    sizes = np.tile([1, 4], 50)
    blocks, noise = blocks_of(*sizes), rng.normal(size=(250, 1))
    noise = blocks.centred(noise) + 1e-3 * rng.normal(size=(250, 1))  # next to nothing between blocks of four
    plain = np.bincount(blocks.labels, noise[:, 0]) / sizes
    drawn = blocks.means(noise).ravel()
    centre = (sizes * plain).sum() / sizes.sum()
    assert (drawn - centre)[::2] == pytest.approx(0.5 * (plain - centre)[::2], rel=1e-6)
