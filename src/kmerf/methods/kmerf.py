"""KMERF, the kernel mean embedding random forest: the paper's five steps.

1. grow a forest of y on x;  2. take its proximity as the kernel of x;  3. and 4. centre it, and a kernel of y, without
bias, and take their correlation;  5. (in `kmerf.nulls`) find its p-value.

Under permutation the forest is grown again, for it has seen y. A forest that has not is kept (`kmerf.forests.fitted`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kmerf.core.errors import Argument, InputError, choose
from kmerf.core.settings import ComparedByValue
from kmerf.core.streams import response_forest_seed
from kmerf.data.sample import common_levels
from kmerf.execution.parallel import check_pairs
from kmerf.forests import fitted, growing, sklearn_forest
from kmerf.forests.fitted import FittedForest, predictions_of
from kmerf.forests.growing import (
    PROXIMITIES,
    TARGETS,
    Combinations,
    Forest,
    KeptForest,
    Labels,
    Leaves,
    by_feature,
    coordinates,
    draw_combinations,
    labels_of,
)
from kmerf.forests.proximity import proximity
from kmerf.forests.response_kernels import CoordinateKernel, ResponseKernel, response_kernel
from kmerf.forests.spec import ForestSpec
from kmerf.methods import mgc
from kmerf.methods.protocol import Fit, Method, Part, Problem, Wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample
    from kmerf.engine.workspace import Columns


_QUESTIONS = {
    "mean": Wording("Does the average of y change with x?"),
    "location": Wording("Does the average of y change with x?"),
    "spread": Wording(
        "Does the spread of y change with x, or its level?",
        "the spread of {y} changes with them, more than its average",
    ),
    "shape": Wording(
        "Does the shape of the distribution of y change with x: its skew, its tails, its peaks?",
        "the shape of the distribution of {y} changes with them, more than its average",
    ),
    "joint": Wording(
        "Does anything about y change with x: its level, spread or shape, or how its columns depend on each other?",
        "something else about {y} than its average changes with them: its spread, its shape, or how its columns depend "
        "on each other",
    ),
    "synthetic": Wording("Are rows that are similar in x also similar in y?"),
}  # by the target of the trees
MANY_ROWS = 4000  # from which members of a portfolio have fewer trees; docs/performance.md
MANY_COLUMNS = 100  # below the root, their trees try no more of them; docs/performance.md
_BESIDE = 10  # columns that what a tree does beside looking at them takes as long as
_TREES = "decision trees"
_MEASURES = {
    "prediction": "the share of the variance of y that trees predict for rows they have not seen",
    "strongest": "the same share, of the three functions of y that trees predict best",
    "multiscale": "the largest of the local correlations",
    "correlation": "a correlation",
}


@dataclass(frozen=True, eq=False)
class KMERF(ComparedByValue, Method):
    """The test of the paper: the correlation of a forest kernel of x with a kernel of y.

    Parameters
    ----------
    forest
        A `ForestSpec`, or an unfitted scikit-learn forest.
    proximity
        Which pairs of rows count in a tree. "oob": both rows are out of bag. "either": at least one is. "all": all
        pairs, as in the paper.
    y_kernel
        The kernel of y: "distance", "discrete" (for classes, the same as "distance"), "gaussian", "target" (products of
        the columns of `target`), a precomputed matrix (n, n) of similarities, or "forest". "forest" is the proximity of
        a second forest of x on y, an option of the paper for x and y with the same number of columns. The columns of a
        numeric y are not scaled, so the column with the largest variance has the largest weight.
    statistic
        "correlation": the unbiased correlation of the two kernels. "multiscale": their largest local correlation, as in
        MGC, in n^2 log n time. "prediction": the share of y's variance that the forest predicts out of bag, averaged
        over the columns of y; the kernels are not used. "strongest": this share for the columns of `target`, averaged
        over the three that are predicted best. Only "correlation" supports `ChiSquare()`.
    target
        What the trees are grown on. "mean", as in the paper: y itself. "location": the ranks of y. "spread": their
        location and spread. "shape": their first four moments. "joint": also products and waves of several columns of
        y. "synthetic": not y; the trees separate the rows of x from synthetic rows, whose values come from different
        rows, and so learn how the columns of x depend on each other. A forest that does not use y is grown only once,
        and takes 8 bytes per row and tree.

    >>> KMERF(proximity="all").y_kernel
    'distance'

    """

    forest: Any = field(default_factory=ForestSpec)
    proximity: str = "oob"
    y_kernel: Any = "distance"
    statistic: str = "correlation"
    target: str = "mean"

    name: ClassVar[str] = "KMERF"
    grows_forest: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choose("proximity", self.proximity, PROXIMITIES)
        choose("statistic", self.statistic, ["correlation", "multiscale", "prediction", "strongest"])
        choose("target", self.target, TARGETS)
        if isinstance(self.y_kernel, str):
            choose("y_kernel", self.y_kernel, ["distance", "discrete", "gaussian", "target", "forest"])
        if not self.spec.native:
            sklearn_forest.check(self.forest)
            if self.target != "mean":
                finding, remedy = "needs a ForestSpec", "scikit-learn forests are grown on y itself"
                raise InputError(finding, argument=Argument("target", self.target), remedy=remedy)

    @property
    def shared_forest(self) -> object | None:
        """A key of the forest: tests with equal keys share one forest. None if it is not shared."""
        if not self.spec.native or not isinstance(self.y_kernel, str) or not self.sees_y:
            return None
        return None if self.statistic == "multiscale" or self.y_kernel == "forest" else (self.forest, self.target)

    @property
    def spec(self) -> ForestSpec | sklearn_forest.PluginSpec:
        """How the forest is grown, with kmerf or scikit-learn."""
        return sklearn_forest.as_spec(self.forest)

    @property
    def sees_y(self) -> bool:
        """Whether the forest is grown on y."""
        return self.spec.sees_y and self.target != "synthetic"

    def with_trees(self, n_trees: int) -> KMERF:
        """Return the test with another number of trees; a test with a scikit-learn forest does not change.

        >>> KMERF().with_trees(50).forest.n_trees
        50
        """
        return replace(self, forest=replace(self.forest, n_trees=n_trees)) if self.spec.native else self

    def for_size(self, n: int, p: int) -> KMERF:
        """Return the test with the number of trees and columns per tree that suit n rows and p columns.

        `Portfolio` uses it for its members. A scikit-learn forest does not change.
        """
        if not self.spec.native:
            return self
        spec = self.forest
        if p > MANY_COLUMNS and spec.max_columns is None:
            spec = replace(spec, max_columns=MANY_COLUMNS)
        if n > MANY_ROWS:
            spec = replace(spec, n_trees=max(1, round(spec.n_trees * (MANY_ROWS / n) ** (1 / 3))))
        return replace(self, forest=spec)

    def wording(self, classes: bool) -> Wording:
        """Return what the test looks for, in words."""
        measures = _MEASURES[self.statistic]
        if not self.sees_y and self.statistic in ("correlation", "multiscale"):
            return _QUESTIONS["synthetic"]._replace(measures=measures)
        large = classes and self.spec.min_samples_leaf != 1
        trees = "small decision trees" if large else "decision trees, grown to the last row," if classes else _TREES
        if self.statistic == "prediction":
            what = "the group of" if classes else "y for"
            return Wording(f"Can {trees} predict {what} rows that they have not seen?", measures=measures)
        if self.proximity == "all" and self.statistic == "correlation" and self.target == "mean":
            return Wording(f"Are rows in the same leaf of {_TREES} similar in y?", measures=measures)
        if classes:
            return Wording(f"Can {trees} predict from x the group of a row?", measures=measures)
        return _QUESTIONS[self.target]._replace(measures=measures)

    def prepare(self, sample: Sample, seed: int, columns: Columns | None = None) -> ForestProblem:
        """Sort the columns of x, unless that has been done, and take the sums of y's kernel."""
        both_ways = isinstance(self.y_kernel, str) and self.y_kernel == "forest"
        if self.statistic == "multiscale":
            check_pairs(f"{self.name} with statistic='multiscale'", sample.n, mgc.BYTES)
        if (both_ways or not self.spec.native) and sample.x.levels.any():  # they need numbers
            sample, columns = replace(sample, x=common_levels(sample.x)), None
        columns = growing.presort(sample.x.values, sample.x.levels) if columns is None else columns
        combined = draw_combinations(columns, self.spec.combinations, seed)
        columns = columns if combined is None else combined.widen_columns(columns)
        target = labels_of(sample.y) or coordinates(sample.y, self.target)
        problem = ForestProblem(self, sample, seed, columns, target, combined=combined)
        if both_ways:
            if np.isnan(sample.x.values).any():
                finding, argument = "grows a forest of x on y, and x has missing values", Argument("y_kernel", "forest")
                raise InputError(finding, argument=argument, remedy="fill or drop them")
            problem = replace(problem, y_columns=growing.presort(sample.y.values))
        else:
            problem = replace(problem, response=self._response(sample, target))
        return problem if self.sees_y else replace(problem, fixed=self._fixed(problem))

    def _fixed(self, problem: ForestProblem) -> fitted.FixedForest:
        """Grow the forest that does not see y."""
        x = problem.sample.x
        if self.target == "synthetic":
            made_up = growing.contrast(self.forest, x.values, x.levels, problem.combined, problem.seed)
            return fitted.FixedForest.of(made_up, x.n, self.proximity)
        grown = problem.forest(np.arange(problem.n), 0)
        return fitted.FixedForest.of(grown.keep(grown.leaves()), x.n, self.proximity)

    def _response(self, sample: Sample, target: growing.Target) -> ResponseKernel:
        y = sample.y
        if isinstance(self.y_kernel, str) and self.y_kernel == "target":
            if y.codes is not None or isinstance(target, Labels):
                return response_kernel("discrete", y)
            kernel = CoordinateKernel.of(target)
            return kernel if self.sees_y else fitted.rounded(kernel)
        return response_kernel(self.y_kernel, y)


