"""What every test of dependence looks like to the rest of the library.

A *method* is a value that holds a test's settings: `KMERF()`, `Dcorr()`. Given a `Sample` it prepares a *problem*:
the data made ready, with everything that does not depend on the order of y computed once. A problem can be fitted with
the rows of y in any order, and the data as observed are one of them. Nulls, studies and screens need no more than
that, so they serve every method alike.

**Tests that learn nothing from y** can be permuted with nothing fitted again. Each turns a sample into a statistic: a
function of the order of y's rows, for which everything else is ready. `PermutableMethod` makes that the problem that
nulls and studies know.

Products of columns are summed without BLAS, whose sums change with the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol, TypeGuard

import numpy as np

from kmerf.core.arrays import centred, mid_ranks, row_shares
from kmerf.core.errors import Argument, Call, InputError, Message
from kmerf.core.settings import holds_matrix
from kmerf.data.sample import common_levels

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.exchangeability import Exchange
    from kmerf.data.sample import Sample
    from kmerf.engine.workspace import Columns
    from kmerf.forests.fitted import FittedForest
    from kmerf.forests.growing import Labels


class Wording(NamedTuple):
    """What a test asks, in the words that reports and the terminal use."""

    question: str = ""
    """A question about x and y."""
    meaning: str = ""
    """What a large score means, if R2 or AUC do not show it, with {y} for the name of y; empty if they do show it."""
    measures: str = ""
    """What its statistic is."""


class Part(NamedTuple):
    """One of the statistics of a method, and the forest behind it."""

    name: str
    statistic: float
    gains: Floats | None = None
    """What the splits on each feature gained in each tree (m, features); None where there is no forest that tells."""
    credits: Floats | None = None
    """What those splits predicted of the rows out of bag (m, features), where the forest tells."""
    forest: FittedForest | None = None
    """The forest itself, to be looked into; only the observed data's ever is."""
    error: float = 0.0
    """Standard error of the statistic, where the variance of a large kernel is known from a sample of rows."""
    correlation: bool = True
    """Whether the statistic is a correlation, at most 1 and about 0 without dependence."""
    weight: float = 1.0
    """How much its score counts where several are combined (`kmerf.nulls.definitions`)."""
    wording: Wording = Wording()
    """The question that it answers, where several are combined."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What a method found with the rows of y in one order: one statistic, or several to be combined."""

    parts: tuple[Part, ...]

    @classmethod
    def of(
        cls,
        name: str,
        statistic: float,
        gains: Floats | None = None,
        credits: Floats | None = None,
        forest: FittedForest | None = None,
        error: float = 0.0,
        correlation: bool = True,
    ) -> Fit:
        """Return the fit of a method that has one statistic."""
        return cls((Part(name, statistic, gains, credits, forest, error, correlation),))

    @property
    def statistics(self) -> Floats:
        """All statistics (k,)."""
        return np.array([part.statistic for part in self.parts])

    @property
    def weights(self) -> Floats:
        """How much each counts where they are combined (k,)."""
        return np.array([part.weight for part in self.parts])

    @property
    def statistic(self) -> float:
        """The statistic of a method that has one."""
        (only,) = self.parts
        return only.statistic

    def shares(self) -> Floats | None:
        """Return how much each feature did for each forest (forests, features), or None where no forest tells.

        That is the share of y's variance that splits on it predict out of bag, or, for plug-in forests, the share of
        the gains that its splits have in bag.
        """
        known = [
            (row_shares(part.gains) if part.credits is None else part.credits).mean(axis=0)
            for part in self.parts
            if part.gains is not None
        ]
        return np.array(known) if known else None


