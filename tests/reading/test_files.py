"""Files become tables: every format, the names of columns, and refusals with their remedies."""

from __future__ import annotations

import gzip
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmerf.core.errors import InputError
from kmerf.reading.files import read

CSV = "age,arm,ok,seen\n31,a,true,2020-01-01\n,b,FALSE,2020-01-02\n4.5e1,a,,2020-01-03\nNA,NA,True,2020-02-01\n"

FRAME = pl.DataFrame({"age": [31.0, None, 45.0], "arm": ["a", "b", None], "ok": [True, None, False]})


def frame_bytes(write):
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def test_columns_of_text_get_their_types(make):
    table = read(make(CSV))
    assert table.kinds == {"age": "numeric", "arm": "text", "ok": "boolean", "seen": "date"}
    assert table.frame["age"].to_list() == [31.0, None, 45.0, None]
    assert table.frame["arm"].to_list() == ["a", "b", "a", None]
    assert table.frame["ok"].to_list() == [True, False, None, True]
    assert table.frame.null_count().row(0) == (2, 1, 1, 0)
    assert table.source.spoken == "text, separator: comma"
    assert not table.faults


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


def test_columns_without_a_name_get_one(make):
    table = read(make(",a,b\n0,1,2\n1,3,4\n2,5,6\n"))
    assert table.names == ["unnamed_1", "a", "b"]


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


REFUSED = {
    "header only": (b"a,b\n", "no rows"),
    "duplicate names": (b"a,b,a\n1,2,3\n", "two columns named 'a': rename"),
    "no header": (b"1,2,1\n3,4,5\n", "pass --no-header"),
    "damaged parquet": (b"PAR1junkPAR1", "damaged"),
    "cut parquet": (frame_bytes(FRAME.write_parquet)[:-20], "damaged"),
    "damaged feather": (b"ARROW1\0\0junkARROW1", "damaged"),
    "parquet without rows": (frame_bytes(FRAME.head(0).write_parquet), "no rows"),
    "all missing, unnamed": (b",\n,\n,\n", "no cells"),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=REFUSED)
def test_refused_files(check_refusal, content, says):
    check_refusal(content, says)


def test_columns_that_cannot_be_used_have_faults(make):
    frame = pl.DataFrame({"a": [[1, 2], [3]], "b": [{"c": 1}, {"c": 2}], "d": [b"x", b"y"], "e": [None, None]})
    table = read(make(frame_bytes(frame.write_parquet)))
    assert [table.kinds[name] for name in "abde"] == ["nested", "nested", "binary", "numeric"]
    assert "List(Int64)" in table.faults["a"].finding


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


def test_columns_without_names_in_typed_files(make):
    with pytest.raises(InputError, match="has a column without a name: give it one"):
        read(make(frame_bytes(pl.DataFrame({"": [1, 2], "a": [3, 4]}).write_parquet)))


def test_numbers_as_missing_marks(make):
    assert read(make("a,b\n1,-9\n -9,2\n"), na=["-9"]).frame.rows() == [(1.0, None), (None, 2.0)]


@pytest.mark.parametrize("write", ["to_parquet", "to_feather", "parts"])
def test_the_nameless_index_that_pandas_writes_is_left_out_and_told(write, tmp_path, monkeypatch):
    import pandas as pd
    import pyarrow as pa
    from pyarrow import feather

    from kmerf.reading.files import column_names, read_sampled

    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=[2, 0, 1])
    path = str(tmp_path / "file")
    if write == "to_feather":
        feather.write_feather(pa.Table.from_pandas(frame), path)
    else:
        frame.to_parquet(path)
        assert column_names(path) == ["a"]
    table = read(path) if write != "parts" else read_sampled(path, 2, lambda total: np.array([0, 2])).table
    assert table.names == ["a"]
    assert table.notes == (
        "Left out: '__index_level_0__', the index of a pandas table. An index that has a name is read as a column.",
    )
    frame.rename_axis("day").to_parquet(path)
    assert set(read(path).names) == {"a", "day"}
