"""Removing what z explains: the residuals of each target after predictions from rows other than its own.

Three predictions of a target are added up with weights that are not negative and fit best: a ridge regression on smooth
functions of z (leave-one-out), a forest of the target on z, and a forest of the residuals of the ridge (both out of
bag). Smooth functions do well where a forest makes steps, and forests where functions have jumps or many columns
interact. The first forest also says which columns of z matter, and the ridge regression penalises those less.

**Ridge regression, judged by the rows that it leaves out.** With B = U D V' the functions of z, centred, and
h = D^2 / (D^2 + n penalty), the fit is U h U' t, row i has leverage l_i = 1/n + sum_k U_ik^2 h_k, and its residual, had
the fit not seen row i, is (t_i - fit_i) / (1 - l_i). All penalties share one decomposition. Of the penalties the
smallest is taken whose error is within one per cent of the smallest error: a little too much noise costs power, a
little too much smoothing costs validity. If targets and functions have lost the means of strata, row i has the share
s_i = 1 / (rows of its stratum) in a mean. The same argument gives (t_i - fit_i) / (1 - l_i / (1 - s_i)), with l_i the
sum without 1/n.

**The last regression.** All three predictions shrink: the best prediction leaves a share of the signal, the same share
in x and in y, and the products of the two average to its square. So the prediction errors are regressed once more,
without a penalty, on lines, on cosines of the columns along which the variable bends, and on those products of two
columns that clearly explain more. Of a sum of such functions nothing is left on average, however much the steps before
have shrunk it. Each variable selects these columns and products for itself.

**Coarse regressions.** Of other functions something is left. To see how much, everything is done twice, the second time
coarsely: with half the rows in each tree and a larger penalty. What is left in both x and y shrinks from the coarse
regressions to the fine ones, and `kmerf.adjustment.products` extrapolates in that direction.

**Shapes.** If x is a level that z explains and noise, the higher polynomials of x depend on z through the same level.
So cosines of its prediction join the functions of the polynomials. Only the variable's own prediction does: given z,
the residuals of x and those of y must not share data, or their products would be biased.

**Strata** (`kmerf.adjustment.stratification`): targets, functions and predictions all lose the means of strata. Forests
see each column twice, as it is and without these means; lines may have a slope of their own in each stratum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.adjustment.stratification import Stratification, within
from kmerf.core.arrays import (
    INDEX_WAVES,
    MOST_FUNCTIONS,
    Bools,
    Floats,
    Ints,
    all_cosine_bases,
    cosine_basis,
    functions,
    impute_median,
    lines,
)
from kmerf.execution import parallel
from kmerf.execution.parallel import one_thread
from kmerf.forests.fitted import Predictions
from kmerf.forests.growing import Forest, presort
from kmerf.forests.spec import ForestSpec

if TYPE_CHECKING:
    from kmerf.engine.workspace import Columns
    from kmerf.forests.growing import Leaves


FOREST = ForestSpec(n_trees=200, min_samples_leaf=5, max_features="all", max_outputs=8)
PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, np.inf)
COARSER = 3.0  # times the penalty: what a regression of half the rows might choose

_MAX_EXCESS_ERROR = 0.01  # of a penalty that is smaller than the best one
_MIN_EIGENVALUE = 1e-10  # as a share of the largest: below, it is rounding
_MAX_LEVERAGE = 0.999
_TINY = float(np.finfo(np.float64).tiny)
_MIN_BEND_SCORE = 3.0  # standard deviations above what noise would show along a column
_ROWS_PER_COSINE = 8  # that is removed without a penalty
_ROWS_PER_LINE = 4  # that is removed without a penalty
_ROWS_PER_SLOPE = 4  # of a stratum on average, from which on each may have a slope of its own
_MAX_CROSSED = 60  # columns whose products are tried
_MAX_PRODUCTS = 40_000_000  # cells of twice as many products as are tried
_MIN_SIZE = 1e-5  # of a product, as a standard deviation: below, it is rounding
_MIN_EXPLAINED = 0.1  # share of variance that a prediction must explain to be used further
_MIN_RELEVANCE = 0.03  # of a column, where 1 is the most


def stack_predictions(targets: Floats, candidates: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    """Return the errors of the best sum of candidates, each (n, q), of centred targets, and its weights (q, k)."""
    errors, weights = targets.copy(), np.empty((targets.shape[1], len(candidates)))
    for j, target in enumerate(targets.T):
        several = np.stack([each[:, j] for each in candidates])
        weights[j] = best_weights(several, target)
        errors[:, j] -= np.einsum("i,in->n", weights[j], several - several.mean(axis=1, keepdims=True))
    return errors, weights


def best_weights(candidates: Floats, target: Floats) -> Floats:
    """Return the weights (k,), none negative, with which centred candidates (k, n) come nearest to a centred target.

    The best such weights are the unconstrained best of some of them, so all choices are tried.
    """
    centred = candidates - candidates.mean(axis=1, keepdims=True)
    products, along = np.einsum("in,jn->ij", centred, centred), np.einsum("in,n->i", centred, target)
    best, solution = 0.0, np.zeros(len(centred))
    for size in range(1, len(centred) + 1):
        for some in map(list, combinations(range(len(centred)), size)):
            within = products[np.ix_(some, some)]
            weights = np.linalg.lstsq(within, along[some], rcond=1e-10)[0]
            gain = float(2.0 * weights @ along[some] - weights @ within @ weights)
            if (weights >= 0.0).all() and gain > best:
                best, solution = gain, np.zeros(len(centred))
                solution[some] = weights
    return solution


@dataclass(frozen=True, eq=False)
class RidgeFits:
    """Leave-one-out residuals of some targets, with the penalty of each and the degrees of freedom that it spent."""

    residuals: Floats  # (n, q)
    coarse: Floats  # the same with a penalty COARSER times as large (n, q)
    penalties: Floats  # (q,)
    freedom: Floats  # (q,), degrees of freedom: the sum of the leverages
    beyond: Floats  # (q,), those of them that another decomposition would not spend

    def with_columns(self, columns: Bools, other: RidgeFits) -> RidgeFits:
        """Return these fits with some columns (q,) replaced by those of others."""
        parts = []
        for field in fields(self):
            values = getattr(self, field.name).copy()
            values[..., columns] = getattr(other, field.name)
            parts.append(values)
        return RidgeFits(*parts)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The functions of z as orthogonal directions U (n, k), with their squared lengths D^2 (k,)."""

    directions: Floats
    squares: Floats
    own: Floats | None = None  # the share of each row in the mean of its stratum (n,), where there are strata

    @classmethod
    def of(cls, functions: Floats, own: Floats | None = None) -> Decomposition:
        """Decompose functions (n, k), by the eigenvectors of their products."""
        centred = functions - functions.mean(axis=0)
        squares, vectors = np.linalg.eigh(centred.T @ centred)
        used = squares > _MIN_EIGENVALUE * max(float(squares.max(initial=0.0)), np.finfo(np.float64).tiny)
        directions = centred @ vectors[:, used] / np.sqrt(squares[used])
        return cls(np.ascontiguousarray(directions), squares[used], own)

    def leave_one_out(
        self, targets: Floats, penalties: tuple[float, ...] = PENALTIES, other: Decomposition | None = None
    ) -> RidgeFits:
        """Regress centred targets (n, q), each with a penalty of its own; `other` is what will be removed later."""
        along = self.directions.T @ targets
        fits = [self._residuals(targets, along, penalty) for penalty in penalties]
        errors = np.array([(each**2).mean(axis=0) for each in fits])
        best = (errors <= (1.0 + _MAX_EXCESS_ERROR) * errors.min(axis=0)).argmax(axis=0)
        residuals = np.column_stack([fits[k][:, j] for j, k in enumerate(best)])
        shrinkage = np.array([self._shrinkage(penalty) for penalty in penalties])
        outside = 1.0 if other is None else 1.0 - ((other.directions.T @ self.directions) ** 2).sum(axis=0)
        freedom, beyond = 1.0 + shrinkage.sum(axis=1), (shrinkage * outside).sum(axis=1)
        penalty_of = np.array(penalties)[best]
        coarse = np.empty_like(residuals)
        for penalty in np.unique(penalty_of):
            some = penalty_of == penalty
            coarse[:, some] = self._residuals(targets[:, some], along[:, some], COARSER * penalty)
        return RidgeFits(residuals, coarse, penalty_of, freedom[best], beyond[best])

    def fitted(self, target: Floats, penalty: float) -> Floats:
        """Return the fit of one target (n,) to its own rows."""
        return np.asarray(self.directions @ (self._shrinkage(penalty) * (self.directions.T @ target)))

    def outside(self, targets: Floats) -> Floats:
        """Return the residuals of a regression without a penalty (n, q)."""
        return np.asarray(targets - self.directions @ (self.directions.T @ targets))

    def _shrinkage(self, penalty: float) -> Floats:
        if not np.isfinite(penalty):
            return np.zeros_like(self.squares)
        return np.asarray(self.squares / (self.squares + self.directions.shape[0] * penalty))

    def _residuals(self, targets: Floats, along: Floats, penalty: float) -> Floats:
        shrinkage = self._shrinkage(penalty)
        fit = self.directions @ (shrinkage[:, None] * along)
        leverage = (self.directions**2) @ shrinkage
        if self.own is None:
            leverage += 1.0 / targets.shape[0]
        else:  # a row alone in its stratum has no residual
            leverage /= np.where(self.own < 1.0, 1.0 - self.own, 1.0)
        return np.asarray((targets - fit) / (1.0 - np.minimum(leverage, _MAX_LEVERAGE))[:, None])


