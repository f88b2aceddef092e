"""Which features did more than chance lets them: p-values from the refits that the test's null is made of.

S_bfj is the share of y's variance that forest f's splits on feature j predict out of bag (`kmerf.engine.credit`), with
y observed (b = 0) and permuted (b = 1 to B); for plugged-in forests, which do not say that, the share of the gains in
bag. It estimates about the same number as the importance that results show, what is lost when the feature is shuffled
(`kmerf.explain.feature_importances`), and takes far less time in each refit. Each is set against the same share in all
*other* fits, observed and permuted alike,

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
What happens is that their splits compete with those of the real features and have less of y left to predict: a
feature independent of y and of the real ones is called less often than the level says
(benchmarks/studies/importance.py). A feature that is only correlated with a real one may be called: its splits do
predict y. And a weak feature can be hidden by a strong one that says the same: no call is no proof of independence.

The members of a combined test, one by one: what each found, and which of them carried the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.errors import KmerfError
from kmerf.nulls.combining import FEWEST, by_the_others, scores, shares
from kmerf.nulls.definitions import TOLERANCE, take_in_turn
from kmerf.results.parts import FeatureTests, Member

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.methods.protocol import Fit
    from kmerf.nulls.definitions import InterimAnalysis
    from kmerf.results.parts import Importances


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
