"""How much is lost when a feature is shuffled, with an interval, and whether its missing values are what counts.

`kmerf.forests.shuffled` says what a tree loses; the importance of a feature is the mean over trees. Where a method has
several forests, each is measured by what it was grown on (the joint forest by functions of y that see its spread and
form too). A feature has the largest of its losses among those whose interval lies above 0: what moves the spread of y
alone is lost by the joint forest and by no other. If none does, it has that of the first forest, as the largest of
several losses that scatter about 0 is above 0 on average.

The interval is about other samples of the same size, not about other trees. A loss s is about a mean over pairs of
rows, one that a tree has seen and one that it has not, of y_i w_ik y_k / var y. So with c_i what is lost on row i, the
influence of a row is about 2 (c_i - s y_i^2 / var y): once as a row that is predicted, once as one that predicts. Rows
are put into 50 random groups (whole blocks, where there are blocks), and

    se^2 = G / (G - 1) sum over groups of (sum over the group's rows of their influence / n)^2 + var over trees / trees.

A loss is like a square, of a slope or of a difference of means: its root has about the same standard error wherever it
lies. So the interval is that of the root, (sqrt(s) -+ h / (2 sqrt(s)))^2 = s -+ h + h^2 / (4 s) with h = t se. For s
below h / 2, where the root says nothing, s stands in the place of h^2 / (4 s), and 0 for a negative s. How often such
intervals hold the expected loss: docs/importance.md.

The loss of a feature with missing values is taken apart by shuffling its known values alone, among the rows that have
one. What is lost by that comes from the values, and the rest from which of them are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.streams import Purpose, stream
from kmerf.execution import parallel
from kmerf.forests.shuffled import GroupLosses, Shuffling
from kmerf.forests.targets import Labels
from kmerf.results.parts import Importances

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Sample
    from kmerf.engine.workspace import Trees
    from kmerf.forests.fitted import FittedForest
    from kmerf.forests.leaves import Leaves

GROUPS = 50  # of rows
SIGNS = 50  # that stand for many classes
LEVEL = 0.95


class ShuffledForest(NamedTuple):
    """What one forest, or several, lose when each feature is shuffled."""

    importances: Importances
    by_missing: Floats
    """The share of each loss that is due to which values are missing (p,); NaN where nothing is lost."""


def shuffled_importances(forest: FittedForest, sample: Sample, n_jobs: int = 1) -> ShuffledForest | None:
    """Return the losses of a forest; None where it cannot be looked into, or has no rows out of bag."""
    features = np.asarray(sample.x.column_of)
    if forest.target is None or forest.columns.x.shape[1] > features.size:  # sums of columns belong to no feature
        return None
    target = _columns(forest.target, forest.seed)
    y = np.ascontiguousarray(target - target.mean(axis=0))
    order = stream(forest.seed, Purpose.SHUFFLED_FEATURE).permutation(sample.n)
    shuffled = Shuffling(forest.columns.x, features, y, order)
    groups = row_groups(sample, forest.seed)

    def lose(part: slice, leaves: Leaves, trees: Trees) -> GroupLosses | None:
        if leaves.counts is None:
            return None
        losses = shuffled.lose(part.start, leaves, trees, groups, parallel.stop_flag())
        parallel.checkpoint()
        return losses

    # Trees are looked at a few at a time, each on its own, so neither the parts nor the workers matter.
    found = [each for each in forest.look(lose, n_jobs) or [] if each is not None]
    return _summary(found, shuffled, groups, sample.x.names) if found else None


def _columns(target: Floats | Labels, seed: int) -> Floats:
    """Return the columns of a target; of many classes, random signs of the classes.

    The expected squared distance of two rows along random signs is that of the columns of the classes, so that shares
    of their variance are the same but for chance, at a cost that does not grow with the number of classes.
    """
    if isinstance(target, Labels):
        signs = stream(seed, Purpose.SHUFFLED_FEATURE, 1).choice([-1.0, 1.0], size=(target.n_classes, SIGNS))
        return np.asarray(signs[target.codes])
    return target


def row_groups(sample: Sample, seed: int) -> Ints:
    """Return the group of each row (n,): at random, but rows of a block stay together."""
    blocks = np.arange(sample.n) if sample.blocks is None else np.unique(sample.blocks, return_inverse=True)[1]
    units = int(blocks.max()) + 1
    places = stream(seed, Purpose.ROW_GROUPS).permutation(units)
    groups: Ints = (places % min(GROUPS, units))[blocks.reshape(-1)]
    return groups


def _summary(found: Sequence[GroupLosses], shuffled: Shuffling, groups: Ints, names: tuple[str, ...]) -> ShuffledForest:
    losses = np.concatenate([each.losses for each in found])
    sums, known = np.zeros((int(groups.max()) + 1, shuffled.p)), np.zeros(shuffled.p)
    for each in found:
        sums[:, each.used] += each.sums
        known[each.used] += each.known
    unseen = max(1, sum(each.unseen for each in found))
    mean = losses.mean(axis=0)
    size = len(sums)
    weight = np.bincount(groups, (shuffled.y**2).sum(axis=1), minlength=size) / (len(groups) * shuffled.variance)
    influence = 2.0 * (sums / unseen - np.maximum(mean, 0.0) * weight[:, None])
    variance = ((influence - influence.mean(axis=0)) ** 2).sum(axis=0) * size / max(1, size - 1)
    variance += losses.var(axis=0) / len(losses)
    low, high = interval(mean, np.sqrt(variance), size)
    total = sums.sum(axis=0)
    by_missing = np.divide(total - known, total, out=np.full(total.shape, np.nan), where=total > 0.0)
    return ShuffledForest(Importances(names, mean, low, high, "loss"), by_missing)


def interval(loss: Floats, error: Floats, groups: int) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % intervals of losses with these standard errors.

    >>> [end.round(3).tolist() for end in interval(np.array([0.09, 0.0]), np.array([0.045, 0.01]), 50)]
    [[0.022, -0.02], [0.203, 0.02]]
    """
    from scipy.special import stdtrit

    half = float(stdtrit(max(1, groups - 1), (1.0 + LEVEL) / 2.0)) * error
    clear = loss > half / 2.0
    shift = np.where(clear, half**2 / (4.0 * np.where(clear, loss, 1.0)), np.maximum(loss, 0.0))
    return loss - half + shift, np.maximum(loss, np.minimum(1.0, loss + half + shift))


def largest(forests: Sequence[ShuffledForest]) -> ShuffledForest:
    """Return, for each feature, the loss of the forest that clearly loses most, or else of the first forest."""
    tables = [each.importances for each in forests]
    most = np.argmax([np.where(table.low > 0.0, table.mean, -np.inf) for table in tables], axis=0)[None]

    def pick(values: Sequence[Floats]) -> Floats:
        picked: Floats = np.take_along_axis(np.array(values), most, axis=0)[0]
        return picked

    mean, low, high = (pick([getattr(table, key) for table in tables]) for key in ("mean", "low", "high"))
    by_missing = pick([each.by_missing for each in forests])
    return ShuffledForest(Importances(tables[0].names, mean, low, high, "loss"), by_missing)
