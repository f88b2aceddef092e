"""How important is each feature, and is it more important than under the null?

**Importances** are what trees lose when a feature is shuffled among the rows that they have not seen.

In-bag rows give each leaf a mean of y, and m(x_i) is that of the leaf that row i falls into. With y centred, and x_i'
the row x_i with the value of feature j taken from another row, what a tree loses with j is

    1 / (|O| var y)  sum over rows i in O, the rows out of bag, of (m(x_i) - m(x_i')) . y_i,

the share of y's variance that its predictions no longer account for. It is 0 for a feature that the tree does not split
on, scatters about 0 for one that does not help to predict y, and reaches 1 where the feature alone predicts all of y.
The increase of the mean squared error is about twice as large, but it also counts that m(x_i')^2 may be larger than
m(x_i)^2: single trees are noisy, and rows that no such row resembles fall into their smallest leaves. This favours
features that have nothing to do with y, and has no place in a mean over trees.

All columns of a category are shuffled together.

The importance of a feature is the mean of this loss over trees. If a method has several forests, each is measured by
what it was grown on (the joint forest by functions of y that see its spread and form too). A feature has the largest of
its losses among those whose interval lies above 0: what moves the spread of y alone is lost by the joint forest and by
no other. If none does, it has that of the first forest, as the largest of several losses that scatter about 0 is above
0 on average.

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

**Gain.** If it is asked for, or if a forest cannot be looked into, the importance is the share of the decrease of
impurity that the splits on a feature brought. In each tree the shares add up to one (a tree without a split gives
zeros); the importance of a feature is the mean of its shares over trees, and what one-hot columns of a category earned
is added up. The spread that goes with it is that of single trees, which differ in rows and choices; it is not a
confidence interval for the importance.

**P-values** of features are from the refits that the test's null is made of. S_bfj is the share of y's variance that
forest f's splits on feature j predict out of bag (`kmerf.engine.credit`), with y observed (b = 0) and permuted (b = 1
to B); for plugged-in forests, which do not say that, the share of the gains in bag. It estimates about the same number
as the importance that results show, what is lost when the feature is shuffled, and takes far less time in each refit.
Each is set against the same share in all *other* fits, observed and permuted alike,

    z_bfj = (S_bfj - mean of S_afj over a != b) / (s_f + sd of S_afj over a != b),   T_bj = max over forests f of z_bfj,

so that whatever a feature gets from any y, as one with many distinct values may, is taken off. s_f is the sd of a
typical feature, the median over features, each without its largest share: without it, a feature that hardly any tree
splits on would have a huge z in the one fit that does (as in SAM, Tusher, Tibshirani and Chu 2001).

If y does not depend on x at all, the rows T_0, ..., T_B are exchangeable and ranks among them are exact, whatever the
features are and however they depend on each other: each p_j, the smallest P_j and the smallest Q_j below are at most a
level with at most that probability.

    p_j = #{b: T_bj >= T_0j} / (1 + B)                     one feature by itself
    P_j = #{b: max_k T_bk >= T_0j} / (1 + B)               that any feature is called (max-T, Westfall and Young 1993)
    Q_j = max(min(P_j, BH_j), G)                           the false discovery rate

BH_j is the Benjamini-Hochberg adjustment of the pooled p_j' = #{(b, k): T_bk >= T_0j} / ((1 + B) p), which go down to
1 / ((1 + B) p). One feature's p_j' may be too small if its T has a heavier tail than the others'; their mean over
features is right, and that is what a false discovery rate is made of: E #{j: p_j' <= a} <= a p. Dependence could still
make the smallest Q_j too small too often, so each fit takes its turn as the observed one, and G is the rank of the
smallest min(P_j, BH_j) of the observed fit among those of all fits.

Where the test goes on to more refits, each of them is taken from the look that `kmerf.nulls.definitions` says. None of
them is below 1 / (1 + B). The shares of one feature are mostly zero where there are many, and no model of
their tail held; for smaller p-values, take more refits (`Permutation(9999)`).

Where y depends on some features, permuting it breaks that too, so strictly no error rate is promised for the others.
What happens is that their splits compete with those of the real features and have less of y left to predict: a feature
independent of y and of the real ones is called less often than the level says (benchmarks/studies/importance.py). A
feature that is only correlated with a real one may be called: its splits do predict y. And a weak feature can be hidden
by a strong one that says the same: a feature that is not called may still matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints, row_shares
from kmerf.core.errors import KmerfError
from kmerf.core.streams import Purpose, stream
from kmerf.execution import parallel
from kmerf.forests.growing import Labels
from kmerf.nulls.definitions import FEWEST, TOLERANCE, by_the_others, scores, shares, take_in_turn
from kmerf.results.parts import FeatureTests, Importances, Member

if TYPE_CHECKING:
    from kmerf.data.sample import Response, Sample
    from kmerf.engine.workspace import Trees
    from kmerf.forests.fitted import FittedForest
    from kmerf.forests.growing import Leaves
    from kmerf.methods.protocol import Fit
    from kmerf.nulls.definitions import InterimAnalysis

MOST_ROWS = 10_000  # out of bag in a tree that losses are taken of


@dataclass(frozen=True, eq=False)
class Shuffling:
    """The data that trees were grown on, and an order of their rows."""

    x: Floats
    features: Ints
    """Which feature each column belongs to, in increasing order."""
    y: Floats
    """(n, q), centred."""
    order: Ints
    """Of the rows, at random."""

    @property
    def p(self) -> int:
        """Number of features."""
        return int(self.features[-1]) + 1

    @cached_property
    def variance(self) -> float:
        """The variance of y, over all its columns; 1 where it does not vary."""
        return float((self.y**2).mean(axis=0).sum()) or 1.0

    def lose(self, first: int, leaves: Leaves, trees: Trees, groups: Ints, stop: NDArray[np.uint8]) -> GroupLosses:
        """Return the losses of some trees, numbered from `first` on, by groups of rows (n,) and by known values."""
        from kmerf.engine.row_statistics import shuffled_losses

        assert leaves.counts is not None
        losses, known = np.empty((leaves.n_trees, self.p)), np.zeros(self.p)
        sums = np.zeros((int(groups.max()) + 1, self.p))
        at = leaves.codes, leaves.counts, leaves.n_leaves, self.y, self.order, first, MOST_ROWS
        shuffled_losses(self.x, self.features, trees, *at, losses, groups, sums, known, stop)
        free = np.minimum((leaves.counts == 0).sum(axis=1), MOST_ROWS)
        # A row never takes its own value: by chance it would, once in `free` times.
        losses *= (np.maximum(free - 1, 0) / np.maximum(free, 1) / self.variance)[:, None]
        used = np.flatnonzero(sums.any(axis=0))
        return GroupLosses(losses, int(free.sum()), used, sums[:, used] / self.variance, known[used] / self.variance)


class GroupLosses(NamedTuple):
    """What some trees lose, and where."""

    losses: Floats
    """Of each tree and feature (m, features)."""
    unseen: int
    """Rows out of bag, over all trees."""
    used: Ints
    """The features that a tree splits on."""
    sums: Floats
    """What is lost with these on the rows of each group, over all trees (groups, used)."""
    known: Floats
    """What is lost with these over all rows and trees if only known values change places (used,)."""


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


def summarise(gains: Floats, names: tuple[str, ...]) -> Importances:
    """Turn the gains of each feature in each tree (m, p) into importances.

    >>> summarise(np.array([[2.0, 2.0], [1.0, 3.0]]), ("colour", "size")).mean
    array([0.375, 0.625])
    """
    shares = row_shares(gains)
    low, high = np.percentile(shares, [2.5, 97.5], axis=0)
    return Importances(names, shares.mean(axis=0), low, high, "gain")


NAMED_FEATURES = 3  # features that are named
SHARE = 0.5  # of what is lost with a feature, from which on a note is due


def missing_notes(losses: ShuffledForest, sample: Sample) -> tuple[str, ...]:
    """Name the features of which what is lost comes mainly from where their values are missing."""
    table, x = losses.importances, sample.x
    missing = np.array(x.missing) > 0
    due = missing & (table.low > 0.0) & (np.nan_to_num(losses.by_missing) >= SHARE)
    order = [j for j in np.argsort(-table.mean, kind="stable").tolist() if due[j]]
    return tuple(_note(j, losses, sample) for j in order[:NAMED_FEATURES])


def _note(j: int, losses: ShuffledForest, sample: Sample) -> str:
    name, holes = sample.x.names[j], np.isnan(sample.x.column(j))
    share = min(1.0, float(losses.by_missing[j]))
    return (
        f"Column {name!r} is informative mainly because of its missing values: {_where(holes, sample.y)}. "
        f"Missing values are {100 * share:.0f} % of its importance."
    )


def _where(holes: np.ndarray[tuple[int], np.dtype[np.bool_]], y: Response) -> str:
    """Say how y differs where a feature is missing."""
    if y.codes is not None:
        counts, sizes = np.bincount(y.codes[holes], minlength=y.q), np.bincount(y.codes, minlength=y.q)
        most = int(np.argmax(counts / np.maximum(sizes, 1)))
        rest = int(counts.sum() - counts[most]), int(sizes.sum() - sizes[most])
        where = f"it is missing in {counts[most]} of {sizes[most]} rows of {y.labels[most]!r}"
        return f"{where} and in {rest[0]} of {rest[1]} others"
    if y.kind == "censored":
        return f"it is missing in {int(holes.sum())} of {holes.size} rows"
    values: Floats = y.values[:, 0]
    there, elsewhere = values[holes].mean(), values[~holes].mean()
    return f"the mean of {y.names[0]} is {there:.4g} where it is missing, and {elsewhere:.4g} elsewhere"


class Found(NamedTuple):
    """The importances of a fit."""

    shown: Importances | None
    """Over all forests."""
    losses: Importances | None
    """What is lost when features are shuffled, whether that is shown or not."""
    by_part: dict[str, Importances]
    """Of each forest alone, by the name of its part."""
    notes: tuple[str, ...] = ()


def find_importances(fit: Fit, sample: Sample, n_jobs: int, *, gain: bool = False) -> Found:
    """Return what each feature did for each forest; with `gain`, its share of the gain of splits."""
    names = sample.x.names
    parts = {part.name: part for part in fit.parts if part.gains is not None}
    if not parts:
        return Found(None, None, {})
    looked = {
        name: None if part.forest is None else shuffled_importances(part.forest, sample, n_jobs)
        for name, part in parts.items()
    }
    known = {name: each for name, each in looked.items() if each is not None}
    losses = largest(list(known.values())) if known else None
    table = None if losses is None else losses.importances
    notes = () if losses is None else missing_notes(losses, sample)
    if table is not None and not gain:
        return Found(table, table, {name: each.importances for name, each in known.items()}, notes)
    gains = {name: part.gains for name, part in parts.items() if part.gains is not None}
    shown = summarise(np.concatenate(list(gains.values())), names)
    by_part = {name: summarise(each, names) for name, each in gains.items()}
    return Found(shown, table, by_part, notes)


class Adjusted(NamedTuple):
    """P-values of features (p,)."""

    single: Floats
    family: Floats
    discoveries: Floats


def find_features(
    observed: Floats,
    drawn: Floats,
    names: Sequence[str],
    forests: Sequence[str],
    fewest: float = 0.0,
    looks: Sequence[InterimAnalysis] = (),
) -> FeatureTests:
    """Judge the shares of features (forests, p) among those of refits (B, forests, p), drawn up to these looks.

    No p-value is below `fewest`: one over the number of arrangements of y, or the test's own where drawing stopped
    early (`kmerf.nulls.definitions`).
    """
    fits = np.concatenate([observed[None], drawn])
    if not np.isfinite(fits).all():
        raise KmerfError(
            "The importances are not finite numbers on these data, so features have no p-values: "
            "look for extreme values in x and y."
        )
    several = len(forests) > 1
    taken = np.maximum(take_in_turn(looks, len(drawn), lambda size: _pvalues(fits[: size + 1], several)), fewest)
    single, family, discoveries, *each = taken
    smallest = 1.0 / len(fits)
    return FeatureTests(
        names=tuple(names),
        importance=observed.mean(axis=0),
        pvalues=single,
        adjusted_fwer=np.maximum(family, single),
        adjusted_fdr=discoveries,
        forests=dict(zip(forests, each, strict=True)) if several else {},
        smallest=smallest if smallest > fewest else 0.0,
    )


def _pvalues(fits: Floats, several: bool) -> Floats:
    """Return the p-values of features (3, p), and below them those in each forest alone where there are several."""
    z = by_the_others(fits, typical_spread(fits))
    alone = [rank(z[:, f]) for f in range(z.shape[1])] if several else []
    return np.array([*adjust(z.max(axis=1)), *alone])


def typical_spread(shares: Floats) -> Floats:
    """Return the sd of a typical feature over fits (forests, 1): the median, each without its largest share.

    That leaves out what the observed fit found. Features that never have a share do not count.
    """
    spread = np.sort(shares, axis=0)[:-1].std(axis=0, ddof=1)
    return np.array([[np.median(each[each > 0.0]) if (each > 0.0).any() else 0.0] for each in spread])


def adjust(statistics: Floats) -> Adjusted:
    """Return the p-values of the first row of T (1 + B, p), as this module's first lines define them."""
    size, p = statistics.shape
    highest = statistics.max(axis=1)
    family = reached(highest, statistics[0]) / size
    # Benjamini-Hochberg in counts, not p-values: quotients of whole numbers, so that equal ones are equal.
    counts = reached(statistics, statistics)
    raised = np.sort(counts, axis=1) / (size * np.arange(1, p + 1))
    step_up = np.empty(p)
    step_up[np.argsort(counts[0], kind="stable")] = np.minimum.accumulate(raised[0, ::-1])[::-1]
    smallest = np.minimum(raised.min(axis=1), reached(highest, highest) / size)
    turn = (smallest <= smallest[0]).mean()
    return Adjusted(rank(statistics), family, np.maximum(np.minimum(family, step_up), turn))


