"""Rows without y, and columns that do not vary."""

import numpy as np

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
