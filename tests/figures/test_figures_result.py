"""Pictures of a result: what is on them, for every kind of result."""

from itertools import pairwise

import numpy as np
import pytest

import kmerf
import views
from kmerf.core.errors import InputError
from kmerf.figures import plot_features, plot_result

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))


@pytest.fixture(scope="module")
def groups():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 20))
    x[30:, 3] += 2.0
    x[0, 3] = np.nan
    return kmerf.ksample(x[:30], x[30:], method=SMALL, null=kmerf.Permutation(39), details=True, rng=1)


def test_a_result_draws_itself(groups, tmp_path):
    figure = groups.plot()
    figure.savefig(tmp_path / "out.png")
    answer, null, features = figure.axes
    assert answer.get_ylabel() == "x4"
    assert [text.get_text() for text in answer.texts] == ["n = 29", "30"]  # one row has no value
    assert answer.get_title(loc="left").startswith("p <= 0.025; AUC 0.8")
    assert null.get_title(loc="left") == "KMERF, 39 permutations"
    assert any("observed" in text.get_text() for text in null.texts)
    assert features.get_yticklabels()[0].get_text() == "x4"
    assert len(features.patches) == 15
    assert "15 of 20" in features.get_title(loc="left")
    coloured = {patch.get_facecolor() for patch in features.patches}
    assert len(coloured) == 2  # those that are called, and the others


def test_results_without_refits_or_forests_show_what_they_have():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    fast = kmerf.independence(x, x[:, 0], method=SMALL, null=kmerf.ChiSquare(), rng=1)
    rival = kmerf.independence(x, x[:, 0], method=kmerf.baselines.Dcorr(), null=kmerf.Permutation(19), rng=1)
    assert [ax.get_xlabel() for ax in plot_result(fast).axes] == ["importance (lost if permuted)"]
    assert [ax.get_xlabel() for ax in plot_result(rival).axes] == ["statistic"]
    nothing = kmerf.independence(x, x[:, 0], method=kmerf.baselines.Dcorr(), null=kmerf.ChiSquare(), rng=1)
    with pytest.raises(InputError, match="nothing to draw"):
        plot_result(nothing)


def test_profiles_are_drawn_for_groups_and_numbers(groups, tmp_path):
    figure = plot_features(groups)
    figure.savefig(tmp_path / "out.png")
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert shown[0].get_xlabel() == "x4"
    assert shown[0].get_xticklabels()[-1].get_text() == "missing"
    assert figure.get_supylabel() == "share with group = 2"  # of two groups, one is enough
    with pytest.raises(InputError, match="details=True"):
        plot_features(kmerf.independence(range(20), range(20), method=SMALL, rng=1))


def test_features_are_coloured_at_the_level_and_p_values_written_beside_them():
    ax = plot_result(views.result(), most=3).axes[1]
    colours = [patch.get_facecolor() for patch in ax.patches]
    assert colours[0] == colours[1] != colours[2]  # 0.0004 and 0.05 are called, 0.3 is not
    assert [text.get_text() for text in ax.texts] == ["4.0e-04", "0.050", "0.300", "p, family"]


def test_a_p_value_from_a_model_is_marked():
    outcome = views.result(1e-7, null=views.null(1e-7, 99, extrapolated=True))
    assert plot_result(outcome).axes[0].texts[0].get_text() == "observed: 11.6\np <= 0.01"


def test_names_are_no_formulas(tmp_path):
    names = ("$\\frac$", "\x1b", "a" * 60)
    figure = plot_result(views.result(importances=views.importances(names), features=None))
    figure.savefig(tmp_path / "out.png")  # a formula that is wrong would raise
    shown = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert shown == ["\\x1b", "a" * 11 + "…" + "a" * 10, "\\$\\frac\\$"]


def test_titles_side_by_side_do_not_run_into_each_other(groups):
    figure = groups.plot()
    figure.canvas.draw()
    boxes = [ax._left_title.get_window_extent() for ax in figure.axes if ax.get_title(loc="left")]
    assert all(before.x1 < after.x0 for before, after in pairwise(boxes))
    assert "\n" in figure.axes[0].get_title(loc="left")
    alone = kmerf.figures.answer(groups)
    alone.canvas.draw()
    assert alone.axes[0]._left_title.get_window_extent().x1 <= alone.bbox.x1
