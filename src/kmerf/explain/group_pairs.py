"""Which groups differ: the test of every two of them, with p-values adjusted by Holm's method.

Holm's adjustment keeps the probability of calling any pair that does not differ at the level, whichever pairs do and
however their p-values depend on each other. Each pair is tested on its own rows, and by default with so many
permutations that Holm's smallest level is well above the smallest p-value (`kmerf.nulls.registry.refits_for_pairs`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kmerf.core.errors import Argument, InputError, Message, listed, message_of
from kmerf.core.settings import LEVEL, holds_matrix
from kmerf.data import exchangeability
from kmerf.data.block_parts import block_part
from kmerf.data.sample import FEWEST_ROWS, Response, Sample, take_rows
from kmerf.nulls.multiplicity import holm
from kmerf.results.parts import NullResult, Pair

Test = Callable[[Sample, int, int], tuple[float, NullResult]]

_PAIRWISE = Argument("pairwise", True)
FEWEST_EACH = (FEWEST_ROWS + 1) // 2  # rows of a group: two groups have enough to be tested


def check(sample: Sample, method: Any, exchange: str) -> None:
    """Raise unless every two groups can be compared."""
    y = sample.y
    if y.codes is None or len(y.labels) < 3:
        finding = f"compares the groups two by two, and there are {len(y.labels)}"
        raise InputError(finding, argument=_PAIRWISE, remedy="leave it out, or pass three groups or more")
    small = [name for name, size in zip(y.labels, np.bincount(y.codes), strict=True) if size < FEWEST_EACH]
    if small:
        finding = f"needs {FEWEST_EACH} rows or more of every group, and {listed(small)} has fewer"
        raise InputError(finding, argument=_PAIRWISE, remedy="leave out such groups, or merge them")
    if holds_matrix(method):
        finding = "cannot be had with a precomputed y_kernel, of all rows"
        raise InputError(finding, argument=_PAIRWISE, remedy="name a kernel")
    if sample.blocks is not None:
        _check_blocks(sample, exchange)


def _check_blocks(sample: Sample, kind: str) -> None:
    """Raise where the blocks leave nothing to exchange between two groups."""
    # of all groups first: what is wrong there is not the pair's
    _check_exchange(sample, kind)
    for (first, second), part in _pairs(sample):
        try:
            _check_exchange(part, kind)
        except InputError as error:
            finding = Message(f"cannot compare {first!r} and {second!r} on their own rows: ", message_of(error))
            raise InputError(finding, argument=_PAIRWISE) from error


def _check_exchange(sample: Sample, kind: str) -> None:
    part = block_part(sample, kind)
    exchangeability.exchange(part.sample.blocks, part.exchange, part.sample.y, part.sample.inside)


def every_pair(sample: Sample, test: Test) -> tuple[Pair, ...]:
    """Test every two groups.

    `test` takes their rows, the number of the pair and that of all pairs, and returns the statistic and its p-value.
    """
    pairs = list(_pairs(sample))
    tests = [test(part, number, len(pairs)) for number, (_, part) in enumerate(pairs)]
    adjusted = holm(np.array([found.pvalue for _, found in tests])).tolist()
    return tuple(
        Pair(*names, statistic, found.pvalue, a, found.bound)
        for (names, _), (statistic, found), a in zip(pairs, tests, adjusted, strict=True)
    )


def too_few_note(pairs: Sequence[Pair]) -> list[str]:
    """Say so where no pair can be significant however much its groups differ."""
    if not pairs or min(pair.pvalue for pair in pairs) * len(pairs) <= LEVEL:
        return []
    smallest = max((pair.bound for pair in pairs if pair.bound is not None), default=0.0)
    if smallest * len(pairs) <= LEVEL:
        return []
    return [
        f"No Holm p-value of {len(pairs)} pairs can be below {smallest * len(pairs):.2g}, because none of them can be "
        f"below {smallest:.2g}: take more permutations."
    ]


def _pairs(sample: Sample) -> Iterator[tuple[tuple[str, str], Sample]]:
    """Yield the names and the rows of every two groups."""
    y = sample.y
    assert y.codes is not None
    for a, b in itertools.combinations(range(len(y.labels)), 2):
        rows = np.flatnonzero((y.codes == a) | (y.codes == b))
        codes = (y.codes[rows] == b).astype(np.int64)
        values = np.column_stack([1.0 - codes, codes.astype(np.float64)])
        names = y.labels[a], y.labels[b]
        part = take_rows(sample, rows)
        yield names, replace(part, y=Response(values, y.names, "categorical", codes, names))
