"""What a column holds, in short."""

import numpy as np
import pandas as pd

import kmerf
from kmerf.reading.containers import read
from kmerf.reading.summaries import summarise


def test_numbers_have_quantiles_and_a_histogram():
    summary = summarise(read("x", {"a": np.arange(81.0)})[0])
    assert summary.quantiles == (0.0, 20.0, 40.0, 60.0, 80.0)
    assert sum(summary.bars) == 81
    assert len(summary.picture) == 8


def test_labels_and_dates():
    assert summarise(read("x", {"a": ["u", "v", "u", None]})[0]).levels == ("u", "v")
    days = pd.Series(pd.date_range("2024-01-01", periods=9), name="day")
    assert summarise(read("x", {"day": days}, strict=False)[0]).words.startswith("2024-01-01")
    assert summarise(read("x", {"a": [None, None]})[0]).words == ""


def test_describe_shows_values_in_text_and_notebook():
    told = kmerf.describe(
        {"dose": [0.5, 1.5, 0.7, 2.5], "arm": ["A", "a", "A", "a"], "out": [1.2, 2.5, 1.1, 0.4]}, "out"
    )
    assert "0.5 to 2.5, median 1.1" in str(told)
    assert "differ only in case" in str(told)
    assert "<table>" in told._repr_html_()
    assert kmerf.Description.from_dict(told.to_dict()) == told


def test_a_table_is_looked_through_once_however_often_it_is_described(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text(
        "arm,dose,out,when\n"
        + "".join(f"{'ab'[k % 2]}, {k % 7}.5,{k * k % 11},2021-01-{k % 28 + 1:02}\n" for k in range(60))
    )
    table = kmerf.read_table(path)
    first = kmerf.describe(table, "out")
    looks = []
    for place in (
        "kmerf.reading.typed_table.read",
        "kmerf.reading.containers.missing_rows",
        "kmerf.reading.containers.number_codes",
    ):
        monkeypatch.setattr(place, lambda *given, place=place, **how: looks.append(place))
    again = kmerf.describe(table, "out")
    assert looks == []
    assert again == first
    monkeypatch.undo()
    assert kmerf.describe(table, "dose").columns[1].role == "y"
    assert [column.name for column in kmerf.describe(table.select(["arm", "out"])).columns] == ["arm", "out"]


def test_entries_are_counted_in_the_order_in_which_they_come():
    (column,) = read("x", {"a": ["v", None, "u", "v"]})
    assert dict(column.tally) == {"v": 2, "u": 1}
    assert list(column.tally) == ["v", "u"]
    assert column.distinct == 2
    assert column.codes.tolist() == [2.0, 0.0, 1.0, 2.0]
    assert column.labelled.kind == "categorical"
    assert not column.missing.flags.writeable
