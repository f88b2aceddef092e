"""Multiscale graph correlation of Euclidean distances: `kmerf.methods.multiscale` says what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kmerf.core.errors import InputError
from kmerf.core.memory import check_pairs
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.multiscale import BYTES, FEWEST_ROWS, MultiscaleStatistic
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Wording

if TYPE_CHECKING:
    from kmerf.data.sample_values import Sample


@dataclass(frozen=True)
class MGC:
    """Multiscale graph correlation, as scipy and hyppo compute it.

    Distances come from differences, so rows that are equally far are tied; hyppo's are rounded, which breaks some ties
    and can change the statistic where values repeat.

    >>> import kmerf
    >>> result = kmerf.independence(range(8), range(8), method=MGC(), null=kmerf.Permutation(99), rng=0)
    >>> round(result.statistic, 12), result.pvalue
    (1.0, 0.02)
    """

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "MGC"

    @property
    def most_rows(self) -> int:
        """How many rows it looks at as one of several tests: it sorts all pairs."""
        return 500

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        asks = "Do rows that are close in x have close y, among near neighbours or among all?"
        return Wording(asks, measures="the largest of the local correlations")

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Compute both matrices of distances."""
        x, y = matrices(sample, self.name)
        if len(x) < FEWEST_ROWS:
            raise InputError(f"x has {len(x)} rows, and MGC needs at least {FEWEST_ROWS}: add rows, or use Dcorr().")
        check_pairs(self.name, len(x), BYTES)
        return PermutableProblem(
            self.name, MultiscaleStatistic.of(pairs.distances(x), pairs.distances(y)), chi_square=False
        )
