"""The picture of a censored outcome."""

import numpy as np
import pytest

import kmerf
from kmerf import InputError

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
X = np.arange(60.0)
Y = np.column_stack([np.where(X > 30, 1.0, 5.0) + X / 1000, np.arange(60) % 3 > 0])


def test_each_side_is_a_step_curve_from_one():
    result = kmerf.independence(X, Y, y_kind="censored", method=SMALL, details=True, rng=1)
    figure = kmerf.figures.survival(result)
    assert figure._repr_png_().startswith(b"\x89PNG")  # a notebook shows the picture, and not the name of its axes
    (ax,) = figure.axes
    curves = result.details.survival.curves
    assert len(ax.get_lines()) == len(curves) == 2
    for line, curve in zip(ax.get_lines(), curves, strict=True):
        assert line.get_ydata()[0] == 1.0
        np.testing.assert_array_equal(line.get_ydata()[1:], curve.surviving)
        assert line.get_label() == f"{curve.label} ({curve.size} rows, {curve.events} events)"
    assert len(ax.collections) == 2  # a band for each
    texts = [text.get_text() for text in ax.texts]
    assert texts[0] == "rows at risk"
    assert {f"{curve.size}" for curve in curves} <= set(texts)  # all are at risk at time 0
    assert kmerf.figures.survival(result, ax=ax) is figure


def test_categories_without_a_curve_are_counted():
    x = np.repeat(list("abcdefgh"), [12, 11, 10, 9, 8, 5, 3, 2])
    result = kmerf.independence(x, Y, y_kind="censored", categorical="x1", method=SMALL, details=True, rng=1)
    (ax,) = kmerf.figures.survival(result).axes
    assert len(ax.get_lines()) == 5
    assert ax.get_title(loc="left") == "x1\n3 smaller categories are not drawn."


def test_other_results_have_none():
    result = kmerf.independence(X, X, method=SMALL, null=kmerf.Permutation(19), rng=1)
    with pytest.raises(InputError, match="result has no survival curves: test with y_kind='censored' and details=True"):
        kmerf.figures.survival(result)
