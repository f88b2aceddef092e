"""What a screen returns: a frozen value that prints as a table, gives its rows one by one, and goes to JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf._version import __version__
from kmerf.core.arrays import Bools, Floats, Ints
from kmerf.core.errors import needs
from kmerf.results.parts import Change
from kmerf.results.records import Reported, frame
from kmerf.results.views import ColumnEffects

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MAX_TIED_PVALUE = 0.001  # up to which all p-values count as equal in the order of the columns


INTERRUPTED = "not tested: the screen was interrupted."


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
class Screen(Reported):
    """The result of `screen`: one entry per column or set, in their order; NaN if no test was possible."""

    question: ClassVar = "screen"

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
    def tested(self) -> int:
        """The number of tests for which the p-values are adjusted."""
        return len(self.names) - len(self.errors)

    @property
    def interrupted(self) -> bool:
        """Whether the screen was interrupted before all columns were tested."""
        return INTERRUPTED in self.errors.values()

    @property
    def bounds(self) -> Floats:
        """Upper bounds of p, 1 / (1 + draws), where no permuted statistic was as large; otherwise NaN."""
        smallest = 1.0 / (1.0 + self.draws)
        return np.where((self.draws > 0) & (self.pvalues <= 1.000001 * smallest), smallest, np.nan)

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
