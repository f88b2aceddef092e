"""What `compare` returns: how two versions of a table differ, and how windows of new rows differ from a reference.

Two questions have two answers. Is there a difference? The joint p-value. Does it matter? The AUC of a forest that tells
new rows from old ones, with its interval, against a margin. Together they give the verdict:

| p-value | interval of the AUC | verdict |
|---|---|---|
| above the level | within the margin, to both sides of 0.5 | equivalent for practical purposes |
| above the level | wider than that | too few rows to tell |
| at most the level | ends at most at the margin | different but small |
| at most the level | ends above the margin | different |
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kmerf._version import __version__
from kmerf.core.arrays import Floats
from kmerf.core.errors import choose, needs
from kmerf.results.records import Record, Reported, frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EQUIVALENT = "equivalent for practical purposes"
SMALL = "different but small"
DIFFERENT = "different"
UNKNOWN = "too few rows to tell"
COLUMN_KEYS = (
    *("name", "kind", "pvalue", "adjusted", "measure", "effect", "low", "high", "before", "after"),
    *("missing_before", "missing_after"),
)
WINDOW_KEYS = ("label", "rows", "pvalue", "auc", "auc_low", "auc_high", "share_bound", "verdict")
SMALLEST = 1e-3  # p-value that counts where a change began
FAIL_ON = ("different", "any-difference", "unknown")


def verdict_of(pvalue: float, ends: tuple[float, float], level: float, margin: float) -> str:
    """Return the verdict of a p-value and the interval of an AUC, which must be narrow for two tables to be equivalent.

    >>> verdict_of(0.3, (0.47, 0.55), 0.05, 0.6), verdict_of(0.001, (0.8, 0.9), 0.05, 0.6)
    ('equivalent for practical purposes', 'different')
    >>> verdict_of(0.3, (0.19, 0.50), 0.05, 0.6)  # below 0.5 by chance: the interval is wide
    'too few rows to tell'
    """
    low, high = ends
    if pvalue <= level:
        return SMALL if high <= margin else DIFFERENT
    return EQUIVALENT if max(high, 1.0 - low) <= margin else UNKNOWN


def _stops(on: str) -> set[str]:
    """Return the verdicts for which a pipeline should stop."""
    return {DIFFERENT} | ({SMALL} if on != "different" else set()) | ({UNKNOWN} if on == "unknown" else set())


@dataclass(frozen=True, eq=False)
class SchemaChanges(Record):
    """How the columns of the two tables differ in name, type, unit and levels."""

    gone: tuple[str, ...] = ()
    """Columns of the reference that the new rows lack."""
    new: tuple[str, ...] = ()
    """Columns that only the new rows have."""
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The old and the new type of columns whose type differs. Such columns are not compared."""
    units: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The old and the new unit of columns whose unit differs."""
    new_levels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """New levels by column."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Columns that are not compared, with the reason."""

    @property
    def breaks(self) -> bool:
        """Whether columns are missing or have a different type or unit."""
        return bool(self.broken)

    @property
    def broken(self) -> tuple[str, ...]:
        """Columns that are missing or have a different type or unit, in words."""
        gone = [f"{name} is gone" for name in self.gone]
        types = [f"{name} holds {after}, before {before}" for name, (before, after) in self.types.items()]
        units = [f"{name} has unit {after}, before {before}" for name, (before, after) in self.units.items()]
        return (*gone, *types, *units)


@dataclass(frozen=True, eq=False)
class ColumnChange(Record):
    """How one column differs between old and new rows."""

    name: str
    numeric: bool
    pvalue: float
    adjusted: float
    """Adjusted for the number of columns (Benjamini and Hochberg), and never below the joint p-value."""
    kind: str
    """"level", "spread", "shape", "unit", "rounding", "missingness", "shares" of levels, or "new levels"; "only
    jointly" if only the relation to another column changed."""
    measure: str
    """What `effect` is."""
    effect: float
    low: float
    high: float
    """The 95 % interval of the effect."""
    before: str
    after: str
    """Old and new values in the unit of the column."""
    missing_before: float
    missing_after: float
    """Shares of missing values."""
    edges: Floats
    """The edges of the bins of the small picture, for a numeric column."""
    levels: tuple[str, ...]
    """The levels of the small picture, for other columns."""
    shares_before: Floats
    shares_after: Floats
    """Shares of the rows with a value, per bin or level."""


