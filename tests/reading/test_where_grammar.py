"""The grammar of conditions: what is understood, and every refusal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmerf.core.errors import InputError
from kmerf.reading.where import Among, Compare, IsMissing, Joined, Not, Operand, parse

NAMES = ["age", "arm", "ok", "a b", "day"]


AGE, ARM, OK = (Operand("column", name) for name in ("age", "arm", "ok"))
OLD = Compare(AGE, ">", Operand("numeric", 40.0))


@pytest.mark.parametrize(
    ("condition", "tree"),
    [
        ("age > 40", OLD),
        ("age <> 40", Compare(AGE, "!=", Operand("numeric", 40.0))),
        ("age = .5e1", Compare(AGE, "==", Operand("numeric", 5.0))),
        ("arm == 'it''s'", Compare(ARM, "==", Operand("text", "it's"))),
        ("arm in (\"a\", 'b')", Among(ARM, (Operand("text", "a"), Operand("text", "b")))),
        ("arm not in ('a')", Not(Among(ARM, (Operand("text", "a"),)))),
        ("age IS NOT Missing", Not(IsMissing(AGE))),
        ("`a b` = true", Compare(Operand("column", "a b"), "==", Operand("boolean", True))),
        ("age > 40 and ok or ok", Joined("or", (Joined("and", (OLD, OK)), OK))),
        ("age > 40 and (ok or not ok)", Joined("and", (OLD, Joined("or", (OK, Not(OK)))))),
        ("ok or ok or ok", Joined("or", (OK, OK, OK))),
        ("not ok and ok", Joined("and", (Not(OK), OK))),
    ],
)
def test_trees(condition, tree):
    assert parse(condition, NAMES) == tree


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("", "is empty"),
        ("age >", "ends too early"),
        ("arm == b", "text goes in quotes, 'b'"),
        ("arm in (b)", "put text in quotes"),
        ("arm in ()", "a column or a value belongs there"),
        ("arm in ('a'", "')' is needed"),
        ("(age > 1", "')' is needed"),
        ("age > 1)", "did not expect"),
        ("1 < age < 5", "compare two at a time"),
        ("age > 1 arm == 'a'", "put and or or"),
        ("age is 5", "'missing' is needed"),
        ("age not 5", "after a column, not needs in"),
        ("age > 1 && arm == 'a'", "write and, or, not"),
        ("arm == 'a", "never closed"),
        ("age % 2", "backquotes"),
        ("__import__('os').system('true')", "cannot read"),
        ("exec('1')", "there is no column 'exec'"),
        ("`c` > 1", "check the name"),
        ("(" * 5000 + "ok" + ")" * 5000, "nested more than"),
        ("not " * 4000 + "ok", "nested more than"),
        ("ok or " * 5000 + "ok", "at most"),
    ],
)
def test_wrong_conditions(condition, says):
    with pytest.raises(InputError) as caught:
        parse(condition, NAMES)
    assert says in str(caught.value)
    assert str(caught.value).startswith("--where")
    assert len(str(caught.value)) < 400


WORDS = [
    "age",
    "arm",
    "ok",
    "`a b`",
    "and",
    "or",
    "not",
    "in",
    "is",
    "missing",
    "(",
    ")",
    ",",
    "<",
    "==",
    "1",
    "'a'",
    "true",
    "%",
]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)))
def test_any_condition_is_understood_or_refused(condition):
    try:
        assert parse(condition, NAMES)
    except InputError as error:
        said = str(error)
    else:
        return
    assert said.startswith("--where")


def test_a_long_flat_condition_is_no_deep_one():
    assert len(parse(" or ".join(["ok"] * 2000), ["ok"]).parts) == 2000