class Problem(Protocol):
    """A sample made ready for one method; inherit from it for what has a default here.

    It must be picklable: refits may run in other processes.
    """

    @property
    def n(self) -> int:
        """Number of rows."""
        ...

    @property
    def learns(self) -> bool:
        """Whether something is fitted to y, so that every permutation costs a fit."""
        return False

    @property
    def work(self) -> float | None:
        """About how much work a refit is, in visits of trees to cells of x; None if that is not known.

        It decides how many refits the default null can afford.
        """
        return None

    @property
    def permutes_at_once(self) -> bool:
        """Whether `permuted` takes many permutations together, where any rows may change places."""
        return False

    @property
    def chi_square_refusal(self) -> str:
        """Why there is no chi-square null, as it needs one unbiased kernel correlation; empty if there is one."""
        return ""

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Return what the method finds with row i of x beside row `order[i]` of y.

        `importances=True` also computes feature importances, where available; this is slower. Whatever random choices
        the method makes come from the stream numbered `refit`; the observed data use stream 0, so observed and
        permuted statistics are exchangeable when x and y are independent.
        """
        ...

    def permuted(self, seed: int, first: int, size: int) -> Floats:
        """Return the statistics with the permutations numbered from `first` on, by numbers of its own."""
        raise TypeError(f"{type(self).__name__} takes one permutation at a time")

    def chi_square_caveat(self) -> str | None:
        """Return why the chi-square null is known to fail here, or None."""
        return None


class Method(Protocol):
    """A test of dependence: its settings, and how to apply them to a sample.

    A new method inherits from it, for what has a default here.
    """

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        ...

    @property
    def most_rows(self) -> int | None:
        """How many rows it looks at as one of several tests, if its time or memory grows faster than theirs."""
        return None

    @property
    def ranks_only(self) -> bool:
        """Whether its statistic depends on the ranks of each column of x alone, so that columns can share a null."""
        return False

    @property
    def grows_forest(self) -> bool:
        """Whether it is a `ForestMethod`."""
        return False

    def wording(self, classes: bool) -> Wording:
        """Return the question that it answers, of a y with classes or of a numeric one."""
        return Wording()

    def prepare(self, sample: Sample, seed: int) -> Problem:
        """Make a sample ready; all randomness of the problem comes from `seed`."""
        ...


class ForestMethod(Method, Protocol):
    """A method that grows forests: it can use missing values of x, and columns that others have sorted."""

    @property
    def shared_forest(self) -> object | None:
        """What tells its forest: methods for which it is equal read the same one; None where it is not shared."""
        ...

    def with_trees(self, n_trees: int) -> ForestMethod:
        """Return the same method with another number of trees."""
        ...

    def for_size(self, n: int, p: int) -> ForestMethod:
        """Return the same method as n rows and p columns call for, where it is one of several."""
        ...

    def prepare(self, sample: Sample, seed: int, columns: Columns | None = None) -> Problem:
        """Make a sample ready; `columns` are those of x, sorted, where that has been done."""
        ...


def grows_forest(method: Method) -> TypeGuard[ForestMethod]:
    """Return whether a method grows forests."""
    return method.grows_forest


def check_chi_square(problem: Problem) -> str | None:
    """Return why the chi-square null is known to fail, or None; raise if there is none."""
    if problem.chi_square_refusal:
        raise InputError(
            f"needs an unbiased kernel correlation, and {problem.chi_square_refusal}",
            argument=Argument("null", Call("ChiSquare")),
            remedy=Message("use ", Argument("null", Call("Permutation")), ", or ", Argument("method", Call("KMERF"))),
        )
    return problem.chi_square_caveat()


def observe(problem: Problem, n_jobs: int = 1, importances: bool = False) -> Fit:
    """Return what the method finds on the data as they are."""
    return problem.fit(np.arange(problem.n), 0, n_jobs, importances)


def prepare(method: Method, sample: Sample, seed: int, exchange: Exchange) -> Problem:
    """Make a sample ready for whatever orders of y the exchange can draw."""
    problem = method.prepare(sample, seed)
    if exchange.keeps_rows:
        return problem
    if holds_matrix(method):
        finding = ": a precomputed y_kernel cannot follow y if whole blocks of different sizes are permuted"
        raise InputError(finding, argument="y_kernel", remedy="name a kernel")
    return PreparedAgain(problem, method, sample, seed)


@dataclass(frozen=True, eq=False)
class PreparedAgain(Problem):
    """A problem that is prepared again for every order of y, for orders in which rows of y repeat or are left out."""

    problem: Problem
    method: Method
    sample: Sample
    seed: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.sample.n

    @property
    def learns(self) -> bool:
        """Whether something is fitted to y."""
        return self.problem.learns

    @property
    def work(self) -> float | None:
        """About how much work a refit is."""
        return self.problem.work

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Return what the method finds with row i of x beside row `order[i]` of y."""
        moved = replace(self.sample, y=self.sample.y.take(order))
        return self.method.prepare(moved, self.seed).fit(np.arange(self.n), refit, n_jobs, importances)

    @property
    def chi_square_refusal(self) -> str:
        """Why there is no chi-square null."""
        return self.problem.chi_square_refusal

    def chi_square_caveat(self) -> str | None:
        """Return why the chi-square null is known to fail here."""
        return self.problem.chi_square_caveat()


