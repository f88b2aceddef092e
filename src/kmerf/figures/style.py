"""What the pictures have in common: the style file, colours, figures that show themselves, and labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kmerf.core.safe_text import short

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE = Path(__file__).with_name("kmerf.mplstyle")

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's palette: apart for every kind of colour vision."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
CHOSEN, PLAIN_BAR, GREY = "#d55e00", "#8a9ba8", "#999999"


def label(name: str, most: int = 22) -> str:
    r"""Return a name from the data as a label: safe, cut to `most` letters, and not read as a formula.

    >>> print(label("cost in $ and $"))
    cost in \$ and \$
    """
    return short(name, most).replace("$", "\\$")


def styled() -> AbstractContextManager[None]:
    """Return a context in which figures have the look of the style file."""
    from matplotlib import style

    found: AbstractContextManager[None] = style.context(STYLE)
    return found


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
