"""What becomes of columns of x, in tables and in arrays."""

import pytest

from kmerf.core.errors import InputError
from kmerf.reading.containers import read
from kmerf.reading.rulings import typed, usable
from kmerf.reading.sample_building import RoleColumns, decide


def test_text_of_arrays_is_refused_unless_it_is_declared():
    columns = read("x", [[1, "a"], [2, "b"]])
    with pytest.raises(InputError, match=r"column 'x2' holds text, 'a' in row 0 .*: pass categorical=\['x2'\]"):
        usable(columns, ())
    assert [c.kind for c in usable(columns, {"x2"})] == ["numeric", "categorical"]


def test_text_of_tables_is_read_with_a_note():
    columns = read("x", {"dose": [0.5, 1.5, 0.7, 2.0], "sex": ["f", "m", "f", "m"]})
    decision = decide(RoleColumns(columns, []))
    assert [c.kind for c in decision.x] == ["numeric", "categorical"]
    assert decision.column_notes == ["Text read as categories: 'sex'."]


def test_all_that_is_wrong_is_said_at_once():
    y = read("y", {"y": [1.5, 2.5, 3.5, 4.5]})
    columns = read("x", {"copy": [1.5, 2.5, 3.5, 4.5], "size": ["1", "2", "3", "x"], "c": [1.0, 2, 1, 5]}, strict=False)
    with pytest.raises(InputError) as error:
        decide(RoleColumns([typed(c) for c in columns], y))
    assert "'copy' is y itself" in str(error.value)
    assert "'size' holds numbers, but 1 cell is not" in str(error.value)
    assert "categorical=['size']" in str(error.value)


def test_a_copy_of_y_that_is_named_is_used():
    y = read("y", {"y": [1.5, 2.5, 3.5, 4.5]})
    decision = decide(RoleColumns(read("x", {"copy": [1.5, 2.5, 3.5, 4.5]}), y, keep={"copy"}))
    assert [c.name for c in decision.x] == ["copy"]
