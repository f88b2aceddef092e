"""How much the columns of x say the same, by which the default weighs its members.

Where columns are correlated, what they say together is not what each says alone: a weighted sum of them may matter
though no single one does, and a regression on all columns sees it best. Weights may depend on x in any way: it stays
as it is when y is permuted, so the p-value stays exact.

One test of several: forests that are read in several ways, and quick tests without one, judged together.

No single statistic is best for all relations. One forest of y on x gives the kernel correlation of rows its trees have
not seen, and how well they predict y. A second, grown on functions of all columns of y at once, sees what the mean of y
does not show. Tests without a forest see what trees, which look at one column at a time and at few rows at the end,
see only in part: weighted sums of columns, faint lines and bends along each, pairs that act together. Each member is
fitted to the observed data and to the same permutations of y, and a soft maximum of their scores is the test's
statistic (`kmerf.nulls.combining`): what it costs to look for several things at once is paid exactly. The weights were
fitted on a library of relations and real tables (`kmerf.methods.learnt_weights`). docs/power.md and docs/real.md have
what that gave on data that took no part.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from kmerf.core.arrays import Ints, centred, mid_ranks, read_only
from kmerf.core.errors import Argument, Call, InputError, Message, choose
from kmerf.core.settings import ComparedByValue
from kmerf.core.streams import Purpose, member_seed, stream
from kmerf.data.levels import common_levels
from kmerf.data.sample import Sample
from kmerf.forests import growing as forest
from kmerf.forests.spec import ForestSpec
from kmerf.methods import learnt_weights
from kmerf.methods.each_column import EachColumn
from kmerf.methods.hazard import Hazard, HazardColumn
from kmerf.methods.kmerf import KMERF, ForestProblem, SharedForestProblem
from kmerf.methods.mahalanobis import Mahalanobis
from kmerf.methods.pairs_of_columns import PairsOfColumns
from kmerf.methods.protocol import Fit, Method, Problem, Wording, grows_forest, row_limit, wording, work_of
from kmerf.methods.ridge import Ridge
from kmerf.methods.trend import Trend

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

REDUNDANCY_CELLS = 10**6  # of x that are looked at, unless REDUNDANCY_ROWS have more
REDUNDANCY_ROWS = 200


def redundancy(x: Floats) -> float:
    """Return 1 where the columns of x (n, p), without missing values, are not correlated, and p where all are the same.

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


FEW_ROWS = 100  # up to which weights are as they were learnt
MANY_ROWS = 4000  # from which forests have fewer trees; docs/performance.md
MANY_COLUMNS = 100  # below the root a tree tries no more of them; docs/performance.md
FEW_UNITS = 200  # with blocks: below, lines count more
MOST_LEANING = 3.0  # times as much as without blocks; benchmarks/studies/blocks.py
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e6
MOST_CELLS = 10**7  # of x that a member with a limit of rows looks at, 80 MB, unless 2000 rows have more

_PLAIN = ForestSpec(100, max_outputs=1, grow_leaves=True)  # of one column of y each: more is seen where they differ
_JOINT = ForestSpec(67, min_samples_leaf=5, max_outputs=3, grow_leaves=True)
_COARSE = ForestSpec(100, "all", 5, bootstrap=False, max_samples="half", grow_leaves=True)

NUMERIC: Mapping[str, Method] = {
    "unseen": KMERF(_PLAIN),
    "predict": KMERF(_PLAIN, statistic="prediction"),
    "joint": KMERF(_JOINT, statistic="strongest", target="joint"),
    "linear": Ridge(),
    "columns": EachColumn(2, "spread"),
    "lines": EachColumn(1, "joint"),
    "trend": Trend(),
    "pinch": Trend(x=2, y=2),
    "pairs": PairsOfColumns(),
}
CLASSES: Mapping[str, Method] = {
    "predict": KMERF(_COARSE, statistic="prediction"),
    "unseen": KMERF(_COARSE),
    "linear": Ridge(),
    "distances": Mahalanobis(),
    "bends": Ridge(2),
    "columns": EachColumn(),
    "pairs": PairsOfColumns(),
}
CENSORED: Mapping[str, Method] = {
    "hazard": Hazard(),
    "crossing": Hazard(crossing=True),
    "column": HazardColumn(),
    "columns": EachColumn(2, "spread"),
    "pairs": PairsOfColumns(),
    "joint": KMERF(_JOINT, statistic="strongest", target="joint"),
    "unseen": KMERF(_PLAIN),
}
# chosen on relations other than those of benchmarks/studies/censored.py, and not fitted on real tables
CENSORED_WEIGHTS = {
    "hazard": 6.0,
    "crossing": 1.0,
    "column": 2.0,
    "columns": 2.0,
    "pairs": 1.0,
    "joint": 1.0,
    "unseen": 0.5,
}
MOST_REDUNDANT = 10.0  # that columns are taken to be: the library has no more

