"""The questions of a sitting: their p-values, adjusted for having asked several, and times in words."""

from types import SimpleNamespace

from kmerf.app.calls import Asked
from kmerf.app.history import Entry, estimate_text, history, holm, multiplicity


def entry(number, pvalue, p):
    answer = None if pvalue is None else SimpleNamespace(pvalue=pvalue, p=p, headline="There is evidence.")
    return Entry(number, Asked("screen", "t.csv", y="y"), [], "Which?", status="done", answer=answer)


def test_a_bound_stays_a_bound_when_it_is_adjusted():
    entries = [entry(1, 0.001, "p ≤ 0.001"), entry(2, 0.0221, "p = 0.022"), entry(3, None, "")]
    assert [(row["number"], row["holm"]) for row in history(entries)] == [(3, ""), (2, "0.022"), (1, "≤ 0.002")]
    adjusted, sentence = multiplicity(entries)
    assert adjusted == holm({1: 0.001, 2: 0.0221})
    assert "2 questions" in sentence


def test_one_question_needs_no_adjustment():
    assert "One question of this table has a p-value so far" in multiplicity([entry(1, 0.2, "p = 0.2")])[1]
    assert "No question has a p-value so far" in multiplicity([])[1]


def test_estimates_in_words():
    assert estimate_text({"seconds": 8.2}) == "about 8 s"
    assert estimate_text({"seconds": None}) == "not known in advance"
    assert estimate_text(None) == "…"
