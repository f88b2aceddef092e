"""Random streams: every random choice has its own stream, keyed by the seed, its purpose and its number.

So nothing depends on the order of the work or on who does it, and no two purposes share random numbers. Trees are
keyed by (seed, refit, tree) in compiled code (`kmerf.engine.grow`); everything else draws from here.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from kmerf.core.errors import Argument, InputError

Seed = int | np.random.Generator | None

MAX_NEW_SEED = 10**6  # new seeds are below it
_GOLDEN_RATIO = 0x9E3779B97F4A7C15  # in 64 bits: its multiples lie far apart
_RESPONSE_FOREST = 0x9E3779B9


class Purpose(IntEnum):
    """What a stream is drawn for. The numbers are part of every result: never change one, never use one twice."""

    PERMUTATION = 7
    TIED_RANKS = 11
    SCREEN_PERMUTATION = 13
    SHUFFLED_FEATURE = 17
    HALF_SAMPLE = 19
    PAIR_OF_GROUPS = 23
    MEMBER_ROWS = 29
    SAMPLED_PAIRS = 31
    ROW_MAP = 37
    JOINT_TARGET = 41
    DATA_POINTS = 53
    BLIND_TARGET = 139
    COMBINATIONS = 149
    SECOND_CLASS = 101
    PROTOTYPE_ROWS = 103
    STRATUM = 83
    ADJUSTED_VARIABLE = 89
    ADJUSTED_COLUMN = 97
    SAMPLED_ROWS = 43
    PART_OF_PILOT = 107
    PAIRS_OF_COLUMNS = 137
    ROW_GROUPS = 151
    HELD_OUT = 157
    KINDS = 163
    LOCAL_SCALES = 167
    LOCAL_CELLS = 173
    ASSOCIATION = 211
    COMPARED_ROWS = 223
    COMPARED_CELLS = 227
    COMPARED_FOLDS = 179
    COMPARED_SAMPLE = 181
    TIED_NEIGHBOURS = 191


def stream(seed: int, purpose: Purpose, *numbers: int) -> np.random.Generator:
    """Return the generator for a purpose; `numbers` distinguish the draws for it.

    >>> bool(stream(1, Purpose.PERMUTATION, 1).random() == stream(1, Purpose.PERMUTATION, 2).random())
    False
    """
    return np.random.default_rng([seed, int(purpose), *numbers])


def as_seed(rng: Seed) -> int:
    """Return the seed given, or else one from the generator given (below 2^53, which JSON readers keep whole), or new.

    A new one has at most six digits, so that people can pass it on.

    >>> as_seed(7)
    7
    """
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**53))
    if rng is None:
        return _short(np.random.SeedSequence()) % MAX_NEW_SEED
    if isinstance(rng, bool) or not hasattr(rng, "__index__") or not 0 <= int(rng) < 2**64:
        finding = "must be a whole number from 0 to 2^64 - 1, a numpy Generator, or None"
        raise InputError(finding, argument=Argument("rng", rng))
    return int(rng)


def seed_for(seed: int, purpose: Purpose, number: int) -> int:
    """Return a seed for another whole test, such as that of one pair of groups."""
    return _short(np.random.SeedSequence([seed, int(purpose), number]))


def member_seed(seed: int, number: int) -> int:
    """Return the seed of one member of a combined test; the first has the seed of the test."""
    return (seed + number * _GOLDEN_RATIO) % 2**64


def half_sample_seed(seed: int, number: int) -> int:
    """Return the seed of the test on one half-sample."""
    return (seed + 1 + number) % 2**64


def response_forest_seed(seed: int) -> int:
    """Return the seed of a forest of x on y, apart from that of the forest of y on x."""
    return seed ^ _RESPONSE_FOREST


def sklearn_state(seed: int, refit: int) -> int:
    """Return the random state of a scikit-learn forest."""
    return int(np.random.SeedSequence([seed, refit]).generate_state(1)[0] >> 1)


def _short(sequence: np.random.SeedSequence) -> int:
    """Return 53 bits of a seed sequence."""
    return int(sequence.generate_state(1, np.uint64)[0]) >> 11
