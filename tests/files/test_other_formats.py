"""Excel, Stata, SPSS and JSON lines."""

import sys
import zipfile

import pandas as pd
import polars as pl
import pytest

from kmerf.core.errors import InputError
from kmerf.files.other_formats import form_of
from kmerf.files.reading import read

FRAME = pl.DataFrame({"age": [31.0, None, 45.0], "arm": ["a", "b", "a"]})


def test_json_lines(tmp_path):
    path = tmp_path / "t.json"
    FRAME.write_ndjson(path)
    table = read(str(path))
    assert table.source.form == "json lines"
    assert table.frame.rows() == FRAME.rows()
    assert read(str(path), na=["b"]).missing("arm") == 1


@pytest.mark.parametrize("version", [114, 117, 118])
def test_stata(tmp_path, version):
    path = tmp_path / "t.dta"
    frame = FRAME.to_pandas().assign(size=pd.Categorical(["s", "l", "s"]), n=[1, 2, 3])
    frame.to_stata(path, write_index=False, version=version)
    table = read(str(path))
    assert table.source.form == "stata"
    assert table.frame.rows() == [(31.0, "a", "s", 1), (None, "b", "l", 2), (45.0, "a", "s", 3)]
    assert table.kinds == {"age": "numeric", "arm": "text", "size": "text", "n": "numeric"}


@pytest.mark.parametrize(("form", "library"), [("xlsx", "fastexcel"), ("sav", "pyreadstat")])
def test_what_is_not_installed_is_named(tmp_path, monkeypatch, form, library):
    path = tmp_path / f"t.{form}"
    if form == "xlsx":
        with zipfile.ZipFile(path, "w") as book:
            book.writestr("[Content_Types].xml", "")
            book.writestr("xl/workbook.xml", "")
    else:
        path.write_bytes(b"$FL2@(#) SPSS DATA FILE")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"needs {library}, which is not installed: pip install .kmerf\[formats\]"):
        read(str(path))


def test_other_files_are_left_alone():
    assert form_of(b"PK\x03\x04 a zip archive") is None
    assert form_of(b"name,age") is None
    assert form_of(b"[1, 2]") is None
