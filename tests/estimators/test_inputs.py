"""What estimators are given."""

import numpy as np
import pandas as pd
import pytest

from kmerf import InputError, KmerfWarning
from kmerf.estimators.inputs import MOST_CLASSES, add_second_class, as_sklearn_seed, groups_of, read_target

CODES = np.arange(150) % 3
NUMBERS = np.random.default_rng(0).normal(size=(150, 2))


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (CODES, "categorical"),
        (CODES == 1, "categorical"),
        (np.array(list("abc"))[CODES], "categorical"),
        (pd.Series(pd.Categorical.from_codes(CODES, list("abc"))), "categorical"),
        (CODES[:, None], "categorical"),
        (CODES.astype(float), "numeric"),
        (NUMBERS, "numeric"),
        (NUMBERS[:, [0]], "numeric"),
        (np.arange(150), "numeric"),
        (np.column_stack([CODES, CODES]), "numeric"),
    ],
)
def test_y_is_classes_or_numbers(y, kind):
    target, classes = read_target(y, "auto", 150)
    assert target.kind == kind
    assert (classes is None) == (kind == "numeric")
    assert target.values.shape[0] == 150
    if kind == "categorical":
        np.testing.assert_array_equal(target.values.argmax(axis=1), target.codes)


def test_y_may_be_declared():
    assert read_target(CODES, "numeric", 150).response.values[:, 0].tolist() == CODES.tolist()
    assert read_target(CODES, "auto", 150, as_numbers=True).response.kind == "numeric"
    assert read_target(CODES.astype(float), "categorical", 150).response.labels == ("0.0", "1.0", "2.0")
    many = np.arange(2 * MOST_CLASSES + 2) // 2
    assert read_target(many, "auto", many.size).response.kind == "numeric"
    with pytest.warns(KmerfWarning, match="y holds 100 distinct integers, which are read as classes; pass y_kind='num"):
        assert read_target(many[2:], "auto", many.size - 2).response.kind == "categorical"


def test_columns_of_y_count_alike_whatever_their_units():
    for y in (NUMBERS, NUMBERS * [1000.0, 0.1]):
        np.testing.assert_allclose(read_target(y, "auto", 150).response.values.std(axis=0), 1.0)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.where(CODES == 1, None, "a"), "y is missing in 50 rows: leave them out"),
        (np.datetime64("2020-01-01") + CODES, "y holds dates or durations: convert them to numbers"),
        (np.where(CODES == 1, 1, np.array("a", object)), "y mixes labels of types int, str: make all text"),
        (np.array([["a", "b"]] * 150), "y has 2 columns of classes: pass one label per row"),
    ],
)
def test_y_that_is_refused(y, message):
    with pytest.raises(InputError, match=message):
        read_target(y, "auto", 150)


def test_numbers_among_objects_are_numbers():
    assert read_target(NUMBERS[:, 0].astype(object), "auto", 150).response.kind == "numeric"


def test_y_must_be_as_long_as_x_and_known():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        read_target(CODES, "auto", 149)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        read_target(np.where(CODES == 1, np.nan, CODES), "auto", 150)


def test_made_up_rows_keep_each_column_and_nothing_else():
    x = NUMBERS.copy()
    x[3, 1] = np.nan
    rows, target = add_second_class(x, 5)
    np.testing.assert_array_equal(rows[:150], x)
    np.testing.assert_array_equal(np.sort(rows[150:], axis=0), np.sort(x, axis=0))
    assert target.codes.tolist() == [0] * 150 + [1] * 150
    a, b = (np.argsort(rows[150:, j]) for j in (0, 1))
    assert not np.array_equal(a, np.argsort(x[:, 0]))
    assert not np.array_equal(a, b)
    np.testing.assert_array_equal(rows, add_second_class(x, 5)[0])


def test_seeds_and_groups():
    assert as_sklearn_seed(3) == as_sklearn_seed(np.random.RandomState(3))
    assert as_sklearn_seed(3) != as_sklearn_seed(4)
    assert groups_of(None, 2)[1] == groups_of(read_target(NUMBERS, "auto", 150), 150)[1] == ["all"]
    group, names = groups_of(read_target(CODES, "auto", 150), 150)
    assert names == [0, 1, 2]
    np.testing.assert_array_equal(group, CODES)
