"""Pictures as SVG: where data lie in a drawing, and one function that draws a `Picture`.

Roles and groups of marks are classes, so that the page's style sets colours, in light and dark. Attributes of shapes
stand for styles throughout: the page allows no inline style.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup, escape

from kmerf.core.safe_text import is_wide, short
from kmerf.pictures.vocabulary import (
    ROW_LETTERS,
    SHADES,
    WIDE,
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

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.pictures.vocabulary import Axis, Picture

BOTTOM = 40.0  # below the axis of x, where its names do not slant
LINE = 16.0  # height of a line of texts below the axis
SLANT = 5.6  # how far to the left a letter of a slanted name reaches
DIGITS = 1  # decimals of a coordinate
ROUND_ENDS = ("dots", "dots chosen")  # roles whose points are the ends of lines without length


def tag(name: str, *content: Any, **attributes: Any) -> Markup:
    """Return an element; None leaves an attribute out, and what is not Markup is escaped.

    >>> tag("text", "a < b", class_="name", font_size=9)
    Markup('<text class="name" font-size="9">a &lt; b</text>')
    """
    given = "".join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), coordinate(value))
        for key, value in attributes.items()
        if value is not None
    )
    inner = Markup("").join(escape(part) for part in content)
    return Markup("<{}{}>{}</{}>").format(Markup(name), Markup(given), inner, Markup(name))


def coordinate(value: Any) -> Any:
    """Shorten numbers: a tenth of a unit cannot be seen.

    >>> coordinate(3.14159), coordinate(2.0)
    ('3.1', '2')
    """
    return f"{value:.{DIGITS}f}".removesuffix(".0") if isinstance(value, float) else value


class Frame(NamedTuple):
    """Where data lie in a drawing: its size, its margins, and the ranges of x and y."""

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]
    left: float = 44.0
    right: float = 12.0
    top: float = 12.0
    bottom: float = BOTTOM
    log_x: bool = False
    log_y: bool = False

    def across(self, value: float) -> float:
        """Return where a value of x is."""
        return self.left + _part(value, self.x, self.log_x) * (self.width - self.left - self.right)

    def up(self, value: float) -> float:
        """Return where a value of y is."""
        return self.floor - _part(value, self.y, self.log_y) * (self.floor - self.top)

    @property
    def floor(self) -> float:
        """Where the axis of x is."""
        return self.height - self.bottom

    @property
    def end(self) -> float:
        """Where the axis of x ends."""
        return self.width - self.right


def _part(value: float, limits: tuple[float, float], log: bool) -> float:
    low, high, value = (math.log(each) for each in (*limits, value)) if log else (*limits, value)
    return (value - low) / ((high - low) or 1.0)


def frame_of(picture: Picture) -> Frame:
    """Return where the data of a picture lie, with space for what stands at its axes."""
    (width, height), x, y = picture.size, picture.x, picture.y
    if not x.marks and not y.marks:
        return Frame(width, height, x.limits, y.limits, 1.0, 1.0, 0.0, 0.0)
    left = max(30.0, room_for(y.texts))
    right = room_for([*y.beside, y.beside_head]) if y.beside else 12.0
    top = 26.0 if y.label or y.beside_head else 10.0
    below = BOTTOM
    if x.rows:
        half = 3.6 * max(len(row.texts[0]) for row in x.rows if row.texts)  # the first number is centred at its tick
        left = max(left, half + room_for([short(row.name, ROW_LETTERS) for row in x.rows], 7.0))
        below += LINE * (1 + len(x.rows))
    elif _slanted(x, width - left - right):
        names = level_labels(x.names)
        below = 30.0 + 0.66 * room_for(names, 6.6)
        parts = [_part(mark, x.limits, x.log) for mark in x.marks]  # names end at their ticks, and begin left of them
        ends = [
            (SLANT * _letters(n) + 6.0 - at * (width - right)) / (1.0 - at) for at, n in zip(parts, names, strict=True)
        ]
        left = max([left, *ends])
    return Frame(width, height + below - BOTTOM, x.limits, y.limits, left, right, top, below, x.log, y.log)


def room_for(labels: Iterable[str], size: float = 6.4) -> float:
    """Return how wide the widest of some labels is, with a little air."""
    return 12.0 + size * max((_letters(label) for label in labels), default=0.0)


def _letters(label: str) -> float:
    """Return how many small letters a label is as wide as.

    >>> _letters("abcd"), _letters("ABCD"), _letters("\u6771\u4eac")
    (4.0, 5.0, 4.0)
    """
    return sum(2.0 if is_wide(c) else 1.25 if c.isupper() else 1.0 for c in label)


def _slanted(axis: Axis, width: float) -> bool:
    """Say whether names of categories are too wide to stand side by side."""
    return bool(axis.names) and axis.gap is None and room_for(level_labels(axis.names), 6.6) * len(axis.names) > width


def draw(picture: Picture, class_: str | None = None, *more: Markup, **attributes: Any) -> Markup:
    """Return a picture with a text for those who do not see it; `more` is drawn in front."""
    frame = frame_of(picture)
    marks = [_draw(mark, frame) for mark in picture.marks]
    content = _axis_y(picture.y, frame), *marks, _axis_x(picture.x, frame), *more
    class_ = class_ or ("chart small" if frame.width < WIDE[0] else "chart")
    box, label = f"0 0 {frame.width:g} {frame.height:g}", short(picture.text, 200)
    return tag("svg", *content, class_=class_, viewBox=box, role="img", aria_label=label, **attributes)


def _axis_x(axis: Axis, frame: Frame) -> Markup:
    """Return a line, and below it what stands at the ticks and what they are of; names slant if they lack space."""
    if not axis.marks:
        return Markup("")
    slanted = frame.bottom != BOTTOM and not axis.rows
    parts = []
    for value, name in zip(axis.marks, level_labels(axis.texts), strict=True):
        x, y = frame.across(value), frame.floor + (14 if slanted else 17)
        turn = f"rotate(-38 {x:.1f} {y:.1f})" if slanted else None
        anchor = "end" if slanted else "middle"
        parts.append(tag("text", name, x=x, y=y, class_="tick", text_anchor=anchor, transform=turn))
    pieces = [(frame.left, frame.end)]
    if axis.gap is not None:
        start, end = (frame.across(value) for value in axis.gap)
        pieces = [(frame.left, start), (end, frame.end)]
        slashes = (start, end) if axis.broken else ()
        parts += [_segment(x - 4, x + 4, frame.floor + 6, frame.floor - 6, "axis") for x in slashes]
        end = start
    else:
        end = frame.end
    lines = [_segment(a, b, frame.floor, frame.floor, "axis") for a, b in pieces]
    middle = (frame.left + end) / 2
    foot = frame.height - 6 - LINE * (len(axis.rows) + bool(axis.rows))
    label = tag("text", short(axis.label, 42), x=middle, y=foot, class_="label", text_anchor="middle")
    return tag("g", *lines, *parts, label, *_tick_rows(axis, frame, foot))


def _tick_rows(axis: Axis, frame: Frame, foot: float) -> list[Markup]:
    """Return the lines of texts below an axis."""
    if not axis.rows:
        return []
    parts = [tag("text", axis.rows_head, x=2.0, y=foot + LINE, class_="tick")]
    for line, row in enumerate(axis.rows):
        y = foot + LINE * (line + 2)
        name = short(row.name, ROW_LETTERS)
        parts.append(tag("text", name, x=2.0, y=y, class_=f"row n{row.group}"))
        for value, text in zip(axis.marks, row.texts, strict=True):
            parts.append(tag("text", text, x=frame.across(value), y=y, class_="tick", text_anchor="middle"))
    return parts


def _axis_y(axis: Axis, frame: Frame) -> Markup:
    """Return lines across at the ticks with what stands there, and above them what they are of."""
    places = [frame.up(value) for value in axis.marks]
    lines = [] if axis.names and axis.beside else [_segment(frame.left, frame.end, y, y, "grid") for y in places]
    texts = [
        tag("text", text, x=frame.left - 7, y=y + 4, class_="tick", text_anchor="end")
        for y, text in zip(places, axis.texts if places else (), strict=True)
    ]
    texts += [
        tag("text", text, x=frame.end + 6, y=y + 4, class_="tick") for y, text in zip(places, axis.beside, strict=False)
    ]
    heads = ((2.0, axis.label), (frame.end + 6, axis.beside_head))
    texts += [tag("text", short(text, 44), x=x, y=frame.top - 9.0, class_="label") for x, text in heads if text]
    return tag("g", *lines, *texts)


def _segment(left: float, right: float, low: float, high: float, class_: str | None = None) -> Markup:
    return tag("line", x1=left, x2=right, y1=low, y2=high, class_=class_)


def _group(mark: Mark, *content: Markup) -> Markup:
    return tag("g", *content, class_=mark.role if mark.group is None else f"{mark.role} c{mark.group}")


def _titled(titles: Sequence[str], i: int) -> tuple[Markup, ...]:
    return (tag("title", titles[i]),) if titles else ()


def _places(frame: Frame, x: Floats, y: Floats) -> list[tuple[float, float]]:
    finite = np.isfinite(y)
    return [(frame.across(a), frame.up(b)) for a, b in zip(x[finite].tolist(), y[finite].tolist(), strict=True)]


def _path(frame: Frame, x: Floats, y: Floats) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in _places(frame, x, y))


@functools.singledispatch
def _draw(mark: Mark, frame: Frame) -> Markup:
    raise NotImplementedError(type(mark).__name__)


@_draw.register
def _points(mark: Points, frame: Frame) -> Markup:
    places = _places(frame, *mark.columns)
    if mark.role in ROUND_ENDS or mark.marker == "x":  # one path, which a browser draws at once even if it is long
        start, shape = (0.0, "h0") if mark.role in ROUND_ENDS else (3.0, "l6 6m0-6l-6 6")
        path = "".join(f"M{x - start:.1f} {y - start:.1f}{shape}" for x, y in places)
        return tag("path", *_titled((mark.label,) if mark.label else (), 0), d=path, class_=mark.role)
    if mark.marker == "D":
        r = 1.25 * mark.radius
        shape = f"l{r:.1f} {r:.1f}l{-r:.1f} {r:.1f}l{-r:.1f} {-r:.1f}z"
        return _group(mark, tag("path", d="".join(f"M{x:.1f} {y - r:.1f}{shape}" for x, y in places)))
    shades: Sequence[str | None] = [None] * len(places)
    if mark.shade is not None:
        ranks = mark.shade.argsort(kind="stable").argsort(kind="stable")
        shades = [f"s{int(rank * SHADES // mark.shade.size)}" for rank in ranks]
    return _group(mark, *(_dot(mark.titles, i, place, mark.radius, shades[i]) for i, place in enumerate(places)))


def _dot(titles: Sequence[str], i: int, place: tuple[float, float], r: float, class_: str | None = None) -> Markup:
    return tag("circle", *_titled(titles, i), cx=place[0], cy=place[1], r=r, class_=class_)


@_draw.register
def _bars(mark: Bars, frame: Frame) -> Markup:
    ends = np.column_stack(mark.columns).tolist()
    air = 0.7 if mark.role == "bars" and len(ends) > 1 else 0.0  # between the bars of a histogram
    shapes = []
    for i, (left, right, low, high) in enumerate(ends):
        x, y = frame.across(left), frame.up(high)
        width, height = max(frame.across(right) - x - air, 0.8), max(frame.up(low) - y, 0.8)
        shapes.append(tag("rect", *_titled(mark.titles, i), x=x, y=y, width=width, height=height))
    return _group(mark, *shapes)


@_draw.register
def _cells(mark: Cells, frame: Frame) -> Markup:
    half = mark.width / 2
    shapes = []
    for i, (x, y) in enumerate(np.column_stack(mark.columns).tolist()):
        left, top = frame.across(x - half), frame.up(y + half)
        size = {"width": frame.across(x + half) - left, "height": frame.up(y - half) - top}
        dark = f"{mark.strength[i]:.2f}"
        shapes.append(tag("rect", *_titled(mark.titles, i), x=left, y=top, fill_opacity=dark, **size))
    return _group(mark, *shapes)


@_draw.register
def _segments(mark: Segments, frame: Frame) -> Markup:
    ends = np.column_stack(mark.columns).tolist()
    return _group(
        mark,
        *(
            _segment(frame.across(a), frame.across(b), frame.up(c), frame.up(d))
            for a, b, c, d in ends
            if c == c and d == d
        ),
    )


@_draw.register
def _line(mark: Line, frame: Frame) -> Markup:
    x, y = mark.columns
    dots = [_dot(mark.titles, i, place, 3.2) for i, place in enumerate(_places(frame, x, y))] if mark.titles else []
    if mark.steps:
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    return _group(mark, tag("polyline", points=_path(frame, x, y), fill="none"), *dots)


@_draw.register
def _band(mark: Band, frame: Frame) -> Markup:
    x, low, high = mark.columns
    if mark.steps:
        x, low, high = np.repeat(x, 2)[1:], np.repeat(low, 2)[:-1], np.repeat(high, 2)[:-1]
    around = _path(frame, np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]]))
    return _group(mark, tag("polygon", points=around, fill_opacity="0.2", stroke="none"))


@_draw.register
def _rule(mark: Rule, frame: Frame) -> Markup:
    if mark.upright:
        x = frame.across(mark.at)
        return _segment(x, x, frame.top, frame.floor, mark.role)
    y = frame.up(mark.at)
    return _segment(frame.left, frame.end, y, y, mark.role)


@_draw.register
def _words(mark: Words, frame: Frame) -> Markup:
    y = frame.up(mark.y) + (-3.0 if mark.above else 11.0)
    return tag("text", short(mark.text, 60), x=frame.across(mark.x), y=y, class_=mark.role, text_anchor=mark.anchor)
