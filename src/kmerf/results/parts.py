"""The parts of a result: what the null gave, what the features and the members of a test did, how strong it all is.

Each is a `Record`: a frozen value that goes to JSON and back.

All of it is computed once, in `kmerf.explain`; `kmerf.show` puts it into words.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from kmerf.core.arrays import Floats
from kmerf.core.settings import LEVEL
from kmerf.results.records import Record

DOUBT = 0.01  # p-value of a lack of fit at or below which residuals are taken to depend on z
LARGE_P = 0.1  # above, that a p-value may be too small is not worth a warning


@dataclass(frozen=True, eq=False)
class NullResult(Record):
    """A p-value, how it was obtained, and what it was compared with.

    `pvalue` is the rank of the statistic among the permuted ones, so it is valid at every level, and never below
    1 / (1 + B) with B of them. Only if you ask for `Extrapolated` is it the modelled value (`extrapolated`).
    """

    name: str
    pvalue: float
    standard_error: float | None = None
    """Monte Carlo error of the p-value; None if there is none."""
    distribution: Floats | None = None
    """The permuted statistics, in the order in which they were drawn."""
    extrapolated: bool = False
    """Whether the p-value lies below the smallest that permuting could give, and rests on a model of the tail."""
    stopped: bool = False
    """Whether no more permutations were drawn because p was clearly large (`Sequential`)."""
    bound: float | None = None
    """1 / (1 + B) if none of the B permuted statistics was as large as the observed one: p is at most this, and how
    much smaller it is, the permutations cannot show. None if there is no such limit."""
    modelled: float | None = None
    """What a model of the tail suggests for p if there is a bound: never below 1 / (1 + B)^2, and not exact. None
    if there is no model."""

    def at_least(self, fewest: float) -> NullResult:
        """Return the same with no p-value below `fewest`: one over the number of different arrangements."""
        modelled = None if self.modelled is None else max(self.modelled, fewest)
        if self.bound is not None and fewest >= self.bound:  # then p is known, and there is nothing to model
            return replace(self, pvalue=fewest, bound=None, modelled=None, extrapolated=False)
        return replace(self, pvalue=max(self.pvalue, fewest), modelled=modelled)


@dataclass(frozen=True, eq=False)
class Importances(Record):
    """Feature importances, in the order of the features."""

    KEYS: ClassVar = ("names", "measure", "mean", "low", "high", "scaled")

    names: tuple[str, ...]
    mean: Floats
    """The mean over trees; about 0 for a loss, or less, if the feature does not help to predict y."""
    low: Floats
    """The lower end of a 95 % interval, over samples of the same size; of gains, the 2.5th percentile over trees."""
    high: Floats
    """The upper end; of gains, the 97.5th percentile over trees."""
    measure: str = "gain"
    """"loss": the share of y's variance that a tree no longer predicts, out of bag, when the feature is permuted.
    "gain": the feature's share of the gain of splits, on the rows that chose them."""

    @property
    def scaled(self) -> Floats:
        """The means stretched to run from 0 to 1, as in the paper's Figure 3; all zero if they are equal."""
        span = np.ptp(self.mean)
        scaled: Floats = (self.mean - self.mean.min()) / span if span > 0 else np.zeros_like(self.mean)
        return scaled

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names from the most to the least important."""
        return tuple(self.names[i] for i in np.argsort(-self.mean, kind="stable"))


@dataclass(frozen=True, eq=False)
class FeatureTests(Record):
    """P-values of the importances of features, or of groups of features, in their order."""

    names: tuple[str, ...]
    importance: Floats
    """Share of y's variance that is lost, out of bag, when the feature is permuted: the largest over the forests, and
    about 0 for a feature that does not help. If a forest does not support this, the share that splits on the feature
    predict, or for plug-in forests the share of the gains in bag. Groups have the sum of their features."""
    pvalues: Floats
    """Of each feature by itself: of the share of y's variance that splits on it predict out of bag. Like the adjusted
    ones it is a rank among the refits, so never below one over their number plus one."""
    adjusted_fwer: Floats
    """Family-wise error adjusted (max-T)."""
    adjusted_fdr: Floats
    """Adjusted for the false discovery rate (Benjamini-Hochberg, on ranks among the refits of all features)."""
    forests: dict[str, Floats] = field(default_factory=dict)
    """P-values of each feature in each forest alone, by the forest's name, if there are several."""
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The features of each group, if groups are tested."""
    smallest: float = 0.0
    """The smallest p-value that the refits can give; one that is equal to it is known to be at most that. 0 if
    p-values do not come from refits."""

    def significant(self, level: float = LEVEL) -> tuple[str, ...]:
        """Return the names with a family-wise adjusted p-value at or below a level, most important first."""
        order = np.argsort(-self.importance, kind="stable")
        return tuple(self.names[i] for i in order if self.adjusted_fwer[i] <= level)


@dataclass(frozen=True)
class Effect(Record):
    """The size of an effect."""

    correlation: float | None = None
    """Kernel correlation: the largest of the method's forests, or else of its other correlations. Statistics that are
    none, such as that of HHG or the share of variance predicted, do not count; None if no other is left."""
    low: float | None = None
    high: float | None = None
    """The interval of the correlation, if you asked for it."""
    level: float | None = None
    """How often, at least, such intervals are meant to hold the expected correlation."""
    measure: str = ""
    """"R2" for numbers, "AUC" for two classes, "mean AUC" for more: what `score` is. Empty if there is none."""
    score: float | None = None
    """R2: the share of the variance of y that its best prediction from x explains, as an adjusted R2 does. AUC: the
    probability that, of one row of each class, the model ranks the right one higher. An R2 below 0 or an AUC below 0.5
    is noise around none, and is shown as 0 or 0.5."""
    rank_score: float | None = None
    """R2 of ranks, which outliers do not spoil: of a numeric y, or of a single numeric column by groups."""
    score_low: float | None = None
    score_high: float | None = None
    """The 95 % interval of `score`."""
    rank_low: float | None = None
    rank_high: float | None = None
    """The 95 % interval of `rank_score`."""
    auc: float | None = None
    """AUC of the groups of x, if y is a number and x a single column of groups."""
    auc_low: float | None = None
    auc_high: float | None = None
    auc_measure: str = ""
    """"AUC", or "mean AUC" if there are more than two groups."""
    about: str = ""
    """"within blocks" or "between blocks" if there are blocks; "beyond z" if numbers are what x adds to z."""
    concordance: float | None = None
    """Harrell's C of a censored y, for held-out rows: of two rows that can be compared, how often the one that is
    predicted to have its event first has it first. 0.5 is guessing."""
    concordance_low: float | None = None
    concordance_high: float | None = None
    """The 95 % interval of `concordance`."""

    @property
    def robust(self) -> float | None:
        """The score that outliers do not spoil: AUC for classes, R2 of ranks for numbers."""
        return self.rank_score if self.measure == "R2" and self.rank_score is not None else self.score


@dataclass(frozen=True)
class Adjustment(Record):
    """What x and y were compared given: how well it predicts them, and whether anything is left of it."""

    names: tuple[str, ...]
    """The columns of z."""
    explained_x: float
    """Share of the variance of x's ranks (or classes) that z explains, for rows that were not seen."""
    explained_y: float
    lack_of_fit_x: float
    """P-value of whether the residuals of x still depend on z; small is bad."""
    lack_of_fit_y: float
    strata: int | None = None
    """Number of different values of z, if y was permuted among rows with the same value."""
    measure: str = ""
    """"R2" of y's ranks or "AUC" of its classes, for rows that were not seen."""
    without_x: float | None = None
    """How well z alone predicts y."""
    with_x: float | None = None
    """How well z and x together predict it."""
    shrinking: float = 1.0
    """P-value of whether what x and y have in common shrinks as z is removed more finely; small is bad."""

    @property
    def doubtful(self) -> bool:
        """Whether residuals of x or y may still depend on z, so that p may be too small."""
        return min(self.lack_of_fit_x, self.lack_of_fit_y, self.shrinking) <= DOUBT