_LEARNT: Mapping[str, tuple[Mapping[str, float], Mapping[str, float]]] = {
    "numeric": (learnt_weights.NUMERIC, learnt_weights.NUMERIC_EXPONENTS),
    "categorical": (learnt_weights.CLASSES, learnt_weights.CLASSES_EXPONENTS),
    "censored": (CENSORED_WEIGHTS, {}),
}


@dataclass(frozen=True, eq=False)
class Portfolio(ComparedByValue):
    """Several tests as one: the default of `independence` and `ksample`.

    Members without a forest are given the median of the column in place of missing values of x. Where there are more
    rows than a member looks at (`most_rows`: 500 to 2000 where it compares all pairs, 10,000 for trends; of wide tables
    fewer), it is given a random part of them.

    Parameters
    ----------
    numeric
        The members for a numeric y, by the names that results show.
    classes
        The members for classes and groups.
    weights
        How much the score of each member counts, by name. Those that it does not name have the learnt weight of the
        default member of that name, or else the mean of the learnt weights. Learnt weights also depend on how much the
        columns of x say the same: the more, the more does `linear` count, or for classes `distances`. With n rows,
        more than 100, the weight of `linear` is multiplied by the fourth root of n / 100: a line that many rows do not
        show to all members is a faint one, and only `linear` has a chance to see it. With blocks, few rows vary
        independently of each other, and forests see little in few rows: with u of them, fewer than 200, the weight of
        `linear` is multiplied by 200 / u, but not by more than 3.
    censored
        The members for times and events.

    Members that differ only in how they read a forest share it, and the forest is grown once. With more than 4000 rows
    forests have fewer trees, by the cube root: half as many with 32,000 rows, a fifth with 500,000. All rows are sent
    down every tree, so what a tree says is the more certain the more rows there are. With more than 100 columns, trees
    that try all of them do so at their root, and below it go on with the 100 that were best there.

    >>> list(Portfolio().numeric)
    ['unseen', 'predict', 'joint', 'linear', 'columns', 'lines', 'trend', 'pinch', 'pairs']

    """

    numeric: Mapping[str, Method] = field(default_factory=lambda: dict(NUMERIC))
    classes: Mapping[str, Method] = field(default_factory=lambda: dict(CLASSES))
    weights: Mapping[str, float] = field(default_factory=dict)
    censored: Mapping[str, Method] = field(default_factory=lambda: dict(CENSORED))

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "KMERF portfolio"

    def __post_init__(self) -> None:
        for argument in ("numeric", "classes", "censored"):
            if not getattr(self, argument):
                raise InputError(f"{argument} is empty: a portfolio needs at least one member.")
        for name, weight in self.weights.items():
            choose("weights", name, list(dict.fromkeys([*self.numeric, *self.classes, *self.censored])))
            if not (isinstance(weight, numbers.Real) and LEAST_WEIGHT <= float(weight) <= MOST_WEIGHT):
                raise InputError(
                    f"weights[{name!r}]={weight!r} must be a number between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}."
                )

    def with_trees(self, n_trees: int) -> Portfolio:
        """Return the same portfolio with another number of trees in each of its forests.

        >>> Portfolio().with_trees(50).numeric["joint"].forest.n_trees
        50
        """
        numeric, classes, censored = (
            {name: method.with_trees(n_trees) if grows_forest(method) else method for name, method in members.items()}
            for members in (self.numeric, self.classes, self.censored)
        )
        return replace(self, numeric=numeric, classes=classes, censored=censored)

    def prepare(self, sample: Sample, seed: int) -> PortfolioProblem:
        """Make the sample ready for every member."""
        kind = sample.y.kind
        classes = kind == "categorical"
        members = {"numeric": self.numeric, "categorical": self.classes, "censored": self.censored}[kind]
        chosen = {name: _for_size(method, *sample.x.values.shape) for name, method in members.items()}
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
            self._weight(name, kind, shared) * for_rows(chosen[name], sample.n) * for_units(chosen[name], sample.units)
            for name in names
        ]
        wordings = [wording(chosen[name], classes) for name in names]
        return PortfolioProblem(tuple(names), tuple(problems), tuple(weights), tuple(wordings))

    def _weight(self, name: str, kind: str, shared: float) -> float:
        if name in self.weights:
            return float(self.weights[name])
        learnt, exponents = _LEARNT[kind]
        usual = sum(learnt.values()) / len(learnt)
        return float(learnt.get(name, usual) * min(shared, MOST_REDUNDANT) ** exponents.get(name, 0.0))


