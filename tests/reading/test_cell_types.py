"""What a column of text holds, and what is wrong with numbers that were written for people."""

from __future__ import annotations

import polars as pl
import pytest

from kmerf.reading.typed_table import MARKS, typed


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (["1,234", "12"], "which is 1234 if the comma separates thousands and 1.234 if it is a decimal comma"),
        (["12%", "13"], "has the unit '%' in some cells and none in others, such as '13'"),
        (["<0.1", "13", "12"], "numbers with signs or units"),
        (["1", "2", "??"], "holds numbers, but 1 cell is not, such as '??' in data row 3"),
    ],
)
def test_faults(cells, says):
    column = typed(pl.Series(cells))
    assert column.kind == "text"
    assert says in column.fault.text


@pytest.mark.parametrize("cells", [["a", "b"], ["1a", "b2", "c"], ["Yes", "No"]])
def test_plain_text_has_no_fault(cells):
    assert typed(pl.Series(cells))[1:3] == ("text", None)


@pytest.mark.parametrize(
    "cells", [["2020-01-01", "2021-12-31T10:00:00Z"], ["01.02.2020", "3.4.2021"], ["1/2/20", None]]
)
def test_dates(cells):
    assert typed(pl.Series(cells)).kind == "date"


@pytest.mark.parametrize("cell", ["2021-02-30", "2021-13-01", "2021-1-1T24:00", "2021-01-01 10:60", "0000-00-00"])
def test_a_date_that_is_not_in_the_calendar_is_a_fault(cell):
    column = typed(pl.Series(["2021-01-01", cell]))
    assert column.kind == "text"
    assert column.fault.text == (
        f"holds dates, but {cell!r} in data row 2 is not in the calendar: mend it, or pass na={cell!r} if that "
        "means missing"
    )
    assert typed(pl.Series(["2021-01-01", cell]), (*MARKS, cell)).kind == "date"


@pytest.mark.parametrize("blank", ["", " ", "\t", "\u00a0"])
def test_blanks_around_numbers_and_marks_do_not_matter(blank):
    column = typed(pl.Series([f"{blank}1", f"2.5{blank}", f"{blank}NA{blank}", f"{blank}-9{blank}"]), (*MARKS, "-9"))
    assert column.kind == "numeric"
    assert column.series.to_list() == [1.0, 2.5, None, None]


@pytest.mark.parametrize("cells", [["NAN", "1"], ["+nan", " 1"]])
def test_no_cell_becomes_nan(cells):
    assert typed(pl.Series(cells)).series.to_list() == [None, 1.0]


def test_true_and_false_in_any_case():
    column = typed(pl.Series(["TRUE", "false", "NA"]))
    assert (column.kind, column.series.to_list()) == ("boolean", [True, False, None])
