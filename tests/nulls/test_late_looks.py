"""P-values beside that of the test."""

import numpy as np

from kmerf.nulls.definitions import Sequential, take_in_turn


def test_p_values_beside_the_test_are_taken_from_the_first_late_look_at_which_they_are_not_the_smallest():
    smallest = {size: 1 / (1 + size) for size in (19, 39, 99, 399, 999)}
    at = {
        19: np.full(4, smallest[19]),
        39: np.full(4, smallest[39]),
        99: np.array([0.02, smallest[99], smallest[99], smallest[99]]),
        399: np.array([0.0025, 0.0075, smallest[399], smallest[399]]),
        999: np.array([0.001, 0.001, 0.004, smallest[999]]),
    }
    looks = Sequential(999).interim_analyses
    assert take_in_turn(looks, 999, at.__getitem__).tolist() == [0.02, 0.0075, 0.004, smallest[999]]
    assert take_in_turn(looks, 399, at.__getitem__).tolist() == [0.02, 0.0075, smallest[399], smallest[399]]
    for size in (99, 39, 19):
        assert take_in_turn(looks, size, at.__getitem__).tolist() == at[size].tolist()
