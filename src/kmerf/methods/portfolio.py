"""One test of several: forests that are read in several ways, and quick tests without one, judged together.

No single statistic is best for all relations. One forest of y on x gives the kernel correlation of rows its trees have
not seen, and how well they predict y. A second, grown on functions of all columns of y at once, sees what the mean of y
does not show. Tests without a forest see what trees, which look at one column at a time and at few rows at the end,
see only in part: weighted sums of columns, faint lines and bends along each, pairs that act together. Each member is
fitted to the observed data and to the same permutations of y, and a soft maximum of their scores is the test's
statistic (`kmerf.nulls.definitions`): what it costs to look for several things at once is paid exactly.
docs/power.md and docs/real.md have what they gave on data
that took no part in fitting them.

**Members** of the default test are one row each: the method, and how much its score counts. The weights w are those of
`kmerf.nulls.definitions`; only their ratios matter. They were fitted on a library of relations and real tables
(`benchmarks/studies/fit_weights.py --write` rewrites weights and exponents below; nothing else does).

Where columns of x are correlated, what they say together is not what each says alone: a weighted sum of them may matter
though no single one does, and a regression on all columns sees it best. So each weight is multiplied by r^exponent,
with r the redundancy of the columns. A relation that many rows do not show to all members is a faint line, so `linear`
counts more with many rows: by (n / 100)^rows_exponent. So does `local`, as small regions hold few of few rows, and for
classes more so if columns are few, along which regions are small; its weight was chosen and not fitted (docs/power.md).
With blocks, few rows vary independently of each other, and series are short; forests see little in few rows: if these
are u < 200, such a member counts 200 / u times as much, but at most 3 times.
Weights may depend on n, x and blocks in any way: they stay as they are when y is permuted, so the p-value stays exact.

What a member asks, in words, is its method's `wording`.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

import numpy as np

from kmerf.core.arrays import Ints, centred, mid_ranks, read_only
from kmerf.core.errors import Argument, InputError, choose
from kmerf.core.settings import ComparedByValue
from kmerf.core.streams import Purpose, member_seed, stream
from kmerf.data.sample import Features, Kind, Sample, common_levels
from kmerf.forests import growing as forest
from kmerf.forests.spec import ForestSpec
from kmerf.methods.column_tests import EachColumn, HazardColumn, PairsOfColumns
from kmerf.methods.covariance_tests import Trend
from kmerf.methods.kmerf import KMERF, ForestProblem, SharedForestProblem
from kmerf.methods.local import Local
from kmerf.methods.protocol import Fit, Method, Problem, Wording, grows_forest
from kmerf.methods.ridge import Hazard, Mahalanobis, Ridge

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

FEW_ROWS = 100  # up to which weights are as they were learnt
MAX_ROWS_FACTOR = 6.0  # that many rows may multiply a weight by
FEW_UNITS = 200  # with blocks or times: below, lines count more
MAX_UNITS_FACTOR = 3.0  # benchmarks/studies/blocks.py
MAX_REDUNDANCY = 10.0  # that columns are taken to have: the library has no more
REDUNDANCY_CELLS = 10**6  # of x that are looked at, unless REDUNDANCY_ROWS have more
REDUNDANCY_ROWS = 200
MIN_MISSING = 5  # rows with a missing value, and without, for members without a forest to look at which they are


class WeightedTest(NamedTuple):
    """A test of the default, and how much it counts."""

    method: Method
    weight: float
    exponent: float = 0.0
    """The power of the redundancy of x by which the weight is multiplied."""
    rows_exponent: float = 0.0
    """The power of n / 100 by which it is multiplied, for the n rows it looks at, if these are more than 100."""
    helps_few_units: bool = False
    """Whether it counts more if few rows vary independently of each other."""
    max_rows_factor: float = MAX_ROWS_FACTOR
    """That many rows may multiply the weight by."""
    by_columns: bool = False
    """Whether rows are those per two columns of x, if it has more."""


_PLAIN = ForestSpec(100, max_outputs=1, grow_leaves=True)  # of one column of y each: more is seen where they differ
_JOINT = ForestSpec(67, min_samples_leaf=5, max_outputs=3, grow_leaves=True)
_COARSE = ForestSpec(100, "all", 5, bootstrap=False, max_samples="half", grow_leaves=True)

NUMERIC: Mapping[str, WeightedTest] = {
    "proximity": WeightedTest(KMERF(_PLAIN), 1.13, -0.22),
    "prediction": WeightedTest(KMERF(_PLAIN, statistic="prediction"), 1.12, 0.34),
    "distribution": WeightedTest(KMERF(_JOINT, statistic="strongest", target="joint"), 0.89, -0.40),
    "linear": WeightedTest(Ridge(), 1.28, 1.08, rows_exponent=0.25, helps_few_units=True),
    "marginal": WeightedTest(EachColumn(2, "spread"), 0.99, -0.04),
    "monotone": WeightedTest(EachColumn(1, "joint"), 0.87, 0.16),
    "trend": WeightedTest(Trend(), 0.99, -0.22),
    "spread": WeightedTest(Trend(x=2, y=2), 0.93, -0.19),
    "interaction": WeightedTest(PairsOfColumns(), 0.87, -0.50),
    "local": WeightedTest(Local(), 0.50, 0.00, rows_exponent=0.75),
}
CLASSES: Mapping[str, WeightedTest] = {
    "prediction": WeightedTest(KMERF(_COARSE, statistic="prediction"), 1.28, 0.46),
    "proximity": WeightedTest(KMERF(_COARSE), 0.82, -0.44),
    "linear": WeightedTest(Ridge(), 0.83, -0.06, rows_exponent=0.25, helps_few_units=True),
    "mahalanobis": WeightedTest(Mahalanobis(), 1.00, 0.80),
    "quadratic": WeightedTest(Ridge(2), 1.02, -0.25),
    "marginal": WeightedTest(EachColumn(), 1.18, -0.39),
    "interaction": WeightedTest(PairsOfColumns(), 0.97, -0.13),
    "local": WeightedTest(Local(), 0.50, 0.00, rows_exponent=1.35, max_rows_factor=25.0, by_columns=True),
}
# Chosen on other relations than those of benchmarks/studies/censored.py, and not fitted on real tables.
CENSORED: Mapping[str, WeightedTest] = {
    "hazard": WeightedTest(Hazard(), 6.0),
    "crossing": WeightedTest(Hazard(crossing=True), 1.0),
    "marginal_hazard": WeightedTest(HazardColumn(), 2.0),
    "marginal": WeightedTest(EachColumn(2, "spread"), 2.0),
    "interaction": WeightedTest(PairsOfColumns(), 1.0),
    "distribution": WeightedTest(KMERF(_JOINT, statistic="strongest", target="joint"), 1.0),
    "proximity": WeightedTest(KMERF(_PLAIN), 0.5),
}
MEMBERS: Mapping[str, Mapping[str, WeightedTest]] = {"numeric": NUMERIC, "categorical": CLASSES, "censored": CENSORED}

FITTED_ON = "7296 data sets, 656 of them draws of real tables; sha256 ec0fc21fdaedfd84"


def learnt_weight(kind: str, name: str, redundancy: float) -> float:
    """Return the weight of a member by name, for a kind of y; a name that is not in the table has the mean weight."""
    table = MEMBERS[kind]
    if name in table:
        member = table[name]
        return float(member.weight * min(redundancy, MAX_REDUNDANCY) ** member.exponent)
    return float(sum(member.weight for member in table.values()) / len(table))


def rows_factor(kind: str, method: Method, n: int, p: int) -> float:
    """Return by what the weight of a method is multiplied for n rows, of which it looks at some, and p columns of x.

    >>> [round(rows_factor("categorical", Local(), 1000, p), 1) for p in (1, 2, 5, 30)]
    [22.4, 22.4, 6.5, 1.0]
    """
    row = _row_of(method, kind)
    rows = min(n, method.most_rows or n) / (max(1.0, p / 2.0) if row.by_columns else 1.0)
    return float(min(row.max_rows_factor, max(1.0, (rows / FEW_ROWS) ** row.rows_exponent)))


def units_factor(method: Method, units: int | None) -> float:
    """Return the factor for so many rows that vary independently of each other; None without blocks.

    >>> [round(units_factor(Ridge(), units), 2) for units in (30, 90, 500, None)]
    [3.0, 2.22, 1.0, 1.0]
    """
    if not units or not _row_of(method, "numeric").helps_few_units:
        return 1.0
    return min(MAX_UNITS_FACTOR, max(1.0, FEW_UNITS / units))


def _row_of(method: Method, kind: str) -> WeightedTest:
    """Return the row of a method in the table of a kind of y, or in another; one without exponents if in none."""
    tables = (MEMBERS[kind], *MEMBERS.values())
    rows = (member for table in tables for member in table.values())
    return next((member for member in rows if member.method == method), WeightedTest(method, 1.0))


def redundancy(x: Floats) -> float:
    """Return 1 if the columns of x (n, p), without missing values, are not correlated, and p if all are the same.

    It is 1 + (p - 1) r, with r the mean squared rank correlation of two columns, less what chance gives. Of many rows,
    some are looked at, equally far apart.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 4))
    >>> round(redundancy(x), 1), round(redundancy(np.hstack([x, x])), 1)
    (1.0, 2.0)
    """
    n, p = x.shape
    most = max(REDUNDANCY_ROWS, REDUNDANCY_CELLS // p)
    rows = x if n <= most else x[np.linspace(0, n - 1, most).astype(np.int64)]
    ranks = centred(np.column_stack([mid_ranks(column) for column in rows.T]))
    length = np.sqrt((ranks**2).sum(axis=0))
    ranks = ranks[:, length > 0.0] / length[length > 0.0]
    n, p = ranks.shape
    if p < 2 or n < 3:
        return 1.0
    products = ranks.T @ ranks if p <= n else ranks @ ranks.T  # both have the same sum of squares
    squared = ((products**2).sum() - p) / (p * (p - 1))
    return float(1.0 + (p - 1) * max(0.0, squared - 1.0 / (n - 1)))


MIN_WEIGHT, MAX_WEIGHT = 1e-6, 1e6
MAX_CELLS = 10**7  # of x that a member with a limit of rows looks at, 80 MB, unless 2000 rows have more


def _methods(table: Mapping[str, WeightedTest]) -> Callable[[], dict[str, Method]]:
    return lambda: {name: member.method for name, member in table.items()}


@dataclass(frozen=True, eq=False)
class Portfolio(ComparedByValue, Method):
    """The default of `independence` and `ksample`: several tests combined into one.

    Members without a forest replace missing values by the median of the column and add an indicator column. With more
    rows than a member can use (`most_rows`: 500 to 2000 if it compares all pairs, 10,000 for trends; fewer for wide
    tables), it uses a random sample of them.

    Members that use the same forest share it. With more than 4000 rows, forests have fewer trees, in proportion to the
    cube root of the number of rows: half as many with 32,000 rows, a fifth with 500,000. All rows are sent down every
    tree. With more than 100 columns, trees try all columns at their root, and the 100 best of them below.

    Parameters
    ----------
    numeric
        The members for a numeric y, by the names that results show.
    classes
        The members for classes and groups.
    weights
        Weights of the members, by name. Members that you do not name have the fitted weight of the default member of
        this name, or else the mean of the fitted weights.

        Fitted weights depend on the data. The more the columns of x are correlated, the larger is the weight of
        `linear`, or for classes of `mahalanobis`. With n > 100 rows, the weight of `linear` is multiplied by the fourth
        root of n / 100: in large samples, linear effects that most members miss are weak, and `linear` has the most
        power for them. The weight of `local` is multiplied by (n / 100)^0.75, at most by 6, because small regions
        contain few rows of a small sample; for classes, with n the rows per two columns, by (n / 100)^1.35, at most by
        25. If fewer than 200 rows, u, vary independently, with blocks or in time order, the weight of `linear` is
        multiplied by 200 / u, at most by 3, because forests have little power in few rows.
    censored
        The members for times and events.

    >>> list(Portfolio().classes)
    ['prediction', 'proximity', 'linear', 'mahalanobis', 'quadratic', 'marginal', 'interaction', 'local']

    """

    numeric: Mapping[str, Method] = field(default_factory=_methods(NUMERIC))
    classes: Mapping[str, Method] = field(default_factory=_methods(CLASSES))
    weights: Mapping[str, float] = field(default_factory=dict)
    censored: Mapping[str, Method] = field(default_factory=_methods(CENSORED))

    name: ClassVar[str] = "KMERF portfolio"

    def __post_init__(self) -> None:
        for argument in ("numeric", "classes", "censored"):
            if not getattr(self, argument):
                raise InputError("is empty", argument=argument, remedy="a portfolio needs at least one member")
        for name, weight in self.weights.items():
            choose("weights", name, list(dict.fromkeys([*self.numeric, *self.classes, *self.censored])))
            if not (isinstance(weight, numbers.Real) and MIN_WEIGHT <= float(weight) <= MAX_WEIGHT):
                finding = f"must be a number between {MIN_WEIGHT:g} and {MAX_WEIGHT:g}"
                raise InputError(finding, argument=Argument(f"weights[{name!r}]", weight))

    def with_trees(self, n_trees: int) -> Portfolio:
        """Return the portfolio with another number of trees in each forest.

        >>> Portfolio().with_trees(50).numeric["distribution"].forest.n_trees
        50
        """
        numeric, classes, censored = (
            {name: method.with_trees(n_trees) if grows_forest(method) else method for name, method in members.items()}
            for members in (self.numeric, self.classes, self.censored)
        )
        return replace(self, numeric=numeric, classes=classes, censored=censored)

    def prepare(self, sample: Sample, seed: int) -> PortfolioProblem:
        """Prepare the sample for every member."""
        kind = sample.y.kind
        classes = kind == "categorical"
        members = {"numeric": self.numeric, "categorical": self.classes, "censored": self.censored}[kind]
        chosen = {
            name: method.for_size(*sample.x.values.shape) if grows_forest(method) else method
            for name, method in members.items()
        }
        columns = forest.presort(sample.x.values, sample.x.levels)  # once for all forests
        whole = filled(sample)  # once for all others
        problems: list[Problem] = []
        for names in _groups(chosen):
            method, own = chosen[names[0]], member_seed(seed, list(chosen).index(names[0]))
            if not grows_forest(method):
                problems.append(_prepare(method, whole, own))
            else:
                alike = [cast("KMERF", chosen[name]) for name in names]  # nothing else shares a forest
                problems.append(_read_together([each.prepare(sample, own, columns) for each in alike]))
        names = [name for group in _groups(chosen) for name in group]
        shared = redundancy(whole.x.values)
        weights = [
            self._weight(name, kind, shared)
            * rows_factor(kind, chosen[name], sample.n, sample.x.p)
            * units_factor(chosen[name], sample.units)
            for name in names
        ]
        wordings = [chosen[name].wording(classes) for name in names]
        return PortfolioProblem(tuple(names), tuple(problems), tuple(weights), tuple(wordings))

    def _weight(self, name: str, kind: str, shared: float) -> float:
        if name in self.weights:
            return float(self.weights[name])
        return learnt_weight(kind, name, shared)


def _groups(chosen: Mapping[str, Method]) -> list[list[str]]:
    """Put the names of members together whose forests are the same."""
    groups: dict[object, list[str]] = {}
    for name, method in chosen.items():
        key = method.shared_forest if grows_forest(method) else None
        groups.setdefault(name if key is None else key, []).append(name)
    return list(groups.values())


def _read_together(problems: Sequence[ForestProblem]) -> Problem:
    """Return the problem of several tests that read one forest, or of one."""
    return problems[0] if len(problems) == 1 else SharedForestProblem(tuple(problems))


def _prepare(method: Method, sample: Sample, seed: int) -> Problem:
    limit = method.most_rows
    most = sample.n if limit is None else min(limit, max(2000, MAX_CELLS // sample.x.p))
    if sample.n <= most:
        return method.prepare(sample, seed)
    rows = stream(seed, Purpose.MEMBER_ROWS).choice(sample.n, most, replace=False)
    return OnSomeRows(method, sample, seed, np.sort(rows))


def filled(sample: Sample) -> Sample:
    """Spread categories over columns, and put the median of a column in place of its missing values.

    What is missing may depend on y, so each pattern of missing values becomes a column of zeros and ones as well, if at
    least five rows have it and five do not. Columns with the same pattern share one.
    """
    x = common_levels(sample.x)
    holes = np.isnan(x.values)
    if not holes.any():
        return replace(sample, x=x)
    known = ~holes.all(axis=0)  # a column with nothing in it says nothing: zeros
    medians = np.zeros(holes.shape[1])
    medians[known] = np.nanmedian(x.values[:, known], axis=0)
    values = np.where(holes, medians, x.values)
    often = (holes.sum(axis=0) >= MIN_MISSING) & ((~holes).sum(axis=0) >= MIN_MISSING)
    _, first = np.unique(holes[:, often], axis=1, return_index=True)
    columns = np.flatnonzero(often)[np.sort(first)]
    patterns, more = holes[:, columns].astype(np.float64), len(columns)
    names = tuple(f"{x.names[x.column_of[j]]} is missing" for j in columns)
    numeric: list[Kind] = ["numeric"] * more
    return replace(
        sample,
        x=Features(
            read_only(np.hstack([values, patterns])),
            (*x.names, *names),
            (*x.kinds, *numeric),
            np.concatenate([x.column_of, x.p + np.arange(more)]),
            (0,) * (x.p + more),
            (*x.categories, *(() for _ in names)),
        ),
    )


@dataclass(frozen=True, eq=False)
class PortfolioProblem(Problem):
    """A sample made ready for every member of a portfolio."""

    names: tuple[str, ...]
    problems: tuple[Problem, ...]
    weights: tuple[float, ...]
    wordings: tuple[Wording, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return max(problem.n for problem in self.problems)

    @property
    def learns(self) -> bool:
        """Whether something is fitted to y."""
        return any(problem.learns for problem in self.problems)

    @property
    def work(self) -> float | None:
        """About how much work a refit is: that of the forests, None where one of them does not say."""
        each = [problem.work for problem in self.problems if problem.learns]
        return None if None in each else float(sum(work or 0.0 for work in each))

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Return what every member finds with row i of x beside row `order[i]` of y."""
        parts = [part for problem in self.problems for part in problem.fit(order, refit, n_jobs, importances).parts]
        known = zip(parts, self.names, self.weights, self.wordings, strict=True)
        return Fit(
            tuple(part._replace(name=name, weight=weight, wording=wording) for part, name, weight, wording in known)
        )

    @property
    def chi_square_refusal(self) -> str:
        """Why there is no chi-square null, unless there is one member, which may have one."""
        return (
            self.problems[0].chi_square_refusal
            if len(self.names) == 1
            else "a portfolio of tests has several statistics"
        )

    def chi_square_caveat(self) -> str | None:
        """Return why the chi-square null is known to fail for the one member."""
        return self.problems[0].chi_square_caveat()


@dataclass(frozen=True, eq=False)
class OnSomeRows(Problem):
    """A problem of which a random part of the rows is looked at, the same part of x in every permutation of y."""

    method: Method
    sample: Sample
    seed: int
    rows: Ints

    @property
    def n(self) -> int:
        """Number of rows, of which only some are looked at."""
        return self.sample.n

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Return what the method finds on the chosen rows of x, beside the rows of y that stand there."""
        x, y = self.sample.x, self.sample.y
        part = replace(x, values=np.ascontiguousarray(x.values[self.rows]))
        problem = self.method.prepare(Sample(part, y.take(order[self.rows]), 0, ()), self.seed)
        return problem.fit(np.arange(self.rows.size), refit, n_jobs, importances)
