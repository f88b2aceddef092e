"""A closer look at the observed forest: what shuffling a feature costs it, which rows drive it, how y moves with x."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kmerf.core.arrays import Floats
from kmerf.data.sample import Sample
from kmerf.explain import row_shares as rows
from kmerf.explain.importances import Importances
from kmerf.explain.profiles import Profile, profile
from kmerf.explain.row_map import Embedding, embed
from kmerf.forests import out_of_bag as oob
from kmerf.forests.fitted import Grown

PROFILED = 6  # features, the most important ones


@dataclass(frozen=True, eq=False)
class Details:
    """What `details=True` adds to a result."""

    importances: Importances | None
    """Out-of-bag permutation importances: the share of y's variance that a tree loses when the feature is shuffled."""
    rows: Floats | None
    """The share of each row in the kernel correlation, to which they add up, in the order of the rows that were used;
    with several forests, the mean over those whose kernel of y can be taken apart."""
    profiles: tuple[Profile, ...]
    """How y moves with each of the most important features."""
    embedding: Embedding | None = None
    """A map of the rows, or of 500 of them, by how alike the forests find them."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {
            "importances": None if self.importances is None else self.importances.to_dict(),
            "rows": None if self.rows is None else self.rows.tolist(),
            "profiles": [each.to_dict() for each in self.profiles],
            "embedding": None if self.embedding is None else self.embedding.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Details:
        """Rebuild what `to_dict` gave."""
        importances, scores, points = data["importances"], data["rows"], data.get("embedding")
        return cls(
            None if importances is None else Importances.from_dict(importances),
            None if scores is None else np.array(scores, dtype=np.float64),
            tuple(Profile.from_dict(each) for each in data["profiles"]),
            None if points is None else Embedding.from_dict(points),
        )


def look_into(
    forests: Sequence[Grown],
    sample: Sample,
    predicted: Floats | None,
    top: Sequence[int],
    seed: int,
    n_jobs: int,
) -> Details:
    """Return the details of the forests, with profiles of the features in `top`."""
    scores = [found for forest in forests if (found := rows.row_scores(forest, n_jobs)) is not None]
    return Details(
        oob.permutation_importances(forests, sample.x, sample.y, seed, n_jobs),
        np.mean(scores, axis=0) if scores else None,
        () if predicted is None else tuple(profile(sample.x, sample.y, predicted, j) for j in top),
        embed(forests, sample.y, seed, n_jobs),
    )
