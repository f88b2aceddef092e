"""Views of the data that a forest gives: how y moves with a feature, and a map of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Profile:
    """Means of y along one feature, bin by bin."""

    feature: str
    labels: tuple[str, ...]
    """Of the bins: categories, or "missing"; empty for a bin of numbers."""
    at: Floats
    """Median of the feature in each bin; NaN for categories and missing values."""
    size: Ints
    """Rows of each bin."""
    observed: Floats
    """Mean of y, or share of each class (bins, q)."""
    predicted: Floats
    """Mean out-of-bag prediction (bins, q)."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {
            "feature": self.feature,
            "labels": list(self.labels),
            "at": [None if np.isnan(value) else float(value) for value in self.at],
            "size": self.size.tolist(),
            "observed": self.observed.tolist(),
            "predicted": [[None if np.isnan(v) else float(v) for v in line] for line in self.predicted],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Profile:
        """Rebuild what `to_dict` gave."""
        at, observed, predicted = (np.array(data[key], dtype=np.float64) for key in ("at", "observed", "predicted"))
        size = np.array(data["size"], dtype=np.int64)
        return cls(data["feature"], tuple(data["labels"]), at, size, observed, predicted)


@dataclass(frozen=True, eq=False)
class RowMap:
    """A map of the rows."""

    rows: Ints
    """Which rows are on it, counted from 0 among those used."""
    points: Floats
    """Where they are (rows, 2), the largest coordinate 1."""
    shares: tuple[float, float]
    """What each of the two directions has of the whole, the sum of the positive eigenvalues."""
    y: Floats
    """What to colour them by: y, or its first column; for classes, the number of the class."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        arrays = {name: getattr(self, name).tolist() for name in ("rows", "points", "y")}
        return arrays | {"shares": list(self.shares)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RowMap:
        """Rebuild what `to_dict` gave."""
        points, y = (np.array(data[key], dtype=np.float64) for key in ("points", "y"))
        first, second = data["shares"]
        return cls(np.array(data["rows"], dtype=np.int64), points, (first, second), y)
