"""Columns with roles become a sample: each is judged once, rows without y are dropped, and something must vary."""

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest

import kmerf
from kmerf.cli import main
from kmerf.reading import containers, rulings, sample_building, samples, typed_table
from kmerf.reading.samples import read_independence, read_ksample
from sample_tables import ARM, SCORE, VISITS, N


def test_dropping_rows_with_a_missing_y(series):
    y = [np.nan, *SCORE[1:11], np.nan]
    x = np.column_stack([VISITS, [1.0] * 11 + [2.0]])
    s = read_independence(x, series(y), missing_y="drop")
    assert (s.n, s.dropped) == (10, 2)
    assert s.notes[0] == "2 rows without a value in 'y' dropped."
    np.testing.assert_array_equal(s.x.values, x[1:11])
    assert s.y.values[:, 0].tolist() == SCORE[1:11]


def test_categories_of_dropped_rows_are_gone():
    s = read_independence(["z", *ARM[1:]], [None, *SCORE[1:]], categorical=[0], missing_y="drop")
    assert s.x.categories == (("a", "b", "c"),)
    assert s.notes == ("1 row without a value in 'y' dropped, among them 1 of 1 with x1 'z'.",)


def test_note_on_whole_numbers_that_may_be_codes(plain):
    notes = read_independence(plain[0], [c % 3 for c in range(N)]).notes
    assert notes == (
        "y has 3 distinct whole numbers and is read as numeric; pass y_kind='categorical' if they are class codes.",
    )
    assert read_independence(*plain).notes == ()


def test_missing_groups_can_be_dropped():
    s = read_ksample(SCORE, groups=[None, *ARM[1:]], missing_y="drop")
    assert s.n == N - 1
    assert s.notes == ("1 row without a value in 'group' dropped.",)


def test_constant_columns_beside_others_are_fine():
    s = read_independence(
        np.column_stack([SCORE, np.ones(N), np.full(N, np.nan)]), np.column_stack([SCORE, np.ones(N)])
    )
    assert s.x.missing == (0, 0, N)


def test_a_constant_with_missing_cells_varies():
    assert read_independence([1.0, None, 1.0, None], [1.0, 2.5, 3.0, 4.0]).x.missing == (2,)


@pytest.fixture
def calls(monkeypatch):
    """Count what reading does, by name; of `judge` and `typed`, the columns that they see."""
    count = Counter()

    def counting(name, function, columns_of=lambda *_: [""]):
        def counted(*args, **options):
            count.update(f"{name} {column}".strip() for column in columns_of(*args))
            return function(*args, **options)

        return counted

    def names(columns, *_):
        return [column.name for column in columns]

    for name in ("order_notes", "copies_of_y", "code_notes", "rows_once"):
        monkeypatch.setattr(sample_building, name, counting(name, getattr(sample_building, name)))
    monkeypatch.setattr(sample_building, "judge", counting("judge", rulings.judge, names))
    for module, name in ((samples, "typed_columns"), (typed_table, "typed_columns")):
        monkeypatch.setattr(module, name, counting("typed", rulings.typed_columns, names))
    for module in (samples, typed_table):
        monkeypatch.setattr(module, "read", counting("read", containers.read))
    return count


ONCE = ["order_notes", "copies_of_y", "code_notes", "rows_once", "read"]


def test_each_column_is_judged_once_from_python_and_from_the_shell(calls, tmp_path, monkeypatch, capsys):
    rows = range(24)
    table = {"id": list(rows), "a": [i * 7 % 11 for i in rows], "sex": ["f", "m"] * 12, "y": [i * 5 % 13 for i in rows]}
    of_columns = [f"{rule} {name}" for rule in ("judge", "typed") for name in ("id", "a", "sex")]
    expected = Counter([*ONCE, *of_columns, "typed y"])
    python = kmerf.independence(table, "y", method="rv", null=kmerf.Permutation(19), rng=1)
    assert calls == expected
    calls.clear()
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(table).write_csv("t.csv")
    quick = ("--method", "rv", "--resamples", "19", "--seed", "1", "--json")
    assert main(["independence", "t.csv", "--y", "y", *quick]) == 0
    assert calls == expected
    assert json.loads(capsys.readouterr().out)["result"]["pvalue"] == python.pvalue


def test_a_sample_that_was_read_before_is_used_as_it_is():
    sample = read_independence(np.arange(12.0), np.arange(12.0) % 5)
    assert read_independence(sample, None) is sample
    assert read_ksample(sample) is sample
