"""Where a table begins."""

import json

import pandas as pd
import polars as pl
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.reading.layout import read_layout

BODY = "".join(f"{i}.5,{'AB'[i % 2]},{i * 3 % 7}\n" for i in range(12))


@pytest.mark.parametrize(
    ("head", "options"),
    [
        ("weight,arm,len\n", {}),
        ("A study of 2024\n\nweight,arm,len\n", {}),
        ("A study,,\nweight,arm,len\n", {}),
        ("# made by hand\n# on paper\nweight,arm,len\n", {}),
        ("weight,arm,len\n(kg),(A/B),(cm)\n", {}),
        ("1,2,3\nweight,arm,len\n", {"skip": 1}),
        ("1,2,3\nweight,arm,len\n", {"header": 2}),
        ("x,y,z\nweight,arm,len\n(kg),,(cm)\n", {"header": (2, 3)}),
        ("% by hand\nweight,arm,len\n", {"comment": "%"}),
    ],
)
def test_names_and_rows_are_found(tmp_path, head, options):
    path = tmp_path / "a.csv"
    path.write_text(head + BODY)
    table = kmerf.read_table(path, **options)
    assert table.names == ["weight", "arm", "len"]
    assert table.rows == 12
    assert table.kinds["weight"] == "numeric"


def test_a_second_row_of_names_gives_units(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("weight,arm,len\n(kg),(A/B),(cm)\n" + BODY)
    table = kmerf.read_table(path)
    assert table.units == {"weight": "kg", "len": "cm"}
    assert "Line 2 belongs to the names" in table.notes[0]


def test_comments_are_left_out_everywhere(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("# by hand\nweight,arm,len\n1,A,2\n# a break\n3,B,4\n")
    assert kmerf.read_table(path).frame["weight"].to_list() == [1.0, 3.0]
    path.write_text("#id,len\n1,2\n3,4\n")
    assert kmerf.read_table(path).names == ["#id", "len"]


def test_options_are_checked():
    for options in ((-1, None, None), (None, "x", None), (None, (3, 5), None), (None, None, "ab")):
        with pytest.raises(InputError):
            read_layout(*options)


def test_excel_titles_and_sheets(tmp_path):
    pytest.importorskip("xlsxwriter")
    import xlsxwriter

    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("About").write(0, 0, "A study")
        sheet = book.add_worksheet("Data")
        for row, cells in enumerate(
            [["Weights of 2024"], [], ["weight", "arm"], *[[i + 0.5, "AB"[i % 2]] for i in range(9)]]
        ):
            sheet.write_row(row, 0, cells)
    table = kmerf.read_table(path)
    assert table.names == ["weight", "arm"]
    assert table.rows == 9
    assert "Sheet 'Data' was read" in table.notes[0]
    assert kmerf.read_table(path, sheet=2).rows == 9
    with pytest.raises(InputError, match="not a sheet of the file"):
        kmerf.read_table(path, sheet="Dta")


def test_json_arrays_are_read(tmp_path):
    rows = [{"a": i, "b": "uv"[i % 2]} for i in range(6)]
    path = tmp_path / "a.json"
    for data in (
        rows,
        {"data": rows},
        {"a": [r["a"] for r in rows], "b": [r["b"] for r in rows]},
        [["a", "b"], *[[r["a"], r["b"]] for r in rows]],
    ):
        path.write_text(json.dumps(data, indent=1))
        assert kmerf.read_table(path).frame.equals(pl.DataFrame(rows)), data
    path.write_text("[1, 2]")
    with pytest.raises(InputError, match="not a list of rows"):
        kmerf.read_table(path)


def test_a_picture_is_called_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(200)))
    with pytest.raises(InputError, match="is a picture"):
        kmerf.read_table(path)


