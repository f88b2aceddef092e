"""What hyppo's tests share: read the data, choose the null, ask, and give the answer hyppo's form.

The arguments of scikit-learn's forests are translated for kmerf's own engine. Shares are read as scikit-learn does:
`max_features=f` tries int(f p) columns, and `min_samples_leaf=f` leaves at least f n rows in a leaf, rounded up.

Matrices of distances and similarities, given or computed, checked once before a test is built on them.

A distance is finite, symmetric, never negative, and zero from a row to itself; a similarity is finite and symmetric.
Its diagonal does not matter: the unbiased forms leave it out, the biased ones take it as it is.

`MatrixTest` is for metrics that our own methods do not have. The biased distance correlation is sqrt(sum_ij A_ij B_ij /
sqrt(sum A^2 sum B^2)) with A and B the distances less the means of rows and columns plus the mean of all; Hoeffding's D
compares joint ranks with the product of single ones, here of the distances from the middle of x and of y (what hyppo
calls the fast HHG).
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from kmerf.core.arrays import mid_ranks
from kmerf.core.errors import Argument, InputError, choose, did_you_mean, whole
from kmerf.data.sample import FEWEST_ROWS
from kmerf.estimators.inputs import as_sklearn_seed
from kmerf.execution.parallel import Execution, row_blocks, worker_count
from kmerf.explain.explanation import Extras
from kmerf.forests.spec import ForestSpec
from kmerf.methods.protocol import Method, PermutableProblem, matrices, observe
from kmerf.nulls.definitions import Permutation
from kmerf.questions.answer import Choice, answer
from kmerf.reading.samples import read_independence, read_ksample

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample
    from kmerf.methods.protocol import PermutableStatistic
    from kmerf.nulls.definitions import Null
    from kmerf.results.single_result import Result

TRANSLATED = {"max_depth", "min_samples_leaf", "max_features", "bootstrap", "max_samples"}
FEW_ROWS = 20  # up to which `auto` means permutations
ELSEWHERE = {"n_jobs", "random_state", "is_ksamp"}  # said when a test is run, or hyppo's own

Matrix: TypeAlias = "Callable[[str, Floats], Floats]"  # from the name of an argument and its values

ROUNDING = 1e-6  # of the largest entry: distances from products of rows are the roots of rounded zeros

NOT_DISTANCES = 'pass distances (n, n), or name a metric such as "euclidean"; Hsic takes similarities'
NOT_SIMILARITIES = 'pass similarities (n, n), or name a kernel such as "gaussian"; Dcorr takes distances'


def check_arguments(kind: str, options: dict[str, Any]) -> None:
    """Refuse arguments that scikit-learn's forest does not have."""
    forest = _sklearn_forest(kind)
    names = sorted({*forest().get_params(), "is_ksamp"} - {"n_estimators"})
    for name in options:
        if name == "n_estimators":
            raise InputError("is called ntrees here", argument=name, remedy="pass ntrees")
        if name not in names:
            finding = f"is not an argument of {forest.__name__}{did_you_mean(name, names)}"
            shown = ", ".join(repr(each) for each in names if each != "is_ksamp")
            raise InputError(finding, argument=name, remedy=f"Options: {shown}")


def translate_forest(kind: str, n_trees: int, options: dict[str, Any], n: int, p: int) -> Any:
    """Return kmerf's own forest with the settings of scikit-learn's, or that one where ours lacks a setting.

    `n` and `p` are the numbers of rows and of columns.

    >>> translate_forest("regressor", 100, {"max_features": 0.5}, n=50, p=7).max_features
    3
    """
    options = {name: value for name, value in options.items() if name not in ELSEWHERE}
    if not set(options) <= TRANSLATED:
        return _sklearn_forest(kind)(n_estimators=n_trees, **options)
    rows = options.get("max_samples")
    return ForestSpec(
        n_trees,
        max_features=_tried(options.get("max_features", 1.0 if kind == "regressor" else "sqrt"), p),
        min_samples_leaf=_leaf(options.get("min_samples_leaf", 1), n),
        max_depth=options.get("max_depth"),
        bootstrap=options.get("bootstrap", True),
        max_samples=1.0 if rows is None else rows,
    )


