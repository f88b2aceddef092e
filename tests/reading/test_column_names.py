"""The names of columns, for a shell that completes them."""

import polars as pl
import pytest

from kmerf.cli import main
from kmerf.reading.files import column_names


def test_names_of_files_of_any_kind(tmp_path):
    frame = pl.DataFrame({"age": [1.0], "arm": ["a"], "y": [2]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        assert column_names(str(tmp_path / name)) == ["age", "arm", "y"]
    assert column_names(str(tmp_path)) == []
    assert column_names("-") == []


def completed(line, shell, monkeypatch, capsys, action="get-args"):
    """Return the exit code and what the shell is told to complete the end of a line with."""
    monkeypatch.setenv("_KMERF_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.replace("\\ ", "_").split(" ")) - 1))
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", action)
    code = main([])
    return code, capsys.readouterr().out.strip()


@pytest.fixture
def table(tmp_path, monkeypatch):
    pl.DataFrame({"age": [1.0], "arm": ["a"], "arm span": [2]}).write_csv(tmp_path / "t.csv")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("kmerf independence t.csv --y ", ["age", "arm", "arm\\ span"]),
        ("kmerf independence t.csv --y ag", ["age"]),
        ("kmerf independence --y age t.csv --x a", ["age", "arm", "arm\\ span"]),
        ("kmerf screen t.csv --groups arm\\ s", ["arm\\ span"]),
        ("kmerf independence t.csv --y age --given age,ar", ["age,arm", "age,arm\\ span"]),
        ("kmerf independence none.csv --y ", []),
        ("kmerf independence --y ", []),
    ],
)
@pytest.mark.usefixtures("table")
def test_bash_completes_columns(line, names, monkeypatch, capsys):
    assert completed(line, "bash", monkeypatch, capsys) == (0, "\n".join(names))


@pytest.mark.usefixtures("table")
def test_zsh_and_fish_complete_columns_and_quote_themselves(monkeypatch, capsys):
    line = "kmerf ksample t.csv --groups arm"
    assert completed(line, "fish", monkeypatch, capsys) == (0, "arm\narm span")
    code, out = completed(line, "zsh", monkeypatch, capsys)
    assert (code, out.split("((")[1]) == (0, '"arm"\n"arm span"))\'')


@pytest.mark.usefixtures("table")
def test_fish_learns_by_the_exit_code_whether_to_complete_files(monkeypatch, capsys):
    assert completed("kmerf check t.csv --y ", "fish", monkeypatch, capsys, "is-args")[0] == 0
    assert completed("kmerf check t", "fish", monkeypatch, capsys, "is-args")[0] == 1
