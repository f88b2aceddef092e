"""A result at a glance: the statistic among permuted ones, features with their p-values, and how y moves with them.

Kaplan-Meier curves of a censored outcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import InputError, whole
from kmerf.figures import panels
from kmerf.figures.canvas import COLOURS, axes_for, figure_of, label, new_figure, styled
from kmerf.show.numbers import counted, not_drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kmerf.figures.panels import Outcome
    from kmerf.results.single_result import Result


def plot_result(result: Outcome, *, most: int = 15, ax: Axes | None = None) -> Figure:
    """Draw the statistic among the permuted ones, and the importances of the `most` important features.

    A bar is the mean share of the gains over trees, its line the middle 95 % of trees; those with a family-wise
    p-value of 0.05 or less are coloured. With `ax`, the first of the two is drawn there; `kmerf.figures.null` and
    `kmerf.figures.importances` draw each by itself.

    >>> import numpy as np
    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(40, 3))
    >>> small = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    >>> figure = plot_result(kmerf.independence(x, x[:, 0], method=small, rng=1))
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['statistic', 'importance (lost if shuffled)']
    """
    whole("most", most)
    drawn = result.null.distribution is not None
    table = result.importances
    if not drawn and table is None:
        raise InputError("result has neither permuted statistics nor importances, so there is nothing to draw.")
    lines = 0 if table is None else min(most, len(table.names))
    count = int(drawn) + int(table is not None)
    if ax is not None:
        chosen = panels.null(result, ax=ax) if drawn else panels.importances(result, most=most, ax=ax)
        return figure_of(chosen)
    figure = new_figure(figsize=(4.6 * count, max(3.2, 0.9 + 0.26 * lines)))
    with styled():
        axes = list(figure.subplots(1, count, squeeze=False).flat)
        if drawn:
            panels.null(result, ax=axes.pop(0))
        if table is not None:
            panels.importances(result, most=most, ax=axes.pop(0))
    return figure


def plot_features(result: Outcome, *, columns: int = 3) -> Figure:
    """Draw how y, or the share of each group, moves with the most important features.

    Points are means of the rows in a bin of the feature's values (larger for more rows), lines what the forest predicts
    for those rows out of bag. It needs a result with `details=True`.

    >>> import numpy as np
    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(60, 3))
    >>> result = kmerf.independence(x, x[:, 0], null=kmerf.ChiSquare(), details=True, rng=1)
    >>> plot_features(result).axes[0].get_xlabel()
    'x1'
    """
    whole("columns", columns)
    profiles = () if result.details is None else result.details.profiles
    if not profiles:
        raise InputError(
            "result has no profiles of features: test with details=True and a forest that has rows out of bag."
        )
    across = min(columns, len(profiles))
    down = -(-len(profiles) // across)
    figure = new_figure(figsize=(3.0 * across + 0.6, 2.4 * down + 0.6))
    with styled():
        axes = list(figure.subplots(down, across, squeeze=False, sharey=True).flat)
        for ax, each in zip(axes, profiles, strict=False):
            panels.profile(result, each.feature, ax=ax).set_ylabel("")
    for ax in axes[len(profiles) :]:
        ax.set_visible(False)
    figure.supylabel(panels.y_label(result), fontsize=9)
    handles, names = axes[0].get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(handles, names, loc="outside upper center", ncols=min(6, len(names)), frameon=False, fontsize=8)
    return figure


def survival(result: Result, *, ax: Axes | None = None) -> Axes:
    """Draw the share of rows without an event against time, by the most important column.

    The result must be of a censored y, with `details=True`. Numbers are cut where the two sides differ most, so the
    distance of the curves is no test. Of categories the five with most rows are drawn.

    >>> import numpy as np
    >>> import kmerf
    >>> x = np.arange(40.0)
    >>> y = np.column_stack([50.0 - x, np.arange(40) % 4 > 0])
    >>> forest = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    >>> found = kmerf.independence(x, y, y_kind="censored", method=forest, details=True, rng=1)
    >>> survival(found).get_xlabel()
    'y1'
    """
    curves = None if result.details is None else result.details.survival
    if curves is None:
        raise InputError("result has no survival curves: test with y_kind='censored' and details=True.")
    ax = axes_for(ax, (5.2, 3.4))
    for k, each in enumerate(curves.curves):
        times, shares = np.concatenate([[0.0], each.times]), np.concatenate([[1.0], each.surviving])
        name = f"{label(each.label)} ({counted(each.size, 'row')}, {counted(each.events, 'event')})"
        ax.step(times, shares, where="post", color=COLOURS[k % len(COLOURS)], linewidth=1.8, label=name)
    ax.set(xlabel=label(curves.time), ylabel="share without an event", ylim=(-0.03, 1.03))
    ax.set_title("\n".join(filter(None, (label(curves.feature), not_drawn(curves.left_out)))), fontsize=10)
    ax.legend(frameon=False, fontsize=8)
    return ax
