"""Plug-in forests: an unfitted scikit-learn-style forest, with `fit` and `apply`, in the place of the native one.

Only this module and the room `estimators` know scikit-learn. A forest that keeps its trees' rows
(`estimators_samples_`) gives all three proximities; any other only `all`. A forest whose `fit` needs no y never saw
it, and is fitted once. Fits do not share a process: to refit on several cores, use `backend="loky"`.
"""

from __future__ import annotations

import inspect
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, Call, InputError, Message
from kmerf.core.streams import sklearn_state
from kmerf.forests.growing import Forest, KeptForest, Leaves
from kmerf.forests.spec import ForestSpec

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Response
    from kmerf.engine.workspace import Columns
    from kmerf.forests.growing import Target

# While it fits, scikit-learn swaps the filters of warnings, which all threads share: one at a time.
_FITTING = threading.Lock()


def check(forest: Any) -> None:
    """Raise unless the object can serve as a forest."""
    if isinstance(forest, type):
        remedy = f"pass an instance, {forest.__name__}()"
        raise InputError("is a class", argument=Argument("forest", forest), remedy=remedy)
    missing = [name for name in ("fit", "apply", "get_params", "set_params") if not hasattr(forest, name)]
    if missing:
        remedy = "pass a kmerf.ForestSpec, or an unfitted scikit-learn forest such as RandomForestRegressor()"
        raise InputError(f"has no {missing[0]!r}", argument=Argument("forest", forest), remedy=remedy)


def is_supervised(forest: Any) -> bool:
    """Return whether fitting uses y: yes, unless `fit` can do without and the tags of the forest say that it does.

    A forest that is not supervised is fitted without y, so that it cannot have seen it.
    """
    from sklearn.utils import get_tags

    takes = inspect.signature(forest.fit).parameters
    if "y" not in takes or takes["y"].default is inspect.Parameter.empty:
        return len(takes) > 1
    try:
        return bool(get_tags(forest).target_tags.required)
    except (AttributeError, TypeError, ValueError):
        return True


@dataclass(frozen=True, eq=False)
class PluginSpec:
    """An unfitted scikit-learn forest in the place of a `ForestSpec`."""

    estimator: Any
    native: ClassVar[bool] = False
    combinations: ClassVar[int] = 0

    @property
    def sees_y(self) -> bool:
        """Whether fitting uses y."""
        return is_supervised(self.estimator)

    @property
    def min_samples_leaf(self) -> Any:
        """Of its trees, where it says so."""
        return getattr(self.estimator, "min_samples_leaf", 1)

    @property
    def max_depth(self) -> Any:
        """Of its trees, where it says so."""
        return getattr(self.estimator, "max_depth", None)


def as_spec(forest: Any) -> ForestSpec | PluginSpec:
    """Return how to grow a forest, of kmerf or of scikit-learn."""
    return forest if isinstance(forest, ForestSpec) else PluginSpec(forest)


def make_forest(
    spec: ForestSpec | PluginSpec, columns: Columns, target: Target, y: Response, order: Ints, seed: int, refit: int = 0
) -> Forest | Plugin:
    """Return the forest of the target (n, q), or of y if it is scikit-learn's, with its rows in `order`."""
    if isinstance(spec, ForestSpec):
        return Forest(spec, columns, target[order], y.codes is not None, seed, refit)
    return Plugin(spec.estimator, columns, y.take(order), seed, refit)


