"""Files become tables: every format and compression, and every refusal with its remedy."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from kmerf.core.errors import InputError
from kmerf.files.cell_types import MISSING, typed
from kmerf.files.delimited import sniff
from kmerf.files.reading import read
from kmerf.files.typed_table import CellValues

CSV = "age,arm,ok,seen\n31,a,true,2020-01-01\n,b,FALSE,2020-01-02\n4.5e1,a,,2020-01-03\nNA,NA,True,2020-02-01\n"


@pytest.fixture
def make(tmp_path):
    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def frame_bytes(write):
    out = io.BytesIO()
    write(out)
    return out.getvalue()


FRAME = pl.DataFrame({"age": [31.0, None, 45.0], "arm": ["a", "b", None], "ok": [True, None, False]})


# --- what comes out ---------------------------------------------------------------------------------------------------


def test_columns_of_text_get_their_types(make):
    table = read(make(CSV))
    assert table.kinds == {"age": "numeric", "arm": "text", "ok": "boolean", "seen": "date"}
    assert table.frame["age"].to_list() == [31.0, None, 45.0, None]
    assert table.frame["arm"].to_list() == ["a", "b", "a", None]
    assert table.frame["ok"].to_list() == [True, False, None, True]
    assert [table.missing(name) for name in table.names] == [2, 1, 1, 0]
    assert [table.distinct(name) for name in table.names] == [2, 2, 2, 4]
    assert table.source.spoken == "text, separator: comma"
    assert not table.faults


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_compression_is_known_by_content(make, pack):
    table = read(make(pack(CSV.encode()), "misnamed.csv"))
    assert table.rows == 4
    assert table.source.packed in ("gzip", "bzip2", "xz", "zstd")


@pytest.mark.parametrize(
    ("write", "form"),
    [
        (FRAME.write_parquet, "parquet"),
        (FRAME.write_ipc, "feather"),
        (lambda out: FRAME.write_ipc(out, compression="zstd"), "feather"),
        (FRAME.write_ipc_stream, "arrow stream"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_parquet_and_feather(make, write, form, pack):
    table = read(make(pack(frame_bytes(write)), "any.name"))
    assert table.source.form == form
    assert table.frame.equals(FRAME)
    assert table.kinds == {"age": "numeric", "arm": "text", "ok": "boolean"}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_and_told(make, separator):
    table = read(make(CSV.replace(",", separator), "t.txt"))
    assert table.names == ["age", "arm", "ok", "seen"]
    spoken = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}[separator]
    assert table.source.separator == spoken


def test_the_separator_is_the_one_that_fits_all_lines():
    assert sniff("f", "a;b\n1,5;2\n2,5;3\n") == ";"
    assert sniff("f", 'a,b\n"1;2;3",2\n"4;5;6",3\n') == ","
    assert sniff("f", "one\n1\n2\n") == ","


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_with_a_mark(make, encoding):
    assert read(make("größe,y\n1,2\n".encode(encoding))).names == ["größe", "y"]


def test_a_named_encoding(make):
    assert read(make("größe,y\n1,2\n".encode("cp1252")), encoding="cp1252").names == ["größe", "y"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_and_quotes(make, ending):
    table = read(make(ending.join(["name,x", '"Doe, J. ""Jo""",1', '"two', 'lines",2', ""])))
    assert table.frame["name"].to_list() == ['Doe, J. "Jo"', f"two{ending}lines"]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(CSV.encode()))))
    assert read("-").rows == 4


def test_a_pipe_is_read_once(tmp_path):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: Path(pipe).write_bytes(CSV.encode()), daemon=True)
    writer.start()
    assert read(pipe).rows == 4
    writer.join()


def test_row_numbers_without_a_name_are_known(make):
    table = read(make(",a,b\n0,1,2\n1,3,4\n2,5,6\n"))
    assert table.names == ["unnamed_1", "a", "b"]
    assert table.row_numbers == ("unnamed_1",)


def test_an_empty_last_column_is_left_out_and_told(make):
    table = read(make("a,b,\n1,2,\n3,4,\n"))
    assert table.names == ["a", "b"]
    assert "is empty and left out" in table.notes[0]


