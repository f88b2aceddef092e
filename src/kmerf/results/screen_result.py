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
    """What was found for one column or set."""

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
    """By how much y changes, or the column between groups (`Change.estimate`); None if it is not selected."""
    low: float | None = None
    high: float | None = None
    """Its 95 % interval."""
    words: str = ""
    """The same as a sentence."""


@dataclass(frozen=True, eq=False, repr=False)
class Screen(Reported):
    """The outcome of `screen`: one entry per column or set, in their order; NaN if no test was possible."""

    question: ClassVar = "screen"

    method: str
    names: tuple[str, ...]
    statistics: Floats
    pvalues: Floats
    """What permuting gives, as in `Result.pvalue`: never below 1 / (1 + draws)."""
    adjusted_bh: Floats
    """P-values adjusted by Benjamini and Hochberg, never below `pvalues`; those at or below `fdr` are selected."""
    adjusted_by: Floats
    """P-values adjusted by Benjamini and Yekutieli, for any dependence between the columns."""
    extrapolated: Bools
    """Which adjusted p-values rest on a model of the tail (`modelled`), as no permuted statistic was as large."""
    draws: Ints
    """Number of permuted statistics that each was compared with."""
    errors: dict[str, str]
    """Why those that have no p-value have none."""
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
    """How strong each relation is, which way it goes, and what it looks like; None for sets of columns."""
    source: str = ""
    """Where the p-values come from."""
    events: int | None = None
    """Number of events of a censored y; all other rows are censored."""
    modelled: Floats | None = None
    """What is adjusted: the p-values and, of those `extrapolated`, what a model of the tail suggests, never below
    1 / (1 + draws)^2. Adjusting for many columns needs smaller p-values than permuting can give. None if none is."""
    y_names: tuple[str, ...] = ()
    """What the columns of y, or of the groups, are called; empty if they have no names."""
    units: dict[str, str] = field(default_factory=dict)
    """The units of columns that have one, such as "kg" or "%"."""
    changes: dict[str, Change] = field(default_factory=dict)
    """What changes with each column selected, up to 1,000: direction and size in the units of the data."""

    @property
    def words(self) -> dict[str, Any]:
        """The first lines of every view: question, headline, and what changes with each column selected."""
        from kmerf.show.head import screen_words

        return screen_words(self)

    def paragraph(self) -> str:
        """Return methods and result as a paragraph for a paper, with software, version, seed and citations."""
        from kmerf.show.head import screen_paragraph

        return screen_paragraph(self)

    @property
    def tested(self) -> int:
        """How many tests were made: what the p-values are adjusted for."""
        return len(self.names) - len(self.errors)

    @property
    def interrupted(self) -> bool:
        """Whether it was interrupted before all columns were tested."""
        return INTERRUPTED in self.errors.values()

    @property
    def bounds(self) -> Floats:
        """What p is at most, for those of which no permuted statistic was as large: 1 / (1 + draws). Else NaN."""
        smallest = 1.0 / (1.0 + self.draws)
        return np.where((self.draws > 0) & (self.pvalues <= 1.000001 * smallest), smallest, np.nan)

    @property
    def adjusted_from(self) -> Floats:
        """The p-values that are adjusted: `modelled`, or `pvalues` if no tail is modelled."""
        return self.pvalues if self.modelled is None else self.modelled

    @property
    def order(self) -> NDArray[np.intp]:
        """Where they are, best first: those selected, then by p, then by effect and statistic; NaN comes last.

        P-values up to `tied` count as equal here. Which of them is smallest changes with the seed, and which effect is
        largest does not.
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
        """Names of those tested, in their `order`."""
        return tuple(self.names[i] for i in self.order[: self.tested])

    @property
    def selected(self) -> tuple[str, ...]:
        """Names whose Benjamini-Hochberg p-value is at or below `fdr`, in their `order`."""
        return self.ranking[: int((self.adjusted_bh <= self.fdr).sum())]

    @property
    def threshold(self) -> float:
        """The p-value up to which columns are selected; if none is, the one that the first would have needed."""
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