LARGEST_EXPONENT = 100  # of two: fourth powers of such numbers, and sums of them, are far from the ends of floats


PermutableStatistic = Callable[["Ints"], float]
"""A statistic of x and y: called with an order, it has row i of x beside row `order[i]` of y."""


class PermutableMethod(Method, Protocol):
    """A method that learns nothing: it says how to make its statistic."""

    has_chi_square: ClassVar[bool] = False
    """Whether the statistic is an unbiased kernel correlation, for which there is a (conservative) chi-square null."""

    @property
    def scale(self) -> str:
        """How columns are scaled before they are compared: one of `SCALES`."""
        return "units"

    def statistic(self, x: Floats, y: Floats, sample: Sample, seed: int) -> PermutableStatistic:
        """Return the statistic of x (n, p) and y (n, q), which are those of the sample as numbers."""
        ...

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Make the statistic."""
        statistic = self.statistic(*matrices(sample, self.name, self.scale), sample, seed)
        return PermutableProblem(self.name, statistic, sample.n, self.has_chi_square)


@dataclass(frozen=True, eq=False)
class PermutableProblem(Problem):
    """A sample made ready for a test that learns nothing."""

    method: str
    statistic: PermutableStatistic
    rows: int
    chi_square: bool = False

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.rows

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Return the statistic with row i of x beside row `order[i]` of y."""
        return Fit.of(self.method, self.statistic(order), correlation=self.chi_square)

    @property
    def chi_square_refusal(self) -> str:
        """Why there is no chi-square null."""
        return "" if self.chi_square else f"the statistic of {self.method} is not one"


SCALES = ("standard", "ranks", "units")
"""How columns are scaled: to variance 1; as ranks, to variance 1; or not at all."""


def matrices(sample: Sample, method: str, scale: str = "units") -> tuple[Floats, Floats]:
    """Return x (n, p) and y (n, q); of the two columns of a y with two classes, one, as it says everything."""
    x, y = sample.x, sample.y
    if any(x.missing):
        holes = [name for name, missing in zip(x.names, x.missing, strict=True) if missing]
        more = f" and {len(holes) - 3} more" if len(holes) > 3 else ""
        raise InputError(
            f"has missing values in {', '.join(map(repr, holes[:3]))}{more}, and {method} cannot use them",
            argument="x",
            remedy=Message(
                "fill them, drop those rows or columns, or use ", Argument("method", Call("KMERF")), ", which can"
            ),
        )
    two = y.kind == "categorical" and y.q == 2
    spread = common_levels(x)
    of_x = rescaled(scaled(spread.values, LARGEST_EXPONENT), spread.column_of, scale)
    if y.kind == "categorical":
        return of_x, y.values[:, :1] if two else y.values
    return of_x, rescaled(y.values, np.arange(y.values.shape[1]), scale)


def rescaled(values: Floats, column_of: Ints, scale: str) -> Floats:
    """Give each feature variance 1, as it is or as ranks; the columns of a category have it together.

    A single feature is left as it is, for its units do not matter. Factors of whole numbers and of ranks are rounded to
    21 bits, so that equal differences stay equal.

    >>> rescaled(np.array([[1.0, 0.0], [3.0, 0.0], [2.0, 90.0]]), np.array([0, 1]), "standard").round(2).tolist()
    [[1.22, 0.0], [3.67, 0.0], [2.45, 2.12]]
    """
    if scale == "units" or (scale == "standard" and column_of[-1] == 0):
        return values
    alone = np.bincount(column_of)[column_of] == 1
    out = np.array(values)
    if scale == "ranks":
        out[:, alone] = np.column_stack([mid_ranks(column) for column in values.T[alone]]) if alone.any() else 0.0
    away = centred(out)
    variance = np.bincount(column_of, weights=(away**2).mean(axis=0))[column_of]
    factor = np.divide(1.0, np.sqrt(variance), out=np.ones_like(variance), where=variance > 0.0)
    mantissa, exponent = np.frexp(factor)
    whole = (2.0 * out == np.rint(2.0 * out)).all(axis=0)
    return np.ascontiguousarray(out * np.where(whole, np.ldexp(np.rint(mantissa * 2**21), exponent - 21), factor))