def _tried(value: Any, p: int) -> Any:
    """Return how many of p columns are tried at each split; what is no share or name is left to be checked."""
    if value is None:
        return "all"
    if isinstance(value, str):
        choose("max_features", value, ("log2", "sqrt"))
        return value if value == "sqrt" else max(1, int(math.log2(p)))
    return max(1, int(value * p)) if _is_share(value) and 0.0 < value <= 1.0 else value


def _leaf(value: Any, n: int) -> Any:
    if not _is_share(value):
        return value
    if not 0.0 < value < 1.0:
        finding = "must be a whole number of at least 1, or a share of the rows between 0 and 1"
        raise InputError(finding, argument=Argument("min_samples_leaf", value))
    return math.ceil(value * n)


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral)


def _sklearn_forest(kind: str) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    return RandomForestRegressor if kind == "regressor" else RandomForestClassifier


class IndependenceTestOutput(NamedTuple):
    """What most tests return."""

    stat: float
    pvalue: float


class KMERFTestOutput(NamedTuple):
    """What KMERF returns; the dictionary has the importance of each feature, `feat_importance`."""

    stat: float
    pvalue: float
    kmerf_dict: dict[str, Any]


class MGCTestOutput(NamedTuple):
    """What MGC returns; the dictionary has the local correlations, `mgc_map`, and where the best is, `opt_scale`."""

    stat: float
    pvalue: float
    mgc_dict: dict[str, Any]


class CallOptions(NamedTuple):
    """What `test` is called with besides the data."""

    reps: int
    workers: int
    auto: bool = False
    random_state: Any = None


class HyppoTest:
    """A test of hyppo's, which is asked the same way about pairs and about groups."""

    y_kind = "numeric"

    def statistic(self, x: Any, y: Any) -> float:
        """Return the statistic of x (n, p) and y (n, q), or where the metric is None, of matrices (n, n)."""
        return self._statistic(read_pair(x, y, self.y_kind))

    def _statistic(self, sample: Sample) -> float:
        problem = self._method(sample, getattr(self, "auto", False)).prepare(sample, self._statistic_seed())
        return observe(problem).statistic

    def _test(self, sample: Sample, question: str, options: CallOptions) -> Any:
        """Return the statistic and its p-value; without any permutation, hyppo's p-value is 1."""
        reps = whole("reps", options.reps, at_least=0)
        null = self._null(max(reps, 1), options.auto and sample.n > FEW_ROWS)
        execution = Execution(self._seed(options.random_state), threads(options.workers), "threads", False)
        choice = Choice(self._method(sample, options.auto), null, "within", execution)
        result = answer(sample, question, choice, Extras(gain=True, changes=False))
        pvalue = 1.0 if reps == 0 and isinstance(null, Permutation) else result.pvalue
        return self._output(sample, result, pvalue)

    def _method(self, sample: Sample, auto: bool) -> Method:
        raise NotImplementedError

    def _null(self, reps: int, fast: bool) -> Null:
        return Permutation(reps)

    def _output(self, sample: Sample, result: Result, pvalue: float) -> Any:
        return IndependenceTestOutput(result.statistic, pvalue)

    def _seed(self, random_state: Any) -> int:
        return as_sklearn_seed(random_state)

    def _statistic_seed(self) -> int:
        return 0  # nothing is random


class DistanceTest(HyppoTest):
    """A test on distances, which may come from any metric."""

    def __init__(self, compute_distance: Any = "euclidean", **kwargs: Any) -> None:
        self.compute_distance = compute_distance
        self.kwargs = kwargs

    @property
    def _distance(self) -> Matrix:
        return partial(distance_matrix, self.compute_distance, **self.kwargs)

    @property
    def _is_euclidean(self) -> bool:
        """Whether our own method has the metric."""
        return bool(self.compute_distance == "euclidean") and not self.kwargs


def read_pair(x: Any, y: Any, y_kind: str) -> Sample:
    """Read x and y; missing values are refused, as hyppo does."""
    sample = read_independence(x, y, y_kind=y_kind, missing_y="drop", once=False)
    if sample.dropped:
        finding = f"is missing in {sample.dropped} of {sample.dropped + sample.n} rows"
        raise InputError(finding, argument="y", remedy="leave those rows out")
    _refuse_missing(sample, "x", 'kmerf.independence(x, y, preset="paper")')
    return sample


