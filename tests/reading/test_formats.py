"""Excel, Stata, SPSS and JSON lines."""

import gzip
import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest

from kmerf.cli import main
from kmerf.core.errors import InputError
from kmerf.reading.files import read
from kmerf.reading.formats import FORMATS, FileFormat, format_of

FRAME = pl.DataFrame({"age": [31.0, None, 45.0], "arm": ["a", "b", "a"]})


def test_json_lines(tmp_path):
    path = tmp_path / "t.json"
    FRAME.write_ndjson(path)
    table = read(str(path))
    assert table.source.form == "json lines"
    assert table.frame.rows() == FRAME.rows()
    assert read(str(path), na=["b"]).frame["arm"].null_count() == 1


@pytest.mark.parametrize("version", [114, 117, 118])
def test_stata(tmp_path, version):
    path = tmp_path / "t.dta"
    frame = FRAME.to_pandas().assign(size=pd.Categorical(["s", "l", "s"]), n=[1, 2, 3])
    frame.to_stata(path, write_index=False, version=version)
    table = read(str(path))
    assert table.source.form == "stata"
    assert table.frame.rows() == [(31.0, "a", "s", 1), (None, "b", "l", 2), (45.0, "a", "s", 3)]
    assert table.kinds == {"age": "numeric", "arm": "text", "size": "text", "n": "numeric"}


@pytest.fixture
def mixed():
    """A table as people keep it: numbers with a gap, words, dates, true/false, and labels of codes."""
    return pd.DataFrame(
        {
            "age": [31.0, None, 45.0],
            "arm": ["a", "b", None],
            "seen": pd.to_datetime(["2024-01-31", "2024-02-01", "2024-03-05"]),
            "smokes": [True, False, True],
            "visits": [3, 1, 4],
        }
    )


def test_excel(tmp_path, mixed):
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        mixed.to_excel(book, sheet_name="patients", index=False)
        pd.DataFrame({"other": [1]}).to_excel(book, sheet_name="notes", index=False)
    table = read(str(path))
    assert table.source.form == "excel"
    assert table.kinds == {"age": "numeric", "arm": "text", "seen": "date", "smokes": "boolean", "visits": "numeric"}
    assert table.frame["age"].to_list() == [31.0, None, 45.0]
    assert table.frame["arm"].to_list() == ["a", "b", None]
    assert table.frame["visits"].to_list() == [3, 1, 4]
    assert table.moments("seen").series.dt.date().to_list() == [day.date() for day in mixed["seen"]]
    assert read(str(path), na=["b", "visits=4"]).frame.select("arm", "visits").null_count().row(0) == (2, 1)


def test_spss(tmp_path, mixed):
    path = tmp_path / "t.sav"
    frame = mixed.drop(columns="smokes").assign(sex=[1.0, 2.0, None])
    pyreadstat.write_sav(frame, str(path), variable_value_labels={"sex": {1.0: "female", 2.0: "male"}})
    table = read(str(path))
    assert table.source.form == "spss"
    assert table.kinds == {"age": "numeric", "arm": "text", "seen": "date", "visits": "numeric", "sex": "text"}
    assert table.frame["age"].to_list() == [31.0, None, 45.0]
    assert table.frame["arm"].to_list() == ["a", "b", None]
    assert table.frame["sex"].to_list() == ["female", "male", None]
    assert table.moments("seen").series.dt.date().to_list() == [day.date() for day in mixed["seen"]]


@pytest.mark.parametrize("form", ["xlsx", "sav", "dta"])
def test_a_test_gives_the_same_from_every_format(tmp_path, capsys, form):
    """From a CSV file and from each of these, in the shell."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"dose": rng.normal(size=24), "sex": ["f", "m"] * 12})
    frame["out"] = frame["dose"] + rng.normal(size=24)
    frame = frame.round(3)  # Excel's cells have 15 digits
    frame.to_csv(tmp_path / "t.csv", index=False)
    path = tmp_path / f"t.{form}"
    if form == "xlsx":
        frame.to_excel(path, index=False)
    elif form == "sav":
        pyreadstat.write_sav(frame, str(path))
    else:
        frame.to_stata(path, write_index=False)
    options = ["--y", "out", "--method", "forest", "--trees", "5", "--null", "permutation", "--resamples", "9"]
    answers = []
    for file in (tmp_path / "t.csv", path):
        assert main(["independence", str(file), *options, "--seed", "1", "--jobs", "1", "--json", "-q"]) == 0
        answers.append(json.loads(capsys.readouterr().out)["result"])
    assert answers[0]["pvalue"] == answers[1]["pvalue"]
    assert answers[0]["statistic"] == answers[1]["statistic"]
    assert answers[0]["importances"]["names"] == ["dose", "sex"]


HEADS = {"Excel": b"\xd0\xcf\x11\xe0", "SPSS": b"$FL2@(#) SPSS", "Stata": b"<stata_dta>"}


@pytest.mark.parametrize(("form", "head"), HEADS.items())
def test_damaged_files_are_refused(tmp_path, form, head):
    path = tmp_path / "t.bin"
    path.write_bytes(head + b"rest" * 100)
    with pytest.raises(InputError, match=rf"is damaged, or of a kind of {form} that cannot be read"):
        read(str(path))


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
    with pytest.raises(InputError, match=rf"needs {library}, which is not installed: pip install .\.\[formats\]"):
        read(str(path))


def test_other_files_are_left_alone():
    assert format_of(b"PK\x03\x04 a zip archive") is None
    assert format_of(b"name,age") is None
    assert format_of(b"[1, 2]") == "json"


def test_a_format_is_added_in_one_place(tmp_path, monkeypatch, capsys):
    def read_lines(source):
        content = Path(source).read_text() if isinstance(source, str) else source.read().decode()
        lines = [line.split(":") for line in content.splitlines()[1:]]
        return pl.DataFrame({name: [float(cell) for cell in cells.split()] for name, cells in lines})

    form = FileFormat("Turned", lambda head: head.startswith(b"TURNED"), read_lines)
    monkeypatch.setitem(FORMATS, "turned", form)
    rows = range(24)
    cells = {"a": [i * 7 % 11 for i in rows], "y": [i * 5 % 13 for i in rows]}
    text = "TURNED\n" + "\n".join(f"{name}:{' '.join(map(str, column))}" for name, column in cells.items())
    (tmp_path / "t.turned").write_text(text)
    (tmp_path / "t.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("t.turned", "t.gz"):
        table = read(str(tmp_path / name))
        assert (table.source.form, table.frame["a"].to_list()) == ("turned", cells["a"])
        assert main(["independence", str(tmp_path / name), "--y", "y", "--method", "rv", "--seed", "1", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["data"]["format"] == "turned"
    (tmp_path / "bad.turned").write_text("TURNED\na:b")
    with pytest.raises(InputError, match="is damaged, or of a kind of Turned that cannot be read"):
        read(str(tmp_path / "bad.turned"))
    assert main(["check", "--help"]) == 0
    assert "Turned" in capsys.readouterr().out
