"""Drawing in SVG: tags, scales and axes, as small functions. Colours are classes, so that the page's style sets them.

Attributes of shapes stand for styles throughout: the page allows no inline style.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from kmerf.core.safe_text import clean, short

DIGITS = 1  # decimals of a coordinate


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
    bottom: float = 40.0

    def across(self, value: float) -> float:
        """Return where a value of x is."""
        low, high = self.x
        return self.left + (value - low) / ((high - low) or 1.0) * (self.width - self.left - self.right)

    def up(self, value: float) -> float:
        """Return where a value of y is."""
        low, high = self.y
        return (
            self.height - self.bottom - (value - low) / ((high - low) or 1.0) * (self.height - self.top - self.bottom)
        )

    @property
    def floor(self) -> float:
        """Where the axis of x is."""
        return self.height - self.bottom


def figure(frame: Frame, label: str, *content: Markup, class_: str = "chart", **more: Any) -> Markup:
    """Return a drawing with a text for those who do not see it."""
    box = f"0 0 {frame.width:g} {frame.height:g}"
    return tag("svg", *content, class_=class_, viewBox=box, role="img", aria_label=short(label, 200), **more)


def group(*content: Markup, **attributes: Any) -> Markup:
    """Return elements together."""
    return tag("g", *content, **attributes)


def text(x: float, y: float, content: str, class_: str | None = None, anchor: str | None = None) -> Markup:
    """Return a text; `anchor` is "middle" or "end"."""
    return tag("text", content, x=x, y=y, class_=class_, text_anchor=anchor)


def ticks(low: float, high: float, most: int = 5, *, whole: bool = False) -> list[float]:
    """Return round numbers from low to high; `whole` ones where there is nothing between them.

    >>> ticks(0.0, 97.0), ticks(-0.02, 0.05, 4), ticks(2002.6, 2009.3, 4, whole=True), ticks(-0.1, 1.1, whole=True)
    ([0.0, 20.0, 40.0, 60.0, 80.0], [-0.02, 0.0, 0.02, 0.04], [2004.0, 2006.0, 2008.0], [0.0, 1.0])
    """
    span = high - low
    if not math.isfinite(span) or span <= 0.0:
        return [low]
    rough = span / most
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough * 0.999)
    step = max(1.0, step) if whole else step
    first = math.ceil(low / step - 1e-9)
    marks: list[float] = []
    while (first + len(marks)) * step <= high + 1e-9 * span:
        marks.append(round((first + len(marks)) * step, 12) + 0.0)
    return marks


def number(value: float) -> str:
    """Write a number on an axis, with a true minus and thousands apart.

    >>> number(-0.25), number(2003.0), number(250000.0), number(1.2e9)
    ('−0.25', '2003', '250,000', '1.2e9')
    """
    if 1e4 <= abs(value) < 1e7 and value == round(value):
        return f"{int(value):,}".replace("-", "−")
    if value != 0.0 and not 1e-3 <= abs(value) < 1e5:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{float(mantissa):g}e{int(exponent)}".replace("-", "−")
    return f"{value:.6g}".replace("-", "−")


def room_for(labels: Sequence[str], size: float = 6.4) -> float:
    """Return how wide the widest of some labels is, with a little air."""
    return 12.0 + size * max((len(label) for label in labels), default=0)


def axis_x(frame: Frame, label: str, at: Sequence[float] | None = None) -> Markup:
    """Return the axis of x: a line, round numbers and what they are of."""
    places = ticks(*frame.x) if at is None else at
    marks = [text(frame.across(v), frame.floor + 17, number(v), "tick", "middle") for v in places]
    base = tag("line", x1=frame.left, x2=frame.width - frame.right, y1=frame.floor, y2=frame.floor, class_="axis")
    middle = (frame.left + frame.width - frame.right) / 2
    return group(base, *marks, text(middle, frame.height - 6, short(label, 42), "label", "middle"))


def level_labels(names: Sequence[str], most: int = 18) -> list[str]:
    """Return names of categories that fit below an axis: cut at their ends, or else where they stay different.

    >>> level_labels(["Elementary", "a very long name of a level", "a very long name of another"])
    ['Elementary', 'a very lo… a level', 'a very lo… another']
    """
    cleaned = [clean(name) for name in names]
    ends = [name if len(name) <= most else f"{name[: most - 1].rstrip()}…" for name in cleaned]
    return ends if len(set(ends)) == len(set(cleaned)) else [short(name, most) for name in names]


def level_axis(frame: Frame, label: str, places: Sequence[float], names: Sequence[str]) -> Markup:
    """Return an axis of categories; their names stand upright where they have room, and else at an angle."""
    base = tag("line", x1=frame.left, x2=frame.width - frame.right, y1=frame.floor, y2=frame.floor, class_="axis")
    marks = []
    slanted = slants(names, frame.width - frame.left - frame.right)
    for place, name in zip(places, level_labels(names), strict=True):
        x, y = frame.across(place), frame.floor + (14 if slanted else 17)
        turn = f"rotate(-38 {x:.1f} {y:.1f})" if slanted else None
        anchor = "end" if slanted else "middle"
        marks.append(tag("text", name, x=x, y=y, class_="tick", text_anchor=anchor, transform=turn))
    middle = (frame.left + frame.width - frame.right) / 2
    return group(base, *marks, text(middle, frame.height - 6, short(label, 42), "label", "middle"))


def slants(names: Sequence[str], width: float) -> bool:
    """Tell whether names of categories are too wide to stand side by side."""
    return room_for(level_labels(names), 6.0) * len(names) > width


def below_levels(names: Sequence[str], width: float) -> float:
    """Return the height that the names of categories and of their axis take."""
    return 30.0 + 0.66 * room_for(level_labels(names), 6.0) if slants(names, width) else 40.0


def axis_y(frame: Frame, at: Sequence[float] | None = None, label: str = "") -> Markup:
    """Return lines across the drawing at round numbers of y, and above them what they are of."""
    places = ticks(*frame.y, most=4) if at is None else at
    right = frame.width - frame.right
    lines = [tag("line", x1=frame.left, x2=right, y1=frame.up(v), y2=frame.up(v), class_="grid") for v in places]
    marks = [text(frame.left - 7, frame.up(v) + 4, number(v), "tick", "end") for v in places]
    head = [text(2.0, frame.top - 9.0, short(label, 44), "label")] if label else []
    return group(*lines, *marks, *head)
