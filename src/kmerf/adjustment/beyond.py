"""How well y is predicted by z alone, and by z and x together, for rows that were not seen.

The first is what removing z from y has left; the second adds a forest of that on x and z, out of bag, by the weight
that fits best and is not negative. For numbers it is R2 of the ranks, for classes the area under the ROC curve.

With strata, z predicts a row by the mean of the *other* rows of its stratum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.adjustment.basis import complete
from kmerf.adjustment.covariates import FOREST, out_of_bag
from kmerf.adjustment.rank_coordinates import of_response
from kmerf.adjustment.stacking import best_weights
from kmerf.adjustment.strata import within
from kmerf.core.streams import Purpose, seed_for
from kmerf.forests.growing import presort
from kmerf.forests.out_of_bag import auc

if TYPE_CHECKING:
    from kmerf.adjustment.testing import Given, Remainder
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample_values import Sample

_BOTH = 3  # number of the forest of x and z among the variables


def predict_beyond(sample: Sample, given: Given, y: Remainder, seed: int, n_jobs: int) -> dict[str, Any]:
    """Return the measure's name and its values without and with x."""
    assert sample.z is not None
    left = y.unpredicted - y.unpredicted.mean(axis=0)
    target = of_response(sample.y).values[:, y.left.degrees == 1]
    parts, levels = [sample.x.values, sample.z.values], [sample.x.levels, sample.z.levels]
    if given.strata is not None:  # how a row differs from others of its stratum, which trees would not see
        numbers = complete(sample.x.values[:, sample.x.levels == 0])
        parts.append(within(numbers, given.strata.codes))
        levels.append(np.zeros(numbers.shape[1], np.int64))
    both = presort(np.concatenate(parts, axis=1), np.concatenate(levels))
    seed = seed_for(seed, Purpose.ADJUSTED_VARIABLE, _BOTH)
    forest, _ = out_of_bag(FOREST, both, left, seed=seed, n_jobs=n_jobs)
    forest = forest - forest.mean(axis=0)
    weights = [best_weights(forest[None, :, j], left[:, j])[0] for j in range(left.shape[1])]
    more = forest * weights
    codes = sample.y.codes
    if codes is None:
        without, beside = (_r2(target, rest) for rest in (left, left - more))
        return {"measure": "R2", "without_x": without, "with_x": beside}
    without, beside = (_mean_auc(target - rest, codes) for rest in (left, left - more))
    return {"measure": "AUC", "without_x": without, "with_x": beside}


def _r2(target: Floats, left: Floats) -> float:
    return float(1.0 - (left**2).sum() / ((target - target.mean(axis=0)) ** 2).sum())


def _mean_auc(predicted: Floats, codes: Ints) -> float:
    predicted = predicted.round(9)  # rounding would otherwise tell the classes apart where nothing is predicted
    return float(np.mean([auc(column, codes == k) for k, column in enumerate(predicted.T)]))
