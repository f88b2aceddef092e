"""Pictures of a screen."""

import numpy as np
import pytest

import views
from kmerf.core.errors import InputError
from kmerf.figures import plot_screen


def test_points_the_threshold_and_the_names_of_the_selected(tmp_path):
    figure = plot_screen(views.screen())
    figure.savefig(tmp_path / "out.png")
    (ax,) = figure.axes
    assert not ax.texts  # all columns are named on the axis
    line = next(line for line in ax.get_lines() if line.get_linestyle() == "--")
    assert line.get_ydata()[0] == pytest.approx(-np.log10(0.05 * 2 / 3))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "selected up to p = 0.033",
        "p from a model of the tail",
        "not tested",
    ]
    assert ax.get_title(loc="left") == "Dcorr: 2 of 3 selected at a false discovery rate of 0.05; 1 not tested"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["g0", "g1", "g2", "g3"]


def test_many_columns_are_not_named_on_the_axis():
    ax = plot_screen(views.screen(np.linspace(0.01, 1.0, 60)), labels=0).axes[0]
    assert ax.get_xlabel() == "column, in the order given"
    assert not ax.texts
    named = plot_screen(views.screen(np.append(np.full(58, 0.5), [1e-6, 1e-7]))).axes[0]
    assert {text.get_text() for text in named.texts} == {"g58", "g59"}
    with pytest.raises(InputError, match="labels"):
        plot_screen(views.screen(), labels=-1)


def test_names_are_no_formulas(tmp_path):
    figure = plot_screen(views.screen(names=("$\\frac$", "$b$", "c", "d" * 40)))
    figure.savefig(tmp_path / "out.png")
    assert figure.axes[0].get_xticklabels()[1].get_text() == "\\$b\\$"
