"""Pictures of an answer, drawn by both renderers: what one shows, the other shows."""

from __future__ import annotations

import re

import numpy as np
import pytest

import views
from kmerf.figures import canvas
from kmerf.pictures import of_answers
from kmerf.report.svg import draw
from kmerf.results.views import RowMap, SurvivalCurve, SurvivalCurves

CURVES = SurvivalCurves("age", "days", (SurvivalCurve("up to 50", 4, 2, np.array([1.0, 2.0]), np.array([0.75, 0.5])),))
MAP = RowMap(np.arange(3), np.array([[0.0, 0.0], [1.0, 0.5], [0.2, 1.0]]), (0.5, 0.2), np.array([0.0, 1.0, 1.0]))
PICTURES = {
    "near": of_answers.null_distribution(np.linspace(0.0, 1.0, 99), 1.5, "here"),
    "far": of_answers.null_distribution(np.linspace(0.0, 1.0, 99), 50.0, "here"),
    "importances": of_answers.importances(views.importances(), views.features(), 15),
    "bar": of_answers.importance_bar(0.2, 0.1, 0.3, 0.5, True, "95 % interval"),
    "survival": of_answers.survival(CURVES),
    "groups": of_answers.row_map(MAP, ["a", "b"], "y"),
    "shades": of_answers.row_map(MAP, [], "age"),
    "compare": of_answers.compare({"one": views.result(1e-5, 0.4), "two": views.result(0.3)}),
}


def plain(text):
    return text.replace("\u2212", "-")


@pytest.mark.parametrize("name", PICTURES)
def test_both_renderers_show_the_same_texts(name):
    picture = PICTURES[name]
    drawn = draw(picture)
    shown = [plain(text) for text in re.findall(r"<text[^>]*>([^<]+)</text>", drawn)]
    ax = canvas.draw(picture, canvas.axes_for(None, (4.0, 3.0)))
    ax.figure.draw_without_rendering()
    assert ax.get_xlim() == picture.x.limits
    labels = [ax.get_xlabel(), ax.get_ylabel(), *(text.get_text() for text in ax.texts)]
    if picture.x.names or picture.y.names:
        axis = ax.xaxis if picture.x.names else ax.yaxis
        labels += [text.get_text() for text in axis.get_ticklabels()]
    assert {plain(text) for text in labels if text} <= set(shown)
    assert picture.text
    assert 'role="img" aria-label="' in drawn


def test_what_lies_beyond_a_break_is_named_by_its_value():
    far = PICTURES["far"].x
    assert far.names[-1] == "50"
    assert far.broken
    assert far.gap[1] < far.ticks[-1] < far.limits[1] < 3.0
    assert PICTURES["near"].x.gap is None


def test_features_are_called_at_the_level():
    called, others, spread = PICTURES["importances"].marks
    assert called.columns[1].tolist() == [0.7, 0.2]
    assert (called.role, others.role) == ("bars chosen", "bars")
    assert spread.columns[0].size == 3
    assert PICTURES["importances"].y.names == ("x2", "x3", "x1")