@dataclass(frozen=True, eq=False)
class PairChange(Record):
    """Two columns whose relation differs between old and new rows."""

    first: str
    second: str
    before: float
    after: float
    """Correlations of normal scores; for a category, of the indicator of a level, which is part of the name."""
    pvalue: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class UnlikeRow(Record):
    """A new row that is unlike the old ones."""

    row: int
    """The number of the row in the new table, counted from 0."""
    score: float
    """The probability that the row is new, according to a forest that has not seen it, with as many old as new rows."""
    because: tuple[str, ...]
    """The columns whose values are most unusual for an old row, with the values."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Reported):
    """The result of `compare`: how new rows differ from old ones."""

    question: ClassVar = "compare"
    KEYS: ClassVar = (
        *("verdict", "pvalue", "level", "auc", "auc_low", "auc_high", "margin", "share_bound", "schema_changes"),
        *("columns", "pairs", "unlike_rows", "rows_before", "rows_after", "total_before", "total_after", "method", "n"),
        *("members", "names", "blocks", "reading", "settings", "seed", "notes", "version"),
    )

    method: str
    n: int
    """The number of rows compared, old and new together."""
    pvalue: float
    """The p-value of the joint test of all columns and their relations."""
    level: float
    auc: float
    """How well a forest separates new rows from old ones that it has not seen; 0.5 is guessing."""
    auc_low: float
    auc_high: float
    margin: float
    """The largest AUC that does not matter."""
    share_bound: float
    """A lower bound of the share of new rows that are unlike the old ones (95 % confidence)."""
    schema_changes: SchemaChanges
    columns: tuple[ColumnChange, ...]
    """The columns, by p-value."""
    pairs: tuple[PairChange, ...]
    """The ten pairs of columns with the smallest p-values."""
    unlike_rows: tuple[UnlikeRow, ...]
    rows_before: int
    rows_after: int
    """Numbers of rows compared."""
    total_before: int
    total_after: int
    """Numbers of rows of the tables."""
    members: dict[str, float]
    """The p-values of the parts of the joint test."""
    names: tuple[str, ...] = ("reference", "current")
    """The names of the two tables."""
    blocks: int | None = None
    """Number of blocks, if rows of a block stay together."""
    reading: tuple[str, ...] = ()
    """How files were read, one sentence each."""
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    notes: tuple[str, ...] = ()
    version: str = __version__

    @property
    def verdict(self) -> str:
        """One of "equivalent for practical purposes", "different but small", "different", "too few rows to tell"."""
        return verdict_of(self.pvalue, (self.auc_low, self.auc_high), self.level, self.margin)

    @property
    def smallest(self) -> float:
        """The smallest p-value that the permutations of the joint test can give."""
        return 1.0 / (1 + int(self.settings.get("resamples", 999)))

    @property
    def differs(self) -> bool:
        """Whether there is evidence of a difference."""
        return self.pvalue <= self.level

    @property
    def changed(self) -> tuple[str, ...]:
        """The columns that changed: adjusted p at most the level."""
        return tuple(each.name for each in self.columns if each.adjusted <= self.level)

    @property
    def changed_pairs(self) -> tuple[PairChange, ...]:
        """The pairs of columns whose relation changed."""
        return tuple(each for each in self.pairs if each.adjusted <= self.level)

    @property
    def summary(self) -> str:
        """All of it on one line, for logs."""
        from kmerf.show.comparison_words import one_line

        return one_line(self)

    def fails(self, on: str = "different") -> bool:
        """Return whether a pipeline should stop.

        With "different", if the tables are different, or if columns are missing or have a different type or unit; with
        "any-difference", also if the difference is small; with "unknown", also if there are too few rows to tell.
        """
        choose("on", on, FAIL_ON)
        return self.schema_changes.breaks or self.verdict in _stops(on)

    def assert_same(self, on: str = "different") -> None:
        """Raise an AssertionError that shows the comparison if `fails` returns true; for use in tests.

        >>> import kmerf
        >>> old = {"age": list(range(20, 60)), "arm": ["a", "b"] * 20}
        >>> kmerf.compare(old, old).assert_same()
        """
        if self.fails(on):
            raise AssertionError(f"{self.summary}\n\n{self}")

    def to_frame(self, library: str | None = None) -> Any:
        """Return a dataframe with one row per column, by p-value."""
        return frame({key: [getattr(each, key) for each in self.columns] for key in COLUMN_KEYS}, library)

    def plot(self, *, most: int = 12) -> Figure:
        """Draw the columns that changed most, for old and new rows."""
        with needs("plot"):
            from kmerf.figures import plot_comparison

            return plot_comparison(self, most=most)


@dataclass(frozen=True, eq=False)
class Window(Record):
    """The comparison of one window of new rows with the reference."""

    label: str
    rows: int
    pvalue: float
    auc: float
    auc_low: float
    auc_high: float
    share_bound: float
    columns: tuple[str, ...]
    """The columns that changed, the clearest first."""
    verdict: str
    """The verdict at the level of the rule for all windows, not of a single comparison."""
    breaks: tuple[str, ...] = ()
    """Columns that are missing or have a different type or unit, in words."""
    smallest: float = 0.0
    """The smallest p-value that its permutations can give: a p-value that is no larger may be smaller."""


RULES = ("family", "rate")


@dataclass(frozen=True, eq=False, repr=False)
class Timeline(Reported):
    """The result of `compare` with `by` or `window`: windows of new rows, each compared with the same reference.

    With the rule "family", p-values are adjusted by Holm's method over all windows: if nothing changes, the probability
    of any false alarm is at most the level. With the rule "rate", for endless streams, a window raises an alarm if its
    p-value is at most `1 / expected_windows`: if nothing changes, there is at most one false alarm in this many windows
    on average.
    """

    question: ClassVar = "windows"
    KEYS: ClassVar = (
        *("windows", "adjusted", "alarms", "began", "rule", "level", "expected_windows", "margin", "rows_before"),
        *("added", "method", "n", "reading", "settings", "seed", "notes", "version"),
    )

    method: str
    n: int
    """The number of rows of all windows."""
    windows: tuple[Window, ...]
    level: float
    margin: float
    rows_before: int
    """The number of rows of the reference."""
    rule: str = "family"
    expected_windows: float = 200.0
    """With the rule "rate": at most one false alarm in this many windows on average."""
    added: int = 1
    """The number of windows at the end that the last call compared: one after `append`."""
    reading: tuple[str, ...] = ()
    """How the files of the last call were read."""
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    notes: tuple[str, ...] = ()
    version: str = __version__

    @property
    def adjusted(self) -> Floats:
        """The p-values of the windows, adjusted for their number; with the rule "rate", unadjusted."""
        pvalues = np.array([each.pvalue for each in self.windows])
        if self.rule == "rate" or not pvalues.size:
            return pvalues
        order = np.argsort(pvalues, kind="stable")
        raised = np.minimum(np.maximum.accumulate(pvalues[order] * np.arange(pvalues.size, 0, -1)), 1.0)
        found = np.empty(pvalues.size)
        found[order] = raised
        return found

    @property
    def threshold(self) -> float:
        """The level with which `adjusted` is compared."""
        return self.level if self.rule == "family" else 1.0 / self.expected_windows

    @property
    def alarms(self) -> tuple[str, ...]:
        """The labels of the windows that differ from the reference."""
        return tuple(w.label for w, p in zip(self.windows, self.adjusted, strict=True) if p <= self.threshold)

    @property
    def began(self) -> str | None:
        """The window in which the change began, estimated by least squares from the p-values.

        None without an alarm.
        """
        if not self.alarms:
            return None
        normal = NormalDist()
        values = np.array([-normal.inv_cdf(min(max(each.pvalue, SMALLEST), 1.0 - SMALLEST)) for each in self.windows])
        alarmed = self.adjusted <= self.threshold
        size = values.size
        if alarmed.all() or size < 3:
            return self.windows[int(np.argmax(alarmed))].label
        gains = [
            (values[k:].mean() - values[:k].mean()) * np.sqrt(k * (size - k) / size) if k else -np.inf
            for k in range(size)
        ]
        last = int(np.flatnonzero(alarmed)[0])  # it began no later than the first alarm
        return self.windows[int(np.argmax(gains[: last + 1])) if last else 0].label

    @property
    def summary(self) -> str:
        """All of it on one line, for logs."""
        from kmerf.show.comparison_words import one_line

        return one_line(self)

    def fails(self, on: str = "different") -> bool:
        """Return whether a pipeline should stop because of a window of the last call, as `Comparison.fails`.

        After `compare`, these are all windows; after `append`, only the new one.
        """
        choose("on", on, FAIL_ON)
        return any(each.breaks or each.verdict in _stops(on) for each in self.windows[len(self.windows) - self.added :])

    def with_windows(self, windows: tuple[Window, ...], reading: tuple[str, ...] = ()) -> Timeline:
        """Return a timeline with other windows and their verdicts at the level of the rule."""
        added = max(1, len(windows) - len(self.windows))
        more = replace(self, windows=windows, n=sum(each.rows for each in windows), added=added, reading=reading)
        judged = [
            replace(w, verdict=verdict_of(p, (w.auc_low, w.auc_high), self.threshold, self.margin))
            for w, p in zip(more.windows, more.adjusted.tolist(), strict=True)
        ]
        return replace(more, windows=tuple(judged))

    def to_frame(self, library: str | None = None) -> Any:
        """Return a dataframe with one row per window."""
        table: dict[str, list[Any]] = {key: [getattr(each, key) for each in self.windows] for key in WINDOW_KEYS}
        table["adjusted"] = self.adjusted.tolist()
        table["columns"] = [", ".join(each.columns) for each in self.windows]
        table["breaks"] = ["; ".join(each.breaks) for each in self.windows]
        return frame(table, library)

    def plot(self, *, ax: Axes | None = None) -> Figure:
        """Draw the AUC of each window with its interval, the margin, and where the change began."""
        with needs("plot"):
            from kmerf.figures import plot_timeline

            return plot_timeline(self, ax=ax)
