"""Errors keep argument, finding and remedy apart, and put them into one sentence."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import re

import numpy as np
import pytest

import kmerf
import test_architecture as architecture
from kmerf.core import errors
from kmerf.core.errors import (
    Argument,
    Call,
    InputError,
    InputProblem,
    KmerfError,
    Message,
    choose,
    did_you_mean,
    message_of,
    nearest,
    whole,
)


def angle(argument):
    """Word an argument in a way that no text has by itself."""
    return f"<{argument.name}>"


# --- messages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        (Argument("blocks"), "blocks"),
        (Argument("rng", -1), "rng=-1"),
        (Argument("rng", None), "rng=None"),
        (Argument("exchange", "whole"), "exchange='whole'"),
        (Argument("categorical", ["a"]), "categorical=['a']"),
        (Argument("null", Call("ChiSquare")), "null=ChiSquare()"),
        (Argument("null", Call("Permutation", (99,))), "null=Permutation(99)"),
    ],
)
def test_arguments_in_the_words_of_python(argument, text):
    assert str(argument) == text
    assert Message("use ", argument, ".") == f"use {text}."


def test_a_message_is_a_string_that_can_be_worded_again():
    message = Message("use ", Argument("rng", 1), " or 'rng=2'.")
    assert message == "use rng=1 or 'rng=2'."
    assert message.worded(angle) == "use <rng> or 'rng=2'."
    assert json.dumps([message]) == "[\"use rng=1 or 'rng=2'.\"]"
    assert type(str(message)) is str


def test_messages_within_messages_keep_their_arguments():
    inner = Message("with ", Argument("blocks"))
    assert Message("a ", inner, " b").worded(angle) == "a with <blocks> b"
    assert Message.lines([inner, "plain"]).worded(angle) == "with <blocks>\nplain"
    assert Message.lines([]) == ""


@pytest.mark.parametrize("again", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_messages_and_errors_come_back_whole_from_workers(again):
    message = again(Message("use ", Argument("rng", 1)))
    assert message.worded(angle) == "use <rng>"
    first = InputError("is odd", argument=Argument("p", 3), remedy="pass 4")
    error = again(InputError.together([first, InputError("x is empty.")]))
    assert error.problems == (InputProblem("is odd", Argument("p", 3), "pass 4"), InputProblem("x is empty."))
    assert str(error) == "p=3 is odd: pass 4.\nx is empty."
    assert message_of(error).worded(angle) == "<p> is odd: pass 4.\nx is empty."


# --- sentences --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (InputProblem("x is empty: pass data."), "x is empty: pass data."),
        (InputProblem("no full stop is added to a text alone"), "no full stop is added to a text alone"),
        (InputProblem("is empty", Argument("x")), "x is empty."),
        (InputProblem("is empty", Argument("x"), "pass data"), "x is empty: pass data."),
        (InputProblem(": two are alike", Argument("sets"), "rename one"), "sets: two are alike: rename one."),
        (InputProblem("nothing was read", None, "look for the file"), "nothing was read: look for the file."),
        (InputProblem("is odd; did you mean 4?", Argument("p", 3), "Use it"), "p=3 is odd; did you mean 4? Use it."),
        (InputProblem("is odd.", Argument("p", 3), "Use 4"), "p=3 is odd. Use 4."),
        (InputProblem("is odd.", Argument("p", 3)), "p=3 is odd."),
    ],
)
def test_a_problem_is_one_sentence(problem, text):
    assert problem.message == text
    assert str(InputError(problem.finding, argument=problem.argument, remedy=problem.remedy)) == text


def test_arguments_in_every_part_of_a_sentence_are_worded():
    error = InputError(
        Message("needs ", Argument("blocks")),
        argument=Argument("exchange", "whole"),
        remedy=Message("use ", Argument("exchange", "within")),
    )
    assert str(error) == "exchange='whole' needs blocks: use exchange='within'."
    assert message_of(error).worded(angle) == "<exchange> needs <blocks>: use <exchange>."


def test_an_argument_may_be_given_by_its_name_alone():
    assert InputError("is empty", argument="x").problems == (InputProblem("is empty", Argument("x")),)


def test_errors_are_value_errors_with_their_text():
    error = InputError("x is empty.")
    assert isinstance(error, ValueError)
    assert isinstance(error, KmerfError)
    assert str(error) == message_of(error) == "x is empty."


@pytest.mark.parametrize(("error", "text"), [(KmerfError("a"), "a"), (OSError(2, "gone"), "[Errno 2] gone")])
def test_the_text_of_other_errors(error, text):
    assert message_of(error) == text
    assert message_of(KmerfError()) == ""


# --- checks -----------------------------------------------------------------------------------------------------------


def test_choose_says_what_is_wrong_in_fields():
    assert choose("kind", "a", ["a", "b"]) == "a"
    with pytest.raises(InputError) as caught:
        choose("kind", "abel", ["able", "cain"])
    (problem,) = caught.value.problems
    assert problem.argument == Argument("kind", "abel")
    assert problem.finding == "is not an option; did you mean 'able'?"
    assert problem.remedy == "Options: 'able', 'cain'"
    with pytest.raises(InputError, match=r"^kind=7 is not an option\. Options: 'able', 'cain'\.$"):
        choose("kind", 7, ["able", "cain"])


@pytest.mark.parametrize("value", [0, True, 1.0, "1", None])
def test_whole_says_what_is_wrong_in_fields(value):
    with pytest.raises(InputError) as caught:
        whole("n", value)
    assert caught.value.problems == (InputProblem("must be a whole number of at least 1", Argument("n", value)),)
    assert str(caught.value) == f"n={value!r} must be a whole number of at least 1."
    assert whole("n", np.int64(3), at_least=3) == 3


@pytest.mark.parametrize(
    ("name", "names", "near"),
    [
        ("age", ["Age", "AGE", "sex"], "Age"),
        ("AGE ", ["sex", "age"], "age"),
        ("zzz", ["age", "sex"], None),
        ("age", [], None),
    ],
)
def test_nearest_name(name, names, near):
    assert nearest(name, names) == near
    assert did_you_mean(name, names) == ("." if near is None else f"; did you mean {near!r}?")


def test_how_similar_the_nearest_name_must_be():
    assert nearest("abcd", ["abxy"]) == "abxy"  # half of it is the same
    assert nearest("abcd", ["abxy"], similarity=0.6) is None


# --- the library's own ------------------------------------------------------------------------------------------------


def test_errors_name_the_argument_in_a_field():
    with pytest.raises(kmerf.InputError) as caught:
        kmerf.independence([1.0, 2, 3, 4, 5], [1.0, 2, 4, 3, 5], blocks=[0, 0, 0, 0, 0], exchange="whole")
    (problem,) = caught.value.problems
    assert problem.argument.name == "blocks"
    assert problem.finding == "has a single value, and permuting whole blocks takes two or more"
    assert problem.remedy == "use exchange='within', which compares rows of one block"


def test_a_note_is_worded_again_in_a_result_but_not_once_saved(tmp_path):
    result = kmerf.independence(np.arange(30.0), np.arange(30) % 3, method=kmerf.baselines.RV(), rng=1)
    (note,) = result.notes
    assert (
        note
        == "y has 3 distinct whole numbers and is read as numeric; pass y_kind='categorical' if they are class codes."
    )
    assert "pass <y_kind> if" in note.worded(angle)
    result.save(tmp_path / "result.json")
    assert kmerf.Result.load(tmp_path / "result.json").notes == result.notes


def test_the_overview_names_every_class_of_errors_and_warnings():
    listed = set(re.findall(r"^ {4,6}(\w+)  ", errors.__doc__, re.MULTILINE))
    bases = r"\w*(?:Error|Warning|Exception|Interrupt)"
    sources = "\n".join(architecture.modules().values())
    defined = set(re.findall(rf"^class (\w+)\((?:{bases}, )*{bases}\):", sources, re.MULTILINE))
    assert len(defined) > 9
    assert listed == defined


@pytest.mark.parametrize("package", ["core", "execution", "storage", "study", "simulations"])
def test_every_input_error_names_its_argument(package):
    sources = {name: source for name, source in architecture.modules().items() if name.startswith(f"{package}.")}
    calls = [
        (name, node)
        for name, source in sources.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "InputError"
    ]
    assert calls
    assert [(name, ast.unparse(node)) for name, node in calls if "argument" not in {k.arg for k in node.keywords}] == []
