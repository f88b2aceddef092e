"""Do rows look ordered in time, or repeated per subject?"""

import numpy as np
import pytest

from kmerf.data import row_order


def test_rows_in_random_order_are_suspected_once_in_two_thousand():
    """The limit is the two-sided 0.001 of a normal distribution; only positive correlations count."""
    rng = np.random.default_rng(0)
    found = [row_order.lag_correlation(rng.normal(size=60)) * np.sqrt(60) for _ in range(4000)]
    assert np.std(found) == pytest.approx(1.0, abs=0.05)
    assert np.mean(np.array(found) >= row_order.LIMIT) < 0.003


@pytest.mark.parametrize(("z", "suspected"), [(3.2, False), (3.4, True)])
def test_how_alike_neighbours_must_be(z, suspected):
    """A y whose lag-one correlation is just below or above 3.29 standard errors."""
    y = at_lag(z / np.sqrt(100))
    assert (row_order.serial(y, []) is not None) == suspected


def at_lag(wanted, n=100):
    """Return numbers whose ranks have nearly that lag-one correlation: random ones, swapped until they have."""
    rng = np.random.default_rng(1)
    y = rng.permutation(float(n) * np.arange(n))
    while (found := row_order.lag_correlation(y)) < wanted - 0.005 or found > wanted + 0.005:
        i, j = rng.integers(0, n, 2)
        other = y.copy()
        other[[i, j]] = y[[j, i]]
        if abs(row_order.lag_correlation(other) - wanted) < abs(found - wanted):
            y = other
    return y


def test_a_table_that_is_merely_sorted_is_let_pass():
    wave = np.sin(np.arange(60) / 4)
    assert row_order.serial(wave, []) == pytest.approx(row_order.lag_correlation(wave))
    assert row_order.serial(np.sort(wave), []) is None
    assert row_order.serial(np.repeat([1.0, 2.0, 3.0], 20), []) is None
    assert row_order.serial(wave[:19], []) is None  # too few to tell
    groups = np.repeat([3.0, 1.0, 2.0], 20)
    assert row_order.serial(wave, [("group", groups)]) is None  # sorted by group
    assert row_order.serial(wave, [("number", np.arange(60.0))]) is not None  # rows are merely counted
    assert row_order.serial(wave, [("day", np.arange(60.0) ** 2)]) is not None  # sorted by time is no excuse
    assert row_order.serial(wave, [("dose", np.arange(60.0) ** 2)]) is None


@pytest.mark.parametrize("name", ["subject", "patientId", "mouse_id", "PID", "twin pair"])
def test_names_of_subjects(name):
    assert row_order.looks_like_subject(name, rows=60, distinct=20)


@pytest.mark.parametrize("name", ["width", "idea", "rating", "acid", "paired"])
def test_names_of_other_things(name):
    assert not row_order.looks_like_subject(name, rows=60, distinct=20)


def test_constants_and_runs():
    assert row_order.lag_correlation(np.ones(30)) == 0.0
    assert not row_order.is_sorted(np.ones(5))
    assert row_order.is_sorted(np.array([3.0, np.nan, 2.0, 2.0]))
    assert row_order.is_grouped(np.array([2.0, 2.0, 1.0, 1.0]))
    assert not row_order.is_grouped(np.array([2.0, 1.0, 2.0, 1.0]))
