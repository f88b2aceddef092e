"""Pictures with matplotlib: the style file, what roles look like, and one function that draws a `Picture` on axes.

Figures show themselves in notebooks, and keep their text as text in vector files. Notebooks draw figures that pyplot
made, and print the others by their names; pyplot holds on to its figures, which a library should not. IPython asks any
value for `_repr_png_`, so this needs neither.
"""

from __future__ import annotations

import functools
import io
import os
import textwrap
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from kmerf.core.safe_text import short
from kmerf.pictures.vocabulary import (
    ROW_LETTERS,
    Band,
    Bars,
    Cells,
    Line,
    Mark,
    Points,
    Rule,
    Segments,
    Words,
    level_labels,
)
from kmerf.storage.saving import check_path, write_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.pictures.vocabulary import Axis, Picture

STYLE = Path(__file__).with_name("kmerf.mplstyle")

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's palette: apart for every kind of colour vision."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
LETTERS_PER_INCH = 12.0  # of labels
ACCENT, BAR, DARK, GREY = "#d55e00", "#8a9ba8", "#5b6770", "#999999"

LOOKS: dict[str, dict[str, Any]] = {
    "bars": {"color": BAR, "edgecolor": "white", "linewidth": 0.4},
    "bars chosen": {"color": ACCENT, "edgecolor": "white", "linewidth": 0.4},
    "box": {"fill": False, "linewidth": 1.0},
    "stack": {"alpha": 0.8},
    "median": {"linewidth": 1.8},
    "spread": {"color": "#444444", "linewidth": 1.0},
    "stem": {"color": BAR, "linewidth": 1.4},
    "raw": {"alpha": 0.4},
    "thread": {"color": "#8a9ba8", "linewidth": 0.8, "alpha": 0.55},
    "estimate": {"color": "#222222", "zorder": 4},
    "interval": {"color": "#222222", "linewidth": 1.6, "zorder": 4},
    "letters": {"color": "#222222", "fontweight": "bold", "fontsize": "small"},
    "dots": {"color": DARK, "alpha": 0.7},
    "dots chosen": {"color": ACCENT, "zorder": 3},
    "axis": {"color": GREY, "linewidths": 0.9, "clip_on": False},
    "curve": {"color": ACCENT, "linewidth": 1.6},
    "observed": {"color": ACCENT, "linewidth": 2.0},
    "threshold": {"color": ACCENT, "linewidth": 1.0, "linestyle": "--", "zorder": 0},
    "apart": {"color": GREY, "linewidth": 0.8, "linestyle": "--", "zorder": 0},
    "threshold level": {"color": GREY, "linewidth": 1.0, "linestyle": "--", "zorder": 0},
    "level": {"color": "#bbbbbb", "linewidth": 0.8, "linestyle": ":"},
    "chance": {"color": GREY, "linewidth": 1.0},
    "grid": {"color": "#cccccc", "linewidth": 0.6},
    "tried": {"zorder": 3},
    "mark": {"color": "#222222", "fontsize": "small"},
    # Apart in lightness as well as in hue, so that they survive a grey printout and colour blindness.
    "clear": {"color": "#333333"},
    "noisy": {"color": "#b5b5b5", "edgecolors": "white", "linewidths": 0.4},
    "turned": {"color": "#e69f00"},
}
"""What roles look like; a group has its own colour, and a role without an entry has no more than that."""


def safe(text: str, most: int = 200) -> str:
    r"""Return a text from the data: safe, cut to `most` letters, and not read as a formula.

    >>> print(safe("cost in $ and $"))
    cost in \$ and \$
    """
    return "\n".join(short(line, most).replace("$", "\\$") for line in text.split("\n"))


def styled() -> AbstractContextManager[None]:
    """Return a context in which figures have the look of the style file."""
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


class NotebookAxes(Axes):
    """Axes that a notebook shows as the figure they are on."""

    def _repr_png_(self) -> bytes | None:
        """Return the figure as PNG."""
        figure = self.figure
        return figure._repr_png_() if isinstance(figure, NotebookFigure) else None


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
        axes: Axes = figure.add_subplot(axes_class=NotebookAxes)
    return axes


