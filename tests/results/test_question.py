"""A question has all of its parts: words for every answer, a function in Python and a command in the shell."""

import dataclasses
import re

import pytest

import kmerf
import views
from kmerf.cli.app import app
from kmerf.report import page
from kmerf.results.question import QUESTIONS, Hypothesis, hypothesis
from kmerf.show.facts import title
from kmerf.show.verdict import question, verdict
from kmerf.show.words import names_of, y_text

OPTIONAL = {"asks_groups"}
HYPOTHESES = [name for name, each in QUESTIONS.items() if isinstance(each, Hypothesis)]


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_lacks_no_part(name):
    asked = QUESTIONS[name]
    assert asked.name == name
    parts = {field.name: getattr(asked, field.name) for field in dataclasses.fields(asked)}
    assert [part for part, text in parts.items() if text == "" and part not in OPTIONAL] == []
    assert "{options}" in asked.python
    function = re.match(r"kmerf\.(\w+)\(", asked.python)[1]
    assert function in kmerf.__all__
    assert asked.outcome in kmerf.__all__
    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert asked.shell.split()[:1] == ["kmerf"]
    assert asked.shell.split()[1] in commands


@pytest.mark.parametrize("name", HYPOTHESES)
@pytest.mark.parametrize("y", ["", "weight"])
@pytest.mark.parametrize("p", [0.001, 0.3])
def test_every_answer_has_words_with_all_names_filled_in(name, y, p):
    result = views.result(p, 0.0, question=name)
    texts = [
        title(result),
        question(result, y),
        str(verdict(result, y)),
        y_text(result),
        *page.call(result, None, given=False, censored=False),
    ]
    assert not [text for text in texts if not text or re.search(r"[{}]", text)]
    assert result.question == name
    names = names_of(result, y)
    words = [getattr(hypothesis(name), part) for part in ("permuted", "of_classes", "no_proof", "faint", "found")]
    assert not [text for text in words if re.search(r"[{}]", text.format(**names))]


@pytest.mark.parametrize("name", HYPOTHESES)
def test_a_saved_answer_of_every_question_can_be_loaded(name, tmp_path):
    result = views.result(question=name)
    result.save(tmp_path / "r.json")
    assert kmerf.Result.load(tmp_path / "r.json") == result


def test_the_calls_have_what_the_data_need():
    assert QUESTIONS["conditional"].calls(3, given=True) == (
        "kmerf.conditional(x, y, given=z, rng=3)",
        "kmerf independence FILE --y COLUMN --given COLUMN --seed 3",
    )
    assert QUESTIONS["screen"].calls(3, censored=True)[0] == 'kmerf.screen(x, y, y_kind="censored", rng=3)'
