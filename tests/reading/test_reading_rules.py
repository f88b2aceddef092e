"""What the user declares: names, positions and codes of missing values."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.containers import read
from kmerf.reading.named_columns import declared_names, read_marks, several

COLUMNS = read("x", {"a": [1, 2], "b": [3, 4], "1": [5, 6]})


@pytest.mark.parametrize(
    ("declared", "names"),
    [((), set()), ("a", {"a"}), (0, {"a"}), ([0, "b"], {"a", "b"}), (np.int64(2), {"1"}), (1, {"1"})],
)
def test_names_and_positions(declared, names):
    assert declared_names(declared, COLUMNS) == names


def test_true_is_no_position():
    with pytest.raises(InputError, match=r"keep: there is no column True"):
        declared_names([True], COLUMNS, argument="keep")


def test_columns_of_y_go_by_name_only():
    y = read("y", {"arm": ["u", "v"]})
    assert declared_names(["arm"], COLUMNS, y) == {"arm"}
    with pytest.raises(InputError, match="there is no column 3"):
        declared_names([3], COLUMNS, y)


def test_codes_of_missing_values():
    assert read_marks(()) == {}
    assert read_marks([999, "?"]) == {"": [999, "?"]}
    assert read_marks({"age": 999}) == {"age": [999]}


def test_one_or_more():
    assert several("ab") == ["ab"]
    assert several(("a", "b")) == ["a", "b"]
