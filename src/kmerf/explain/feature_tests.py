"""Which features did more than chance lets them: a p-value for each, from the refits that the test's null is made of.

S_bfj is the share of y's variance that forest f's splits on feature j predict out of bag (`kmerf.engine.credit`), with
y observed (b = 0) and permuted (b = 1 to B); for forests of others, which do not tell that, the share of the gains in
bag. Each is set against the same share in all *other* fits, observed and permuted alike,

    z_bfj = (S_bfj - mean of S_afj over a != b) / sd of S_afj over a != b,        T_bj = max over forests f of z_bfj,

so that whatever a feature gets from any y, as one with many distinct values may, is taken off. If y does not depend on
x at all, T_0j, ..., T_Bj are exchangeable and so are their maxima over features, hence

    p_j = (1 + #{b: T_bj >= T_0j}) / (1 + B)        and        P_j = (1 + #{b: max_k T_bk >= T_0j}) / (1 + B)

are exact: p_j for one feature, P_j (max-T, Westfall and Young 1993) for the probability that *any* feature is called.
Where y depends on some features, permuting it breaks that too, so strictly no error rate is promised for the others.
What happens is that their splits compete with those of the real features and have less of y left to predict: a
feature independent of y and of the real ones is called less often than the level says, as benchmarks/importance.py
measures. A feature that is only correlated with a real one may be called: its splits do predict y. And a weak feature
can be hidden by a strong one that says the same: no call is no proof of independence.

Below 1 / (1 + B) the test's own null goes on, with the same model of the tail (`kmerf.nulls.extrapolated`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.nulls.combining import by_the_others
from kmerf.nulls.judging import weigh
from kmerf.nulls.multiplicity import benjamini_hochberg
from kmerf.nulls.permutation import TOLERANCE
from kmerf.results.parts import FeatureTests

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.exchangeability import Exchange
    from kmerf.nulls.protocol import Null


class FeatureJudge(NamedTuple):
    """What turns a statistic among permuted ones into a p-value."""

    null: Null
    n: int
    exchange: Exchange

    def __call__(self, statistic: float, distribution: Floats) -> tuple[float, bool]:
        """Return the p-value and whether it is extrapolated."""
        found = weigh(self.null, np.array([statistic]), distribution[:, None], np.ones(1), self.n, self.exchange).null
        return found.pvalue, found.extrapolated

    def many(self, observed: Floats, permuted: Floats, apart: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the p-values of many statistics (p,) among their permuted ones (B, p), and which are extrapolated.

        One above all of the permuted has stretched the scale that they were standardised by: it is judged by those
        that were standardised without it, `apart`, which can only raise the p-value. The others are counted.
        """
        counted = self.null.n_resamples > 0
        alone = ~(observed <= permuted.max(axis=0)) | (not counted)  # also what is not a number, which is refused
        reached = (permuted >= observed - TOLERANCE * np.abs(observed)).sum(axis=0)
        fewest = float(np.exp(-self.exchange.log_arrangements))
        pvalues = np.maximum((1 + reached) / (1 + len(permuted)), fewest)
        extrapolated = np.zeros(observed.size, np.bool_)
        for j in np.flatnonzero(alone):
            rivals = apart if observed[j] > permuted[:, j].max() else permuted
            pvalues[j], extrapolated[j] = self(observed[j], rivals[:, j])
        return pvalues, extrapolated


def find_features(
    observed: Floats, drawn: Floats, names: Sequence[str], forests: Sequence[str], judge: FeatureJudge
) -> FeatureTests:
    """Judge the shares of features (forests, p) among those of refits (B, forests, p)."""
    z = by_the_others(np.concatenate([observed[None], drawn]))
    apart = by_the_others(drawn)
    top, top_apart = z.max(axis=1), apart.max(axis=1)
    pvalues, extrapolated = judge.many(top[0], top[1:], top_apart)
    everywhere = (len(drawn), len(names))
    highest = (np.broadcast_to(each.max(axis=1)[:, None], everywhere) for each in (top[1:], top_apart))
    family = judge.many(top[0], *highest)[0]
    several = enumerate(forests) if len(forests) > 1 else ()
    return FeatureTests(
        names=tuple(names),
        importance=observed.mean(axis=0),
        pvalues=pvalues,
        adjusted_fwer=np.maximum(family, pvalues),  # each extrapolates on its own; an adjusted p is never smaller
        adjusted_fdr=benjamini_hochberg(pvalues),
        extrapolated=extrapolated,
        forests={forest: judge.many(z[0, f], z[1:, f], apart[:, f])[0] for f, forest in several},
    )


def add_up(shares: Floats, groups: Sequence[Sequence[int]]) -> Floats:
    """Add up the shares (..., p) of the features of each group (..., groups).

    >>> add_up(np.array([0.5, 0.2, 0.3]), [[0, 2], [1]]).tolist()
    [0.8, 0.2]
    """
    return np.stack([shares[..., list(group)].sum(axis=-1) for group in groups], axis=-1)