def read_groups(samples: tuple[Any, ...]) -> Sample:
    """Read two or more samples; those of three rows or fewer are refused, as hyppo does."""
    if len(samples) < 2:
        remedy = "pass two or more arrays with the same columns, one for each group"
        raise InputError(f": {len(samples)} given", argument="samples", remedy=remedy)
    for number, sample in enumerate(samples, 1):
        if _rows(sample) < FEWEST_ROWS:
            remedy = f"give each group {FEWEST_ROWS} rows or more; kmerf.ksample takes groups of two"
            raise InputError(f"has {_rows(sample)} rows", argument=f"sample {number}", remedy=remedy)
    read = read_ksample(*samples, once=False)
    _refuse_missing(read, "samples", 'kmerf.ksample(..., preset="paper")')
    return read


def _rows(sample: Any) -> int:
    if not hasattr(sample, "__len__") or getattr(sample, "ndim", 1) == 0:
        finding = f": one is {sample!r}, which has no rows"
        remedy = "pass arrays (n, p), and all else by name, as in reps=1000"
        raise InputError(finding, argument="samples", remedy=remedy)
    return len(next(iter(sample.values()), ())) if isinstance(sample, Mapping) else len(sample)


def _refuse_missing(sample: Sample, argument: str, alternative: str) -> None:
    if count := sum(sample.x.missing):
        remedy = f"fill them in or leave their rows out, or use {alternative}, which takes them"
        raise InputError(f": values are missing, {count} in all", argument=argument, remedy=remedy)


def threads(workers: Any) -> int:
    """Return how many threads joblib's number of workers means: -1 is all cores, -2 all but one, None one.

    >>> threads(3), threads(None), threads(-1000)
    (3, 1, 1)
    """
    if workers is None:
        return 1
    if isinstance(workers, bool) or not hasattr(workers, "__index__") or workers == 0:
        remedy = "pass 1 or more, -1 for all cores, -2 for all but one"
        raise InputError("must be a whole number other than 0", argument=Argument("workers", workers), remedy=remedy)
    return int(workers) if workers > 0 else max(1, worker_count(-1) + 1 + int(workers))


def distance_matrix(metric: Any, argument: str, values: Floats, /, **options: Any) -> Floats:
    """Return the distances (n, n) between rows by scikit-learn's name of a metric, or by a function of all rows.

    None and "precomputed" say that the values are distances already. `argument` names the values in messages.

    >>> distance_matrix("cityblock", "x", np.array([[0.0, 0.0], [1.0, 2.0]]))
    array([[0., 3.],
           [3., 0.]])
    """
    from sklearn.metrics import pairwise_distances

    return _checked_distances(_made(metric, values, pairwise_distances, options), len(values), argument)


def kernel_matrix(metric: Any, argument: str, values: Floats, /, **options: Any) -> Floats:
    """Return the similarities (n, n) of rows by scikit-learn's name of a kernel, or by a function of all rows.

    None and "precomputed" say that the values are similarities already.

    >>> kernel_matrix("linear", "x", np.array([[1.0], [2.0]]))
    array([[1., 2.],
           [2., 4.]])
    """
    from sklearn.metrics.pairwise import pairwise_kernels

    matrix = _made(metric, values, pairwise_kernels, options)
    return _checked(matrix, len(values), argument, "similarities", NOT_SIMILARITIES)


