"""What an estimator is given: tables are read as in our tests, arrays of numbers as scikit-learn reads them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.validation import validate_data

from kmerf.core.arrays import Floats, Ints, read_only
from kmerf.core.errors import InputError, choose
from kmerf.data.read_sample import read_features
from kmerf.data.reading_rules import Declared
from kmerf.data.sample_values import Features, Response
from kmerf.forests.unsupervised import add_made_up_rows

MOST_CLASSES = 100  # distinct integers that a y may have and still be taken for classes
FEWEST = 2  # rows to fit a forest on
NUMBERS: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}


def read_fitted(estimator: Any, x: Any, categorical: Declared) -> Features:
    """Check the rows to fit on, and let the estimator remember its columns as scikit-learn's do."""
    declared = not isinstance(categorical, tuple | list) or len(categorical) > 0
    if declared or hasattr(x, "columns"):
        validate_data(estimator, x, skip_check_array=True)
    else:
        x = validate_data(estimator, x, ensure_min_samples=FEWEST, **NUMBERS)
    features = read_features(x, categorical=categorical, argument="X")
    if features.n < FEWEST:
        raise InputError(f"has {features.n} sample", argument="X", remedy=f"pass {FEWEST} or more")
    return features


def read_new(estimator: Any, x: Any, like: Features) -> Features:
    """Check new rows, and return them in the columns of the fitted ones."""
    if "categorical" in like.kinds:
        validate_data(estimator, x, reset=False, skip_check_array=True)
        return read_features(x, argument="X", like=like)
    values: Floats = validate_data(estimator, x, reset=False, **NUMBERS)
    return replace(like, values=read_only(values), missing=tuple(np.isnan(values).sum(axis=0).tolist()))


def read_target(y: Any, y_kind: str, n: int) -> Response:
    """Check y: classes if it is text, true or false, or integers with few distinct values; otherwise numbers."""
    choose("y_kind", y_kind, ("auto", "numeric", "categorical"))
    y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    check_consistent_length(y, np.empty(n))
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    is_number = y.dtype.kind in "fiu"
    if y_kind == "numeric" or (y_kind == "auto" and is_number and (y.ndim == 2 or not _are_codes(y))):
        values = np.asarray(y, dtype=np.float64).reshape(n, -1)
        return Response(read_only(values), tuple(f"y{k + 1}" for k in range(values.shape[1])), "numeric", None, ())
    if y.ndim == 2:
        raise InputError(f"has {y.shape[1]} columns of classes", argument="y", remedy="pass one label a row")
    return as_classes(y)


def as_classes(y: Any) -> Response:
    """Return labels as a response."""
    labels, codes = np.unique(y.astype(str) if y.dtype == object else y, return_inverse=True)
    one_hot = np.zeros((codes.size, labels.size))
    one_hot[np.arange(codes.size), codes] = 1.0
    names = tuple(str(label) for label in labels)
    return Response(read_only(one_hot), ("y",), "categorical", read_only(codes.astype(np.int64)), names)


def add_second_class(x: Floats, seed: int) -> tuple[Floats, Response]:
    """Return the rows with as many made-up ones below them, and which is which (`kmerf.forests.unsupervised`)."""
    rows, classes = add_made_up_rows(x, seed)
    return rows, as_classes(classes[:, 1].astype(np.int64))


def as_sklearn_seed(random_state: Any) -> int:
    """Return a seed from what scikit-learn takes for one: a number, a RandomState or None."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def groups_of(y: Response | None, n: int) -> tuple[Ints, tuple[str, ...]]:
    """Return the group of each row and the names of the groups: the classes of y, or one for all rows."""
    if y is None or y.codes is None:
        return np.zeros(n, np.int64), ("all",)
    return y.codes, y.labels


def _are_codes(y: Any) -> bool:
    return y.dtype.kind in "iu" and np.unique(y).size <= MOST_CLASSES
