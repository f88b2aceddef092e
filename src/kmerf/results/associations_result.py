"""What `associations` returns: a frozen value with an entry for every pair of columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf._version import __version__
from kmerf.core.arrays import Bools, Floats, Ints
from kmerf.core.errors import choose, needs
from kmerf.results.records import Reported, frame
from kmerf.results.screen_result import MAX_TIED_PVALUE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


NOT_REACHED = "not tested: the work was interrupted."


class AssociationRow(NamedTuple):
    """The result for one pair of columns."""

    first: str
    second: str
    effect: float
    direction: str
    pvalue: float
    adjusted_bh: float
    adjusted_by: float
    selected: bool
    extrapolated: bool
    draws: int
    rows: int
    error: str | None
    bound: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Associations(Reported):
    """The result of `associations`: one entry per pair of columns; NaN if no test was possible."""

    question: ClassVar = "associations"

    method: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    """The type of each column: "numeric", "boolean" or "categorical"."""
    missing: tuple[int, ...]
    """The number of missing values of each column."""
    pairs: Ints
    """The numbers of the two columns of each pair (m, 2), counted from 0."""
    effects: Floats
    """Effects from 0 to 1 (docs/associations.md)."""
    signs: Ints
    """1 if both columns rise together, -1 if one falls as the other rises, 0 if there is no direction."""
    directions: tuple[str, ...]
    """"rises", "falls", "curved", "highest in ...", or empty."""
    pvalues: Floats
    """P-values from permutations: never below 1 / (1 + draws)."""
    adjusted_bh: Floats
    """P-values adjusted by Benjamini and Hochberg, never below `pvalues`. Pairs at or below `fdr` are selected."""
    adjusted_by: Floats
    """P-values adjusted by Benjamini and Yekutieli, for any dependence between the pairs."""
    extrapolated: Bools
    """Whether the adjusted p-value relies on a model of the tail (`modelled`), because no permuted statistic was as
    large."""
    draws: Ints
    """The number of permutations."""
    rows: Ints
    """The number of rows in which both columns have a value."""
    errors: dict[str, str]
    """The reason, by the number of the pair, if a pair has no p-value."""
    order: Ints
    """The order of the columns in the heat map, with related columns next to each other."""
    fdr: float
    n: int
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    version: str = __version__
    source: str = ""
    """Where the p-values come from."""
    modelled: Floats | None = None
    """The p-values that are adjusted, as in `Screen.modelled`. None if no p-value is modelled."""

    @property
    def tested(self) -> int:
        """The number of tests for which the p-values are adjusted."""
        return len(self) - len(self.errors)

    @property
    def interrupted(self) -> bool:
        """Whether the work was interrupted before all pairs were tested."""
        return NOT_REACHED in self.errors.values()

    @property
    def bounds(self) -> Floats:
        """Upper bounds of p, 1 / (1 + draws), where no permuted statistic was as large; otherwise NaN."""
        smallest = 1.0 / (1.0 + self.draws)
        return np.where((self.draws > 0) & (self.pvalues <= 1.000001 * smallest), smallest, np.nan)

    @cached_property
    def ranking(self) -> NDArray[np.intp]:
        """Where the pairs are, best first: those selected, then by effect, then by p; what was not tested comes last.

        Effects are stable, and small p-values are not: which of them is smallest changes with the seed.
        """
        selected = self.adjusted_bh <= self.fdr
        pvalues = np.maximum(self.pvalues, MAX_TIED_PVALUE)
        first, second = np.where(selected, -self.effects, pvalues), np.where(selected, pvalues, -self.effects)
        return np.lexsort((second, first, ~selected, np.isnan(self.pvalues)))

    @property
    def selected(self) -> tuple[tuple[str, str], ...]:
        """The names of the selected pairs, the largest effect first."""
        count = int((self.adjusted_bh <= self.fdr).sum())
        return tuple(self._named(k) for k in self.ranking[:count].tolist())

    def matrix(self, *, signed: bool = False) -> Floats:
        """Return the effects as a table (columns, columns), NaN for pairs that were not tested.

        With `signed`, effects with a negative direction are negative.
        """
        p = len(self.names)
        table = np.full((p, p), np.nan)
        np.fill_diagonal(table, 1.0)
        values = np.where(signed & (self.signs < 0), -self.effects, self.effects)
        for one, other in (self.pairs.T, self.pairs.T[::-1]):
            table[one, other] = values
        return table

    def of(self, column: str) -> tuple[AssociationRow, ...]:
        """Return the pairs of one column, best first. The column comes first in every pair."""
        choose("column", column, self.names)
        number, every = self.names.index(column), self._rows
        places = [k for k in self.ranking.tolist() if number in self.pairs[k]]
        return tuple(
            every[k] if every[k].first == column else every[k]._replace(first=column, second=every[k].first)
            for k in places
        )

    def _named(self, k: int) -> tuple[str, str]:
        i, j = self.pairs[k].tolist()
        return self.names[i], self.names[j]

    @cached_property
    def _rows(self) -> list[AssociationRow]:
        numbers = (self.pvalues, self.adjusted_bh, self.adjusted_by, self.adjusted_bh <= self.fdr)
        arrays = [array.tolist() for array in (*numbers, self.extrapolated, self.draws, self.rows)]
        bounds = [None if bound != bound else bound for bound in self.bounds.tolist()]
        why = [self.errors.get(str(k)) for k in range(len(self))]
        names = (self._named(k) for k in range(len(self)))
        rows = zip(names, self.effects.tolist(), self.directions, *arrays, why, bounds, strict=True)
        return [AssociationRow(*pair, *rest) for pair, *rest in rows]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[AssociationRow]:
        return iter(self._rows)

    def to_frame(self, library: str | None = None) -> Any:
        """Return a dataframe with a row for each pair, in their order."""
        return frame({name: [row[i] for row in self] for i, name in enumerate(AssociationRow._fields)}, library)

    def plot(self, *, most: int = 40, ax: Axes | None = None) -> Figure:
        """Draw the effects of all pairs as a heat map, with related columns next to each other.

        With more than `most` columns, only those with the largest effects are drawn.
        """
        with needs("plot"):
            from kmerf.figures import plot_associations

            return plot_associations(self, most=most, ax=ax)


Associations.KEYS = (*(field.name for field in fields(Associations)), "bounds")
