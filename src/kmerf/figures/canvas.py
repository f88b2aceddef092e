"""What the pictures have in common: the style file, colours, and names of the data as labels.

A matplotlib figure that shows itself in a notebook, and keeps its text as text in vector files.

Notebooks draw figures that pyplot made, and print the others by their names; pyplot holds on to its figures, which a
library should not. IPython asks any value for `_repr_png_`, so this needs neither.

What pictures are drawn on: the axes that the user gave, or those of a new figure in our style.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from matplotlib.figure import Figure

from kmerf.core.safe_text import short
from kmerf.storage.saving import check_path, write_bytes

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes

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

    look: AbstractContextManager[None] = style.context(STYLE)
    return look


class NotebookFigure(Figure):
    """A figure with a picture of its own for notebooks."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure as matplotlib does, with the settings of our style file; a file is whole or not at all."""
        with styled():
            if not isinstance(fname, str | os.PathLike):
                super().savefig(fname, **options)
                return
            check_path(fname, "fname")
            kind = Path(fname).suffix.removeprefix(".") or self.canvas.get_default_filetype()
            place = Path(fname) if Path(fname).suffix or "format" in options else Path(f"{os.fspath(fname)}.{kind}")
            content = io.BytesIO()
            super().savefig(content, **({"format": kind} | options))
        write_bytes(place, content.getvalue(), "fname")

    def _repr_png_(self) -> bytes:
        """Return the figure as PNG."""
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=self.dpi, facecolor="white")  # dark notebooks would hide dark letters
        return out.getvalue()


def new_figure(**options: Any) -> Figure:
    """Return a figure that a notebook shows, whether or not pyplot has been loaded."""
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
