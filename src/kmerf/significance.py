"""Which features did more than chance lets them: a p-value for each, from the refits that the test's null is made of.

S_bfj is the share of forest f's gains that splits on feature j brought, with y observed (b = 0) and permuted (b = 1 to
B). Each is set against the same share in all *other* fits, observed and permuted alike,

    z_bfj = (S_bfj - mean of S_afj over a != b) / sd of S_afj over a != b,        T_bj = max over forests f of z_bfj,

so that a feature that gains much from any y, as one with many distinct values does, has that taken off. If y does not
depend on x at all, T_0j, ..., T_Bj are exchangeable and so are their maxima over features, hence

    p_j = (1 + #{b: T_bj >= T_0j}) / (1 + B)        and        P_j = (1 + #{b: max_k T_bk >= T_0j}) / (1 + B)

are exact: p_j for one feature, P_j (max-T, Westfall and Young 1993) for the probability that *any* feature is called.
Where y depends on some features, permuting it breaks that too. Shares add up to one, so what the real features gain,
the others lose: a feature that is independent of y and of the real ones is then called less often than the level says,
as benchmarks/importance.py measures. A feature that is only correlated with a real one may be called: its splits do
predict y. And a weak feature can be hidden by strong ones: no call is no proof of independence.

Below 1 / (1 + B) the test's own null goes on, with the same model of the tail (`kmerf.null.Extrapolated`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.exchange import Exchange
from kmerf.maximum import by_the_others
from kmerf.multiplicity import benjamini_hochberg
from kmerf.null import Null, weigh

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FeatureTests:
    """P-values of the importances of features, or of groups of features, in their order."""

    names: tuple[str, ...]
    importance: Floats
    """Mean share of the gains, over all trees."""
    pvalues: Floats
    """Of each feature by itself."""
    adjusted_fwer: Floats
    """Adjusted for the probability that any feature is called where y depends on none (max-T)."""
    adjusted_fdr: Floats
    """Adjusted for the false discovery rate (Benjamini-Hochberg)."""
    extrapolated: NDArray[np.bool_]
    """Whether the p-value lies below the smallest that permuting could give, and rests on a model of the tail."""
    forests: dict[str, Floats] = field(default_factory=dict)
    """P-values of each feature in each forest alone, by the forest's name, where there are several."""
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The features of each group, where groups are tested."""

    def significant(self, level: float = 0.05) -> tuple[str, ...]:
        """Return the names with a family-wise adjusted p-value at or below a level, most important first."""
        order = np.argsort(-self.importance, kind="stable")
        return tuple(self.names[i] for i in order if self.adjusted_fwer[i] <= level)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        numbers = ("importance", "pvalues", "adjusted_fwer", "adjusted_fdr", "extrapolated")
        return {
            "names": list(self.names),
            **{name: getattr(self, name).tolist() for name in numbers},
            "forests": {name: values.tolist() for name, values in self.forests.items()},
            "members": {name: list(features) for name, features in self.members.items()},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FeatureTests:
        """Rebuild what `to_dict` gave."""
        numbers = ("importance", "pvalues", "adjusted_fwer", "adjusted_fdr")
        return cls(
            names=tuple(data["names"]),
            **{name: np.array(data[name], dtype=np.float64) for name in numbers},
            extrapolated=np.array(data["extrapolated"], dtype=bool),
            forests={name: np.array(values, dtype=np.float64) for name, values in data["forests"].items()},
            members={name: tuple(features) for name, features in data["members"].items()},
        )


class Judge(NamedTuple):
    """What turns a statistic among permuted ones into a p-value."""

    null: Null
    n: int
    exchange: Exchange

    def __call__(self, statistic: float, distribution: Floats) -> tuple[float, bool]:
        """Return the p-value and whether it is extrapolated."""
        found = weigh(self.null, np.array([statistic]), distribution[:, None], self.n, self.exchange).null
        return found.pvalue, found.extrapolated


def find_features(
    observed: Floats, drawn: Floats, importance: Floats, names: Sequence[str], forests: Sequence[str], judge: Judge
) -> FeatureTests:
    """Judge the shares of features (forests, p) among those of refits (B, forests, p)."""
    z = by_the_others(np.concatenate([observed[None], drawn]))
    top = z.max(axis=1)
    single = [judge(top[0, j], top[1:, j]) for j in range(len(names))]
    highest = top[1:].max(axis=1)
    family = np.array([judge(value, highest)[0] for value in top[0]])
    pvalues = np.array([p for p, _ in single])
    alone = {
        forest: np.array([judge(z[0, f, j], z[1:, f, j])[0] for j in range(len(names))])
        for f, forest in enumerate(forests)
        if len(forests) > 1
    }
    return FeatureTests(
        names=tuple(names),
        importance=importance,
        pvalues=pvalues,
        adjusted_fwer=np.maximum(family, pvalues),  # each extrapolates on its own; an adjusted p is never smaller
        adjusted_fdr=benjamini_hochberg(pvalues),
        extrapolated=np.array([model for _, model in single]),
        forests=alone,
    )


def add_up(shares: Floats, groups: Sequence[Sequence[int]]) -> Floats:
    """Add up the shares (..., p) of the features of each group (..., groups).

    >>> add_up(np.array([0.5, 0.2, 0.3]), [[0, 2], [1]]).tolist()
    [0.8, 0.2]
    """
    return np.stack([shares[..., list(group)].sum(axis=-1) for group in groups], axis=-1)
