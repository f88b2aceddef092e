"""Views of the data: how y moves with a feature, a map of the rows, and some of the rows themselves."""

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
    error: Floats | None = None
    """Standard error of the bin's mean (bins, q), from what the predictions miss by; NaN in a bin of one row."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {
            "feature": self.feature,
            "labels": list(self.labels),
            "at": [None if np.isnan(value) else float(value) for value in self.at],
            "size": self.size.tolist(),
            "observed": self.observed.tolist(),
            "predicted": _with_gaps(self.predicted),
            "error": None if self.error is None else _with_gaps(self.error),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Profile:
        """Rebuild what `to_dict` gave."""
        at, observed, predicted = (np.array(data[key], dtype=np.float64) for key in ("at", "observed", "predicted"))
        size = np.array(data["size"], dtype=np.int64)
        error = None if data.get("error") is None else np.array(data["error"], dtype=np.float64)
        return cls(data["feature"], tuple(data["labels"]), at, size, observed, predicted, error)


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


@dataclass(frozen=True, eq=False)
class DataPoints:
    """Some of the rows as they are: the most important features, and y."""

    rows: Ints
    """Which rows, counted from 0 among those used."""
    features: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    """The categories of each feature; empty for numbers."""
    x: Floats
    """Values (rows, features), of categories their number; NaN where one is missing."""
    y_names: tuple[str, ...]
    """The columns of y."""
    y: Floats
    """Y, or its first column; for classes, the number of the class."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {
            "rows": self.rows.tolist(),
            "features": list(self.features),
            "levels": [list(each) for each in self.levels],
            "x": _with_gaps(self.x),
            "y_names": list(self.y_names),
            "y": self.y.tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> DataPoints:
        """Rebuild what `to_dict` gave."""
        features = tuple(data["features"])
        x = np.array(data["x"], dtype=np.float64).reshape(len(data["rows"]), len(features))
        levels = tuple(tuple(each) for each in data["levels"])
        y = np.array(data["y"], dtype=np.float64)
        return cls(np.array(data["rows"], dtype=np.int64), features, levels, x, tuple(data["y_names"]), y)


@dataclass(frozen=True, eq=False)
class SurvivalCurve:
    """The Kaplan-Meier estimate for some of the rows."""

    label: str
    size: int
    events: int
    times: Floats
    surviving: Floats
    """The share without an event just after each time."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return vars(self) | {"times": self.times.tolist(), "surviving": self.surviving.tolist()}


@dataclass(frozen=True, eq=False)
class SurvivalCurves:
    """How long rows last without an event, by one column of x."""

    feature: str
    time: str
    """The column that holds the times."""
    curves: tuple[SurvivalCurve, ...]
    event: str = ""
    """The column that holds the events."""
    left_out: int = 0
    """Categories that have no curve, those with fewest rows."""
    soonest: str = ""
    """The curve whose rows have events clearly sooner than the others; empty where none has."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return vars(self) | {"curves": [curve.to_dict() for curve in self.curves]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SurvivalCurves:
        """Rebuild what `to_dict` gave."""
        arrays = ("times", "surviving")
        curves = [
            SurvivalCurve(**(each | {name: np.array(each[name], dtype=np.float64) for name in arrays}))
            for each in data["curves"]
        ]
        return cls(**(data | {"curves": tuple(curves)}))


def _with_gaps(values: Floats) -> list[list[float | None]]:
    """Return a table as lists; None stands for NaN."""
    return [[None if np.isnan(value) else float(value) for value in line] for line in values]
