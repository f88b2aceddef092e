"""The test of two columns: one statistic for a pair whichever comes first, and shared nulls that are its own."""

import numpy as np
import pytest

from kmerf.methods.column_scan import ColumnScan
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_columns, read_independence
from kmerf.screening.associations import PairStatistic, SharedPiece, SortedColumn, TableColumns, beside, shared_draws

RNG = np.random.default_rng(4)
N = 60
TABLE = {
    "number": RNG.normal(size=N),
    "other": RNG.normal(size=N),
    "tied": RNG.integers(0, 5, size=N).astype(float),
    "holes": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
    "colour": RNG.choice(["red", "green", "blue"], N),
    "town": RNG.choice([f"town {k}" for k in range(9)], N),
}
COLUMNS = TableColumns.of(read_columns(TABLE).x)
NAMES = list(TABLE)


def statistic(i, j):
    x, y = COLUMNS.patterns(i, j)
    return PairStatistic.of(x, y)(beside(x, y))


def scanned(x, y, **options):
    return observe(ColumnScan().prepare(read_independence({"x": x}, y, **options), 0)).statistic


@pytest.mark.parametrize("i", range(6))
@pytest.mark.parametrize("j", range(6))
def test_a_pair_has_one_statistic(i, j):
    if i < j:
        assert statistic(i, j) == pytest.approx(statistic(j, i), rel=1e-9)


def test_it_is_the_scan_of_a_column_in_both_directions():
    x, y = TABLE["number"], TABLE["tied"]
    ratios = scanned(x, y, y_kind="numeric"), scanned(y, x)
    assert statistic(0, 2) == pytest.approx(np.log(np.exp(ratios).mean()), rel=1e-9)


def test_a_category_takes_the_place_of_x():
    assert statistic(0, 4) == pytest.approx(scanned(TABLE["colour"], TABLE["number"]), rel=1e-9)
    towns = scanned(TABLE["town"], TABLE["colour"])
    assert statistic(4, 5) == pytest.approx(towns, rel=1e-9)


def test_rows_with_both_values_are_used():
    known = ~np.isnan(TABLE["holes"])
    part = TableColumns.of(read_columns({k: v[known] for k, v in TABLE.items()}).x)
    assert COLUMNS.rows(0, 3) == part.rows(0, 3) == known.sum()
    x, y = part.patterns(0, 3)
    assert statistic(0, 3) == pytest.approx(PairStatistic.of(x, y)(beside(x, y)), rel=1e-9)


def test_pairs_share_a_null_if_their_ties_are_the_same():
    assert COLUMNS.key(0, 1) is not None
    assert COLUMNS.key(0, 3).rows == COLUMNS.rows(0, 3)
    assert COLUMNS.key(2, 3) is None  # tied beside missing
    again = TableColumns.of(read_columns({"b": TABLE["tied"][::-1].copy(), "a": TABLE["number"]}).x)
    assert again.key(0, 1) == COLUMNS.key(0, 2)
    x, y = again.patterns(0, 1)
    for one, other in zip((x, y), COLUMNS.patterns(0, 2), strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_shared_draws_depend_on_their_number_alone():
    key = COLUMNS.key(0, 1)
    first = shared_draws(COLUMNS, 5, SharedPiece(key, (0, 1), 0, 8))
    np.testing.assert_array_equal(first, shared_draws(COLUMNS, 5, SharedPiece(key, (0, 1), 0, 8)))
    assert not np.array_equal(first, shared_draws(COLUMNS, 5, SharedPiece(key, (0, 1), 1024, 8)))


def test_levels_are_sorted_by_their_size():
    column = SortedColumn.of(np.array([2.0, 0.0, 2.0, 1.0, 2.0, 0.0]), categorical=True)
    assert column.values.tolist() == [0.0, 0.0, 0.0, 1.0, 1.0, 2.0]
    assert (column.order.tolist(), column.levels) == ([0, 2, 4, 1, 5, 3], 3)
