"""What changes: which way the numbers of a column go, by how much in its own units, what kind of change that is.

All of it is computed once, in `kmerf.explain.changes`, `kinds` and `margins`; `kmerf.show.changes` puts it into words.
"""

from __future__ import annotations

from dataclasses import dataclass

from kmerf.results.records import Record

MEAN, SHARE, SLOPE, SHARE_SLOPE, HAZARD = "mean", "share", "slope", "share slope", "hazard ratio"
RISES, FALLS, U_SHAPE, HUMP, DIFFERS, UNCLEAR = "rises", "falls", "U", "hump", "differs", "unclear"


@dataclass(frozen=True)
class Names(Record):
    """What the columns are called, as far as a sentence names them."""

    y: tuple[str, ...] = ()
    """The columns of y, or of the groups; empty if they have no names."""
    x: tuple[str, ...] = ()
    """The first columns of x; empty if they have no names."""


@dataclass(frozen=True)
class GroupNumbers(Record):
    """The numbers of some of the rows: a group, a category, or those with low, middle or high values of a column."""

    label: str
    n: int
    mean: float | None = None
    """Of numbers; the share of rows, if shares are compared."""
    sd: float | None = None
    median: float | None = None
    """Of censored times, the time by which half have had an event (Kaplan-Meier); None if that is not reached."""
    lower: float | None = None
    upper: float | None = None
    """The quartiles."""
    events: int | None = None
    """Number of events, if times are censored."""


@dataclass(frozen=True)
class Change(Record):
    """How the numbers of one column change with another: direction and size, with a 95 % interval."""

    column: str
    """The column of x that this is about."""
    what: str
    """The column whose numbers change: y or, between groups, the column of x."""
    by: str
    """The column that they change with."""
    measure: str
    """"mean": a difference of means. "share": a difference of shares of rows. "slope", "share slope": by how much the
    mean or the share changes per `step` of `by`. "hazard ratio": how many times as often events come."""
    shape: str
    """"rises", "falls" along numbers; "U", "hump" if the middle is lower, or higher, than both ends; "differs"
    between categories; "unclear" if the interval holds no difference."""
    first: str
    """What is compared with `second`: a category, or the rows with low values; empty for a slope."""
    second: str
    estimate: float
    """That of `second` less that of `first`; of a U or a hump, of the middle less the mean of both ends; of hazards,
    second over first."""
    low: float
    high: float
    """The 95 % interval."""
    n: int
    """Rows that have a value of the column; blocks, if these are compared."""
    missing: int = 0
    """Rows without a value of the column."""
    groups: tuple[GroupNumbers, ...] = ()
    """The numbers of the rows compared and of the others: every category, or low, middle and high values."""
    of: str = ""
    """The category whose share is compared."""
    step: float | None = None
    """Of a slope, or of a hazard ratio per so much of `by`, which has no `first` and `second`."""
    about: str = ""
    """"within blocks", "between blocks", "whole blocks" or "given z": what the estimate and its interval allow for."""
    compared: int = 1
    """How many comparisons the interval allows for: the two were chosen out of so many."""
    unit: str = ""
    """Of `what`; that of dates is such as "days since 2012-03-01"."""
    by_unit: str = ""
    """Of `by`."""

    @property
    def clear(self) -> bool:
        """Whether the interval excludes that there is no change."""
        none = 1.0 if self.measure == HAZARD else 0.0
        return not self.low <= none <= self.high


@dataclass(frozen=True)
class Kind(Record):
    """Whether one kind of change was found: its own p-value, and one adjusted for looking at all kinds."""

    name: str
    """"level", "spread", "shape" or "joint"; given z, "level", "other" or "varying"."""
    pvalue: float
    adjusted: float
    """By Holm's method over the kinds, and never below the p-value of the whole test."""
    column: str = ""
    """Where it shows most: a column of x, or two with "and" between them."""


@dataclass(frozen=True)
class Margin(Record):
    """Whether the effect is below a margin, above it, or whether that cannot be told."""

    margin: float
    measure: str
    """"R2 of ranks", "R2", "AUC" or "mean AUC"; "added ..." given z."""
    decision: str
    """"below": the interval of the effect ends below the margin. "above": it begins above. Else "undecided"."""
    estimate: float
    low: float
    high: float