def test_a_first_line_of_numbers(make):
    path = make("1,2\n3,4\n5,6\n")
    assert "pass --no-header" in read(path).notes[0]
    table = read(path, header=False)
    assert table.names == ["x1", "x2"]
    assert table.rows == 3


def test_missing_marks(make):
    cells = "\n".join(f"1,{mark}" for mark in MISSING)
    table = read(make(f"a,b\n{cells}\n1,?\n1,5\n"), missing=["?"])
    assert table.frame["b"].drop_nulls().to_list() == [5.0]


def test_many_rows_come_in_parcels(make):
    rows = np.arange(45_001)
    table = read(make("a,b\n" + "".join(f"{i},t{i % 3}\n" for i in rows)))
    assert table.frame["a"].to_list() == rows.tolist()


# --- numbers that were written for people -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (["1,234", "12"], "thousands separators, such as '1,234' in data row 1: write 1234"),
        (["1 234", "12"], "thousands separators"),
        (["1.234,5", "1.000,0"], "thousands separators, such as '1.234,5' in data row 1: write 1234.5"),
        (["3", "1,5"], "decimal commas, such as '1,5' in data row 2: write 1.5"),
        (["12%", "13"], "numbers with signs or units"),
        (["<0.1", "13", "12"], "numbers with signs or units"),
        (["1", "2", "??"], "holds numbers, but 1 cell is not, such as '??' in data row 3"),
    ],
)
def test_faults(cells, says):
    found = typed(pl.Series(cells))
    assert found.kind == "text"
    assert says in (found.fault or "")


@pytest.mark.parametrize("cells", [["a", "b"], ["1a", "b2", "c"], ["Yes", "No"]])
def test_plain_text_has_no_fault(cells):
    assert typed(pl.Series(cells))[1:] == ("text", None)


@pytest.mark.parametrize(
    "cells", [["2020-01-01", "2021-12-31T10:00:00Z"], ["01.02.2020", "3.4.2021"], ["1/2/20", None]]
)
def test_dates(cells):
    assert typed(pl.Series(cells)).kind == "date"


@pytest.mark.parametrize("cell", ["2021-02-30", "2021-13-01", "2021-1-1T24:00", "2021-01-01 10:60", "0000-00-00"])
def test_a_date_that_is_not_in_the_calendar_is_a_fault(cell):
    found = typed(pl.Series(["2021-01-01", cell]))
    assert found.kind == "text"
    assert found.fault == (
        f"holds dates, but {cell!r} in data row 2 is not in the calendar: mend it, or pass --missing {cell!r} if that "
        "means missing"
    )
    assert typed(pl.Series(["2021-01-01", cell]), (*MISSING, cell)).kind == "date"


@settings(deadline=None)
@given(st.datetimes(), st.integers(-14 * 60, 14 * 60), st.sampled_from([None, ":", ""]))
def test_moments_are_those_of_the_standard_library(when, offset, zone):
    day, hour, minute, rest = f"{when.year:04}-{when.month}-{when.day}", when.hour, when.minute, when.second
    text, expected = f"{day}T{hour}:{minute:02}:{rest:02}.{when.microsecond:06}", np.datetime64(when, "us")
    if zone is not None:
        text += f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}{zone}{abs(offset) % 60:02}"
        expected -= np.timedelta64(offset, "m")
    assert CellValues.moment(text) == ("date" if zone is None else "zoned date", expected)


@pytest.mark.parametrize("text", ["", "soon", "2021", "2021-02-30", "05/03/2021", "2021-01-01x", "12:00", "2021-1-1T1"])
def test_what_is_no_moment(text):
    assert CellValues.moment(text) is None


# --- refusals ---------------------------------------------------------------------------------------------------------

