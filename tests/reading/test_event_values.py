"""Which value of a column stands for an event."""

import math

import polars as pl
import pytest

from kmerf import InputError
from kmerf.reading.roles import EventChoice, TableRequest, choose_event, find_followed, read_request, with_events
from kmerf.reading.typed_table import FileSource, table_of_frame

DAYS = [5.0, 3.0, 8.0, 2.0, 9.0, 4.0, 7.0]


def table_of(status, name="status"):
    frame = pl.DataFrame({name: status, "a": list(range(7)), "days": DAYS}, strict=False)
    return table_of_frame(frame, FileSource("t.parquet", "parquet", None, None, None, 7))


def events_of(status, event):
    table = table_of(status)
    column = next(c for c in table.columns() if c.name == "status")
    events = with_events(table, find_followed(table, "days", event), column)
    assert events.kind == "boolean"
    return [None if math.isnan(cell) else bool(cell) for cell in events.values]


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("status", ["status"], EventChoice("status")),
        ("status=2", ["status"], EventChoice("status", "2")),
        ("status = 2", ["status"], EventChoice("status", "2")),
        ("status=2", ["status", "status=2"], EventChoice("status=2")),
        ("a=b=2", ["a", "a=b"], EventChoice("a=b", "2")),
        ("a=b=2", ["a"], EventChoice("a", "b=2")),
        ("#2=2", ["a", "status"], EventChoice("status", "2")),
    ],
)
def test_a_name_comes_before_a_value(text, names, expected):
    assert choose_event(text, names) == expected


def test_missing_stays_missing_and_all_others_are_censored():
    assert events_of([1, 2, None, 2, 3, 1, 1], "status=2") == [False, True, None, True, False, False, False]
    assert events_of([1.0, 2.5, None, 2, 3, 1, 1], "status=2.50")[:3] == [False, True, None]
    assert events_of(["dead ", "alive", None, "dead", "lost", "alive", "dead"], "status=dead")[:4] == [
        True,
        False,
        None,
        True,
    ]
    assert events_of([True, False, None, True, True, False, False], "status=FALSE")[:3] == [False, True, None]


@pytest.mark.parametrize(
    ("status", "event", "message"),
    [
        ([1, 2, None, 2, 3, 1, 1], "status=4", "--event 'status=4': 'status' is '4' in no row. Values: '1', '2', '3'."),
        (list("abcabca"), "status=A", "'status' is 'A' in no row. Values: 'a', 'b', 'c'."),
        ([1, 2, 1, 2, 1, 2, 1], "status=", "'status' is '' in no row"),
        ([1, 2, 1, 2, 1, 2, 1], "days=2", "--time and --event both name 'days': name two columns."),
        ([1, 2, 1, 2, 1, 2, 1], "state=2", "--event 'state': there is no such column; did you mean 'status'?"),
    ],
)
def test_messages(status, event, message):
    with pytest.raises(InputError) as caught:
        find_followed(table_of(status), "days", event)
    assert message in str(caught.value)


def test_conditions_are_about_the_values_of_the_file_and_the_account_says_all():
    table = table_of([1, 2, 3, 2, 3, 1, 2])
    chosen = read_request(table, TableRequest(time="days", event="status=2", where="status != 3"))
    assert chosen.y == ("days", "status")
    assert chosen.sample("censored").y.followed.event.tolist() == [False, True, True, False, True]
    assert "Event: 'status' is 2; rows with another value are censored." in chosen.notes
    facts = {fact.name: fact for fact in chosen.columns}
    assert (facts["status"].remark, facts["status"].kind, facts["status"].distinct) == ("the event: 2", "numeric", 2)
    assert facts["days"].remark == "the time"
    words = read_request(table_of(list("abababc")), TableRequest(time="days", event="status=b"))
    assert words.sample("censored").y.events == 3


def test_without_a_value_the_column_is_as_it_is():
    chosen = read_request(table_of([0, 1, 1, 0, 1, 1, 0]), TableRequest(time="days", event="status"))
    assert chosen.sample("censored").y.followed.event.tolist() == [0, 1, 1, 0, 1, 1, 0]
    assert {fact.name: fact.remark for fact in chosen.columns}["status"] == "the event"
    assert find_followed(table_of([1] * 7), None, None) is None
