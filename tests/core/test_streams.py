"""Random streams: no two purposes share one, and what was drawn yesterday is drawn today."""

from itertools import combinations

import numpy as np
import pytest

from kmerf.core import streams
from kmerf.core.errors import InputError
from kmerf.core.streams import Purpose, as_seed, stream


def test_the_numbers_of_purposes_never_change():
    """Every stored result and every result with a seed depends on them."""
    known = {
        "PERMUTATION": 7,
        "TIED_RANKS": 11,
        "SCREEN_PERMUTATION": 13,
        "SHUFFLED_FEATURE": 17,
        "HALF_SAMPLE": 19,
        "PAIR_OF_GROUPS": 23,
        "MEMBER_ROWS": 29,
        "SAMPLED_PAIRS": 31,
        "ROW_MAP": 37,
        "JOINT_TARGET": 41,
        "DATA_POINTS": 53,
        "BLIND_TARGET": 139,
        "COMBINATIONS": 149,
        "SECOND_CLASS": 101,
        "PROTOTYPE_ROWS": 103,
        "STRATUM": 83,
        "ADJUSTED_VARIABLE": 89,
        "ADJUSTED_COLUMN": 97,
        "SAMPLED_ROWS": 43,
        "PART_OF_PILOT": 107,
        "PAIRS_OF_COLUMNS": 137,
        "ROW_GROUPS": 151,
        "HELD_OUT": 157,
        "KINDS": 163,
        "LOCAL_SCALES": 167,
        "LOCAL_CELLS": 173,
        "ASSOCIATION": 211,
        "COMPARED_ROWS": 223,
        "COMPARED_CELLS": 227,
        "COMPARED_FOLDS": 179,
        "COMPARED_SAMPLE": 181,
        "TIED_NEIGHBOURS": 191,
    }
    found = {purpose.name: int(purpose) for purpose in Purpose}
    assert found == known
    assert len(Purpose.__members__) == len(set(found.values()))  # an alias would share a stream


def test_streams_differ_by_seed_purpose_and_number():
    draws = [stream(s, p, k).random() for s in (0, 1) for p in Purpose for k in range(3)]
    assert len(set(draws)) == len(draws)
    assert stream(3, Purpose.PERMUTATION, 2).random() == stream(3, Purpose.PERMUTATION, 2).random()


def test_a_stream_is_the_one_it_has_always_been():
    assert (
        stream(1, Purpose.PERMUTATION, 1).permutation(8).tolist()
        == np.random.default_rng([1, 7, 1]).permutation(8).tolist()
    )
    assert streams.member_seed(5, 0) == 5
    assert streams.member_seed(5, 1) == 5 + 0x9E3779B97F4A7C15
    assert streams.half_sample_seed(2**64 - 1, 0) == 0
    assert streams.response_forest_seed(streams.response_forest_seed(9)) == 9


def test_seeds_of_members_halves_and_pairs_are_apart():
    made = [streams.member_seed(4, k) for k in range(1, 8)]
    made += [streams.seed_for(4, Purpose.PAIR_OF_GROUPS, k) for k in range(7)]
    made += [streams.sklearn_state(4, k) for k in range(7)]
    assert all(a != b for a, b in combinations(made, 2))
    assert all(0 <= seed < 2**64 for seed in made)
    assert all(0 <= streams.sklearn_state(seed, 0) < 2**31 for seed in range(50))  # what scikit-learn takes


def test_a_drawn_seed_can_be_kept_in_json():
    assert all(0 <= as_seed(None) < 2**53 for _ in range(50))
    assert as_seed(None) != as_seed(None)
    assert as_seed(np.random.default_rng(3)) == as_seed(np.random.default_rng(3))
    assert as_seed(np.int64(8)) == 8


@pytest.mark.parametrize("bad", [-1, 2**64, 1.0, "1", True])
def test_bad_seeds_name_themselves(bad):
    with pytest.raises(InputError, match=f"rng={bad!r} must be a whole number from 0"):
        as_seed(bad)


def test_seeds_that_are_drawn_are_short():
    assert max(streams.as_seed(None) for _ in range(50)) < 10**6
    assert len({streams.as_seed(None) for _ in range(50)}) > 45
