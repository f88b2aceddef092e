"""The forest behind a statistic, to be looked into after the test: what it predicts, which rows and features it used.

Its leaves are kept while they are few; otherwise it is grown again, from the same random numbers, bit for bit the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kmerf.forests.predictions import Predictions

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.engine.grow import Columns, Trees
    from kmerf.forests.growing import Recipe
    from kmerf.forests.leaf_codes import Leaves
    from kmerf.forests.response_kernels import ResponseKernel

Value = TypeVar("Value")

CELLS = 2**20  # rows times trees that are looked into at a time


@dataclass(frozen=True, eq=False)
class FittedForest:
    """A forest of the observed data, and the kernels that it was part of."""

    columns: Columns
    seed: int
    proximity: str
    response: ResponseKernel | None
    """The kernel of y that the proximity was correlated with; None where that is another forest's."""
    recipe: Recipe | None = None
    """How to grow it again; None for a plug-in forest, whose leaves are kept."""
    kept: Leaves | None = None
    predicted: Predictions | None = None
    """What it predicts out of bag for y, where that is known already."""

    def predictions(self, y: Floats) -> Predictions:
        """Return what the forest predicts out of bag for y (n, q)."""
        if self.predicted is not None:
            return self.predicted
        predictions = Predictions(y)
        self.each(predictions.add)
        return predictions

    def leaves(self, n_jobs: int = 1) -> Leaves:
        """Return where the forest puts each row."""
        if self.kept is not None:
            return self.kept
        assert self.recipe is not None
        return self.recipe.leaves(n_jobs)

    def each(self, function: Callable[[Leaves], Value], n_jobs: int = 1) -> list[Value]:
        """Return what a function makes of the leaves of some trees at a time, in the order of the trees."""
        if self.kept is None:
            assert self.recipe is not None
            return self.recipe.each(function, n_jobs)
        size = max(1, CELLS // self.kept.n)
        starts = range(0, self.kept.n_trees, size)
        return [function(self.kept.part(slice(start, start + size))) for start in starts]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        if self.kept is not None:
            return self.kept.n_trees
        assert self.recipe is not None
        return self.recipe.n_trees

    def look(self, function: Callable[[slice, Leaves, Trees], Value], n_jobs: int = 1) -> list[Value] | None:
        """Return what a function makes of some trees at a time: their numbers, their leaves, and the trees themselves.

        None for a plug-in forest.
        """
        return None if self.recipe is None else self.recipe.look(function, n_jobs)

    def trees(self, n_jobs: int = 1) -> Trees | None:
        """Return the trees themselves, to send other rows through; None for a plug-in forest."""
        return None if self.recipe is None else self.recipe.trees(n_jobs)
