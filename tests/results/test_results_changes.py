"""What changes, as values."""

import json

import pytest

import views
from kmerf.results.parts import Change, GroupNumbers, Kind, Margin, Names
from kmerf.results.single_result import Result


def change(**fields):
    usual = {
        "measure": "mean",
        "shape": "rises",
        "first": "3 or less",
        "second": "7 or more",
        "estimate": 1.0,
        "low": 0.5,
        "high": 1.5,
    }
    return Change("x", "y", "x", n=20, **(usual | fields))


@pytest.mark.parametrize(
    ("fields", "clear"),
    [
        ({}, True),
        ({"low": -0.1}, False),
        ({"measure": "hazard ratio", "low": 0.8, "high": 1.3}, False),
        ({"measure": "hazard ratio", "low": 1.1, "high": 1.3}, True),
    ],
)
def test_a_change_is_clear_if_its_interval_does_not_hold_none(fields, clear):
    assert change(**fields).clear is clear


def test_all_of_it_goes_to_json_and_back():
    fields = {
        "names": Names(("y",), ("a", "b", "c")),
        "changes": (change(groups=(GroupNumbers("low", 10, 1.0, 2.0),), unit="kg"),),
        "kinds": (Kind("level", 0.01, 0.03, "a"),),
        "margin": Margin(0.06, "R2 of ranks", "below", 0.01, 0.0, 0.05),
    }
    result = views.result(**fields)
    document = json.loads(json.dumps(result.to_dict()))
    assert document["words"]["kinds"] == "level (p = 0.030)"
    assert document["words"]["headline"] == "There is evidence that y is related to a, b and c."
    assert document["words"]["changes"] == [
        "y rises with x: by 1.00 kg from 3 or less to 7 or more (95 %: 0.50 to 1.50); mean (sd, n) low: 1.00 (2.00, 10)"
    ]
    again = Result.from_dict(document)
    assert again == result
    assert again.changes[0].groups[0].sd == 2.0
