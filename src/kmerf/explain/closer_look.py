"""A closer look at the observed forest: what shuffling a feature costs it, which rows drive it, how y moves with x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kmerf.explain import row_shares
from kmerf.explain.data_points import thin
from kmerf.explain.profiles import plain_profile, profile
from kmerf.explain.row_map import embed
from kmerf.explain.survival import survival_curves
from kmerf.results.closer_look import Details

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample_values import Sample
    from kmerf.forests.fitted import FittedForest
    from kmerf.results.parts import Importances

PROFILED = 6  # features, the most important ones


def look_at_data(sample: Sample, top: Sequence[int], seed: int) -> Details:
    """Return the features in `top` beside y where no forest was grown: raw values, and means of y along each."""
    profiles = tuple(plain_profile(sample.x, sample.y, j) for j in top)
    return Details(None, None, profiles, None, thin(sample, top, seed))


def look_into(
    forests: Sequence[FittedForest],
    sample: Sample,
    predicted: Floats | None,
    losses: Importances | None,
    top: Sequence[int],
    seed: int,
    n_jobs: int,
) -> Details:
    """Return the details of the forests, with profiles and raw values of the features in `top`.

    `losses` are those of shuffled features.
    """
    scores = [each for forest in forests if (each := row_shares.row_scores(forest, n_jobs)) is not None]
    return Details(
        losses,
        np.mean(scores, axis=0) if scores else None,
        () if predicted is None else tuple(profile(sample.x, sample.y, predicted, j) for j in top),
        embed(forests, sample.y, seed, n_jobs),
        thin(sample, top, seed),
        survival_curves(sample.x, sample.y, top[0]) if len(top) else None,
    )
