"""Many tests on one table: what z explains of a variable is removed once for each z, and kept.

A search for a graph asks for the same pairs of a variable and a z again and again: x given {a, b} is wanted for every
y. Without z, variables are compared as they are, which is a test of independence by levels and shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kmerf.adjustment.rank_coordinates import of_features
from kmerf.adjustment.testing import STOP, Given, Remainder, compare
from kmerf.core.errors import InputError
from kmerf.data.sample_values import column_part

if TYPE_CHECKING:
    from kmerf.adjustment.rank_coordinates import Coordinates
    from kmerf.data.sample_values import Features

TREES = 50  # of each forest: a search asks thousands of questions
DRAWS = 999  # permutations at most, where y is permuted inside strata


class CachedTest:
    """Tests of the columns of one table against each other, given others.

    >>> import numpy as np
    >>> from kmerf.data.read_sample import read_features
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=200)
    >>> b, c = a + rng.normal(size=200), a + rng.normal(size=200)
    >>> test = CachedTest(read_features(np.column_stack([b, c, a])), seed=1)
    >>> test.pvalue(0, 1) < 0.001, test.pvalue(0, 1, [2]) > 0.05
    (True, True)
    """

    def __init__(self, table: Features, *, seed: int = 0, n_jobs: int = 1) -> None:
        self.table, self.seed, self.n_jobs = table, seed, n_jobs
        self._coordinates: dict[int, Coordinates] = {}
        self._given: dict[frozenset[int], Given] = {}
        self._left: dict[tuple[int, frozenset[int]], Remainder] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.table.names

    def pvalue(self, x: int, y: int, z: Iterable[int] = ()) -> float:
        """Return the p-value of columns x and y given the columns z, all by position."""
        known = frozenset(z)
        if x == y or {x, y} & known:
            raise InputError(f"x={x}, y={y} and z={sorted(known)} must be different columns.")
        first, second = sorted((x, y))  # the order must not matter
        left, right = self._remainder(first, known), self._remainder(second, known)
        return compare(self._given[known], left, right, draws=DRAWS, stop=STOP).pvalue

    def positions(self, names: Sequence[object]) -> list[int]:
        """Return where columns of these names stand."""
        return [self.names.index(str(name)) for name in names]

    def _remainder(self, variable: int, z: frozenset[int]) -> Remainder:
        key = variable, z
        if key not in self._left:
            self._left[key] = self._prepared(z).remove_from(self._of(variable), variable)
        return self._left[key]

    def _prepared(self, z: frozenset[int]) -> Given:
        if z not in self._given:
            columns = column_part(self.table, sorted(z)) if z else None
            self._given[z] = Given(columns, self.seed, self.n_jobs, trees=TREES)
        return self._given[z]

    def _of(self, variable: int) -> Coordinates:
        if variable not in self._coordinates:
            self._coordinates[variable] = of_features(column_part(self.table, [variable]))
        return self._coordinates[variable]