@dataclass(frozen=True, eq=False)
class RegressionResiduals:
    """What z does not explain of some targets."""

    values: Floats  # (n, q)
    coarse: Floats  # the same of coarser regressions (n, q)
    prediction_errors: Floats  # of the best prediction, before the last regression (n, q)
    explained: Floats  # share of each target's variance that is predicted for rows not seen (q,)
    freedom: Floats  # degrees of freedom that regressions spent on each, by their weight (q,)


class _ForestFit(NamedTuple):
    """What a forest and a coarser one predict out of bag."""

    fine: Floats  # (n, q)
    coarse: Floats  # (n, q)
    credits: Floats | None  # what each column of z predicts (p,); None for a single column


@dataclass(frozen=True, eq=False)
class Covariates:
    """z, made ready to be removed from any number of targets."""

    columns: Columns
    filled: Floats
    owner: Ints  # the column of z that each complete column comes from
    straight: Floats  # the lines that are removed without a penalty: all, or none where rows are few
    linear: Decomposition
    spec: ForestSpec = FOREST
    strata: Stratification | None = None

    @classmethod
    def of(
        cls, z: Floats, spec: ForestSpec = FOREST, strata: Stratification | None = None, levels: Bools | None = None
    ) -> Covariates:
        """Sort the columns of z (n, p), NaN where missing, and decompose their lines; strata have their means removed.

        With strata, `levels` (p,) says which columns are levels of a category: these are all removed as lines.
        """
        filled = impute_median(z)
        owner = np.append(np.arange(z.shape[1]), np.flatnonzero(np.isnan(z).any(axis=0)))
        with one_thread():
            if strata is None:
                straight = lines(filled)
                return cls(presort(z), filled, owner, _few(straight, len(z)), Decomposition.of(straight), spec)
            inside = within(filled[:, : z.shape[1]], strata.codes)
            straight = within(lines(filled), strata.codes)
            unpenalised = _few(straight, strata.freedom)
            if levels is not None and not unpenalised.shape[1]:
                unpenalised = within(filled[:, levels[owner]], strata.codes)
            linear = Decomposition.of(straight, strata.own)
            return cls(presort(np.column_stack([z, inside])), filled, owner, unpenalised, linear, spec, strata)

    @property
    def rows(self) -> int:
        """Rows, less one for each stratum but one."""
        return len(self.filled) if self.strata is None else self.strata.freedom + 1

    def inside(self, values: Floats) -> Floats:
        """Return columns (n, k) without the means of strata, if there are any."""
        return values if self.strata is None else within(values, self.strata.codes)

    @cached_property
    def bends(self) -> list[tuple[Floats, Decomposition]]:
        """The cosines of each column that varies, and their directions."""
        bases = [self.inside(each) for each in all_cosine_bases(self.filled, self.rows)]
        return [(each, Decomposition.of(each)) for each in bases if each.shape[1]]

    @cached_property
    def slopes(self) -> Floats:
        """Lines inside each stratum alone (n, k), where strata have four rows on average and are not too many."""
        n, strata = len(self.filled), self.strata
        straight = lines(self.filled)
        if strata is None or n < _ROWS_PER_SLOPE * strata.count or strata.count * straight.shape[1] > MOST_FUNCTIONS:
            return np.empty((n, 0))
        mine = strata.codes[:, None] == np.flatnonzero(strata.sizes > 2)
        return within((straight[:, :, None] * mine[:, None, :]).reshape(n, -1), strata.codes)

    def remove(self, targets: Floats, leading: Floats, *, seed: int, n_jobs: int = 1) -> RegressionResiduals:
        """Return what z does not explain of targets (n, q); `leading` (q,) is 1 for those that are levels, not shapes.

        The seed must be the variable's own: x and y need different forests.
        """
        targets = self.inside(targets - targets.mean(axis=0))
        first = self._forest(targets, targets, seed, 0, n_jobs)
        with one_thread():
            bent = self.bent(targets)
            crossed = self.crossed(targets, bent, first.credits)
            last = Decomposition.of(np.concatenate([self.straight, *bent, *crossed], axis=1))
            ridge = self._ridge(targets, leading == 1.0, first, bent, last)
        second = self._forest(ridge.residuals, ridge.coarse, seed, 1, n_jobs)
        fine, weights = stack_predictions(targets, (self.inside(targets - ridge.residuals), first.fine, second.fine))
        coarse, _ = stack_predictions(targets, (self.inside(targets - ridge.coarse), first.coarse, second.coarse))
        around = targets.var(axis=0)
        explained = 1.0 - np.divide(fine.var(axis=0), around, out=np.ones_like(around), where=around > 0.0)
        means = 1.0 if self.strata is None else float(self.strata.count)
        freedom = ridge.beyond * np.minimum(1.0, weights[:, 0]) + means + last.squares.size
        with one_thread():
            return RegressionResiduals(last.outside(fine), last.outside(coarse), fine, explained, freedom)

    def _forest(self, fine: Floats, coarse: Floats, seed: int, number: int, n_jobs: int) -> _ForestFit:
        """Grow a forest of some targets, and one of half the rows and trees of what coarse regressions left of them."""
        half = self.spec.rules(len(fine), self.filled.shape[1], classes=False).n_draw // 2
        rough = replace(self.spec, n_trees=max(1, self.spec.n_trees // 2), max_samples=max(2, half))
        one = out_of_bag(self.spec, self.columns, fine, seed=seed, refit=2 * number, n_jobs=n_jobs, credited=not number)
        two = out_of_bag(rough, self.columns, coarse, seed=seed, refit=2 * number + 1, n_jobs=n_jobs)
        if self.strata is None or one[1] is None:
            return _ForestFit(self.inside(one[0]), self.inside(two[0]), one[1])
        credits = one[1].reshape(2, -1).sum(axis=0)  # of a column as it is, and without the means of strata
        return _ForestFit(self.inside(one[0]), self.inside(two[0]), credits)

    def _ridge(
        self, targets: Floats, levels: Bools, forest: _ForestFit, bent: list[Floats], last: Decomposition
    ) -> RidgeFits:
        """Regress levels on functions of z, then shapes on these and on cosines of the levels' predictions."""
        basis = self.inside(functions(self.filled, self._relevance(forest.credits)))
        more = [basis, self.slopes, *self._combinations(targets, levels), *bent]
        fits = self._regressed(more, targets, last)
        if levels.all():
            return fits
        guess, _ = stack_predictions(
            targets[:, levels], ((targets - fits.residuals)[:, levels], forest.fine[:, levels])
        )
        fitted = targets[:, levels] - guess
        useful = np.flatnonzero(guess.var(axis=0) < (1.0 - _MIN_EXPLAINED) * targets[:, levels].var(axis=0))
        if not useful.size or useful.size * INDEX_WAVES > self.rows // _ROWS_PER_COSINE:
            return fits
        more += [self.inside(cosine_basis(fitted[:, j], INDEX_WAVES)) for j in useful]
        return fits.with_columns(~levels, self._regressed(more, targets[:, ~levels], last))

    def _relevance(self, credits: Floats | None) -> Floats:
        """Return the relevance of each complete column: the root of its share of the largest credit."""
        if credits is None or credits.max() <= 0.0:
            return np.ones(self.filled.shape[1])
        share = np.sqrt(np.maximum(credits / credits.max(), _MIN_RELEVANCE**2))
        return np.asarray(share[self.owner])

    def bent(self, targets: Floats) -> list[Floats]:
        """Return the cosines of the columns along which a target clearly bends, the clearest first, while rows allow.

        Of a target that is noise, k directions of unit length hold the share k / n, with a standard deviation of
        sqrt(2 k) / n.
        """
        n = self.rows
        rest = self.linear.outside(targets) if self.straight.shape[1] else targets
        size = np.maximum((rest**2).sum(axis=0) / n, np.finfo(np.float64).tiny)
        scores = []
        for _, unit in self.bends:
            k = unit.squares.size
            scores.append(float(((((unit.directions.T @ rest) ** 2).sum(axis=0) / size - k) / np.sqrt(2.0 * k)).max()))
        bent: list[Floats] = []
        for number in np.argsort([-score for score in scores], kind="stable"):
            more = self.bends[number][0]
            if (
                scores[number] < _MIN_BEND_SCORE
                or sum(each.shape[1] for each in bent) + more.shape[1] > n // _ROWS_PER_COSINE
            ):
                break
            bent.append(more)
        return bent

    def crossed(self, targets: Floats, bent: list[Floats], credits: Floats | None) -> list[Floats]:
        """Return the products of two columns that clearly move a target beyond lines and bends, while rows allow.

        If none of m products matters to q targets, the largest score is about sqrt(2 log(m q)).
        """
        relevance = self._relevance(credits)
        most = min(_MAX_CROSSED, math.isqrt(_MAX_PRODUCTS // len(targets)))
        columns = lines(self.filled[:, np.sort(np.argsort(-relevance, kind="stable")[:most])])
        first, second = np.triu_indices(columns.shape[1], 1)
        room = self.rows // _ROWS_PER_COSINE - sum(each.shape[1] for each in bent)
        if not first.size or not self.straight.shape[1] or room <= 0:
            return []
        known = Decomposition.of(np.concatenate([self.straight, *bent], axis=1))
        products = known.outside(self.inside(columns[:, first] * columns[:, second]))
        products -= products.mean(axis=0)
        sizes, rest = np.sqrt((products**2).mean(axis=0)), known.outside(targets)
        along = np.abs(products.T @ rest / np.maximum(rest.std(axis=0), _TINY)).max(axis=1) / math.sqrt(len(rest))
        scores = np.divide(along, sizes, out=np.zeros_like(sizes), where=sizes > _MIN_SIZE)
        least = max(_MIN_BEND_SCORE, math.sqrt(2.0 * math.log(first.size * targets.shape[1])))
        best = np.argsort(-scores, kind="stable")[:room]
        return [products[:, [j]] / sizes[j] for j in best if scores[j] >= least]

    def _combinations(self, targets: Floats, levels: Bools) -> list[Floats]:
        """Return the cosines of each level's linear combination of z, where that predicts it."""
        if self.linear.squares.size < 2:
            return []
        fits = self.linear.leave_one_out(targets, PENALTIES[1:-1])
        error, around = (fits.residuals**2).mean(axis=0), targets.var(axis=0)
        useful = [j for j in np.flatnonzero(levels) if error[j] < (1.0 - _MIN_EXPLAINED) * around[j]]
        fitted = [self.linear.fitted(targets[:, j], fits.penalties[j]) for j in useful]
        return [self.inside(cosine_basis(each, INDEX_WAVES)) for each in fitted]

    def _regressed(self, parts: list[Floats], targets: Floats, last: Decomposition) -> RidgeFits:
        own = None if self.strata is None else self.strata.own
        return Decomposition.of(np.concatenate(parts, axis=1), own).leave_one_out(targets, other=last)


def _few(straight: Floats, rows: int) -> Floats:
    n, p = straight.shape
    return straight if p <= rows // _ROWS_PER_LINE else np.empty((n, 0))


def out_of_bag(
    spec: ForestSpec,
    columns: Columns,
    targets: Floats,
    *,
    seed: int,
    refit: int = 0,
    n_jobs: int = 1,
    credited: bool = False,
) -> tuple[Floats, Floats | None]:
    """Return what a forest of targets (n, q) predicts for rows that its trees have not seen, and each column's credit.

    Credits are None without `credited`, or for a single column.
    """
    targets = targets - targets.mean(axis=0)
    packages = parallel.Spares(lambda: Predictions(targets))

    def add(leaves: Leaves) -> None:
        with packages.borrow() as predictions:
            predictions.add(leaves)

    grown = Forest(spec, columns, targets, False, seed, refit).reduce(add, n_jobs, credited=credited)
    total, *others = packages.made
    for other in others:
        total.join(other)
    times = total.times[:, None]
    predicted = np.divide(total.total, times, out=np.zeros(targets.shape), where=times > 0)
    return predicted, None if grown.credits is None else grown.credits.mean(axis=0)