def for_rows(method: Method, n: int) -> float:
    """Return by what the weight of a member is multiplied where there are n rows, of which it looks at some."""
    return max(1.0, (min(n, method.most_rows) / FEW_ROWS) ** 0.25) if method == Ridge() else 1.0


def for_units(method: Method, units: int | None) -> float:
    """Return by what the weight of a member is multiplied if so many rows vary independently; None without blocks.

    >>> [round(for_units(Ridge(), units), 2) for units in (30, 90, 500, None)]
    [3.0, 2.22, 1.0, 1.0]
    """
    return min(MOST_LEANING, max(1.0, FEW_UNITS / units)) if units and method == Ridge() else 1.0


def _groups(chosen: Mapping[str, Method]) -> list[list[str]]:
    """Put the names of members together whose forests are the same."""
    groups: dict[object, list[str]] = {}
    for name, method in chosen.items():
        key = method.shared_forest if grows_forest(method) else None
        groups.setdefault(name if key is None else key, []).append(name)
    return list(groups.values())


def _for_size(method: Method, n: int, p: int) -> Method:
    """Return a method whose forest has as many trees as n rows call for, and looks closely at some of p columns."""
    spec = getattr(method, "forest", None)
    if not (grows_forest(method) and isinstance(spec, ForestSpec)):
        return method
    if p > MANY_COLUMNS and spec.max_columns is None:
        method = replace(cast("KMERF", method), forest=replace(spec, max_columns=MANY_COLUMNS))
    return method if n <= MANY_ROWS else method.with_trees(max(1, round(spec.n_trees * (MANY_ROWS / n) ** (1 / 3))))


def _read_together(problems: Sequence[ForestProblem]) -> Problem:
    """Return the problem of several tests that read one forest, or of one."""
    return problems[0] if len(problems) == 1 else SharedForestProblem(tuple(problems))


def _prepare(method: Method, sample: Sample, seed: int) -> Problem:
    limit = row_limit(method)
    most = sample.n if limit is None else min(limit, max(2000, MOST_CELLS // sample.x.p))
    if sample.n <= most:
        return method.prepare(sample, seed)
    rows = stream(seed, Purpose.MEMBER_ROWS).choice(sample.n, most, replace=False)
    return OnSomeRows(method, sample, seed, np.sort(rows))


def filled(sample: Sample) -> Sample:
    """Spread categories over columns, and put the median of a column in place of its missing values."""
    x = common_levels(sample.x)
    holes = np.isnan(x.values)
    if not holes.any():
        return replace(sample, x=x)
    known = ~holes.all(axis=0)  # a column with nothing in it says nothing: zeros
    medians = np.zeros(holes.shape[1])
    medians[known] = np.nanmedian(x.values[:, known], axis=0)
    values = read_only(np.where(holes, medians, x.values))
    return replace(sample, x=replace(x, values=values, missing=(0,) * x.p))


@dataclass(frozen=True, eq=False)
class PortfolioProblem:
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
        each = [work_of(problem) for problem in self.problems if problem.learns]
        return None if None in each else float(sum(work or 0.0 for work in each))

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, reasons: bool = False) -> Fit:
        """Return what every member finds with row i of x beside row `order[i]` of y."""
        parts = [part for problem in self.problems for part in problem.fit(order, refit, n_jobs, reasons).parts]
        known = zip(parts, self.names, self.weights, self.wordings, strict=True)
        return Fit(
            tuple(part._replace(name=name, weight=weight, wording=wording) for part, name, weight, wording in known)
        )

    def doubts(self) -> str | None:
        """Raise, unless there is one member, which may have a chi-square null."""
        if len(self.names) == 1:
            return self.problems[0].doubts()
        raise InputError(
            "has no meaning for a portfolio of tests",
            argument=Argument("null", Call("ChiSquare")),
            remedy=Message("use another null, or ", Argument("method", Call("kmerf.KMERF"))),
        )


@dataclass(frozen=True, eq=False)
class OnSomeRows:
    """A problem of which a random part of the rows is looked at, the same part of x in every permutation of y."""

    method: Method
    sample: Sample
    seed: int
    rows: Ints

    @property
    def n(self) -> int:
        """Number of rows, of which only some are looked at."""
        return self.sample.n

    @property
    def learns(self) -> bool:
        """What is cheap on few rows is prepared again for each permutation."""
        return False

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, reasons: bool = False) -> Fit:
        """Return what the method finds on the chosen rows of x, beside the rows of y that stand there."""
        x, y = self.sample.x, self.sample.y
        part = replace(x, values=np.ascontiguousarray(x.values[self.rows]))
        problem = self.method.prepare(Sample(part, y.take(order[self.rows]), 0, ()), self.seed)
        return problem.fit(np.arange(self.rows.size), refit, n_jobs, reasons)

    def doubts(self) -> str | None:
        """Not asked: a member of a portfolio has no null of its own."""
        return None
