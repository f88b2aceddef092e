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

    `pvalue` is the rank of the statistic among B permuted statistics, so it is valid at every level and never below 1 /
    (1 + B). With `Extrapolated`, it may be the modelled value (`extrapolated`).
    """

    name: str
    pvalue: float
    standard_error: float | None = None
    """Monte Carlo standard error of the p-value, or None."""
    distribution: Floats | None = None
    """The permuted statistics, in the order in which they were drawn."""
    extrapolated: bool = False
    """Whether the p-value is from a model of the tail, below the smallest that permutations can give."""
    stopped: bool = False
    """Whether permutations stopped early because p was clearly above 0.05 (`Sequential`)."""
    bound: float | None = None
    """1 / (1 + B) if none of the B permuted statistics was as large as the observed one: p is at most this. Otherwise
    None."""
    modelled: float | None = None
    """A rough estimate of p from a model of the tail if there is a bound, never below 1 / (1 + B)^2. Otherwise None."""

    def at_least(self, fewest: float) -> NullResult:
        """Return a copy in which no p-value is below `fewest`, one over the number of distinct arrangements."""
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
    """The mean over trees. A loss is about 0 or below if the feature does not help to predict y."""
    low: Floats
    """The lower end of the 95 % interval over samples of the same size; for gains, the 2.5th percentile over trees."""
    high: Floats
    """The upper end; for gains, the 97.5th percentile over trees."""
    measure: str = "gain"
    """"loss": the share of y's variance that a tree no longer predicts, out of bag, when the feature is permuted.
    "gain": the feature's share of the gain of splits, for in-bag rows."""

    @property
    def scaled(self) -> Floats:
        """The means scaled to the range from 0 to 1, as in the paper's Figure 3; all zero if they are equal."""
        span = np.ptp(self.mean)
        scaled: Floats = (self.mean - self.mean.min()) / span if span > 0 else np.zeros_like(self.mean)
        return scaled

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names from the most to the least important."""
        return tuple(self.names[i] for i in np.argsort(-self.mean, kind="stable"))

    def __repr__(self) -> str:
        from kmerf.show.text import importances_text

        return importances_text(self)


@dataclass(frozen=True, eq=False)
class FeatureTests(Record):
    """P-values of features, or of groups of features."""

    names: tuple[str, ...]
    importance: Floats
    """The share of y's variance that is lost, out of bag, when the feature is permuted: the largest over the forests,
    and about 0 for a feature that does not help. If a forest does not support this, the share that splits on the
    feature predict, or for scikit-learn forests the share of the gains in bag. The importance of a group is the sum
    over its features."""
    pvalues: Floats
    """P-values of single features: the test statistic is the share of y's variance that splits on the feature predict
    out of bag. All p-values here are ranks among the B refits, so none is below 1 / (1 + B)."""
    adjusted_fwer: Floats
    """Adjusted for the family-wise error rate (max-T)."""
    adjusted_fdr: Floats
    """Adjusted for the false discovery rate (Benjamini-Hochberg, on ranks among the refits of all features)."""
    forests: dict[str, Floats] = field(default_factory=dict)
    """P-values of the features in each forest, by the name of the forest, if there are several."""
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The features of each group, for groups of features."""
    smallest: float = 0.0
    """The smallest p-value that the refits can give. A p-value equal to it is an upper bound. 0 if p-values do not come
    from refits."""

    def significant(self, level: float = LEVEL) -> tuple[str, ...]:
        """Return the features with a family-wise adjusted p-value at or below a level, most important first."""
        order = np.argsort(-self.importance, kind="stable")
        return tuple(self.names[i] for i in order if self.adjusted_fwer[i] <= level)

    def __repr__(self) -> str:
        from kmerf.show.text import features_text

        return features_text(self)


