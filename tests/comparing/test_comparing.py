"""`compare`, references and windows, from end to end."""

import json

import numpy as np
import polars as pl
import pytest

import kmerf
from changed_tables import table
from kmerf.comparing.comparing import append


def test_equal_seeds_give_equal_comparisons_whatever_the_workers():
    old, new = table(80, 1), table(90, 2)
    assert kmerf.compare(old, new, n_jobs=1) == kmerf.compare(old, new, n_jobs=2)


def test_arrays_and_dataframes_give_the_same():
    old, new = np.random.default_rng(0).normal(size=(2, 60, 2))
    named = [pl.DataFrame({"x1": each[:, 0], "x2": each[:, 1]}) for each in (old, new)]
    arrays, frames = kmerf.compare(old, new), kmerf.compare(*named)
    assert (arrays.pvalue, arrays.auc) == (frames.pvalue, frames.auc)


def test_the_rows_least_like_the_old_ones_are_named_by_their_numbers():
    new = table(300, 2)
    new["a"][[17, 230]] = 500.0
    new["count"][[17, 230]] = 90.0
    c = kmerf.compare(table(300, 1), new)
    assert {each.row for each in c.unlike_rows[:2]} == {17, 230}
    assert {reason.split()[0] for reason in c.unlike_rows[0].because[:2]} == {"a", "count"}


def test_blocks_keep_days_together():
    """Days differ from each other, and whole days are new: rows alone would seem to differ."""
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(24), 30)
    value = rng.normal(size=24)[day] * 2 + rng.normal(size=720)
    rows = {"day": day.astype(float), "value": value, "other": rng.normal(size=720)}
    old = {name: each[day < 12] for name, each in rows.items()}
    new = {name: each[day >= 12] for name, each in rows.items()}
    assert kmerf.compare(old, new, drop="day").pvalue <= 0.01
    blocked = kmerf.compare(old, new, blocks="day")
    assert blocked.pvalue > 0.05
    assert blocked.blocks == 24
    assert "day" not in [each.name for each in blocked.columns]


def test_with_blocks_a_column_that_varies_between_days_does_not_hide_another_one():
    rng = np.random.default_rng(1)
    day = np.repeat(np.arange(30), 20)
    weather = 5 * rng.normal(size=30)[day] + rng.normal(size=600)
    rows = {"day": day.astype(float), "weather": weather, "changed": rng.normal(size=600) + 1.0 * (day >= 15)}
    old = {name: each[day < 15] for name, each in rows.items()}
    new = {name: each[day >= 15] for name, each in rows.items()}
    c = kmerf.compare(old, new, blocks="day")
    assert c.pvalue <= 0.005
    assert c.changed == ("changed",)


def test_a_reference_is_the_same_after_it_was_saved(tmp_path):
    old, new = pl.DataFrame(table(100, 1)), pl.DataFrame(table(100, 2))
    reference = kmerf.Reference.of(old)
    reference.save(tmp_path / "r.json")
    loaded = kmerf.Reference.load(tmp_path / "r.json")
    assert loaded.names == tuple(old.columns)
    assert kmerf.compare(loaded, new) == kmerf.compare(reference, new) == kmerf.compare(old, new)


def test_a_large_reference_is_sampled():
    reference = kmerf.Reference.of({"a": np.arange(5000.0)}, rows=200)
    assert (reference.rows, reference.total) == (200, 5000)
    assert repr(reference) == "Reference(200 of 5000 rows, 1 columns)"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d | {"format": "other"}, "holds no reference"),
        (lambda d: d | {"version": 99}, "has version 99"),
        (lambda d: d | {"checksum": "0"}, "changed or damaged"),
        (lambda d: d | {"reference": d["reference"] | {"total": 7}}, "changed or damaged"),
    ],
)
def test_a_reference_that_was_changed_is_refused(tmp_path, change, says):
    path = tmp_path / "r.json"
    kmerf.Reference.of({"a": [1.0, 2, 3, 4], "b": ["x", "y"] * 2}).save(path)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(kmerf.InputError, match=says):
        kmerf.Reference.load(path)
    path.write_text("{")
    with pytest.raises(kmerf.InputError, match="holds no JSON"):
        kmerf.Reference.load(path)


def weeks():
    """Return 12 weeks of rows, of which those from the ninth on differ."""
    rng = np.random.default_rng(3)
    day = np.sort(rng.integers(0, 84, 720))
    rows = table(720, 4)
    rows["a"] = rows["a"] + np.where(day >= 56, 12.0, 0.0)
    return pl.DataFrame(rows).with_columns(day=pl.Series(np.datetime64("2024-01-01") + day))


def test_windows_by_the_week():
    line = kmerf.compare(table(400, 1), weeks(), by="week")
    assert [each.label for each in line.windows][:2] == ["2024-W01", "2024-W02"]
    assert len(line.windows) == 12
    assert line.alarms == ("2024-W09", "2024-W10", "2024-W11", "2024-W12")
    assert line.began == "2024-W09"
    assert line.windows[-1].columns[0] == "a"
    assert line.fails()


def test_a_window_that_is_appended_is_as_if_it_had_been_there():
    reference, rows = kmerf.Reference.of(table(200, 1)), weeks().drop("day")
    both = kmerf.compare(reference, rows[:200], window=100, expected_windows=100)
    first = kmerf.compare(reference, rows[:100], window=100, expected_windows=100)
    more = reference.append(first, rows[100:200], "rows 100 to 199")
    assert [each.pvalue for each in more.windows] == [each.pvalue for each in both.windows]
    assert [each.label for each in more.windows] == [each.label for each in both.windows]
    with pytest.raises(kmerf.InputError, match="is there already"):
        append(more, reference, rows[:100], "rows 100 to 199")


def test_windows_by_the_values_of_a_column():
    rows = table(120, 1) | {"batch": np.repeat([2.0, 10.0, 1.0], 40)}
    line = kmerf.compare(table(100, 2) | {"batch": np.zeros(100)}, rows, by="batch")
    assert [each.label for each in line.windows] == ["1", "2", "10"]
    assert line.alarms == ()


def test_progress_grows_to_the_end_and_changes_nothing():
    rng = np.random.default_rng(3)
    old, new = ({"a": rng.normal(size=60), "b": rng.choice(["x", "y"], 60)} for _ in range(2))
    seen = []
    watched = kmerf.compare(old, new, progress=lambda done, total: seen.append((done, total)))
    assert watched.to_dict() == kmerf.compare(old, new).to_dict()
    assert seen == sorted(seen)
    assert len(seen) > 10
    assert seen[-1][0] == seen[-1][1]
    seen.clear()
    kmerf.compare(old, new, window=20, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
