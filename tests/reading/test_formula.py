"""Formulas name columns."""

import numpy as np
import pandas as pd
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.named_columns import is_formula, read_formula
from kmerf.reading.samples import read_independence

NAMES = ["id", "a", "b", "blood pressure", "y", "z.1"]


@pytest.mark.parametrize(
    ("text", "y", "x", "named"),
    [
        ("y ~ a + b", ("y",), ("a", "b"), ("a", "b")),
        ("y~.", ("y",), ("id", "a", "b", "blood pressure", "z.1"), ()),
        ("y ~ . - id - b", ("y",), ("a", "blood pressure", "z.1"), ()),
        ("y + z.1 ~ `blood pressure`", ("y", "z.1"), ("blood pressure",), ("blood pressure",)),
        ("y ~ a + b - b", ("y",), ("a",), ("a",)),
    ],
)
def test_formulas(text, y, x, named):
    assert read_formula(text, NAMES) == (y, x, named)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("y ~ c1", "names 'c1', and there is no such column"),
        ("y ~ a * b", r"cannot be read at '\* b'"),
        ("y ~ a b", "cannot be read at 'b'"),
        ("~ a", "names no column on one side of ~"),
        ("y ~ a + y", "'y' on both sides"),
    ],
)
def test_refused_formulas(text, says):
    with pytest.raises(InputError, match=says):
        read_formula(text, NAMES)


def test_a_formula_is_read_with_its_table():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.normal(size=20) for name in NAMES} | {"id": range(20)})
    assert read_independence("y ~ a + b", table).x.names == ("a", "b")
    assert read_independence("y ~ id + b", table).x.names == ("id", "b")  # it is named
    assert read_independence("y ~ .", table).x.names == ("a", "b", "blood pressure", "z.1")
    assert read_independence("y ~ a", table, blocks=np.arange(20) // 2).blocks.max() == 9
    with pytest.raises(InputError, match="pass the table whose columns it names as y"):
        read_independence("y ~ a", [1, 2, 3])
    assert is_formula("a ~ b")
    assert not is_formula("a")
    assert not is_formula(table)
