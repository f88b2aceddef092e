"""Leaves know their size."""

from grown_forests import leaves


def test_leaves_know_their_size():
    grown = leaves()
    assert (grown.n_trees, grown.n) == grown.codes.shape == grown.counts.shape == (60, 120)
    assert grown.gains.shape == (60, 5)