def test_a_table_that_was_read_is_tested_as_the_shell_does(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("weight;arm;len\n" + "".join(f"{i},5 kg;{'AB'[i % 2]};{i * 3 % 7}\n" for i in range(30)))
    table = kmerf.read_table(path)
    result = kmerf.independence(table, "weight", method="dcorr", rng=1)
    assert result.units == {"weight": "kg"}
    assert kmerf.describe(table, "weight").columns[0].unit == "kg"
    assert table.to_frame("pandas").shape == (30, 3)
    assert "weight: numeric, unit kg, decimal commas" in repr(table)


TABLE = "site,ph,depth,arm,len\n"
ROWS = [f"s{i % 4},{6 + i / 20},{i * 7 % 30},{'AB'[i % 2]},{i * 3 % 7}\n" for i in range(12)]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Table 3. Acidity by site, 2022\n\n" + TABLE + "".join(ROWS), "The first line is a title"),
        ("Operator:,MK\nDate:,2024-02-01\n" + TABLE + "".join(ROWS), "The first 2 lines are titles"),
        (TABLE + "".join(ROWS) + "Source: the survey\n", "The last line is a footnote, such as 'Source: the survey'"),
        (TABLE + "".join(ROWS) + "\nMade by hand\n", "The last line is a footnote"),
        (TABLE + "".join(ROWS) + "Source: a book,,,,\n", "The last row is a footnote, and left out"),
        (TABLE + "".join(ROWS) + "Total,81,12,,99\nMean,6.8,1,,8\n", "The last 2 rows are totals ('Total' and 'Mean')"),
        (TABLE + "".join(ROWS) + "Summe,,412,,\nNote: in metres,,,,\n", "totals ('Summe') or footnotes"),
        (TABLE + "".join(ROWS[:6]) + TABLE + "".join(ROWS[6:]), "1 row that repeats the names left out."),
    ],
)
def test_what_is_above_below_and_between_the_rows_is_left_out(tmp_path, text, note):
    path = tmp_path / "a.csv"
    path.write_text(text)
    table = kmerf.read_table(path)
    assert (table.names, table.rows) == (["site", "ph", "depth", "arm", "len"], 12)
    assert table.kinds["ph"] == table.kinds["depth"] == "numeric"
    assert any(note in each for each in table.notes)


def test_rows_at_the_end_can_be_kept_or_counted(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE + "".join(ROWS) + "Total,81,12,,99\n")
    assert kmerf.read_table(path, footer=0).rows == 13
    assert kmerf.read_table(path, footer=3).rows == 10
    path.write_text(TABLE + "".join(ROWS) + "that is all\n")
    with pytest.raises(InputError, match="line 14: 1 field where the header has 5"):
        kmerf.read_table(path)  # a line that was cut short looks like that
    assert kmerf.read_table(path, footer=1).rows == 12
    with pytest.raises(InputError, match="footer=-1\\) must be a number of lines"):
        kmerf.read_table(path, footer=-1)


def test_a_place_called_total_is_data(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("site,ph\n" + "total,1.5\nmean,2.5\n" * 8)
    assert kmerf.read_table(path).rows == 16


def test_questions_and_identifiers_of_a_survey_are_left_out(tmp_path):
    path = tmp_path / "a.csv"
    ids = ",".join(f'"{{""ImportId"":""QID{k}""}}"' for k in (1, 2))
    path.write_text(f"Q1,Q2\nHow old are you?,Do you smoke?\n{ids}\n" + "31,Yes\n45,No\n" * 6)
    table = kmerf.read_table(path)
    assert table.names == ["Q1", "Q2"]
    assert table.frame["Q1"].to_list()[:2] == [31.0, 45.0]


def test_a_total_in_a_sheet_is_left_out(tmp_path):
    path = tmp_path / "a.xlsx"
    pd.DataFrame({"site": ["u", "v", "w", "Total"], "ph": [1.5, 2.5, 3.0, 7.0]}).to_excel(path, index=False)
    table = kmerf.read_table(path)
    assert table.frame["ph"].to_list() == [1.5, 2.5, 3.0]
    assert kmerf.read_table(path, footer=0).rows == 4
