"""Out-of-bag permutation importance: what a tree loses when the values of a feature are shuffled.

They are shuffled among the tree's out-of-bag rows, and what its mean squared error (for classes: Brier score) gains is
divided by the variance of y. A feature that is not used in a tree has 0 there; a useless one scatters about 0. The
spread that goes with the mean is that of single trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core import parallel
from kmerf.core.streams import Purpose, stream
from kmerf.explain.gain_importances import over_trees

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample_values import Features, Response
    from kmerf.engine.grow import Trees
    from kmerf.forests.fitted import FittedForest
    from kmerf.forests.leaf_codes import Leaves
    from kmerf.results.parts import Importances


def permutation_importances(
    forests: Sequence[FittedForest], x: Features, y: Response, seed: int, n_jobs: int = 1
) -> Importances | None:
    """Return the out-of-bag permutation importances over all trees; None where no forest can be looked into."""
    losses_of_each = [_losses(forest, x, y, seed, n_jobs) for forest in forests]
    known = [losses for losses in losses_of_each if losses is not None]
    if not known:
        return None
    variance = y.values.var(axis=0).sum()
    return over_trees(np.concatenate(known) / variance, x.names)


def _losses(forest: FittedForest, x: Features, y: Response, seed: int, n_jobs: int) -> Floats | None:
    """Return what each tree loses by each feature (m, features); None where the forest does not say.

    Trees are looked at a few at a time, each on its own, so neither the parts nor the workers matter.
    """
    values, columns = np.ascontiguousarray(y.values - y.values.mean(axis=0)), np.asarray(x.column_of)
    if forest.columns.x.shape[1] > columns.size:  # a combination of columns belongs to no single feature
        return None

    def lose(part: slice, leaves: Leaves, trees: Trees) -> Floats | None:
        from kmerf.engine.rows import shuffled_losses

        if leaves.counts is None:
            return None
        parallel.checkpoint()
        numbers = range(part.start, part.stop)
        shuffles = np.stack([stream(seed, Purpose.SHUFFLED_FEATURE, t).permutation(y.n) for t in numbers])
        losses = np.empty((len(numbers), x.p))
        at = leaves.codes, leaves.counts, leaves.n_leaves
        shuffled_losses(forest.columns.x, columns, trees, *at, values, shuffles, losses, parallel.stop_flag())
        parallel.checkpoint()
        return losses

    parts = forest.look(lose, n_jobs)
    known = [losses for losses in parts or [] if losses is not None]
    return np.concatenate(known) if known else None