def scaled(x: Floats, largest: int = 0) -> Floats:
    """Divide by the power of two that brings the largest value to about one, unless it is at most 2^largest away.

    Then powers of x neither overflow nor vanish, and nothing is rounded.

    >>> scaled(np.array([[1e200], [-3e200]])).round(2).ravel()
    array([ 0.33, -0.98])
    """
    _, exponent = np.frexp(np.abs(x).max())
    return x if abs(int(exponent)) <= largest else np.ldexp(x, -int(exponent))


_DEPENDENT = 1e-10  # a column of which less than this is left, beside the others, is a combination of them


@dataclass(frozen=True, eq=False)
class ClassColumns:
    """A column for each of many classes, which is not written down: scale where a row is of the class, else 0.

    Less the mean, if it is `centred`.
    """

    labels: Labels
    scale: Floats
    centred: bool

    @classmethod
    def unit(cls, labels: Labels) -> ClassColumns:
        """Return columns that are centred and of length 1; those that do not vary are 0."""
        sizes = np.bincount(labels.codes, minlength=labels.n_classes)
        square = sizes * (1.0 - sizes / labels.codes.size)
        return cls(labels, np.divide(1.0, np.sqrt(square), out=np.zeros(sizes.size), where=square > 0.0), True)

    @classmethod
    def orthonormal(cls, labels: Labels) -> ClassColumns:
        """Return orthonormal columns, which span what the columns of classes do; those of no row are 0."""
        sizes = np.bincount(labels.codes, minlength=labels.n_classes)
        return cls(labels, np.divide(1.0, np.sqrt(sizes), out=np.zeros(sizes.size), where=sizes > 0), False)

    @property
    def rank(self) -> int:
        """How many dimensions the columns span, less their means."""
        return int((self.scale > 0.0).sum()) - 1

    def products(self, x: Floats, order: Ints) -> Floats:
        """Return the products (classes, p) with the columns of x."""
        from kmerf.engine.linear import class_sums

        out = np.empty((self.labels.n_classes, x.shape[1]))
        class_sums(x, self.labels.codes, order, out)
        if self.centred:
            sizes = np.bincount(self.labels.codes, minlength=self.labels.n_classes)
            out -= sizes[:, None] * x.mean(axis=0)
        return out * self.scale[:, None]


def products(x: Floats, y: Floats | ClassColumns, order: Ints) -> Floats:
    """Return the products (q, p) of the columns of y, its rows in `order`, and x."""
    from kmerf.engine.linear import products as fill

    if isinstance(y, ClassColumns):
        return y.products(x, order)
    out = np.empty((y.shape[1], x.shape[1]))
    fill(x, y, order, out)
    return out


def orthonormal_columns(values: Floats) -> Floats:
    """Return orthonormal columns that span the columns less their means."""
    from kmerf.engine.linear import orthonormal

    columns = np.array(centred(values).T, order="C")
    rank = int(orthonormal(columns, _DEPENDENT))
    return np.ascontiguousarray(columns[:rank].T)


def unit_columns(values: Floats) -> Floats:
    """Centre the columns and give them length 1; those that do not vary become 0.

    >>> unit_columns(np.array([[1.0, 5.0], [3.0, 5.0]])).round(2).tolist()
    [[-0.71, 0.0], [0.71, 0.0]]
    """
    away = centred(values)
    length = np.sqrt((away**2).sum(axis=0))
    return np.ascontiguousarray(np.divide(away, length, out=np.zeros_like(away), where=length > 1e-9))


def check_censored(sample: Sample, name: str) -> None:
    """Raise unless y has times and events."""
    if sample.y.kind != "censored":
        remedy = Message("pass times and events with ", Argument("y_kind", "censored"))
        raise InputError(f": {name} is for times until an event", argument="y", remedy=remedy)
