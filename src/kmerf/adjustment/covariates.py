"""Removing what z explains: what is left of each target after predictions from rows other than its own.

Three predictions of a target are added up with weights that are not negative and fit best: a ridge regression on smooth
functions of z (leave-one-out), a forest of the target on z, and a forest of what the ridge left (both out of bag).
Smooth functions do well where a forest makes steps, and forests where functions have jumps or many columns interact.

If E[x | z] is near a function of one linear combination of z, as in a linear model, that holds for the higher
polynomials of x, too; so waves of the fitted combination join the functions. Only the variable's own combination does:
given z, the residuals of x and those of y must not share data, or their products would be biased.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kmerf.adjustment.basis import INDEX_WAVES, complete, functions, lines, waves
from kmerf.adjustment.ridge import PENALTIES, Decomposition, RidgeFits
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

_WORTHWHILE = 0.1  # share of variance that a linear combination must predict to be used further


@dataclass(frozen=True, eq=False)
class Leftover:
    """What z did not explain of some targets."""

    residuals: Floats  # (n, q)
    smooth: Floats  # what the ridge regression alone left (n, q)
    explained: Floats  # share of each target's variance that z explains for rows not seen (q,)
    freedom: Floats  # degrees of freedom that the ridge regression spent on each, by its weight (q,)


@dataclass(frozen=True, eq=False)
class Covariates:
    """z, made ready to be removed from any number of targets."""

    columns: Columns
    filled: Floats
    basis: Floats
    whole: Decomposition
    linear: Decomposition
    spec: ForestSpec = FOREST

    @classmethod
    def of(cls, z: Floats, spec: ForestSpec = FOREST) -> Covariates:
        """Sort the columns of z (n, p), NaN where missing, and decompose their smooth functions."""
        filled = complete(z)
        basis = functions(filled)
        with one_thread():
            return cls(presort(z), filled, basis, Decomposition.of(basis), Decomposition.of(lines(filled)), spec)

    def remove(self, targets: Floats, leading: Floats, *, seed: int, n_jobs: int = 1) -> Leftover:
        """Return what z does not explain of targets (n, q); `leading` (q,) is 1 for those that are levels, not shapes.

        The seed must be the variable's own: x and y need different forests.
        """
        targets = targets - targets.mean(axis=0)
        with one_thread():
            fits = self._smoothed(targets, leading)
        left = fits.residuals
        forests = [
            predict_out_of_bag(
                self.spec, self.columns, target - target.mean(axis=0), seed=seed, refit=refit, n_jobs=n_jobs
            )
            for refit, target in enumerate((targets, left))
        ]
        residuals, freedom = targets.copy(), fits.freedom.copy()
        for j, target in enumerate(targets.T):
            predictions = np.stack([target - left[:, j], *(each[:, j] for each in forests)])
            weights = best_weights(predictions, target)
            residuals[:, j] -= np.einsum("i,in->n", weights, predictions - predictions.mean(axis=1, keepdims=True))
            freedom[j] *= min(1.0, weights[0])
        around = targets.var(axis=0)
        explained = 1.0 - np.divide(residuals.var(axis=0), around, out=np.ones_like(around), where=around > 0.0)
        return Leftover(residuals, left, explained, freedom)

    def _smoothed(self, targets: Floats, leading: Floats) -> RidgeFits:
        """Return what ridge regressions leave."""
        found = self._combinations(targets, leading)
        whole = Decomposition.of(np.concatenate([self.basis, *found], axis=1)) if found else self.whole
        return whole.leave_one_out(targets)

    def _combinations(self, targets: Floats, leading: Floats) -> list[Floats]:
        """Return the waves of each level's linear combination of z, where that predicts it."""
        if self.linear.squares.size < 2:
            return []
        fits = self.linear.leave_one_out(targets, PENALTIES[1:-1])
        error, around = (fits.residuals**2).mean(axis=0), targets.var(axis=0)
        useful = [j for j in np.flatnonzero(leading) if error[j] < (1.0 - _WORTHWHILE) * around[j]]
        return [waves(self.linear.fitted(targets[:, j], fits.penalties[j]), INDEX_WAVES) for j in useful]


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