@dataclass(frozen=True)
class Effect(Record):
    """How strong the relation is."""

    correlation: float | None = None
    """The kernel correlation: the largest over the forests of the method, or else over its other correlations. None if
    the method has no correlation."""
    low: float | None = None
    high: float | None = None
    """The interval of the correlation, if you passed `interval=`."""
    level: float | None = None
    """The confidence level of this interval."""
    measure: str = ""
    """What `score` is: "R2" for a numeric y, "AUC" for two classes, "mean AUC" for more. Empty if there is no score."""
    score: float | None = None
    """R2: the share of the variance of y that the best prediction from x explains, comparable to an adjusted R2. AUC:
    the probability that, given one row of each of two classes, the model assigns them correctly. Estimates of R2 below
    0 and of the AUC below 0.5 mean no effect, and are shown as 0 and 0.5."""
    rank_score: float | None = None
    """R2 of ranks, robust against outliers: of a numeric y, or of a single numeric column by groups."""
    score_low: float | None = None
    score_high: float | None = None
    """The 95 % interval of `score`."""
    rank_low: float | None = None
    rank_high: float | None = None
    """The 95 % interval of `rank_score`."""
    auc: float | None = None
    """AUC of the groups, if y is numeric and x is a single column of groups."""
    auc_low: float | None = None
    auc_high: float | None = None
    auc_measure: str = ""
    """"AUC", or "mean AUC" if there are more than two groups."""
    about: str = ""
    """"within blocks" or "between blocks" with blocks; "beyond z" if the effect is what x adds to z."""
    concordance: float | None = None
    """Harrell's C-index of a censored y, for held-out rows: the probability that, of two comparable rows, the one
    predicted to have its event first has it first. 0.5 is guessing."""
    concordance_low: float | None = None
    concordance_high: float | None = None
    """The 95 % interval of `concordance`."""

    @property
    def robust(self) -> float | None:
        """The score that is robust against outliers: the AUC for classes, R2 of ranks for a numeric y."""
        return self.rank_score if self.measure == "R2" and self.rank_score is not None else self.score


@dataclass(frozen=True)
class Adjustment(Record):
    """How the test adjusted for covariates z, and how much z explains."""

    names: tuple[str, ...]
    """The columns of z."""
    explained_x: float
    """The share of the variance of x's ranks (or classes) that z explains, for rows that the models have not seen."""
    explained_y: float
    lack_of_fit_x: float
    """P-value of a test of whether the residuals of x still depend on z. Small values are a warning."""
    lack_of_fit_y: float
    strata: int | None = None
    """The number of distinct values of z, if y was permuted among rows with the same value."""
    measure: str = ""
    """"R2" of y's ranks or "AUC" of its classes, for rows that the models have not seen."""
    without_x: float | None = None
    """How well z alone predicts y."""
    with_x: float | None = None
    """How well z and x together predict it."""
    lack_of_fit_joint: float = 1.0
    """P-value of a test of whether the relation shrinks as z is removed more accurately. Small values are a warning."""

    @property
    def doubtful(self) -> bool:
        """Whether residuals of x or y may still depend on z, so that p may be too small."""
        return min(self.lack_of_fit_x, self.lack_of_fit_y, self.lack_of_fit_joint) <= DOUBT


@dataclass(frozen=True, eq=False)
class Member(Record):
    """One member of a combined test."""

    name: str
    statistic: float
    """The statistic of the member: a kernel correlation, or that of another test."""
    score: float
    """The number of standard deviations by which the statistic exceeds its permuted values, corrected for skewness:
    about standard normal if there is no effect."""
    error: float
    """Standard error of the statistic if it is from a sample of rows; otherwise 0."""
    pvalue: float
    """The p-value of the member as a single test, not adjusted for the other members."""
    importances: Importances | None = None
    """The importance of each feature, if the member is a forest."""
    question: str = ""
    """The question that the member answers about x and y."""
    meaning: str = ""
    """What a large score means, if R2 or AUC do not show it, with {y} for the name of y. Otherwise empty."""
    measures: str = ""
    """What the statistic measures."""
    share: float = 0.0
    """The contribution of the member to the statistic of the test. The shares of all members add up to 1."""


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
    """Adjusted by Holm's method over all pairs."""
    bound: float | None = None
    """The p-value is at most this, because no permuted statistic was as large (`NullResult.bound`). Otherwise None."""
    change: Change | None = None
    """The column in which the two groups differ most, relative to its spread. The interval accounts for all pairs and
    columns."""


FIRST_CHANGES = 3  # that are shown first
MEAN, SHARE, SLOPE, SHARE_SLOPE, HAZARD = "mean", "share", "slope", "share slope", "hazard ratio"
RATIO, PAIRS = "ratio", "pairs"
RISES, FALLS, U_SHAPE, HUMP, DIFFERS, UNCLEAR = "rises", "falls", "U", "hump", "differs", "unclear"
WEEKDAY, MONTH = "weekday", "month"  # the unit of that part of a date: numbers from 1, which have names