@dataclass(frozen=True, eq=False)
class Member(Record):
    """One member of a combined test."""

    name: str
    statistic: float
    """Its own statistic: a kernel correlation, or what another test measures."""
    score: float
    """The same in standard deviations above the mean of its permuted values, corrected for their skewness
    (`kmerf.nulls.definitions`): about standard normal if there is no effect."""
    error: float
    """Standard error of the statistic, from a sample of rows if there are very many; else 0."""
    pvalue: float
    """By rank among the permutations, were it the only test; not adjusted for the others."""
    importances: Importances | None = None
    """What each feature contributed, if it is a forest."""
    asks: str = ""
    """The question that it asks of x and y."""
    carries: str = ""
    """What was found if this member carries the answer and R2 or AUC do not show it, with {y} for the name of y;
    empty if they do show it."""
    measures: str = ""
    """What its statistic is."""
    share: float = 0.0
    """What part of the statistic of the test is its own; those of all members add up to 1."""


class Members(tuple[Member, ...]):
    """The members of a combined test; they print as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        from kmerf.show.text import members_text

        return members_text(self)

    def _repr_html_(self) -> str:
        from kmerf.show.notebook import members_html

        return members_html(self)


@dataclass(frozen=True)
class Pair(Record):
    """The test of two groups."""

    first: str
    second: str
    statistic: float
    pvalue: float
    adjusted: float
    """By Holm's method, over all pairs."""
    bound: float | None = None
    """The p-value is at most this: no permuted statistic was as large (`NullResult.bound`). None if it is known."""
    change: Change | None = None
    """The column in which the two differ most, for its spread; its interval allows for all pairs and columns."""


FIRST_CHANGES = 3  # that are shown first
MEAN, SHARE, SLOPE, SHARE_SLOPE, HAZARD = "mean", "share", "slope", "share slope", "hazard ratio"
RATIO, PAIRS = "ratio", "pairs"
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
    mean or the share changes per `step` of `by`. "hazard ratio": how many times as often events come. Where outliers
    hide the difference of means: "ratio": of geometric means; "pairs": the share of pairs of rows in which the value of
    `second` is higher, and half of those in which both are the same."""
    shape: str
    """"rises", "falls" along numbers; "U", "hump" if the middle is lower, or higher, than both ends; "differs"
    between categories; "unclear" if the interval holds no difference."""
    first: str
    """What is compared with `second`: a category, or the rows with low values; empty for a slope."""
    second: str
    estimate: float
    """That of `second` less that of `first`; of a U or a hump, of the middle less the mean of both ends; of hazards,
    and ratios, second over first."""
    low: float
    high: float
    """The 95 % interval, which allows for the choice of what is shown."""
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
    chosen_from: float = 1.0
    """How many columns there are for each one shown: the interval allows for the choice among them, too. Its level is
    1 - 0.05 / (`compared` * `chosen_from`)."""

    @property
    def clear(self) -> bool:
        """Whether the interval excludes that there is no change."""
        none = {HAZARD: 1.0, RATIO: 1.0, PAIRS: 0.5}.get(self.measure, 0.0)
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
    bounded: bool = False
    """Whether no permutation showed as much of it, so that both are at most what they say."""


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
