"""Power curves."""

import numpy as np
import pytest

from kmerf import InputError
from kmerf.baselines import Dcorr
from kmerf.figures import plot_power, plot_study
from kmerf.study import Power, Simulated, Study, run


def cells(tests=("KMERF", "MGC"), names=("linear", "spiral", "circle"), rule="published"):
    return [
        Power(test, Simulated(name, p=p), rule, 0.05, 99, 10 * k + p, 0.05, (0.1, 0.9), (0.2, 0.8))
        for k, test in enumerate(tests)
        for name in names
        for p in (3, 10, 5)
    ]


def lines(ax):
    return {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}


def test_one_panel_a_simulation_and_one_line_a_test():
    figure = plot_power(cells(), columns=2)
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert [ax.get_title(loc="left") for ax in shown] == ["Linear", "Spiral", "Circle"]
    for ax in shown:
        drawn = lines(ax)
        assert set(drawn) == {"KMERF", "MGC"}
        assert drawn["MGC"].get_xdata().tolist() == [3, 5, 10]
        np.testing.assert_allclose(drawn["MGC"].get_ydata(), [0.14, 0.16, 0.21])
    styles = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines(shown[0]).values()}
    assert len(styles) == 2
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["KMERF", "MGC"]


def test_a_test_is_drawn_by_the_rule_asked_for():
    both = cells(tests=("Dcorr",)) + cells(tests=("Dcorr",), names=("linear",), rule="pvalue")
    assert len(plot_power(both, rules={"Dcorr": "pvalue"}).axes) == 1
    with pytest.raises(InputError, match="no power for these rules"):
        plot_power(cells(), rules={"KMERF": "pvalue", "MGC": "pvalue"})
    with pytest.raises(InputError, match="against='q'"):
        plot_power(cells(), against="q")


def test_a_figure_comes_from_the_store_in_one_call(tmp_path):
    plan = Study({"Dcorr": Dcorr()}, [Simulated("linear", n=n, p=1) for n in (10, 20)], replicates=30)
    run(plan, tmp_path / "s.sqlite", n_jobs=1, backend="threads")
    figure = plot_study(plan, tmp_path / "s.sqlite", against="n")
    assert lines(figure.axes[0])["Dcorr"].get_xdata().tolist() == [10, 20]
    figure.savefig(tmp_path / "power.png")
    assert (tmp_path / "power.png").stat().st_size > 5000
