"""What an estimator is given: tables are read as in our tests, arrays of numbers as scikit-learn reads them."""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.validation import validate_data

from kmerf.core.arrays import Floats, Ints, read_only
from kmerf.core.errors import Argument, InputError, Message, choose, warn
from kmerf.data.sample import Features, Response
from kmerf.forests.growing import add_made_up_rows
from kmerf.reading.containers import is_missing
from kmerf.reading.named_columns import Declared
from kmerf.reading.samples import read_features, read_like

MOST_CLASSES = 100  # distinct integers that a y may have and still be taken for classes
MANY_CLASSES = 20  # of integers, beyond which it is said that they are taken for classes
FEWEST = 2  # rows to fit a forest on
NUMBERS: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}


def read_fitted(estimator: Any, x: Any, categorical: Declared) -> Features:
    """Check the rows to fit on, and let the estimator remember its columns as scikit-learn's do."""
    declared = not isinstance(categorical, tuple | list) or len(categorical) > 0
    table = hasattr(x, "columns")
    if table or declared:
        features = read_features(x, categorical=categorical, argument="X", text_is_categories=table)
        validate_data(estimator, x, skip_check_array=True)
    else:
        remedy = Message("pass ", Argument("categorical"), " with the positions of columns that hold categories")
        values = _numbers(estimator, x, remedy, ensure_min_samples=FEWEST)
        features = read_features(values, argument="X")
    if features.n < FEWEST:
        raise InputError(f"has {features.n} sample", argument="X", remedy=f"pass {FEWEST} or more")
    return features


def read_new(estimator: Any, x: Any, like: Features, unknown: str) -> Features:
    """Check new rows, and return them in the columns of the fitted ones; those of an array are taken in their order."""
    if "categorical" in like.kinds:
        validate_data(estimator, x, reset=False, skip_check_array=True)
        if not hasattr(x, "columns"):
            x = dict(zip(like.names, np.asarray(x, dtype=object).T, strict=True))
        return read_like(x, like, argument="X", unknown=unknown)
    values = _numbers(estimator, x, Message("the fitted rows have numbers alone"), reset=False)
    return replace(like, values=read_only(values), missing=tuple(np.isnan(values).sum(axis=0).tolist()))


def _numbers(estimator: Any, x: Any, remedy: Message, **checks: Any) -> Floats:
    """Return rows of numbers, as scikit-learn checks them."""
    types = getattr(x, "dtypes", [getattr(x, "dtype", None)])  # of columns, or of the whole
    if any(getattr(dtype, "kind", None) in ("m", "M") for dtype in types):
        raise InputError("holds dates or durations", argument="X", remedy="convert them to numbers")
    try:
        values: Floats = validate_data(estimator, x, **checks, **NUMBERS)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        text = str(error).partition("'")[2].rpartition("'")[0]
        raise InputError(f"holds text, {text!r}", argument="X", remedy=remedy) from None
    return values


class Target(NamedTuple):
    """A response, and the labels of its classes as they were given; None where it has no classes."""

    response: Response
    classes: NDArray[Any] | None


def read_target(y: Any, y_kind: str, n: int, *, as_numbers: bool = False) -> Target:
    """Check y: classes if it is text, true or false, or integers with few distinct values; otherwise numbers.

    With `as_numbers`, as a regressor wants them, integers are numbers too.
    """
    choose("y_kind", y_kind, ("auto", "numeric", "categorical"))
    y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    check_consistent_length(y, np.empty(n))
    y = _entries(y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y)
    codes = y.dtype.kind in "iu" and y.ndim == 1 and not as_numbers and np.unique(y).size <= MOST_CLASSES
    if y_kind == "numeric" or (y_kind == "auto" and y.dtype.kind in "fiu" and not codes):
        values = np.asarray(y, dtype=np.float64).reshape(n, -1)
        if values.shape[1] > 1:  # so that no column counts for more because of its unit
            spread = values.std(axis=0)
            values = values / np.where(spread > 0.0, spread, 1.0)
        names = tuple(f"y{k + 1}" for k in range(values.shape[1]))
        return Target(Response(read_only(values), names, "numeric", None, ()), None)
    if y.ndim == 2:
        raise InputError(f"has {y.shape[1]} columns of classes", argument="y", remedy="pass one label per row")
    found = as_classes(y)
    if codes and y_kind == "auto" and len(found.response.labels) > MANY_CLASSES:
        said = f"y holds {len(found.response.labels)} distinct integers, which are read as classes; pass "
        warn(Message(said, Argument("y_kind", "numeric"), " if they are numbers."))
    return found


def _entries(y: NDArray[Any]) -> NDArray[Any]:
    """Refuse what is neither a number nor a label; numbers among objects become numbers."""
    if y.dtype.kind in "mM":
        raise InputError("holds dates or durations", argument="y", remedy="convert them to numbers")
    if y.dtype != object:
        return y
    missing = sum(is_missing(entry) for entry in y.flat)
    if missing:
        raise InputError(f"is missing in {missing} rows", argument="y", remedy="leave them out")
    if all(isinstance(entry, numbers.Real) and not isinstance(entry, bool | np.bool_) for entry in y.flat):
        return y.astype(np.float64)
    return y


def as_classes(y: NDArray[Any]) -> Target:
    """Return labels as a response."""
    try:
        labels, codes = np.unique(y, return_inverse=True)
    except TypeError:
        kinds = sorted({type(entry).__name__ for entry in y})
        raise InputError(f"mixes labels of types {', '.join(kinds)}", argument="y", remedy="make all text") from None
    one_hot = np.zeros((codes.size, labels.size))
    one_hot[np.arange(codes.size), codes] = 1.0
    names = tuple(str(label) for label in labels)
    response = Response(read_only(one_hot), ("y",), "categorical", read_only(codes.astype(np.int64)), names)
    return Target(response, labels)


def add_second_class(x: Floats, seed: int) -> tuple[Floats, Response]:
    """Return the rows with as many made-up ones below them, and which is which (`kmerf.forests.growing`)."""
    rows, classes = add_made_up_rows(x, seed)
    return rows, as_classes(classes[:, 1].astype(np.int64)).response


def as_sklearn_seed(random_state: Any) -> int:
    """Return a seed from what scikit-learn takes for one: a number, a RandomState or None."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def groups_of(target: Target | None, n: int) -> tuple[Ints, list[Any]]:
    """Return the group of each row and the labels of the groups: the classes of y, or one for all rows."""
    if target is None or target.classes is None or target.response.codes is None:
        return np.zeros(n, np.int64), ["all"]
    return target.response.codes, target.classes.tolist()
