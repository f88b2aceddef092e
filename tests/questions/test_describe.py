"""How a table is read, without a test."""

import pandas as pd
import pytest

import kmerf


def cars():
    return pd.DataFrame(
        {
            "Make": [f"m{i}" for i in range(30)],
            "Type": ["Small", "Large", "?"] * 10,
            "Price": ["12.5", "n.a.", "14"] * 10,
            "Weight": ["1,200", "950", "1,100"] * 10,
            "y": [float(i % 7) for i in range(30)],
        }
    )


def test_the_whole_table_is_shown_whatever_is_wrong_with_it():
    told = kmerf.describe(cars(), "y")
    assert [(c.name, c.role, c.kind) for c in told.columns] == [
        ("Make", "left out", "text"),
        ("Type", "x", "categorical"),
        ("Price", "left out", "text"),
        ("Weight", "left out", "text"),
        ("y", "y", "numeric"),
    ]
    assert len(told.problems) == 2
    text = str(told)
    assert "to decide: table: column 'Price' holds numbers, but 10 cells are not, such as 'n.a.' in data row 2" in text
    assert "to decide: table: column 'Weight' holds '1,200', which is 1200" in text
    assert "note: Column 'Type' has '?' in 10 rows, read as a value; pass na='?' if that means missing." in text
    assert told.to_dict()["columns"][0]["remark"] == "has a different text in every row"


def test_options_of_reading():
    told = kmerf.describe(cars(), "y", keep="Make", na={"Price": "n.a.", "Type": "?"}, categorical=["Weight"])
    assert [c.role for c in told.columns] == ["x", "x", "left out", "x", "y"]
    assert told.columns[1].missing == 10
    with pytest.raises(kmerf.InputError, match="there is no column 'z'"):
        kmerf.describe(cars(), "z")


def test_columns_are_declared_as_in_a_test():
    table = {"a": [1, 2, 1, 2], "b": [3.5, 1.0, 2.5, 4.0]}
    for declared in ("a", ["a"], 0):
        assert kmerf.describe(table, categorical=declared).columns[0].kind == "categorical"
    with pytest.raises(kmerf.InputError, match=r"categorical: there is no column 1\.5"):
        kmerf.describe(table, categorical=1.5)