@dataclass(frozen=True, eq=False)
class ForestProblem(Problem):
    """A sample made ready for KMERF."""

    method: KMERF
    sample: Sample
    seed: int
    columns: Columns
    target: growing.Target
    """What the forest is grown on (n, q), in the order of the rows of y."""
    response: ResponseKernel | None = None
    """The kernel of y; None where that is a forest's, which changes with every permutation."""
    y_columns: Columns | None = None
    """The columns of y, sorted, for that forest."""
    fixed: fitted.FixedForest | None = None
    """A forest that never saw y."""
    combined: Combinations | None = None
    """What stands behind the columns of x."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.sample.n

    @property
    def learns(self) -> bool:
        """Whether a forest is grown for every permutation."""
        return self.fixed is None or self.y_columns is not None

    @property
    def work(self) -> float | None:
        """About how much work a refit is: visits of trees to cells of x; None where other code grows the trees."""
        if not self.streams:
            return None
        n, columns = self.columns.x.shape
        return float(self.method.forest.n_trees * n * (columns + _BESIDE))

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Return what the forest finds that is grown with row i of x beside row `order[i]` of y."""
        if self.streams:
            return Fit(read_forest((self,), order, refit, n_jobs, importances))
        leaves = self.forest(order, refit).leaves(n_jobs) if self.fixed is None else self.fixed.leaves
        value, error = self._statistic(leaves, order, refit, n_jobs)
        features = self.by_feature(self._gains(leaves, order, refit)), None
        grown = self.grown(order, leaves)
        return Fit.of(self.method.name, value, *features, grown, error, correlation=not self.predicts)

    def _gains(self, leaves: Leaves, order: Ints, refit: int) -> Floats | None:
        """Return what the splits on each column gained; of a forest that has not seen y, only for y as observed."""
        if self.fixed is None:
            return leaves.gains
        return self.fixed.gains(self.sample.y.values[order]) if refit == 0 else None

    @property
    def permutes_at_once(self) -> bool:
        """Whether `permuted` can be asked: the forest has not seen y, and the kernel of y has coordinates."""
        if self.fixed is None or self.response is None or self.method.statistic != "correlation":
            return False
        return fitted.whole_points(self.response) is not None

    def permuted(self, seed: int, first: int, size: int) -> Floats:
        """Return the statistics with the rows of y in random orders, numbered from `first` on."""
        assert self.fixed is not None
        assert self.response is not None
        return self.fixed.permuted(self.response, seed, first, size)

    @property
    def predicts(self) -> bool:
        """Whether the statistic is how well the forest predicts."""
        return self.method.statistic in ("prediction", "strongest")

    @property
    def streams(self) -> bool:
        """Whether trees can be grown, read and forgotten, so that memory does not grow with their number."""
        plain = self.response is not None and self.method.statistic != "multiscale" and self.fixed is None
        return plain and self.method.spec.native

    def by_feature(self, by_column: Floats | None) -> Floats | None:
        """Add up what the columns of each feature did."""
        if by_column is None:
            return None
        by_column = by_column if self.combined is None else self.combined.share_out(by_column)
        return by_feature(by_column, self.sample.x.column_of, self.sample.x.p)

    @property
    def classes(self) -> bool:
        """Whether y holds classes."""
        return self.sample.y.kind == "categorical"

    def forest(self, order: Ints, refit: int) -> Forest | sklearn_forest.Plugin:
        """Return the forest of y on x, with row i of x beside row `order[i]` of y."""
        y, spec = self.sample.y, self.method.spec
        return sklearn_forest.make_forest(spec, self.columns, self.target, y, order, self.seed, refit)

    def grown(self, order: Ints, leaves: Leaves) -> FittedForest:
        """Return the forest with these leaves, to be looked into."""
        if self.method.target == "synthetic":  # whose trees are of other rows, too
            grown: Forest | KeptForest = KeptForest(self.columns, self.seed, leaves)
        else:
            grown = self.forest(order, 0).keep(leaves)
        return FittedForest(grown, self.method.proximity, self.response)

    def _statistic(self, leaves: Leaves, order: Ints, refit: int, n_jobs: int) -> tuple[float, float]:
        """Return the statistic, and its standard error where rows were sampled."""
        kind = self.method.proximity
        if self.predicts:
            strongest = self.method.statistic == "strongest"
            many = isinstance(self.target, Labels)
            predictions = predictions_of((self.target if strongest or many else self.sample.y.values)[order])
            predictions.add(leaves)
            return predictions.strongest if strongest else predictions.share, 0.0
        if self.response is not None and self.method.statistic == "correlation":
            if self.fixed is None:
                return fitted.leafwise(leaves, kind, self.response, order).correlation, 0.0
            dependence = self.fixed.dependence(self.response, order)
            return dependence.correlation, dependence.standard_error
        K = proximity(leaves, kind)
        L = self._response_matrix(order, refit, n_jobs)
        if self.method.statistic == "correlation":
            return fitted.dense(K, L).correlation, 0.0
        distances = [matrix.max() - matrix for matrix in (K, L)]
        for distance in distances:
            np.fill_diagonal(distance, 0.0)
        return mgc.multiscale(distances[0], distances[1]), 0.0

    def _response_matrix(self, order: Ints, refit: int, n_jobs: int) -> Floats:
        if self.response is not None:
            return self.response.matrix()[np.ix_(order, order)]
        assert self.y_columns is not None
        spec = self.method.forest if self.method.spec.native else ForestSpec()
        columns = growing.reorder(self.y_columns, order)
        # Another seed keeps this forest's random numbers apart from those of the forest of y on x.
        forest = Forest(spec, columns, self.sample.x.values, False, response_forest_seed(self.seed), refit)
        return proximity(forest.leaves(n_jobs), self.method.proximity)

    @property
    def chi_square_refusal(self) -> str:
        """Why there is no chi-square null."""
        statistic = self.method.statistic
        return "" if statistic == "correlation" else f"statistic={statistic!r} is not one"

    def chi_square_caveat(self) -> str | None:
        """Return why the chi-square null is known to fail here, or None."""
        if self.method.proximity == "oob" or not self.learns:
            return None
        y = self.sample.y
        forest = self.method.spec
        ties = y.kind == "categorical" or len(np.unique(y.values, axis=0)) < self.n
        large = forest.min_samples_leaf != 1 or forest.max_depth is not None
        if ties or large:
            why = "y has repeated values" if ties else "leaves hold several rows"
            return f"{why}: there, it rejects up to 100 % of true nulls at level 0.05"
        if self.sample.x.p >= 10:
            return (
                f"x has {self.sample.x.p} columns: with ten or more, it rejects 6 to 19 % of true nulls at level 0.05"
            )
        return None


