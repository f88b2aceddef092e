"""How much each feature did for the forest: the share of the impurity decrease that its splits brought.

In each tree the shares add up to one (a tree without a split gives zeros); the importance of a feature is the mean of
its shares over trees, and what one-hot columns of a category earned is added up. The spread that goes with it is
that of single trees, which differ in rows and choices; it is not a confidence interval for the importance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kmerf.core.arrays import Floats
from kmerf.forests.gains import gain_shares


@dataclass(frozen=True, eq=False)
class Importances:
    """Feature importances of one forest, in the order of the features."""

    names: tuple[str, ...]
    mean: Floats
    low: Floats
    """2.5th percentile over trees."""
    high: Floats
    """97.5th percentile over trees."""

    @property
    def scaled(self) -> Floats:
        """The means stretched to run from 0 to 1, as in the paper's Figure 3; all zero if they are equal."""
        span = np.ptp(self.mean)
        scaled: Floats = (self.mean - self.mean.min()) / span if span > 0 else np.zeros_like(self.mean)
        return scaled

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names from the most to the least important."""
        return tuple(self.names[i] for i in np.argsort(-self.mean, kind="stable"))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {"names": list(self.names)} | {
            key: getattr(self, key).tolist() for key in ("mean", "low", "high", "scaled")
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Importances:
        """Rebuild what `to_dict` gave."""
        mean, low, high = (np.array(data[key], dtype=np.float64) for key in ("mean", "low", "high"))
        return cls(tuple(data["names"]), mean, low, high)


def summarise(gains: Floats, names: tuple[str, ...]) -> Importances:
    """Turn the gains of each feature in each tree (m, p) into importances.

    >>> summarise(np.array([[2.0, 2.0], [1.0, 3.0]]), ("colour", "size")).mean
    array([0.375, 0.625])
    """
    return over_trees(gain_shares(gains), names)


def over_trees(values: Floats, names: tuple[str, ...]) -> Importances:
    """Return the mean of what each feature did in each tree (m, p), and its spread over trees."""
    low, high = np.percentile(values, [2.5, 97.5], axis=0)
    return Importances(names, values.mean(axis=0), low, high)