def _made(metric: Any, values: Floats, by_name: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return what a function of all rows gives, or what a name stands for; the values themselves are one already."""
    if callable(metric):
        return metric(values, **options)
    return values if metric is None or metric == "precomputed" else by_name(values, metric=metric, **options)


def both(matrix: Matrix, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the matrices of x and of y."""
    return matrix("x", x), matrix("y", y)


def _checked_distances(matrix: Any, n: int, argument: str) -> Floats:
    """Return distances without what is rounding on their diagonal and below zero."""
    distances = _checked(matrix, n, argument, "distances", NOT_DISTANCES)
    rounding = ROUNDING * float(np.abs(distances).max())
    least, own = float(distances.min()), float(np.abs(np.diagonal(distances)).max())
    if least < -rounding:
        finding = f": its distances are negative, down to {least:.3g}"
    elif own > rounding:
        finding = f": its distances are not zero from each row to itself, but up to {own:.3g}"
    else:
        distances = np.maximum(distances, 0.0)
        np.fill_diagonal(distances, 0.0)
        return distances
    raise InputError(finding, argument=argument, remedy=NOT_DISTANCES)


def _checked(matrix: Any, n: int, argument: str, what: str, remedy: str) -> Floats:
    """Return a matrix of numbers (n, n) that is finite and symmetric but for rounding; refuse any other."""
    try:
        numbers = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        finding = f": its {what} are not numbers but of type {type(matrix).__name__}"
        raise InputError(finding, argument=argument, remedy=remedy) from None
    if numbers.shape != (n, n):
        finding = f": its {what} have shape {numbers.shape} and not {(n, n)}"
    elif not np.isfinite(numbers).all():
        finding = f": {int((~np.isfinite(numbers)).sum())} of its {what} are missing or infinite"
    elif (unequal := float(np.abs(numbers - numbers.T).max())) > ROUNDING * float(np.abs(numbers).max()):
        finding = f": its {what} are not symmetric, two that should be equal differ by {unequal:.3g}"
    else:
        return numbers
    raise InputError(finding, argument=argument, remedy=remedy)


@dataclass(frozen=True, eq=False)
class MatrixTest(Method):
    """A method that makes its statistic from the values of x and y."""

    title: str
    build: Callable[[Floats, Floats], PermutableStatistic]
    chi_square: bool

    @property
    def name(self) -> str:
        """The name that results show."""
        return self.title

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Compute the matrices."""
        return PermutableProblem(self.name, self.build(*matrices(sample, self.name)), sample.n, self.chi_square)


@dataclass(frozen=True, eq=False)
class BiasedCorrelation:
    """The biased distance correlation of two centred matrices."""

    x: Floats
    y: Floats
    norm: float

    @classmethod
    def of(cls, x: Floats, y: Floats) -> BiasedCorrelation:
        """Centre both."""
        a, b = (matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean() for matrix in (x, y))
        return cls(a, b, float(np.sqrt((a**2).sum() * (b**2).sum())))

    def __call__(self, order: Ints) -> float:  # noqa: D102
        covariance = float((self.x * self.y[np.ix_(order, order)]).sum())
        return float(np.sqrt(covariance / self.norm)) if self.norm > 0.0 and covariance > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Hoeffding:
    """Hoeffding's D of two columns of numbers, given by their ranks."""

    x: Floats
    y: Floats

    @classmethod
    def of(cls, x: Floats, y: Floats) -> Hoeffding:
        """Rank both, equal values by the mean of their ranks."""
        if x.shape[1] != 1 or y.shape[1] != 1 or len(x) < 5:
            finding = f"have shapes {x.shape} and {y.shape}"
            remedy = "pass one column of distances each, of 5 rows or more"
            raise InputError(finding, argument="x and y", remedy=remedy)
        return cls(mid_ranks(x[:, 0]), mid_ranks(y[:, 0]))

    @classmethod
    def from_centre(cls, x: Floats, y: Floats, distance: Matrix) -> Hoeffding:
        """Rank the distances of rows from the mean row."""
        rows = (np.vstack([values.mean(axis=0), values]) for values in (x, y))
        return cls.of(*(matrix[0, 1:, None] for matrix in both(distance, *rows)))

    def __call__(self, order: Ints) -> float:  # noqa: D102
        n, r, s = self.x.size, self.x, self.y[order]
        joint = np.empty(n)
        for start, stop in row_blocks(n):
            joint[start:stop] = _joint_ranks(r, s, slice(start, stop))
        one = ((joint - 1) * (joint - 2)).sum()
        two = ((r - 1) * (r - 2) * (s - 1) * (s - 2)).sum()
        three = ((r - 2) * (s - 2) * (joint - 1)).sum()
        whole = (n - 2) * (n - 3) * one + two - 2 * (n - 2) * three
        return float(30.0 * whole / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4)))


def _joint_ranks(r: Floats, s: Floats, part: slice) -> Floats:
    """Return 1 and the number of rows below each of some rows in both; rows equal in one count 1/2, in both 1/4."""
    x, y = ((values[part, None] > values) + 0.5 * (values[part, None] == values) for values in (r, s))
    below: Floats = (x * y).sum(axis=1)
    return 1.0 + below - 0.25  # a row is equal to itself