@dataclass(frozen=True, eq=False)
class SharedForestProblem(Problem):
    """A sample made ready for several tests that differ only in how they read one forest, which is grown once."""

    problems: tuple[ForestProblem, ...]
    learns: ClassVar[bool] = True  # the forest is grown for every permutation

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.problems[0].n

    @property
    def work(self) -> float | None:
        """About how much work a refit is: that of the one forest."""
        return self.problems[0].work

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, importances: bool = False) -> Fit:
        """Grow the forest and return a part for each test.

        Only the first has what features did, since the others would have the same. Where a test looks at rows out of
        bag, the paper's correlation is not reported as an effect size: it is large for rows that trees have seen.
        """
        first, *others = read_forest(self.problems, order, refit, n_jobs, importances)
        parts = [first, *(part._replace(gains=None, credits=None) for part in others)]
        paper = [problem.method.proximity == "all" for problem in self.problems]
        fair = any(part.correlation and not seen for part, seen in zip(parts, paper, strict=True))
        return Fit(
            tuple(
                part._replace(correlation=part.correlation and not (fair and seen))
                for part, seen in zip(parts, paper, strict=True)
            )
        )


def read_forest(
    problems: Sequence[ForestProblem], order: Ints, refit: int, n_jobs: int, importances: bool
) -> tuple[Part, ...]:
    """Grow the forest of y on x that the problems share, some trees at a time, and read off the statistic of each."""
    first = problems[0]
    wanted = {problem.method.statistic for problem in problems}
    # Where that is no statistic, only the observed forest is asked what it predicts.
    target = first.target[order]
    predict, q = _predicted(first, target, order, refit == 0 or "prediction" in wanted, "strongest" in wanted)
    comparisons = [
        fitted.PairReading(problem.method.proximity, problem.response)
        for problem in problems
        if not problem.predicts and problem.response is not None
    ]
    forest = Forest(first.method.forest, first.columns, target, first.classes, first.seed, refit)
    measured = fitted.measure(forest, comparisons, order=order, n_jobs=n_jobs, credited=importances, predict=predict)
    features = first.by_feature(measured.gains), first.by_feature(measured.credits)
    predictions = measured.predictions
    of_y = predictions.part(slice(0, q)) if predictions is not None and q else None
    dependences = iter(measured.dependences)
    parts = []
    for problem in problems:
        name = problem.method.name
        grown = FittedForest(forest, problem.method.proximity, problem.response, of_y) if refit == 0 else None
        if not problem.predicts:
            found = next(dependences)
            parts.append(Part(name, found.correlation, *features, grown, found.standard_error))
            continue
        assert predictions is not None
        strongest = problem.method.statistic == "strongest"
        value = predictions.part(slice(q, None)).strongest if strongest else predictions.part(slice(0, q)).share
        parts.append(Part(name, value, *features, grown, correlation=False))
    return tuple(parts)


def _predicted(
    problem: ForestProblem, target: growing.Target, order: Ints, y_too: bool, target_too: bool
) -> tuple[growing.Target | None, int]:
    """Return what is predicted, columns of y and of the target, and how many of them are of y."""
    if isinstance(target, Labels):  # which are y and target in one
        return (target if y_too or target_too else None), target.n_classes if y_too else 0
    blocks = [problem.sample.y.values[order]] if y_too else []
    q = sum(block.shape[1] for block in blocks)
    if target_too:
        blocks.append(target)
    return (blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1) if blocks else None), q