@dataclass(frozen=True, eq=False)
class Plugin:
    """A scikit-learn forest yet to be fitted, seeded by (seed, refit)."""

    estimator: Any
    columns: Columns
    y: Response
    seed: int
    refit: int = 0

    def leaves(self, n_jobs: int = 1) -> Leaves:
        """Fit a copy, and return where it puts the rows it was fitted on."""
        return self.fit(n_jobs)[0]

    def keep(self, leaves: Leaves) -> KeptForest:
        """Return what is left of it."""
        return KeptForest(self.columns, self.seed, leaves)

    def fit(self, n_jobs: int = 1) -> tuple[Leaves, PluginRouter]:
        """Fit a copy; return its leaves, and what sends other rows through it."""
        x = self.columns.x
        copy = _fitted(self.estimator, x, self.y, sklearn_state(self.seed, self.refit), n_jobs)
        nodes = _nodes(copy, x)
        codes = np.empty(nodes.T.shape, np.int32)
        numbers = []
        for t, column in enumerate(nodes.T):
            leaves, codes[t] = np.unique(column, return_inverse=True)
            numbers.append(leaves)
        n_leaves = np.array([leaves.size for leaves in numbers], np.int32)
        gains = _gains(copy) if is_supervised(copy) else None
        return Leaves(codes, _counts(copy, codes.shape), n_leaves, gains), PluginRouter(copy, tuple(numbers))


@dataclass(frozen=True, eq=False)
class PluginRouter:
    """Sends rows through a fitted scikit-learn forest."""

    fitted: Any
    leaves: tuple[NDArray[Any], ...]
    """The numbers that the forest gives to the leaves of each tree, sorted; ours are their places."""

    def route(self, x: Floats) -> NDArray[np.int32]:
        """Return the leaf (m, n) of each row of x in each tree; -1 where no row that it was fitted on is."""
        nodes = _nodes(self.fitted, x)
        codes = np.empty(nodes.T.shape, np.int32)
        for t, (column, known) in enumerate(zip(nodes.T, self.leaves, strict=True)):
            place = np.minimum(np.searchsorted(known, column), known.size - 1)
            codes[t] = np.where(known[place] == column, place, -1)
        return codes


def _fitted(forest: Any, x: Floats, y: Response, state: int, n_jobs: int) -> Any:
    from sklearn.base import clone, is_classifier

    copy = clone(forest)
    given = copy.get_params(deep=False)
    fixed = {"random_state": state, "n_jobs": n_jobs}
    copy.set_params(**{name: value for name, value in fixed.items() if name in given})
    if is_classifier(copy) and y.codes is None:
        remedy = Message("use a regressor, or ", Argument("y_kind", "categorical"))
        argument = Argument("forest", Call(type(copy).__name__))
        raise InputError("is a classifier and y is numeric", argument=argument, remedy=remedy)
    target = y.codes if is_classifier(copy) else y.values[:, 0] if y.q == 1 else y.values
    try:
        with _FITTING:
            copy.fit(x, target) if is_supervised(copy) else copy.fit(x)
    except ValueError as error:
        finding = f"cannot be fitted to these data: {error}"
        raise InputError(finding, argument=Argument("forest", forest)) from error
    return copy


def _nodes(fitted: Any, x: Floats) -> NDArray[Any]:
    nodes = np.asarray(fitted.apply(x))
    if nodes.ndim != 2 or nodes.shape[0] != x.shape[0]:
        finding = (
            f": `apply` gave an array of shape {nodes.shape}, and a forest has one leaf for each row and tree, which "
            "single trees and boosted classifiers do not have"
        )
        raise InputError(finding, argument="forest", remedy="pass a random forest")
    return nodes


def _counts(fitted: Any, shape: tuple[int, ...]) -> NDArray[np.int32] | None:
    drawn = getattr(fitted, "estimators_samples_", None)
    if drawn is None or getattr(fitted, "bootstrap", True) is False:
        return None
    counts = np.stack([np.bincount(rows, minlength=shape[1]) for rows in drawn]).astype(np.int32)
    return counts if counts.shape == shape else None


def _gains(fitted: Any) -> Floats | None:
    trees = getattr(fitted, "estimators_", None)
    if trees is None or not all(hasattr(tree, "feature_importances_") for tree in np.ravel(trees)):
        return None
    return np.stack([tree.feature_importances_ for tree in np.ravel(trees)])
