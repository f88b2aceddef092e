"""A result at a glance: the statistic among permuted ones, features with their p-values, and how y moves with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kmerf.core.errors import InputError, whole
from kmerf.figures import panels
from kmerf.figures.canvas import figure_of, new_figure
from kmerf.figures.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kmerf.figures.panels import Outcome


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
