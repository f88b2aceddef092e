"""What pictures are drawn on: the axes that the user gave, or those of a new figure in our style."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from kmerf.figures.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def new_figure(**options: Any) -> Figure:
    """Return a figure that a notebook shows, whether or not pyplot has been loaded."""
    from kmerf.figures.notebook_figure import NotebookFigure

    with styled():
        how: dict[str, Any] = {"layout": "constrained", "dpi": 150} | options
        return NotebookFigure(**how)


def figure_of(ax: Axes) -> Figure:
    """Return the figure that axes are on."""
    return cast("Figure", ax.figure)


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the axes given, or those of a new figure of this size in inches, in our style."""
    if ax is not None:
        return ax
    figure = new_figure(figsize=size)
    with styled():
        made: Axes = figure.subplots()
    return made
