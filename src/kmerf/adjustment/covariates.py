"""Removing what z explains: what is left of each target after predictions from rows other than its own.

Three predictions of a target are added up with weights that are not negative and fit best: a ridge regression on smooth
functions of z (leave-one-out), a forest of the target on z, and a forest of what the ridge left (both out of bag).
Smooth functions do well where a forest makes steps, and forests where functions have jumps or many columns interact.

All three shrink: what predicts best leaves a share of the signal, the same share in x and in y, and the products of the
two average to its square. So what they leave is regressed once more, without a penalty, on lines, and on waves of the
columns along which the variable bends. Of a sum of such functions nothing is left on average, however much the steps
before have shrunk it. Which columns these are is the variable's own affair, too.

If E[x | z] is near a function of one linear combination of z, as in a linear model, that holds for the higher
polynomials of x, too; so waves of the fitted combination join the functions. Only the variable's own combination does:
given z, the residuals of x and those of y must not share data, or their products would be biased.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kmerf.adjustment.basis import INDEX_WAVES, all_waves, complete, functions, lines, waves
from kmerf.adjustment.leave_one_out import PENALTIES, Decomposition, RidgeFits
from kmerf.core import parallel
from kmerf.core.arrays import Floats
from kmerf.core.linear_algebra import one_thread
from kmerf.forests.growing import presort, reduce
from kmerf.forests.predictions import Predictions
from kmerf.forests.spec import ForestSpec

if TYPE_CHECKING:
    from kmerf.engine.grow import Columns
    from kmerf.forests.leaf_codes import Leaves

FOREST = ForestSpec(n_trees=200, min_samples_leaf=5, max_features="all", max_outputs=8)

_CLEAR = 3.0  # standard deviations above what noise would show along a column
_MOST_BENT = 8  # rows for each wave that is removed without a penalty
_MOST_LINES = 4  # rows for each such line
_WORTHWHILE = 0.1  # share of variance that a linear combination must predict to be used further


@dataclass(frozen=True, eq=False)
class Leftover:
    """What z did not explain of some targets."""

    residuals: Floats  # (n, q)
    stacked: Floats  # what the best prediction leaves, before the last regression (n, q)
    smooth: Floats  # what the ridge regression alone left (n, q)
    explained: Floats  # share of each target's variance that is predicted for rows not seen (q,)
    freedom: Floats  # degrees of freedom that regressions spent on each, by their weight (q,)


@dataclass(frozen=True, eq=False)
class Covariates:
    """z, made ready to be removed from any number of targets."""

    columns: Columns
    filled: Floats
    basis: Floats
    whole: Decomposition
    straight: Floats  # the lines that are removed without a penalty: all, or none where rows are few
    linear: Decomposition
    spec: ForestSpec = FOREST

    @classmethod
    def of(cls, z: Floats, spec: ForestSpec = FOREST) -> Covariates:
        """Sort the columns of z (n, p), NaN where missing, and decompose their smooth functions."""
        filled = complete(z)
        basis = functions(filled)
        with one_thread():
            parts = (Decomposition.of(basis), _few(lines(filled)), Decomposition.of(lines(filled)))
            return cls(presort(z), filled, basis, *parts, spec)

    @cached_property
    def bends(self) -> list[tuple[Floats, Decomposition]]:
        """The waves of each column that varies, and their directions."""
        return [(each, Decomposition.of(each)) for each in all_waves(self.filled) if each.shape[1]]

    def remove(self, targets: Floats, leading: Floats, *, seed: int, n_jobs: int = 1) -> Leftover:
        """Return what z does not explain of targets (n, q); `leading` (q,) is 1 for those that are levels, not shapes.

        The seed must be the variable's own: x and y need different forests.
        """
        targets = targets - targets.mean(axis=0)
        with one_thread():
            bent = self.bent(targets)
            last = Decomposition.of(np.concatenate([self.straight, *bent], axis=1))
            fits = self._smoothed(targets, [*self._combinations(targets, leading), *bent], last)
        left = fits.residuals
        forests = [
            predict_out_of_bag(
                self.spec, self.columns, target - target.mean(axis=0), seed=seed, refit=refit, n_jobs=n_jobs
            )
            for refit, target in enumerate((targets, left))
        ]
        residuals, freedom = targets.copy(), fits.beyond.copy()
        for j, target in enumerate(targets.T):
            predictions = np.stack([target - left[:, j], *(each[:, j] for each in forests)])
            weights = best_weights(predictions, target)
            residuals[:, j] -= np.einsum("i,in->n", weights, predictions - predictions.mean(axis=1, keepdims=True))
            freedom[j] *= min(1.0, weights[0])
        around = targets.var(axis=0)
        explained = 1.0 - np.divide(residuals.var(axis=0), around, out=np.ones_like(around), where=around > 0.0)
        with one_thread():
            rest = last.outside(residuals)
        return Leftover(rest, residuals, left, explained, freedom + 1.0 + last.squares.size)

    def _smoothed(self, targets: Floats, more: list[Floats], last: Decomposition) -> RidgeFits:
        """Return what ridge regressions on the basis and more functions leave."""
        whole = Decomposition.of(np.concatenate([self.basis, *more], axis=1)) if more else self.whole
        return whole.leave_one_out(targets, other=last)

    def bent(self, targets: Floats) -> list[Floats]:
        """Return the waves of the columns along which a target clearly bends, the clearest first, while rows allow.

        Of a target that is noise, k directions of unit length hold the share k / n, with a standard deviation of
        sqrt(2 k) / n.
        """
        n = targets.shape[0]
        rest = self.linear.outside(targets) if self.straight.shape[1] else targets
        size = np.maximum((rest**2).mean(axis=0), np.finfo(np.float64).tiny)
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

    def _combinations(self, targets: Floats, leading: Floats) -> list[Floats]:
        """Return the waves of each level's linear combination of z, where that predicts it."""
        if self.linear.squares.size < 2:
            return []
        fits = self.linear.leave_one_out(targets, PENALTIES[1:-1])
        error, around = (fits.residuals**2).mean(axis=0), targets.var(axis=0)
        useful = [j for j in np.flatnonzero(leading) if error[j] < (1.0 - _WORTHWHILE) * around[j]]
        return [waves(self.linear.fitted(targets[:, j], fits.penalties[j]), INDEX_WAVES) for j in useful]


def _few(straight: Floats) -> Floats:
    n, p = straight.shape
    return straight if p <= n // _MOST_LINES else np.empty((n, 0))


def predict_out_of_bag(
    spec: ForestSpec, columns: Columns, targets: Floats, *, seed: int, refit: int = 0, n_jobs: int = 1
) -> Floats:
    """Return what a forest of centred targets (n, q) predicts for rows that its trees have not seen."""
    rooms = parallel.Spares(lambda: Predictions(targets))

    def add(leaves: Leaves) -> None:
        with rooms.borrow() as predictions:
            predictions.add(leaves)

    reduce(spec, columns, targets, add, classes=False, seed=seed, refit=refit, n_jobs=n_jobs)
    total, *others = rooms.made
    for other in others:
        total.join(other)
    times = total.times[:, None]
    return np.divide(total.total, times, out=np.zeros(targets.shape), where=times > 0)


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
