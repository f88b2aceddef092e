"""Views of the data: how y moves with a feature, a map of the rows, and some of the rows themselves.

What `details=True` adds to a result: a closer look at the observed forests.

What a screen adds to p-values: how strong each relation is, which way it goes, and what it looks like.

How a table is read: every column with its role, its kind and what to know of it, and what must be decided first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.results.parts import Importances

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


@dataclass(frozen=True, eq=False)
class Details:
    """What `details=True` adds to a result."""

    importances: Importances | None
    """What is lost when a feature is shuffled, also where the importances of the result are gains."""
    rows: Floats | None
    """The share of each row in the kernel correlation, to which they add up, in the order of the rows that were used;
    with several forests, the mean over those whose kernel of y can be taken apart."""
    profiles: tuple[Profile, ...]
    """How y moves with each of the most important features."""
    embedding: RowMap | None = None
    """A map of the rows, or of 500 of them, by how alike the forests find them."""
    points: DataPoints | None = None
    """The most important features and y in some 500 rows, for pictures."""
    survival: SurvivalCurves | None = None
    """Of a censored outcome, Kaplan-Meier curves by the most important feature."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {
            "importances": None if self.importances is None else self.importances.to_dict(),
            "rows": None if self.rows is None else self.rows.tolist(),
            "profiles": [each.to_dict() for each in self.profiles],
            "embedding": None if self.embedding is None else self.embedding.to_dict(),
            "points": None if self.points is None else self.points.to_dict(),
            "survival": None if self.survival is None else self.survival.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Details:
        """Rebuild what `to_dict` gave."""
        importances, scores = data["importances"], data["rows"]
        embedding, points, survival = data.get("embedding"), data.get("points"), data.get("survival")
        return cls(
            None if importances is None else Importances.from_dict(importances),
            None if scores is None else np.array(scores, dtype=np.float64),
            tuple(Profile.from_dict(each) for each in data["profiles"]),
            None if embedding is None else RowMap.from_dict(embedding),
            None if points is None else DataPoints.from_dict(points),
            None if survival is None else SurvivalCurves.from_dict(survival),
        )


Sketch = tuple[tuple[float, ...], ...]
"""Points (x, mean of y) along a column; for classes, (lower quartile, median, upper quartile) of the column in each."""


@dataclass(frozen=True, eq=False)
class ColumnEffects:
    """How strong the relation of y with each column of a screen is, and which way it goes."""

    sizes: Floats
    """Share of the variance of ranks that the other side explains, adjusted for chance; 0 is none, 1 is all of it."""
    directions: tuple[str, ...]
    """"rises", "falls", "neither" or "highest in ...": y along the column, or the column among classes. Of a censored y
    "sooner", "later", "neither" or "soonest in ...": when events come as the column rises."""
    sketches: dict[str, Sketch] = field(default_factory=dict)
    """Small pictures of the columns selected, by name."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; None stands for NaN."""
        return {
            "sizes": [None if size != size else size for size in self.sizes.tolist()],
            "directions": list(self.directions),
            "sketches": {name: [list(point) for point in sketch] for name, sketch in self.sketches.items()},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ColumnEffects:
        """Rebuild what `to_dict` gave."""
        sketches = {name: tuple(tuple(point) for point in sketch) for name, sketch in data["sketches"].items()}
        return cls(np.array(data["sizes"], dtype=np.float64), tuple(data["directions"]), sketches)


@dataclass(frozen=True)
class DescribedColumn:
    """One column of a table."""

    name: str
    role: str
    """"x", "y" or "left out"."""
    kind: str
    """"numeric", "boolean", "categorical", "text", "date" or "other"."""
    missing: int
    distinct: int | None
    """Different values, missing ones apart; None where they cannot be compared."""
    remark: str


@dataclass(frozen=True)
class Description:
    """What `kmerf.describe` returns; it prints as a table."""

    rows: int
    columns: tuple[DescribedColumn, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What has to be decided before the table can be tested, each with its remedy."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        columns = [vars(column) for column in self.columns]
        return {"rows": self.rows, "columns": columns, "notes": list(self.notes), "problems": list(self.problems)}

    def __str__(self) -> str:
        from kmerf.show.text import description_lines

        return "\n".join(description_lines(self))
