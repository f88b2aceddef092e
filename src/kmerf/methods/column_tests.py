"""Each column of x by itself, and all columns together: how likely is what they show, compared with no relation?

For a column j of x and a function k of y, R2_jk is the share of the variance of the function that polynomials of the
column's ranks explain, and (1 - R2_jk)^(-n/2) the likelihood ratio of that relation against none. The statistic is the
logarithm of the mean of their square roots,

    log mean_jk (1 - R2_jk)^(-n/4).

Where one column says much it is nearly the largest of them, where many say a little it is nearer to their sum; so it
needs no guess at how many columns matter. The root keeps one lucky column in many from deciding alone.

Pairs of columns of x that say something about y together, and nothing alone.

With z_i the ranks of column i, centred, the statistic is the largest squared correlation of a product z_i z_j with a
column of y: its ranks, or the shares of classes. Trees that split on one column at a time see such a pair only after a
split that gains nothing. For groups it sees columns that go together in one group and not in another.

The columns that a category is spread over belong to one column of x, and make no pairs with each other: their products
say nothing that they do not say alone. There are up to p (p - 1) / 2 pairs; of more than 600, a random 600 are looked
at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError
from kmerf.core.streams import Purpose, stream
from kmerf.data.sample import common_levels
from kmerf.forests.growing import coordinates, labels_of, polynomial
from kmerf.methods.protocol import ClassColumns, PermutableMethod, Wording, check_censored, products, unit_columns

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample

_LEAST_LEFT = 1e-12  # of a variance: less than that is rounding
_QUESTIONS = {
    "location": Wording("Does y rise or fall with some column?"),
    "spread": Wording(
        "Does the level or the spread of y change along some column?",
        "the spread of {y} changes along some of them, more than its average",
    ),
    "shape": Wording(
        "Does the shape of the distribution of y change along some column?",
        "the shape of the distribution of {y} changes along some of them, more than its average",
    ),
    "joint": Wording(
        "Does anything about y rise or fall along some column: level, spread, shape, or how its columns depend on each "
        "other?",
        "something else about {y} than its average changes along some of them: its spread, its shape, or how its "
        "columns depend on each other",
    ),
}  # by target


@dataclass(frozen=True)
class EachColumn(PermutableMethod):
    """A test for relations with single columns of x, few or many.

    Parameters
    ----------
    degree
        Of the polynomials of a column's ranks: 1 for what rises or falls along it, 2 for bends as well.
    target
        The functions of a numeric y: "location", "spread", "shape" or "joint" (`kmerf.forests.growing`). Of classes it
        takes their shares.

    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x, groups = rng.normal(size=(80, 40)), np.arange(80) % 2
    >>> x[:, 7] += 2 * groups
    >>> kmerf.ksample(x, groups=groups, method=EachColumn(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01

    """

    degree: int = 2
    target: str = "spread"

    name: ClassVar[str] = "Each column"
    most_rows: ClassVar[int] = 10_000  # beyond, it takes more time and tells no more

    def __post_init__(self) -> None:
        if type(self.degree) is not int or self.degree not in (1, 2):
            finding = "must be 1, for lines, or 2, for curves as well"
            raise InputError(finding, argument=Argument("degree", self.degree))
        if self.target not in _QUESTIONS:
            finding = f"must be one of {', '.join(map(repr, _QUESTIONS))}"
            raise InputError(finding, argument=Argument("target", self.target))

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        measures = "the logarithm of a mean likelihood ratio"
        if classes:
            return Wording("Is there a column in which a group differs in level or spread?", measures=measures)
        return _QUESTIONS[self.target]._replace(measures=measures)

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> MeanLikelihoodRatio:
        """Find the polynomials of x and the functions of y."""
        if sample.y.codes is None:
            y = coordinates(sample.y, self.target)
        labels = labels_of(sample.y)
        columns = unit_columns(y) if labels is None else ClassColumns.unit(labels)
        return MeanLikelihoodRatio(_polynomials(x, self.degree), columns, self.degree)


def _polynomials(x: Floats, degree: int) -> Floats:
    """Return orthonormal polynomials of the ranks of each column (n, degree p), all of degree 1 first."""
    first = unit_columns(polynomial(x, 1))
    if degree == 1:
        return first
    second = unit_columns(polynomial(x, 2))
    second -= first * (first * second).sum(axis=0)  # a column with two values has no second
    return np.concatenate([first, unit_columns(second)], axis=1)


@dataclass(frozen=True, eq=False)
class MeanLikelihoodRatio:
    """The statistic, from orthonormal polynomials of x and functions of y of length 1."""

    x: Floats
    y: Floats | ClassColumns
    degree: int

    def __call__(self, order: Ints) -> float:  # noqa: D102
        squares = products(self.x, self.y, order) ** 2
        explained = squares.reshape(len(squares), self.degree, -1).sum(axis=1)
        roots = -0.25 * len(self.x) * np.log(np.maximum(1.0 - explained, _LEAST_LEFT))
        most = roots.max()
        return float(most + np.log(np.exp(roots - most).mean()))


MOST_PAIRS = 600


@dataclass(frozen=True)
class PairsOfColumns(PermutableMethod):
    """A test for two columns of x that move y only together.

    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 5))
    >>> y = x[:, 0] * x[:, 3] + 0.5 * rng.normal(size=60)
    >>> kmerf.independence(x, y, method=PairsOfColumns(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    """

    name: ClassVar[str] = "Pairs of columns"
    most_rows: ClassVar[int] = 5000  # beyond, it takes more time and tells no more

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        measures = "the largest squared correlation of a product of two columns"
        if classes:
            question = "Are two columns more strongly correlated in one group than in another?"
            return Wording(question, "correlations between columns differ from group to group", measures)
        return Wording(
            "Are there two columns that change y only in combination?",
            "two of them change {y} only in combination",
            measures,
        )

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> LargestCorrelation:
        """Multiply the columns."""
        if sample.y.codes is None:
            y = polynomial(y, 1)
        one, other = _pairs(x.shape[1], seed)
        feature = common_levels(sample.x).column_of
        apart = feature[one] != feature[other]
        one, other = one[apart], other[apart]
        ranks = polynomial(x, 1)
        together = unit_columns(ranks[:, one] * ranks[:, other]) if one.size else np.zeros((len(x), 1))
        labels = labels_of(sample.y)
        columns = unit_columns(y) if labels is None else ClassColumns.unit(labels)
        return LargestCorrelation(together, columns)


def _pairs(p: int, seed: int) -> tuple[Ints, Ints]:
    """Return the numbers of the columns of each pair."""
    all_pairs = p * (p - 1) // 2
    if all_pairs <= MOST_PAIRS:
        one, other = np.tril_indices(p, -1)
        return one, other
    drawn = stream(seed, Purpose.PAIRS_OF_COLUMNS).choice(all_pairs, MOST_PAIRS, replace=False)
    one = ((1.0 + np.sqrt(1.0 + 8.0 * drawn)) / 2.0).astype(np.int64)  # pairs in the order of tril_indices
    one -= one * (one - 1) // 2 > drawn  # where the root was rounded up
    return one, drawn - one * (one - 1) // 2


@dataclass(frozen=True, eq=False)
class LargestCorrelation:
    """The largest squared product of columns of x and y, each centred and of length 1."""

    x: Floats
    y: Floats | ClassColumns

    def __call__(self, order: Ints) -> float:  # noqa: D102
        return float((products(self.x, self.y, order) ** 2).max())


@dataclass(frozen=True)
class HazardColumn(PermutableMethod):
    """A test for one column of x, its middle or its ends, that goes with more or fewer events.

    It is `EachColumn` of the log-rank score.
    """

    name: ClassVar[str] = "Hazard, best column"
    most_rows: ClassVar[int] = EachColumn().most_rows

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, in words."""
        question = "Is there a column towards one end, or both ends, of which events are more frequent?"
        meaning = "events are more frequent towards one end of a column, or towards both"
        return Wording(question, meaning, EachColumn().wording(classes=False).measures)

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> MeanLikelihoodRatio:
        """Take the first score alone."""
        check_censored(sample, self.name)
        first = replace(sample.y, values=read_only(y[:, :1]), names=sample.y.names[:1])
        return EachColumn(2, "location").statistic(x, first.values, replace(sample, y=first), seed)
