"""Ridge regression of y on all columns of x together: relations that no column shows alone, whatever their units.

With Z the columns of x, winsorised and standardised (n, p), and Q orthonormal columns that span what there is of y, the
statistic is the share of y's variance that a ridge regression fits,

    trace(Q' H Q) / rank Q,    H = Z (Z'Z + r I)^-1 Z',    r = 0.02 n + p^2 / n.

Without r it would be the mean squared canonical correlation (for groups, Hotelling's and Pillai's trace), which sees
shifts across the direction that correlated columns share, but needs many more rows than columns. With a large r it is
the RV coefficient, which does not. Numbers in y are taken as they are, since other members of the default see their
ranks. With `degree=2` the columns of Z are polynomials of degree 1 and 2 of the ranks of each column of x, so that it
sees sums of curves as well.

H is F F' with F = Z L^-T and L L' = Z'Z + r I. Where columns outnumber rows, Z is replaced by the triangular root of
Z Z', which has the same H.

Of times and events, a ridge regression of their scores asks whether events come sooner along a weighted sum of the
columns. The first score of each row is that of the log-rank test (`kmerf.data.sample`); its regression on x is the
score test of Cox's model, with a small penalty: the test to beat where hazards are proportional. With the second score,
in which early and late events have opposite signs, it sees hazards that cross.

Mahalanobis's distances are those of the rows of F: two rows are as far apart as they are unlike, whatever the units and
the correlations of the columns,

    d(i, j)^2 = (z_i - z_j)' (Z'Z + r I)^-1 (z_i - z_j),

and their distance correlation with y sees more than sums. Groups that lie apart along any direction are seen, also
where correlated columns hide it, and so is every other difference of their distributions, if there are rows enough: a
distance correlation is 0 for independent x and y alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.arrays import centred, winsorise
from kmerf.core.errors import Argument, InputError
from kmerf.forests.growing import labels_of, polynomial
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.protocol import (
    ClassColumns,
    PermutableMethod,
    PermutableStatistic,
    Wording,
    check_censored,
    orthonormal_columns,
    products,
)

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample

SHRINKAGE = 0.02  # of the n that a standardised column's square is, added to it

_DEPENDENT = 1e-10  # of a square: less than that is rounding


@dataclass(frozen=True)
class Ridge(PermutableMethod):
    """A test for a linear relation with all columns together: their weighted sums, whatever their correlations.

    Parameters
    ----------
    degree
        None for the columns of x as they are; 2 for polynomials of their ranks, up to that degree.

    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> shared = rng.normal(size=(80, 1))
    >>> x = shared + 0.3 * rng.normal(size=(80, 4))  # four columns that are nearly the same
    >>> y = x[:, 0] - x[:, 1] + 0.3 * rng.normal(size=80)  # and what tells two of them apart
    >>> kmerf.independence(x, y, method=Ridge(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01

    """

    degree: int | None = None

    name: ClassVar[str] = "Ridge"
    most_rows: ClassVar[int] = 10_000  # beyond, it takes more time and tells no more

    def __post_init__(self) -> None:
        if self.degree not in (None, 2):
            finding = "must be 2, for curves as well as lines, or None"
            raise InputError(finding, argument=Argument("degree", self.degree))

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        if self.degree == 2:
            who = "the groups" if classes else "the levels of y"
            question = f"Do sums of linear and quadratic functions of the columns distinguish {who}?"
            what = "groups" if classes else "variance of y"
            return Wording(question, measures=f"the share of the {what} that a ridge regression fits")
        if classes:
            question = "Do the groups differ along some weighted sum of the columns?"
            return Wording(question, measures="the share of the groups that a ridge regression fits")
        return Wording(
            "Does y rise or fall with some weighted sum of the columns?",
            measures="the share of the variance of y that a ridge regression fits",
        )

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> FittedShare:
        """Find F and Q."""
        z = winsorise(x) if self.degree is None else np.concatenate([polynomial(x, k) for k in (1, 2)], axis=1)
        labels = labels_of(sample.y)
        columns = orthonormal_columns(y) if labels is None else ClassColumns.orthonormal(labels)
        return FittedShare(ridge_factor(z), columns)


@dataclass(frozen=True, eq=False)
class FittedShare:
    """The share of orthonormal columns of y (n, q) that lies in F F', F (n, r).

    Those of many classes are not centred, which makes no difference: the columns of F are.
    """

    factor: Floats
    y: Floats | ClassColumns

    def __call__(self, order: Ints) -> float:  # noqa: D102
        q = self.y.rank if isinstance(self.y, ClassColumns) else self.y.shape[1]
        return float((products(self.factor, self.y, order) ** 2).sum()) / q if q else 0.0


def ridge_factor(x: Floats) -> Floats:
    """Return F (n, min(n, p)) of columns (n, p).

    >>> x = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> F = ridge_factor(x)
    >>> round(float((F**2).sum()), 3)  # 4 / (4 + 0.02 * 4 + 1 / 4)
    0.924
    """
    from kmerf.engine.linear import cholesky, solve_rows

    z = _standardised(x)
    n, width = z.shape
    if width == 0:
        return np.zeros((n, 1))
    if width > n:
        columns = np.ascontiguousarray(z.T)
        z = products(columns, columns, np.arange(width))
        cholesky(z, _DEPENDENT)
    lower = products(z, z, np.arange(n))
    lower[np.diag_indices_from(lower)] += SHRINKAGE * n + width**2 / n
    cholesky(lower, 0.0)
    solve_rows(lower, z)
    return z


def _standardised(x: Floats) -> Floats:
    """Return the columns with mean 0 and variance 1; those that do not vary are left out."""
    away = centred(x)
    away /= np.maximum(np.abs(away).max(axis=0), np.finfo(np.float64).tiny)  # so that squares stay finite
    spread = np.sqrt((away**2).mean(axis=0))
    varies = spread > 0.0
    return np.ascontiguousarray(away[:, varies] / spread[varies])


@dataclass(frozen=True)
class Hazard(PermutableMethod):
    """Cox's score test, by permutation, for a y of times and events.

    Parameters
    ----------
    crossing
        Whether to look for hazards that cross instead: events that come earlier here and later there.

    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(80, 3))
    >>> y = np.column_stack([rng.exponential(np.exp(-x[:, 0])), rng.random(80) < 0.7])
    >>> kmerf.independence(x, y, y_kind="censored", method=Hazard(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    """

    crossing: bool = False

    most_rows: ClassVar[int] = 10_000  # beyond, it takes more time and tells no more

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "Crossing hazards" if self.crossing else "Hazard"

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        measures = "the share of the variance of the scores that a ridge regression fits"
        if self.crossing:
            question = "Do hazards cross along some weighted sum of the columns?"
            return Wording(question, "events of some rows occur early, and those of others late", measures)
        question = "Do events occur more often, and sooner, along some weighted sum of the columns?"
        return Wording(question, "some rows have more events, and sooner", measures)

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> FittedShare:
        """Find F and the score."""
        check_censored(sample, self.name)
        score = orthonormal_columns(y[:, 1:] if self.crossing else y[:, :1])
        return FittedShare(ridge_factor(winsorise(x)), score)


@dataclass(frozen=True)
class Mahalanobis(PermutableMethod):
    """Distance correlation of y and of Mahalanobis's distances between the rows of x.

    >>> import kmerf
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(80, 1)) + 0.3 * rng.normal(size=(80, 4))  # four columns that are nearly the same
    >>> groups = np.repeat(["a", "b"], 40)
    >>> x[40:, 0] += 0.4  # little beside what all columns share
    >>> kmerf.ksample(x, groups=groups, method=Mahalanobis(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01

    """

    name: ClassVar[str] = "Mahalanobis"
    has_chi_square: ClassVar[bool] = True
    most_rows: ClassVar[int] = 1000  # it compares all pairs

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        if classes:
            question = "Are rows of one group nearer to each other, whatever the units and correlations of the columns?"
        else:
            question = (
                "Are rows that are close in x also close in y, whatever the units and correlations of the columns?"
            )
        return Wording(question, measures="a correlation")

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Make columns comparable, and centre the distances of rows."""
        return pairs.distance_correlation(ridge_factor(winsorise(x)), y, labels_of(sample.y))
