"""Two tables side by side: what each holds, and what cannot be compared."""

import numpy as np
import polars as pl
import pytest

import kmerf
from kmerf.comparing.matching import ReadingOptions, match, read_side

OLD = {"age": [20.0, 30, 40, 50, 60, 70], "arm": ["a", "b"] * 3, "gone": [1.0, 2, 3, 4, 5, 7]}


def matched(old, new, blocks=None, **options):
    reading = ReadingOptions(**options)
    return match(*(read_side("x", each, 10**6, 0, reading) for each in (old, new)), reading, blocks)


def test_columns_that_are_gone_or_new_or_hold_something_else():
    new = {"age": ["x", "y"] * 3, "arm": ["a", "c"] * 3, "fresh": [1.0] * 6}
    schema = matched(OLD, new).schema
    assert schema.gone == ("gone",)
    assert schema.new == ("fresh",)
    assert schema.types == {"age": ("numbers", "labels")}
    assert schema.new_levels == {"arm": ("c",)}
    assert schema.breaks


def test_units_that_differ_are_named():
    old = pl.DataFrame({"w": ["70 kg", "80 kg", "65 kg", "90 kg"], "v": [1.0, 2, 3, 5]})
    new = pl.DataFrame({"w": ["154 lb", "176 lb", "143 lb", "198 lb"], "v": [1.0, 2, 3, 4]})
    assert matched(old, new).schema.units == {"w": ("kg", "lb")}


def test_dates_and_numbers_of_rows_are_left_out():
    table = pl.DataFrame(
        {
            "id": range(30),
            "day": pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 30), eager=True),
            "v": np.arange(30.0) ** 2,
        }
    )
    schema = matched(table, table).schema
    assert set(schema.left_out) == {"id", "day"}
    assert "id" not in matched(table, table, keep=("id",)).schema.left_out


def test_dates_that_have_a_time_zone_now_hold_something_else(tmp_path):
    import pandas as pd

    days = pd.date_range("2024-01-01", periods=30, freq="h")
    old, new = (pd.DataFrame({"v": np.arange(30.0) ** 2, "t": t}) for t in (days, days.tz_localize("UTC")))
    assert matched(old, new).schema.types == {"t": ("dates", "dates with a time zone")}
    for name, table in (("old", old), ("new", new)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    assert matched(tmp_path / "old.csv", tmp_path / "new.csv").schema.types == {
        "t": ("dates", "dates with a time zone")
    }
    kmerf.Reference.of(new).save(tmp_path / "r.json")
    assert not kmerf.compare(kmerf.Reference.load(tmp_path / "r.json"), new).schema_changes.types


def test_rows_that_are_there_twice_are_pointed_out():
    rng = np.random.default_rng(0)
    old, new = (pl.DataFrame(rng.normal(size=(100, 3))) for _ in range(2))
    twice = pl.concat([new, new.head(10)])
    says = "10 of the 110 new rows are copies of other new rows"
    assert [note.startswith(says) for note in matched(old, twice).notes] == [True]
    assert matched(twice, old).notes[0].startswith("10 of the 110 old rows")
    assert matched(old, new).notes == ()
    few = [pl.DataFrame(rng.integers(0, 4, (100, 2))) for _ in range(2)]
    assert matched(*few).notes == ()


def test_new_levels_that_are_old_ones_in_other_letters_are_pointed_out():
    old = {"arm": ["Drug A", "b", "c"] * 4, "n": list(range(12))}
    (note,) = matched(old, old | {"arm": ["druga", "b", "d"] * 4}).notes
    assert note == "'arm': 1 new level differs from old ones only in case or spaces, such as 'druga' from 'Drug A'."
    assert matched(old, old | {"arm": ["x", "b", "c"] * 4}).notes == ()


def test_a_column_that_is_all_missing_now_is_compared():
    new = OLD | {"age": [None] * 6}
    found = matched(OLD, new)
    assert found.schema.types == {}
    assert found.sample.x.missing[found.sample.x.names.index("age")] == 6


def test_a_sample_is_fixed_by_the_seed(tmp_path):
    table = pl.DataFrame({"a": np.arange(1000.0), "b": np.arange(1000.0) % 7})
    table.write_parquet(tmp_path / "t.parquet")
    table.write_csv(tmp_path / "t.csv")
    options = ReadingOptions()
    sides = [read_side("x", each, 100, 3, options) for each in (table, tmp_path / "t.parquet", tmp_path / "t.csv")]
    assert [each.total for each in sides] == [1000] * 3
    assert all(each.columns[0].values.tolist() == sides[0].columns[0].values.tolist() for each in sides)
    assert sides[0].columns[0].values.tolist() == sides[0].rows.tolist()


def test_a_large_parquet_file_is_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("kmerf.reading.files.PART_ROWS", 64)
    pl.DataFrame({"a": np.arange(1000.0), "s": [" x", ""] * 500}).write_parquet(tmp_path / "t.parquet")
    side = read_side("x", tmp_path / "t.parquet", 100, 0, ReadingOptions())
    assert side.columns[0].values.tolist() == side.rows.tolist()
    assert set(side.columns[1].values) == {"x", None}


@pytest.mark.parametrize(
    ("old", "new", "options", "says"),
    [
        ({"a": [1.0, 2.0]}, {"a": [1.0, 2.0]}, {}, "reference has only 2 rows"),
        ({"a": [1.0] * 5}, {"b": [1.0] * 5}, {}, "no columns are left to compare"),
        (OLD, OLD, {"keep": ["nosuch"]}, "there is no column 'nosuch'"),
        (OLD, OLD, {"margin": 0.4}, "margin=0.4 must be above 0.5"),
        (OLD, OLD, {"by": "week", "window": 3}, "two ways"),
        (OLD, OLD, {"time": "age"}, "is for windows"),
        (OLD, OLD, {"by": "week"}, "no column holds dates"),
        (OLD, OLD, {"blocks": "arm"}, "have rows in both tables"),
        (OLD, 5, {}, "is of type int"),
    ],
)
def test_what_cannot_be_compared_is_refused(old, new, options, says):
    with pytest.raises(kmerf.InputError, match=says):
        kmerf.compare(old, new, **options)
