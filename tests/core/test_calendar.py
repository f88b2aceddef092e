"""Dates as numbers of a unit: what they are called, and where axes have ticks."""

import datetime

import numpy as np
import pytest

from kmerf.core.calendar import date_text, date_ticks, dated_unit, is_dated, plain_name, step_unit


@pytest.mark.parametrize("unit", ["days", "hours", "minutes", "seconds"])
@pytest.mark.parametrize("span", [3, 5, 8, 13, 20, 33, 60, 100, 250, 700, 1500, 4000, 12000, 36000])
def test_axes_of_every_span_have_a_few_ticks_that_are_where_they_say(unit, span):
    dated = dated_unit(unit, datetime.datetime(2011, 11, 17, 9, 30, 5).timestamp())
    low, high = -0.05 * span, 1.05 * span
    ticks, names = date_ticks(low, high, dated)
    assert 2 <= len(ticks) == len(names) <= 8
    assert len(set(names)) == len(names)
    assert all(low <= tick <= high for tick in ticks)
    np.testing.assert_array_less(0.0, np.diff(ticks))
    for tick, name in zip(ticks, names, strict=True):
        assert (
            name in date_text(tick, dated) or name in date_text(tick, f"seconds{dated[len(unit) :]}") or unit != "days"
        )


def test_times_since_a_moment_keep_its_fractions():
    unit = dated_unit("seconds", 1.25)
    assert unit == "seconds since 1970-01-01 00:00:01.250000"
    assert date_text(0.75, unit) == "1970-01-01 00:00:02"


def test_what_is_not_in_the_calendar_stays_a_number():
    assert date_text(1e9, "days since 2012-03-01") == "1e+09"
    assert date_ticks(0.0, 1e9, "days since 2012-03-01") == ((), ())
    assert not is_dated("days since spring")
    assert step_unit("days since spring") == "days since spring"
    assert plain_name("a (elapsed)", "days") == "a (elapsed)"
