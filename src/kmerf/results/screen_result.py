"""What `screen` and `associations` return: frozen values with an entry for every column, or pair of columns.

They print as tables, give their rows one by one, and go to JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf._version import __version__
from kmerf.core.arrays import Bools, Floats, Ints
from kmerf.core.errors import choose, needs
from kmerf.results.parts import Change
from kmerf.results.records import Reported, frame
from kmerf.results.views import ColumnEffects

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_TIED_PVALUE = 0.001  # up to which all p-values count as equal in the order of the columns


class ManyTests(Reported):
    """Tests whose p-values are adjusted together; those that could not be done are in `errors`."""

    if TYPE_CHECKING:
        pvalues: Floats
        draws: Ints
        errors: dict[str, str]

        def __len__(self) -> int: ...

    INTERRUPTED: ClassVar[str]
    """The error of those that were not reached when the work was interrupted."""

    @property
    def tested(self) -> int:
        """The number of tests for which the p-values are adjusted."""
        return len(self) - len(self.errors)

    @property
    def interrupted(self) -> bool:
        """Whether the work was interrupted before all of it was tested."""
        return self.INTERRUPTED in self.errors.values()

    @property
    def bounds(self) -> Floats:
        """Upper bounds of p, 1 / (1 + draws), where no permuted statistic was as large; otherwise NaN."""
        smallest = 1.0 / (1.0 + self.draws)
        return np.where((self.draws > 0) & (self.pvalues <= 1.000001 * smallest), smallest, np.nan)


class ScreenRow(NamedTuple):
    """The result for one column or set."""

    name: str
    statistic: float
    pvalue: float
    adjusted_bh: float
    adjusted_by: float
    selected: bool
    extrapolated: bool
    draws: int
    error: str | None
    effect: float
    direction: str
    bound: float | None
    change: float | None = None
    """By how much y changes, or the column between groups (`Change.estimate`); None if the column is not selected."""
    low: float | None = None
    high: float | None = None
    """The 95 % interval of `change`."""
    words: str = ""
    """The change as a sentence."""


@dataclass(frozen=True, eq=False, repr=False)
class Screen(ManyTests):
    """The result of `screen`: one entry per column or set, in their order; NaN if no test was possible."""

    question: ClassVar = "screen"
    INTERRUPTED: ClassVar = "not tested: the screen was interrupted."

    method: str
    names: tuple[str, ...]
    statistics: Floats
    pvalues: Floats
    """P-values from permutations, as `Result.pvalue`: never below 1 / (1 + draws)."""
    adjusted_bh: Floats
    """P-values adjusted by Benjamini and Hochberg, never below `pvalues`. Columns at or below `fdr` are selected."""
    adjusted_by: Floats
    """P-values adjusted by Benjamini and Yekutieli, for any dependence between the columns."""
    extrapolated: Bools
    """Whether the adjusted p-value relies on a model of the tail (`modelled`), because no permuted statistic was as
    large."""
    draws: Ints
    """The number of permutations."""
    errors: dict[str, str]
    """The reason, by name, if a column has no p-value."""
    fdr: float
    n: int
    y_kind: str
    """"numeric", "categorical" or "censored": how y was read."""
    groups: dict[str, int]
    """Rows in each class; empty for a numeric y."""
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    version: str = __version__
    effects: ColumnEffects | None = None
    """Strength, direction and a small picture of each relation; None for sets of columns."""
    source: str = ""
    """Where the p-values come from."""
    events: int | None = None
    """Number of events of a censored y; all other rows are censored."""
    modelled: Floats | None = None
    """The p-values that are adjusted: those from permutations and, if `extrapolated`, estimates from a model of the
    tail, never below 1 / (1 + draws)^2. Adjusting for many columns needs smaller p-values than permutations can give.
    None if no p-value is modelled."""
    y_names: tuple[str, ...] = ()
    """The names of the columns of y, or of the groups; empty if they have no names."""
    units: dict[str, str] = field(default_factory=dict)
    """The units of columns that have one, such as "kg" or "%"."""
    changes: dict[str, Change] = field(default_factory=dict)
    """What changes with each selected column, up to 1,000: direction and size in the units of the data."""

    @property
    def words(self) -> dict[str, Any]:
        """The first lines of the printed result: question, headline, and what changes with each column."""
        from kmerf.show.head import screen_words

        return screen_words(self)

    def paragraph(self) -> str:
        """Return a paragraph for a paper, with methods, result, software, version, seed and citations."""
        from kmerf.show.head import screen_paragraph

        return screen_paragraph(self)

    @property
    def adjusted_from(self) -> Floats:
        """The p-values that are adjusted: `modelled`, or `pvalues` if no p-value is modelled."""
        return self.pvalues if self.modelled is None else self.modelled

    @property
    def order(self) -> NDArray[np.intp]:
        """The indices of the columns, best first: selected ones, then by p, effect and statistic; NaN comes last.

        P-values up to `tied` count as equal, because their order depends on the seed, while that of the effects does
        not.
        """
        sizes = np.zeros(len(self)) if self.effects is None else self.effects.sizes
        pvalues = np.maximum(self.pvalues, self.tied)
        return np.lexsort((-self.statistics, -sizes, pvalues, ~(self.adjusted_bh <= self.fdr)))

    @property
    def tied(self) -> float:
        """The p-value up to which all count as equal in the `order`: 0.001, or the largest of the `bounds`."""
        return float(np.nanmax([MAX_TIED_PVALUE, *self.bounds]))

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names of the tested columns, in their `order`."""
        return tuple(self.names[i] for i in self.order[: self.tested])

    @property
    def selected(self) -> tuple[str, ...]:
        """The names of the selected columns, in their `order`."""
        return self.ranking[: int((self.adjusted_bh <= self.fdr).sum())]

    @property
    def threshold(self) -> float:
        """The p-value up to which columns are selected, or that the first column would have needed."""
        return self.fdr * max(1, len(self.selected)) / max(1, self.tested)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[ScreenRow]:
        numbers = (self.statistics, self.pvalues, self.adjusted_bh, self.adjusted_by, self.adjusted_bh <= self.fdr)
        arrays = (array.tolist() for array in (*numbers, self.extrapolated, self.draws))
        effects = self.effects
        sizes = np.full(len(self), np.nan) if effects is None else effects.sizes
        ways = [""] * len(self) if effects is None else effects.directions
        bounds = [None if bound != bound else bound for bound in self.bounds.tolist()]
        sentences = self.words["changes"] if self.changes else {}
        rows = map(ScreenRow, self.names, *arrays, map(self.errors.get, self.names), sizes.tolist(), ways, bounds)
        for row in rows:
            change = self.changes.get(row.name)
            if change is not None:
                row = row._replace(change=change.estimate, low=change.low, high=change.high)
            yield row._replace(words=sentences.get(row.name, ""))

    def to_frame(self, library: str | None = None) -> Any:
        """Return a dataframe with a row for each column or set, in their order.

        >>> import kmerf
        >>> screen = kmerf.screen([[1, 2], [2, 1], [3, 1], [4, 2], [5, 1]], [1, 2, 3, 4, 5], method="dcorr", rng=1)
        >>> list(screen.to_frame("polars").columns)[:4]
        ['column', 'statistic', 'pvalue', 'adjusted_bh']
        """
        rows = list(self)
        names = ["column", *ScreenRow._fields[1:]]
        return frame({name: [row[i] for row in rows] for i, name in enumerate(names)}, library)

    def plot(self, *, labels: int = 20, ax: Axes | None = None) -> Figure:
        """Draw the p-value of every column, with the names of the best `labels` that are selected."""
        with needs("plot"):
            from kmerf.figures import plot_screen

            return plot_screen(self, labels=labels, ax=ax)


Screen.KEYS = (*(each.name for each in fields(Screen)), "bounds", "words")


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
class Associations(ManyTests):
    """The result of `associations`: one entry per pair of columns; NaN if no test was possible."""

    question: ClassVar = "associations"
    INTERRUPTED: ClassVar = "not tested: the work was interrupted."

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
