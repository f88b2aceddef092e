"""Options of reading as the page offers them, and notes of the reader as questions."""

import pytest

from kmerf.app.calls import Refused
from kmerf.app.choices import asked_as, option_value, reason, settings


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("sep", "\t", "\t"),
        ("decimal", " , ", ","),
        ("decimal", "", None),
        ("header", "none", False),
        ("header", "3", 3),
        ("thousands", "none", ""),
        ("skip", "2", 2),
        ("na", "999, ?,", ["999", "?"]),
    ],
)
def test_a_text_of_the_page_is_an_argument(name, text, value):
    assert option_value(name, text) == value


def test_a_number_of_lines_is_a_number():
    with pytest.raises(Refused, match="the number of lines must be a whole number"):
        option_value("skip", "two")


def test_without_a_table_nothing_is_detected():
    rows = {each["name"]: each for each in settings(None, {"decimal": ","}, "day-first")}
    assert (rows["decimal"]["option"], rows["decimal"]["detected"]) == ("--decimal ,", "")
    assert rows["dates"]["option"] == "--dates day-first"
    assert "sheet" not in rows  # which only workbooks have


def test_a_note_is_a_question_with_its_reason():
    choice = {"name": "event_value", "value": "2", "text": "2"}
    assert asked_as(choice)["question"] == "Does 2 mean that the event happened?"
    assert asked_as({"name": "blocks", "value": "id", "text": "blocks='id'"})["option"] == "--blocks id"
    note = ["Column 'id' has 9 values. If rows belong together, name it: ", {"text": "blocks='id'"}, "."]
    assert reason(note) == "Column 'id' has 9 values."
    assert reason(["Do it: ", {"text": "blocks='id'"}, "."]) == "Do it: blocks='id'."
