"""Descriptions of tables are values that print."""

from kmerf.results.views import DescribedColumn, Description


def test_a_description_prints_and_goes_to_json():
    table = Description(3, (DescribedColumn("a\n", "x", "numeric", 1, 2, "odd"),), ("n",), ("p",))
    assert str(table).splitlines() == [
        "3 rows, 1 columns",
        "  column  used as  read as  missing  distinct",
        "  a\\x0a   x        numeric        1         2  odd",
        "note: n",
        "to decide: p",
    ]
    assert table.to_dict() == {
        "rows": 3,
        "columns": [{"name": "a\n", "role": "x", "kind": "numeric", "missing": 1, "distinct": 2, "remark": "odd"}],
        "notes": ["n"],
        "problems": ["p"],
    }