REFUSED = {
    "empty": (b"", "is empty"),
    "only blanks": (b" \n\n ", "is empty"),
    "empty, compressed": (gzip.compress(b""), "is empty"),
    "header only": (b"a,b\n", "no rows"),
    "ragged, short": (b"a,b\n1,2\n3\n", "line 3: 1 field where the header has 2 (separator: comma)"),
    "ragged, long": (b"a,b\n1,2\n3,4,5\n", "line 3: 3 fields where the header has 2"),
    "row names": (b"a,b\nr1,1,2\nr2,3,4\n", "if row names have no header"),
    "duplicate names": (b"a,b,a\n1,2,3\n", "two columns named 'a': rename"),
    "no header": (b"1,2,1\n3,4,5\n", "pass --no-header"),
    "unclosed quote": (b'a,b\n1,"2\n3,4\n', "never closed"),
    "text after a quote": (b'a,b\n1,"2"x\n3,4\n', "text follows a closing quote"),
    "latin-1": ("a,b\n1,2\nü,3\n".encode("latin-1"), "byte 0xfc in line 3"),
    "utf-16 without mark": ("a,b\n1,2\n".encode("utf-16-le"), "--encoding utf-16-le"),
    "binary": (bytes(range(256)) * 4, "is binary"),
    "spaces": (b"a b\n1 2\n3 4\n", "--sep ' '"),
    "json": (b'[{"a": 1}]', "JSON"),
    "html": (b"<html></html>", "HTML"),
    "excel": (b"PK\x03\x04rest", "spreadsheet"),
    "old excel": (b"\xd0\xcf\x11\xe0rest", "Excel"),
    "feather 1": (b"FEA1rest", "version 1"),
    "damaged parquet": (b"PAR1junkPAR1", "damaged"),
    "cut parquet": (frame_bytes(FRAME.write_parquet)[:-20], "damaged"),
    "damaged feather": (b"ARROW1\0\0junkARROW1", "damaged"),
    "cut gzip": (gzip.compress(CSV.encode() * 99)[:-20], "cut short"),
    "damaged gzip": (b"\x1f\x8b\x08\x00junkjunkjunk", "damaged"),
    "cut xz": (lzma.compress(CSV.encode() * 99)[:-30], "cut short"),
    "cut zstd": (b"\x28\xb5\x2f\xfdjunk", "damaged"),
    "damaged zstd": (zstandard.compress(CSV.encode() * 99)[:40] + b"junk" * 9, "damaged"),
    "parquet without rows": (frame_bytes(FRAME.head(0).write_parquet), "no rows"),
    "all missing, unnamed": (b",\n,\n,\n", "no cells"),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=REFUSED)
def test_refused_files(make, content, says):
    with pytest.raises(InputError) as caught:
        read(make(content))
    assert says in str(caught.value)
    assert ": " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sep": "||"}, "one character"),
        ({"sep": ";"}, "leave out --sep, or pass --sep comma"),
        ({"encoding": "latin-99"}, "--encoding 'latin-99' is not known"),
        ({"encoding": "base64"}, "is not known"),
        ({"encoding": "utf-16"}, "utf-16"),
    ],
)
def test_refused_options(make, options, says):
    with pytest.raises(InputError, match=says.replace("(", r"\(")):
        read(make(CSV), **options)


def test_refused_paths(tmp_path, make):
    make(CSV, "wine.csv")
    for path, says in {
        str(tmp_path): "is a directory",
        str(tmp_path / "wien.csv"): "did you mean",
        str(tmp_path / "no" / "t.csv"): "does not exist",
        "https://example.org/t.csv": "download",
        "": "no name of a file",
        "a\0b": "no name of a file",
    }.items():
        with pytest.raises(InputError, match=says):
            read(path)


def test_columns_that_cannot_be_used_have_faults(make):
    frame = pl.DataFrame({"a": [[1, 2], [3]], "b": [{"c": 1}, {"c": 2}], "d": [b"x", b"y"], "e": [None, None]})
    table = read(make(frame_bytes(frame.write_parquet)))
    assert [table.kinds[name] for name in "abde"] == ["nested", "nested", "binary", "numeric"]
    assert "List(Int64)" in table.faults["a"]


# --- anything at all --------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.text(alphabet='ab1,;\t|"\n\r.é\0 ', max_size=120).map(str.encode)))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.bin"
    path.write_bytes(content)
    try:
        table = read(str(path))
    except InputError as error:
        said = str(error)
    else:
        assert table.rows > 0
        assert set(table.kinds) == set(table.names)
        return
    assert "\n" not in said
