"""The arguments of scikit-learn's forests, for kmerf's own engine.

Shares are read as scikit-learn does: `max_features=f` tries int(f p) columns, and `min_samples_leaf=f` leaves at least
f n rows in a leaf, rounded up.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

from kmerf.core.errors import Argument, InputError, choose, did_you_mean
from kmerf.forests.spec import ForestSpec

__all__ = ["check_arguments", "translate_forest"]

TRANSLATED = {"max_depth", "min_samples_leaf", "max_features", "bootstrap", "max_samples"}
ELSEWHERE = {"n_jobs", "random_state", "is_ksamp"}  # said when a test is run, or hyppo's own


def check_arguments(kind: str, options: dict[str, Any]) -> None:
    """Refuse arguments that scikit-learn's forest does not have."""
    forest = _sklearn_forest(kind)
    names = sorted({*forest().get_params(), "is_ksamp"} - {"n_estimators"})
    for name in options:
        if name == "n_estimators":
            raise InputError("is called ntrees here", argument=name, remedy="pass ntrees")
        if name not in names:
            finding = f"is not an argument of {forest.__name__}{did_you_mean(name, names)}"
            shown = ", ".join(repr(each) for each in names if each != "is_ksamp")
            raise InputError(finding, argument=name, remedy=f"Options: {shown}")


def translate_forest(kind: str, n_trees: int, options: dict[str, Any], n: int, p: int) -> Any:
    """Return kmerf's own forest with the settings of scikit-learn's, or that one where ours lacks a setting.

    `n` and `p` are the numbers of rows and of columns.

    >>> translate_forest("regressor", 100, {"max_features": 0.5}, n=50, p=7).max_features
    3
    """
    options = {name: value for name, value in options.items() if name not in ELSEWHERE}
    if not set(options) <= TRANSLATED:
        return _sklearn_forest(kind)(n_estimators=n_trees, **options)
    rows = options.get("max_samples")
    return ForestSpec(
        n_trees,
        max_features=_tried(options.get("max_features", 1.0 if kind == "regressor" else "sqrt"), p),
        min_samples_leaf=_leaf(options.get("min_samples_leaf", 1), n),
        max_depth=options.get("max_depth"),
        bootstrap=options.get("bootstrap", True),
        max_samples=1.0 if rows is None else rows,
    )


def _tried(value: Any, p: int) -> Any:
    """Return how many of p columns are tried at each split; what is no share or name is left to be checked."""
    if value is None:
        return "all"
    if isinstance(value, str):
        choose("max_features", value, ("log2", "sqrt"))
        return value if value == "sqrt" else max(1, int(math.log2(p)))
    return max(1, int(value * p)) if _is_share(value) and 0.0 < value <= 1.0 else value


def _leaf(value: Any, n: int) -> Any:
    if not _is_share(value):
        return value
    if not 0.0 < value < 1.0:
        finding = "must be a whole number of at least 1, or a share of the rows between 0 and 1"
        raise InputError(finding, argument=Argument("min_samples_leaf", value))
    return math.ceil(value * n)


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral)


def _sklearn_forest(kind: str) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    return RandomForestRegressor if kind == "regressor" else RandomForestClassifier