def rank(statistics: Floats) -> Floats:
    """Return the share of rows that are at or above the first, in each column.

    >>> rank(np.array([[3.0, 1.0], [2.0, 4.0], [3.0, 2.0], [0.0, 0.0]])).tolist()
    [0.5, 0.75]
    """
    at_or_above: Floats = (statistics >= _just_below(statistics[0])).mean(axis=0)
    return at_or_above


def reached(values: Floats, levels: Floats) -> Ints:
    """Count the values at or above each level.

    >>> reached(np.array([1.0, 2.0, 2.0]), np.array([[2.0], [3.0]])).tolist()
    [[2], [0]]
    """
    order = np.argsort(levels, axis=None)  # to search in order is ten times as fast
    found = np.empty(levels.size, np.int64)
    found[order] = values.size - np.searchsorted(np.sort(values, axis=None), _just_below(levels.ravel()[order]))
    return found.reshape(levels.shape)


def _just_below(values: Floats) -> Floats:
    """Allow for rounding: values that are equal but for it count as reached."""
    return values - TOLERANCE * np.abs(values)


def add_up(shares: Floats, groups: Sequence[Sequence[int]]) -> Floats:
    """Add up the shares (..., p) of the features of each group (..., groups).

    >>> add_up(np.array([0.5, 0.2, 0.3]), [[0, 2], [1]]).tolist()
    [0.8, 0.2]
    """
    return np.stack([shares[..., list(group)].sum(axis=-1) for group in groups], axis=-1)


def find_members(
    fit: Fit,
    permuted: Floats,
    importances: Mapping[str, Importances],
    fewest: float = 0.0,
    looks: Sequence[InterimAnalysis] = (),
) -> tuple[Member, ...]:
    """Return the members of a test with several, from its fit and its permuted statistics (B, k) up to these looks.

    `importances` are those of its forests, by name. No p-value is below `fewest`.
    """
    if len(fit.parts) < 2 or len(permuted) < FEWEST:
        return ()
    scaled = scores(np.vstack([fit.statistics, permuted]))[0]
    parts = shares(scaled, fit.weights)
    alone = take_in_turn(looks, len(permuted), lambda size: rank(np.vstack([fit.statistics, permuted[:size]])))
    members = []
    for k, part in enumerate(fit.parts):
        numbers = part.statistic, float(scaled[k]), part.error, max(float(alone[k]), fewest)
        words = part.wording._asdict()
        members.append(Member(part.name, *numbers, importances.get(part.name), share=float(parts[k]), **words))
    return tuple(members)
