"""What a screen adds to p-values: how strong each relation is, which way it goes, and what it looks like."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

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
