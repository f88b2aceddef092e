"""Drawing in SVG: tags, scales and axes, as small functions. Colours are classes, so that the page's style sets them.

Attributes of shapes stand for styles throughout: the page allows no inline style.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from kmerf.core.safe_text import short

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


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from low to high.

    >>> ticks(0.0, 97.0), ticks(-0.02, 0.05, 4)
    ([0.0, 20.0, 40.0, 60.0, 80.0], [-0.02, 0.0, 0.02, 0.04])
    """
    span = high - low
    if not math.isfinite(span) or span <= 0.0:
        return [low]
    rough = span / most
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    marks: list[float] = []
    while (first + len(marks)) * step <= high + 1e-9 * span:
        marks.append(round((first + len(marks)) * step, 12) + 0.0)
    return marks


def number(value: float) -> str:
    """Write a number on an axis, with a true minus.

    >>> number(-0.25), number(1200000.0)
    ('−0.25', '1.2e6')
    """
    if value != 0.0 and not 1e-3 <= abs(value) < 1e5:
        mantissa, exponent = f"{value:.3g}".split("e") if "e" in f"{value:.3g}" else (f"{value:.3g}", "")
        if not exponent:
            mantissa, exponent = f"{value:.2e}".split("e")
        return f"{float(mantissa):g}e{int(exponent)}".replace("-", "−")
    return f"{value:.6g}".replace("-", "−")


def axis_x(frame: Frame, label: str, at: Sequence[float] | None = None) -> Markup:
    """Return the axis of x: a line, round numbers and what they are of."""
    places = ticks(*frame.x) if at is None else at
    marks = [text(frame.across(v), frame.floor + 17, number(v), "tick", "middle") for v in places]
    base = tag("line", x1=frame.left, x2=frame.width - frame.right, y1=frame.floor, y2=frame.floor, class_="axis")
    middle = (frame.left + frame.width - frame.right) / 2
    return group(base, *marks, text(middle, frame.height - 6, short(label, 42), "label", "middle"))


def axis_y(frame: Frame, at: Sequence[float] | None = None) -> Markup:
    """Return lines across the drawing at round numbers of y."""
    places = ticks(*frame.y, most=4) if at is None else at
    right = frame.width - frame.right
    lines = [tag("line", x1=frame.left, x2=right, y1=frame.up(v), y2=frame.up(v), class_="grid") for v in places]
    marks = [text(frame.left - 7, frame.up(v) + 4, number(v), "tick", "end") for v in places]
    return group(*lines, *marks)