@dataclass(frozen=True)
class Names(Record):
    """The names of columns that appear in sentences."""

    y: tuple[str, ...] = ()
    """The columns of y, or of the groups; empty if they have no names."""
    x: tuple[str, ...] = ()
    """The first columns of x; empty if they have no names."""


@dataclass(frozen=True)
class GroupNumbers(Record):
    """Summary statistics of a group, a category, or the rows with low, middle or high values of a column."""

    label: str
    n: int
    mean: float | None = None
    """The mean; the share of rows, if shares are compared."""
    sd: float | None = None
    median: float | None = None
    """The median. For censored times, the Kaplan-Meier median; None if it is not reached."""
    lower: float | None = None
    upper: float | None = None
    """The quartiles."""
    events: int | None = None
    """The number of events, for censored times."""


@dataclass(frozen=True)
class Change(Record):
    """How one column changes with another: direction and size, with a 95 % interval."""

    column: str
    """The column of x."""
    what: str
    """The column that changes: y or, between groups, the column of x."""
    by: str
    """The column with which it changes."""
    measure: str
    """"mean": a difference of means. "share": a difference of shares of rows. "slope", "share slope": the change of the
    mean or the share per `step` of `by`. "hazard ratio": the ratio of hazards. If outliers mask the difference of
    means: "ratio", the ratio of geometric means, or "pairs", the share of pairs of rows in which the value of `second`
    is higher, plus half of the ties."""
    shape: str
    """"rises" or "falls" with a numeric column; "U" or "hump" if the middle is lower or higher than both ends;
    "differs" between categories; "unclear" if the interval includes no change."""
    first: str
    """The first of the two sides that are compared: a category, or the rows with low values. Empty for a slope."""
    second: str
    estimate: float
    """The value of `second` minus that of `first`. For "U" and "hump", the middle minus the mean of both ends. For
    hazards and ratios, `second` divided by `first`."""
    low: float
    high: float
    """The ends of the 95 % interval, which accounts for the selection of what is shown."""
    n: int
    """The number of rows with a value of the column, or of blocks if blocks are compared."""
    missing: int = 0
    """The number of rows without a value of the column."""
    groups: tuple[GroupNumbers, ...] = ()
    """Summary statistics of every category, or of rows with low, middle and high values."""
    of: str = ""
    """The category whose share is compared."""
    step: float | None = None
    """The step of `by` for a slope or a hazard ratio without `first` and `second`."""
    about: str = ""
    """"within blocks", "between blocks", "whole blocks" or "given z": the design of the estimate and its interval."""
    compared: int = 1
    """The number of pairs from which the two sides were selected. The interval accounts for it."""
    unit: str = ""
    """The unit of `what`; for dates, such as "days since 2012-03-01"."""
    by_unit: str = ""
    """The unit of `by`."""
    chosen_from: float = 1.0
    """The number of columns divided by the number shown. The interval accounts for this selection: its level is 1 -
    0.05 / (`compared` * `chosen_from`)."""

    @property
    def clear(self) -> bool:
        """Whether the interval excludes no change."""
        none = {HAZARD: 1.0, RATIO: 1.0, PAIRS: 0.5}.get(self.measure, 0.0)
        return not self.low <= none <= self.high


@dataclass(frozen=True)
class Kind(Record):
    """The test of one kind of change, with a p-value and one adjusted for all kinds."""

    name: str
    """"level", "spread", "shape" or "joint"; given z, only "level"."""
    pvalue: float
    adjusted: float
    """Adjusted by Holm's method over the kinds, and never below the p-value of the whole test."""
    column: str = ""
    """The column of x that shows it most clearly, or two columns joined by "and"."""
    bounded: bool = False
    """Whether no permuted statistic was as large, so that both p-values are upper bounds."""


@dataclass(frozen=True)
class Margin(Record):
    """Whether the effect is below a margin, above it, or undecided."""

    margin: float
    measure: str
    """"R2 of ranks", "R2", "AUC" or "mean AUC"; "added ..." given z."""
    decision: str
    """"below": the interval of the effect ends below the margin. "above": it begins above the margin. Otherwise
    "undecided"."""
    estimate: float
    low: float
    high: float
