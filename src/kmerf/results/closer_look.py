"""What `details=True` adds to a result: a closer look at the observed forests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.results.parts import Importances
from kmerf.results.views import DataPoints, Profile, RowMap, SurvivalCurves

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats


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
