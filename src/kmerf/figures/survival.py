"""Kaplan-Meier curves of a censored outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import InputError
from kmerf.figures.canvas import axes_for
from kmerf.figures.style import COLOURS, label
from kmerf.show.numbers import counted, not_drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kmerf.results.single_result import Result


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
