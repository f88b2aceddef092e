"""The best sum of several predictions.

Ridge regression, judged by the rows that it leaves out.

With B = U D V' the functions of z, centred, and h = D^2 / (D^2 + n penalty), the fit is U h U' t, row i has leverage
l_i = 1/n + sum_k U_ik^2 h_k, and what it would leave of t_i, had it not seen row i, is (t_i - fit_i) / (1 - l_i). All
penalties share one decomposition. Of the penalties the smallest is taken whose error is within one per cent of the
smallest error: a little too much noise costs power, a little too much smoothing costs validity.

If targets and functions have lost the means of strata, row i has the share s_i = 1 / (rows of its stratum) in a mean.
The same argument gives (t_i - fit_i) / (1 - l_i / (1 - s_i)), with l_i the sum without 1/n.

Removing what z explains: what is left of each target after predictions from rows other than its own.

Three predictions of a target are added up with weights that are not negative and fit best: a ridge regression on smooth
functions of z (leave-one-out), a forest of the target on z, and a forest of what the ridge left (both out of bag).
Smooth functions do well where a forest makes steps, and forests where functions have jumps or many columns interact.
The first forest also says which columns of z matter, and the ridge regression spares those.

All three shrink: what predicts best leaves a share of the signal, the same share in x and in y, and the products of the
two average to its square. So what they leave is regressed once more, without a penalty, on lines, and on waves of the
columns along which the variable bends. Of a sum of such functions nothing is left on average, however much the steps
before have shrunk it. Which columns these are is the variable's own affair, too.

Of other functions something is left. To see how much, everything is done twice, the second time coarsely: with half the
rows in each tree and a larger penalty. What is left in both x and y shrinks from the coarse regressions to the fine
ones, and `kmerf.adjustment.products` goes on in that direction.

If x is a level that z explains and noise, the higher polynomials of x depend on z through the same level. So waves of
its prediction join the functions of the polynomials. Only the variable's own prediction does: given z, the residuals of
x and those of y must not share data, or their products would be biased.

With strata (`kmerf.adjustment.stratification`), targets, functions and predictions all lose the means of strata.
Forests see each column twice, as it is and without these means; lines may have a slope of their own in each stratum.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.adjustment.stratification import Stratification, within
from kmerf.core.arrays import Bools, Floats, Ints
from kmerf.core.basis import (
    INDEX_WAVES,
    MOST_FUNCTIONS,
    all_cosine_bases,
    cosine_basis,
    functions,
    impute_median,
    lines,
)
from kmerf.execution import parallel
from kmerf.execution.resources import one_thread
from kmerf.forests.growing import Forest, presort
from kmerf.forests.predictions import Predictions
from kmerf.forests.spec import ForestSpec

if TYPE_CHECKING:
    from kmerf.engine.workspace import Columns
    from kmerf.forests.leaves import Leaves


def stack_predictions(targets: Floats, candidates: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    """Return what the best sum of candidates, each (n, q), leaves of centred targets, and its weights (q, k)."""
    left, weights = targets.copy(), np.empty((targets.shape[1], len(candidates)))
    for j, target in enumerate(targets.T):
        several = np.stack([each[:, j] for each in candidates])
        weights[j] = best_weights(several, target)
        left[:, j] -= np.einsum("i,in->n", weights[j], several - several.mean(axis=1, keepdims=True))
    return left, weights


def best_weights(candidates: Floats, target: Floats) -> Floats:
    """Return the weights (k,), none negative, with which centred candidates (k, n) come nearest to a centred target.

    The best such weights are the unconstrained best of some of them, so all choices are tried.
    """
    centred = candidates - candidates.mean(axis=1, keepdims=True)
    products, along = np.einsum("in,jn->ij", centred, centred), np.einsum("in,n->i", centred, target)
    best, chosen = 0.0, np.zeros(len(centred))
    for size in range(1, len(centred) + 1):
        for some in map(list, combinations(range(len(centred)), size)):
            within = products[np.ix_(some, some)]
            weights = np.linalg.lstsq(within, along[some], rcond=1e-10)[0]
            gain = float(2.0 * weights @ along[some] - weights @ within @ weights)
            if (weights >= 0.0).all() and gain > best:
                best, chosen = gain, np.zeros(len(centred))
                chosen[some] = weights
    return chosen


PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, np.inf)

COARSER = 3.0  # times the penalty: what a regression of half the rows might choose

_SLACK = 0.01
_SMALL = 1e-10  # an eigenvalue that is rounding, as a share of the largest
_MOST_LEVERAGE = 0.999


@dataclass(frozen=True, eq=False)
class RidgeFits:
    """What regressions of some targets left of rows they had not seen, the penalty of each, and what it spent."""

    residuals: Floats  # (n, q)
    coarse: Floats  # the same with a penalty COARSER times as large (n, q)
    penalties: Floats  # (q,)
    freedom: Floats  # (q,), degrees of freedom: the sum of the leverages
    beyond: Floats  # (q,), those of them that another decomposition would not spend

    def with_columns(self, chosen: Bools, other: RidgeFits) -> RidgeFits:
        """Return these fits with some columns (q,) replaced by those of others."""
        parts = []
        for field in fields(self):
            values = getattr(self, field.name).copy()
            values[..., chosen] = getattr(other, field.name)
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
        kept = squares > _SMALL * max(float(squares.max(initial=0.0)), np.finfo(np.float64).tiny)
        directions = centred @ vectors[:, kept] / np.sqrt(squares[kept])
        return cls(np.ascontiguousarray(directions), squares[kept], own)

    def leave_one_out(
        self, targets: Floats, penalties: tuple[float, ...] = PENALTIES, other: Decomposition | None = None
    ) -> RidgeFits:
        """Regress centred targets (n, q), each with a penalty of its own; `other` is what will be removed later."""
        along = self.directions.T @ targets
        fits = [self._left(targets, along, penalty) for penalty in penalties]
        errors = np.array([(left**2).mean(axis=0) for left in fits])
        chosen = (errors <= (1.0 + _SLACK) * errors.min(axis=0)).argmax(axis=0)
        left = np.column_stack([fits[k][:, j] for j, k in enumerate(chosen)])
        kept = np.array([self._kept(penalty) for penalty in penalties])
        outside = 1.0 if other is None else 1.0 - ((other.directions.T @ self.directions) ** 2).sum(axis=0)
        freedom, beyond = 1.0 + kept.sum(axis=1), (kept * outside).sum(axis=1)
        taken = np.array(penalties)[chosen]
        coarse = np.empty_like(left)
        for penalty in np.unique(taken):
            some = taken == penalty
            coarse[:, some] = self._left(targets[:, some], along[:, some], COARSER * penalty)
        return RidgeFits(left, coarse, taken, freedom[chosen], beyond[chosen])

    def fitted(self, target: Floats, penalty: float) -> Floats:
        """Return the fit of one target (n,) to its own rows."""
        return np.asarray(self.directions @ (self._kept(penalty) * (self.directions.T @ target)))

    def outside(self, targets: Floats) -> Floats:
        """Return what a regression without a penalty leaves of the rows that it has seen (n, q)."""
        return np.asarray(targets - self.directions @ (self.directions.T @ targets))

    def _kept(self, penalty: float) -> Floats:
        if not np.isfinite(penalty):
            return np.zeros_like(self.squares)
        return np.asarray(self.squares / (self.squares + self.directions.shape[0] * penalty))

    def _left(self, targets: Floats, along: Floats, penalty: float) -> Floats:
        kept = self._kept(penalty)
        fit = self.directions @ (kept[:, None] * along)
        leverage = (self.directions**2) @ kept
        if self.own is None:
            leverage += 1.0 / targets.shape[0]
        else:  # a row alone in its stratum has no residual
            leverage /= np.where(self.own < 1.0, 1.0 - self.own, 1.0)
        return np.asarray((targets - fit) / (1.0 - np.minimum(leverage, _MOST_LEVERAGE))[:, None])


FOREST = ForestSpec(n_trees=200, min_samples_leaf=5, max_features="all", max_outputs=8)

_CLEAR = 3.0  # standard deviations above what noise would show along a column
_MOST_BENT = 8  # rows for each wave that is removed without a penalty
_MOST_LINES = 4  # rows for each such line
_SLOPED = 4  # rows of a stratum on average, from which on each may have a slope of its own
_WORTHWHILE = 0.1  # share of variance that a prediction must explain to be used further
_LEAST_RELEVANT = 0.03  # of a column, where 1 is the most


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
            kept = _few(straight, strata.freedom)
            if levels is not None and not kept.shape[1]:
                kept = within(filled[:, levels[owner]], strata.codes)
            linear = Decomposition.of(straight, strata.own)
            return cls(presort(np.column_stack([z, inside])), filled, owner, kept, linear, spec, strata)

    @property
    def rows(self) -> int:
        """Rows, less one for each stratum but one."""
        return len(self.filled) if self.strata is None else self.strata.freedom + 1

    def inside(self, values: Floats) -> Floats:
        """Return columns (n, k) without the means of strata, if there are any."""
        return values if self.strata is None else within(values, self.strata.codes)

    @cached_property
    def bends(self) -> list[tuple[Floats, Decomposition]]:
        """The waves of each column that varies, and their directions."""
        found = [self.inside(each) for each in all_cosine_bases(self.filled, self.rows)]
        return [(each, Decomposition.of(each)) for each in found if each.shape[1]]

    @cached_property
    def slopes(self) -> Floats:
        """Lines inside each stratum alone (n, k), where strata have four rows on average and are not too many."""
        n, strata = len(self.filled), self.strata
        straight = lines(self.filled)
        if strata is None or n < _SLOPED * strata.count or strata.count * straight.shape[1] > MOST_FUNCTIONS:
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
            last = Decomposition.of(np.concatenate([self.straight, *bent], axis=1))
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
        """Regress levels on functions of z, then shapes on these and on waves of the levels' predictions."""
        basis = self.inside(functions(self.filled, self._relevance(forest.credits)))
        more = [basis, self.slopes, *self._combinations(targets, levels), *bent]
        fits = self._regressed(more, targets, last)
        if levels.all():
            return fits
        guess, _ = stack_predictions(
            targets[:, levels], ((targets - fits.residuals)[:, levels], forest.fine[:, levels])
        )
        fitted = targets[:, levels] - guess
        useful = np.flatnonzero(guess.var(axis=0) < (1.0 - _WORTHWHILE) * targets[:, levels].var(axis=0))
        if not useful.size or useful.size * INDEX_WAVES > self.rows // _MOST_BENT:
            return fits
        more += [self.inside(cosine_basis(fitted[:, j], INDEX_WAVES)) for j in useful]
        return fits.with_columns(~levels, self._regressed(more, targets[:, ~levels], last))

    def _relevance(self, credits: Floats | None) -> Floats:
        """Return the relevance of each complete column: the root of its share of the largest credit."""
        if credits is None or credits.max() <= 0.0:
            return np.ones(self.filled.shape[1])
        share = np.sqrt(np.maximum(credits / credits.max(), _LEAST_RELEVANT**2))
        return np.asarray(share[self.owner])

    def bent(self, targets: Floats) -> list[Floats]:
        """Return the waves of the columns along which a target clearly bends, the clearest first, while rows allow.

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
        chosen: list[Floats] = []
        for number in np.argsort([-score for score in scores], kind="stable"):
            more = self.bends[number][0]
            if scores[number] < _CLEAR or sum(each.shape[1] for each in chosen) + more.shape[1] > n // _MOST_BENT:
                break
            chosen.append(more)
        return chosen

    def _combinations(self, targets: Floats, levels: Bools) -> list[Floats]:
        """Return the waves of each level's linear combination of z, where that predicts it."""
        if self.linear.squares.size < 2:
            return []
        fits = self.linear.leave_one_out(targets, PENALTIES[1:-1])
        error, around = (fits.residuals**2).mean(axis=0), targets.var(axis=0)
        useful = [j for j in np.flatnonzero(levels) if error[j] < (1.0 - _WORTHWHILE) * around[j]]
        fitted = [self.linear.fitted(targets[:, j], fits.penalties[j]) for j in useful]
        return [self.inside(cosine_basis(each, INDEX_WAVES)) for each in fitted]

    def _regressed(self, parts: list[Floats], targets: Floats, last: Decomposition) -> RidgeFits:
        own = None if self.strata is None else self.strata.own
        return Decomposition.of(np.concatenate(parts, axis=1), own).leave_one_out(targets, other=last)


def _few(straight: Floats, rows: int) -> Floats:
    n, p = straight.shape
    return straight if p <= rows // _MOST_LINES else np.empty((n, 0))


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
    rooms = parallel.Spares(lambda: Predictions(targets))

    def add(leaves: Leaves) -> None:
        with rooms.borrow() as predictions:
            predictions.add(leaves)

    grown = Forest(spec, columns, targets, False, seed, refit).reduce(add, n_jobs, credited=credited)
    total, *others = rooms.made
    for other in others:
        total.join(other)
    times = total.times[:, None]
    predicted = np.divide(total.total, times, out=np.zeros(targets.shape), where=times > 0)
    return predicted, None if grown.credits is None else grown.credits.mean(axis=0)
