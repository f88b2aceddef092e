"""How a table is read, in lines."""

from kmerf.results.views import DescribedColumn, Description
from kmerf.show.text import description_lines


def test_columns_stand_under_each_other_and_long_names_are_cut():
    columns = (
        DescribedColumn("a" * 300, "x", "numeric", 0, 12, ""),
        DescribedColumn("films", "left out", "other", 3, None, "holds lists"),
    )
    lines = description_lines(Description(20, columns))
    assert lines[0] == "20 rows, 2 columns"
    assert len(lines[2]) < 150
    assert lines[1].index("used as") == lines[2].index(" x ") + 1 == lines[3].index("left out")
    assert lines[3].endswith("holds lists")
    assert lines[2].endswith("12")
