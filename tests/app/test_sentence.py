"""The question as a sentence: what may be filled in, and how it reads."""

import pytest

from kmerf.app.calls import Refused
from kmerf.app.choices import AskedQuestion

NAMES = ["id", "dose", "age", "weight", "died"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Does weight depend on all other columns?"),
        ({"x": ("dose",), "given": ("age",)}, "Does weight depend on dose, given age?"),
        ({"event": "died", "x": ("dose",)}, "Does weight until died depend on dose?"),
        ({"kind": "ksample"}, "Do the groups of weight differ in all other columns?"),
        ({"kind": "screen"}, "Which other columns are related to weight?"),
        ({"kind": "screen", "x": ("dose", "age")}, "Which of dose, age are related to weight?"),
        ({"kind": "plan", "x": ("dose",)}, "How many rows to find that weight depends on dose?"),
    ],
)
def test_it_reads_as_a_sentence(fields, sentence):
    assert AskedQuestion(y="weight", **fields).sentence() == sentence


def test_parts_are_changed_in_the_order_of_the_table():
    asked = AskedQuestion().changed({"y": "weight", "x": ["age", "dose"], "rows": "300", "target": "0.9"}, NAMES)
    assert (asked.x, asked.rows, asked.target) == (("dose", "age"), 300, 0.9)
    assert asked.within(["weight", "age"]) == AskedQuestion(y="weight", x=("age",), rows=300, target=0.9)
    for change in ({"y": "nope"}, {"x": "dose"}, {"rows": "-1"}, {"target": 2}, {"method": "magic"}, {"other": 1}):
        with pytest.raises(Refused):
            asked.changed(change, NAMES)


def test_another_column_of_events_has_no_value_yet():
    asked = AskedQuestion().changed({"event": "died"}, NAMES).changed({"event_value": " 2 "}, NAMES)
    assert (asked.event_code("numeric"), asked.event_code("text")) == (2, "2")
    assert asked.changed({"event": "dose"}, NAMES).event_code("numeric") is None
    with pytest.raises(Refused, match="must be a number"):
        asked.changed({"event_value": "yes"}, NAMES).event_code("numeric")
    assert AskedQuestion(event="died", event_value="0.5").event_code("numeric") == 0.5


def test_a_column_has_one_role_each():
    asked = AskedQuestion(y="weight", event="died", given=("age",), blocks="id")
    assert asked.roles() == {"id": "blocks", "age": "given", "died": "event", "weight": "y"}
    assert AskedQuestion(kind="ksample", y="died", event="dose").roles() == {"died": "groups"}
    assert AskedQuestion(kind="compare", y="died").roles() == {}
