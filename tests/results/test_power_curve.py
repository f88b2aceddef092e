"""Power curves are values: rows for a power, frames, JSON."""

import math

import numpy as np
import pytest

import kmerf
from kmerf import InputError
from kmerf.results.power_curve import PowerCurve
from power_curves import made_curve


def test_rows_are_interpolated_by_their_logarithm():
    curve = made_curve()
    # 0.8 lies half way between 0.7 at 100 rows and 0.9 at 400: at 200 rows
    assert curve.needed.rows == 200
    assert curve.needed.low == 100  # the upper end of the interval is at the target there
    assert curve.needed.high == math.inf
    assert curve.rows_for(0.2).rows == 25  # reached at the smallest size already
    assert curve.rows_for(0.75).rows == 142  # 100 * 4 ** 0.25 = 141.4, rounded up
    assert curve.rows_for(0.95).rows == math.inf


def test_rows_do_not_depend_on_the_sizes_asked_for():
    whole = made_curve()
    one = made_curve(sizes=(400,), power=(0.9,), low=(0.6,), high=(0.99,), fine=whole.fine)
    assert one.needed == whole.needed
    assert one.furthest == 400


def test_a_pilot_is_conclusive_if_the_interval_of_the_rows_has_an_end():
    assert not made_curve().conclusive
    assert made_curve(low=(0.1, 0.3, 0.85)).conclusive


@pytest.mark.parametrize("power", [0.05, 0.0, 1.0])
def test_a_power_must_lie_between_level_and_one(power):
    with pytest.raises(InputError, match=r"target=.* must lie between the level 0.05 and 1: 0.8, for example"):
        made_curve().rows_for(power)


def test_json_and_files_hold_all_of_it(tmp_path):
    curve = made_curve()
    assert PowerCurve.from_dict(curve.to_dict()) == curve
    curve.save(tmp_path / "curve.json")
    again = PowerCurve.load(tmp_path / "curve.json")
    assert again == curve
    assert hash(again) == hash(curve)
    assert curve != made_curve(low=(0.1, 0.2, 0.3))
    with pytest.raises(InputError, match=r"holds the outcome of plan: use kmerf.PowerCurve.load"):
        kmerf.Result.load(tmp_path / "curve.json")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_have_the_curve(library):
    frame = made_curve().to_frame(library)
    columns = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert columns == ["rows", "power", "low", "high"]
    np.testing.assert_array_equal(np.asarray(frame["power"]), made_curve().power)