def grid(
    pictures: Sequence[Picture],
    columns: int,
    size: tuple[float, float],
    *,
    x: str = "",
    y: str = "",
    shared: bool = True,
    **options: Any,
) -> Figure:
    """Return a figure of pictures side by side; they may share the labels of their axes, and share a legend or not."""
    across = min(columns, len(pictures))
    across = min((across, max(1, across - 1)), key=lambda width: -len(pictures) % width)  # with fewer empty places
    down = -(-len(pictures) // across)
    figure = new_figure(figsize=(size[0] * across, size[1] * down))
    with styled():
        axes = list(figure.subplots(down, across, squeeze=False, **options).flat)
        for ax, picture in zip(axes, pictures, strict=False):
            draw(picture, ax, legend=not shared)
            ax.set(**({"xlabel": ""} if x else {}), **({"ylabel": ""} if y else {}))
        for ax in axes[len(pictures) :]:
            ax.set_visible(False)
        if shared and len(pictures[0].entries) > 1:
            entries = _entries(pictures[0], axes[0])
            figure.legend(*entries, loc="outside upper center", ncols=min(6, len(entries[1])), markerscale=1.5)
        figure.supxlabel(safe(x, 42), fontsize=10)
        figure.supylabel(safe(y, 42), fontsize=10)
    return figure


def draw(picture: Picture, ax: Axes, *, legend: bool = True) -> Axes:
    """Draw a picture on axes."""
    for mark in picture.marks:
        _draw(mark, ax)
    _set_axis(ax, ax.xaxis, picture.x)
    _set_axis(ax, ax.yaxis, picture.y)
    ax.set(xlim=picture.x.limits, ylim=picture.y.limits)
    if picture.square:
        ax.set_aspect("equal")
    if picture.title:
        width = int(LETTERS_PER_INCH * _width(ax))
        lines = safe(picture.title).replace(" %", "\u00a0%").split("\n")  # a percent sign stays with its number
        ax.set_title("\n".join(textwrap.fill(line, width) for line in lines), loc="left")
    if picture.shade:
        figure_of(ax).colorbar(ax.collections[-1], ax=ax, label=safe(picture.shade, 42))
    if legend and picture.legend and picture.entries:
        _add_legend(picture, ax)
    return ax


def _add_legend(picture: Picture, ax: Axes) -> None:
    """Add the legend: in a picture of its own with a layout that makes space, outside, so that it covers nothing."""
    entries, figure = _entries(picture, ax), figure_of(ax)
    if picture.legend != "outside":
        ax.legend(*entries, frameon=False, loc=picture.legend)  # type: ignore[call-overload]
    elif figure.axes == [ax] and isinstance(figure, NotebookFigure):
        longest = max(len(name) for name in entries[1]) + 8  # with the sample of its line
        across = max(1, int(LETTERS_PER_INCH * figure.get_figwidth() / longest))
        figure.legend(*entries, frameon=False, loc="outside lower center", ncols=min(3, across, len(entries[1])))
    else:
        ax.legend(*entries, frameon=False, loc="best")


def _entries(picture: Picture, ax: Axes) -> tuple[list[Any], list[str]]:
    """Return the handles and names of a legend in the order of groups, each name once."""
    handles = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
    names = [safe(name, 60) for _, name in sorted(picture.entries, key=lambda entry: entry[0])]
    return [handles[name] for name in dict.fromkeys(names)], list(dict.fromkeys(names))


def _set_axis(ax: Axes, axis: Any, spec: Axis) -> None:
    axis.set_label_text(safe(spec.label, 42))
    upright = axis.axis_name == "y"
    if spec.log:
        getattr(ax, f"set_{axis.axis_name}scale")("log")
        axis.set_minor_formatter(NullFormatter())
    if spec.ticks is None and not spec.log:
        axis.set_major_locator(MaxNLocator(spec.most + 1, steps=[1, 2, 5, 10], integer=spec.whole))
    else:
        names = [safe(name) for name in (spec.texts if upright else level_labels(spec.texts))]
        slanted = not upright and sum(len(name) + 2 for name in names) > LETTERS_PER_INCH * _width(ax)
        turned: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
        axis.set_ticks(spec.marks, names, **turned)
    if spec.gap is not None and spec.broken:
        slash: dict[str, Any] = {"marker": [(-0.6, -1), (0.6, 1)], "markersize": 9, "color": "black", "clip_on": False}
        ax.plot(spec.gap, [0, 0], transform=ax.get_xaxis_transform(), linestyle="", **slash)
    _tick_rows(ax, spec)
    beside: dict[str, Any] = {"fontsize": "small"}
    for at, text in zip(spec.marks, spec.beside, strict=False):
        ax.text(1.02, at, safe(text), transform=ax.get_yaxis_transform(), va="center", **beside)
    if spec.beside_head:
        ax.text(1.02, 1.01, spec.beside_head, transform=ax.transAxes, va="bottom", **beside)


def _width(ax: Axes) -> float:
    """Return how many inches axes are wide, before space is made for their labels."""
    return float(ax.get_position().width * figure_of(ax).get_figwidth())


def _tick_rows(ax: Axes, spec: Axis) -> None:
    """Write the lines of texts below a horizontal axis."""
    if not spec.rows:
        return
    how: dict[str, Any] = {"fontsize": "small", "va": "top", "textcoords": "offset points", "annotation_clip": False}
    axes = ax.get_xaxis_transform()
    left = -6.0 - 3.2 * max(len(row.texts[0]) for row in spec.rows)  # the first number is centred at its tick
    ax.annotate(spec.rows_head, (0.0, 0.0), (left, -38.0), xycoords="axes fraction", ha="right", **how)
    for line, row in enumerate(spec.rows):
        down = -52.0 - 13.0 * line
        name = safe(row.name, ROW_LETTERS)
        ax.annotate(name, (0, 0), (left, down), xycoords="axes fraction", ha="right", color=COLOURS[row.group], **how)
        for at, text in zip(spec.marks, row.texts, strict=True):
            ax.annotate(text, (at, 0.0), (0.0, down), xycoords=axes, ha="center", **how)


def _look(mark: Mark, **more: Any) -> dict[str, Any]:
    colour = {} if mark.group is None else {"color": COLOURS[mark.group]}
    label = {"label": safe(mark.label, 60)} if mark.label else {}
    return colour | LOOKS.get(mark.role, {}) | more | label


@functools.singledispatch
def _draw(mark: Mark, ax: Axes) -> None:
    raise NotImplementedError(type(mark).__name__)


@_draw.register
def _points(mark: Points, ax: Axes) -> None:
    x, y = mark.columns
    look = {"linewidths": 0} | _look(mark, s=(1.44 * mark.radius) ** 2, marker=mark.marker or MARKERS[mark.group or 0])
    if mark.shade is not None:
        look |= {"c": mark.shade, "cmap": "viridis"}
    ax.scatter(x, y, **look).set_rasterized(x.size > 5000)


@_draw.register
def _bars(mark: Bars, ax: Axes) -> None:
    left, right, low, high = mark.columns
    look = {"edgecolor": COLOURS[mark.group or 0]} | _look(mark) if mark.role == "box" else _look(mark)
    ax.bar(left, high - low, right - left, low, align="edge", **look)


@_draw.register
def _cells(mark: Cells, ax: Axes) -> None:
    x, y = mark.columns
    corners = mark.width / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    colours = np.repeat(to_rgba_array(COLOURS[mark.group or 0]), x.size, axis=0)
    colours[:, 3] = mark.strength
    squares = list(np.column_stack([x, y])[:, None] + corners)
    cells = PolyCollection(squares, facecolors=colours, linewidths=0)
    ax.add_collection(cells)
    if mark.label:  # the legend has the colour of the strongest cell
        ax.scatter([], [], marker="s", color=colours[np.argmax(colours[:, 3])], label=safe(mark.label, 60))


@_draw.register
def _segments(mark: Segments, ax: Axes) -> None:
    left, right, low, high = mark.columns
    look = {"solid_capstyle": "butt"} if mark.role == "interval" else {}
    ax.plot(np.vstack([left, right]), np.vstack([low, high]), **({"linewidth": 1.0} | look | _look(mark, marker="")))


@_draw.register
def _line(mark: Line, ax: Axes) -> None:
    look: dict[str, Any] = {"drawstyle": "steps-post" if mark.steps else "default", "linewidth": 1.8}
    if mark.role == "series":
        look["linestyle"] = DASHES[mark.group or 0]
    if mark.titles:
        size, width = (5.0, 2.2) if mark.group == 0 else (3.5, 1.2)
        look |= {"marker": MARKERS[mark.group or 0], "markersize": size, "linewidth": width, "clip_on": False}
    ax.plot(*mark.columns, **(look | _look(mark)))


@_draw.register
def _band(mark: Band, ax: Axes) -> None:
    x, low, high = mark.columns
    ax.fill_between(x, low, high, step="post" if mark.steps else None, **_look(mark, alpha=0.2, linewidth=0))


@_draw.register
def _rule(mark: Rule, ax: Axes) -> None:
    (ax.axvline if mark.upright else ax.axhline)(mark.at, **_look(mark))


@_draw.register
def _words(mark: Words, ax: Axes) -> None:
    anchor = {"start": "left", "middle": "center", "end": "right"}[mark.anchor]
    look = _look(mark, va="bottom" if mark.above else "top", ha=anchor)
    look.pop("linewidth", None)
    ax.text(mark.x, mark.y, safe(mark.text), **look)
