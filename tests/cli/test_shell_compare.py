"""`kmerf compare` as a user runs it."""

import json

import polars as pl
import pytest

from changed_tables import table
from kmerf.cli import main


@pytest.fixture
def files(tmp_path):
    shifted = table(150, 3, a=lambda v, rng: v + 12)
    for name, rows in {"old": table(150, 1), "same": table(150, 2), "new": shifted}.items():
        pl.DataFrame(rows).write_parquet(tmp_path / f"{name}.parquet")
    return {name: str(tmp_path / f"{name}.parquet") for name in ("old", "same", "new")} | {"folder": tmp_path}


def test_the_exit_status_says_what_the_verdict_is(files, capsys):
    assert main(["compare", files["old"], files["new"], "--fail-on", "different"]) == 3
    assert "Different: p <= 0.001" in capsys.readouterr().out
    assert main(["compare", files["old"], files["new"]]) == 0
    assert main(["compare", files["old"], files["same"], "--fail-on", "different", "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("kmerf: equivalent for practical purposes |")
    assert main(["compare", files["old"], files["same"], "--fail-on", "unknown", "-q", "--margin", "0.51"]) == 3
    assert capsys.readouterr().out.startswith("kmerf: too few rows to tell |")


def test_json_and_files(files, capsys):
    out = files["folder"] / "out.csv"
    assert main(["compare", files["old"], files["new"], "--json", "--out", str(out), "--drop", "b,c"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["command"] == "compare"
    assert document["result"]["verdict"] == "different"
    assert {each["name"] for each in document["result"]["columns"]} == {"a", "count", "gap", "label"}
    assert out.read_text().startswith("name,kind,pvalue,adjusted")


def test_windows_are_appended_to_a_file_and_compared_with_a_kept_reference(files, capsys):
    reference, windows = str(files["folder"] / "r.json"), str(files["folder"] / "w.json")
    first = ["compare", files["old"], files["same"], "--save-reference", reference, "--windows", windows]
    assert main([*first, "--label", "May"]) == 0
    assert (
        main(["compare", reference, files["new"], "--windows", windows, "--label", "June", "--fail-on", "different"])
        == 3
    )
    text = " ".join(capsys.readouterr().out.split())
    assert "1 of 2 windows differs from the reference; the change began around June." in text
    assert "at most one false alarm in" in text


def test_a_window_among_others_that_differs_is_a_failure(files, capsys):
    both = pl.concat([pl.read_parquet(files[name]) for name in ("new", "same")]).with_columns(
        night=pl.arange(300) // 150
    )
    path = str(files["folder"] / "both.parquet")
    both.write_parquet(path)
    assert main(["compare", files["old"], path, "--by", "night", "--fail-on", "different"]) == 3
    assert "began around 0" in capsys.readouterr().out


def test_a_window_that_lost_a_column_is_a_failure(files, capsys):
    reference, windows = str(files["folder"] / "r.json"), str(files["folder"] / "w.json")
    first = ["compare", files["old"], files["same"], "--save-reference", reference, "--windows", windows]
    assert main([*first, "--fail-on", "different"]) == 0
    path = str(files["folder"] / "less.parquet")
    pl.read_parquet(files["same"]).drop("b").write_parquet(path)
    assert main(["compare", reference, path, "--windows", windows, "--fail-on", "different"]) == 3
    assert "Schema: b is gone, in less.parquet." in capsys.readouterr().out


def test_it_says_how_files_were_read(files, capsys):
    rows = table(60, 1)
    for name, sep, comma in (("a.csv", ";", True), ("b.csv", ",", False)):
        frame = pl.DataFrame(
            {"a": rows["a"].round(1), "n": [1.0, 2, 3, 4, 999, 6] * 10, "t": ["x", "y"] * 30, "i": range(60)}
        )
        frame.write_csv(files["folder"] / name, separator=sep, decimal_comma=comma)
    names = [str(files["folder"] / name) for name in ("a.csv", "b.csv")]
    assert main(["compare", *names]) == 0
    said = capsys.readouterr()
    err = " ".join(said.err.split())
    assert "a.csv (text, separator: semicolon): 60 rows, 4 columns Read as numbers: 'a' (decimal commas)" in err
    assert "b.csv (text, separator: comma): 60 rows, 4 columns Not compared: 'i' (counts the rows)." in err
    assert "pass --na 999" in said.out
    assert "--report FILE.html" in said.out
    assert main(["compare", *names, "--json", "-q"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    result = json.loads(said.out)["result"]
    assert result["reading"][1].startswith("Read as numbers: 'a'")
    assert "na='999'" in result["notes"][-1]


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--by", "week", "--window", "5"], 2, "two ways"),
        (["--fail-on", "never"], 2, "--fail-on"),
        (["--margin", "2"], 1, "--margin 2"),
        (["--by", "week"], 1, "no column holds dates"),
        (["--out", "/no/such/folder/x.csv"], 1, "does not exist"),
    ],
)
def test_wrong_options_are_refused(files, capsys, options, code, says):
    assert main(["compare", files["old"], files["same"], *options]) == code
    assert says in capsys.readouterr().err


def test_rows_in_windows_by_number(files, capsys):
    assert main(["compare", files["old"], files["new"], "--window", "50", "--seed", "1"]) == 0
    assert "3 of 3 windows differ" in capsys.readouterr().out
