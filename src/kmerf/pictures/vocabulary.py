"""What a picture is made of: two axes, and marks in the coordinates of the data.

A mark has a role ("bars", "curve", "threshold") and, where groups or tests are told apart, the number of its group. The
style sheet of the report and the table of looks in `kmerf.figures` say what roles and groups look like, so that a
picture holds no colours. Limits, ticks of categories, breaks and places of labels are part of the picture: both
renderers show the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.safe_text import clean, short

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from kmerf.core.arrays import Floats

GROUPS = 7  # colours of groups; groups beyond share the last
SHADES = 7  # of a numeric y
PANEL = (310.0, 230.0)  # of one of several pictures in rows of two, in hundredths of an inch, as it stands on a page
WIDE = (400.0, 240.0)  # of a picture that stands alone: texts can be read at the width of a phone, too
LABEL_LETTERS = 18  # of the name of a category below an axis
ROW_LETTERS = 14  # of the name of a line of texts below an axis


@dataclass(frozen=True)
class TickRow:
    """A line of texts below an axis, one at each of its ticks, with a name at its left in the colour of a group."""

    name: str
    texts: tuple[str, ...]
    group: int


@dataclass(frozen=True)
class Axis:
    """The range of an axis, what it is called and what stands at its ticks."""

    limits: tuple[float, float]
    label: str = ""
    ticks: tuple[float, ...] | None = None  # None for round numbers
    names: tuple[str, ...] = ()  # what stands at the ticks, if not their numbers
    whole: bool = False  # only whole numbers are on the axis
    most: int = 5  # about so many round numbers
    log: bool = False
    gap: tuple[float, float] | None = None  # where the axis is interrupted: what lies beyond is not on its scale
    broken: bool = False  # the gap is one between numbers, to be marked as such
    beside: tuple[str, ...] = ()  # at the far end of each tick of a vertical axis,
    beside_head: str = ""  # and what stands above them
    rows: tuple[TickRow, ...] = ()  # below a horizontal axis,
    rows_head: str = ""  # and what stands above them

    @property
    def marks(self) -> tuple[float, ...]:
        """Where the ticks are."""
        if self.ticks is not None:
            return self.ticks
        return tuple(log_ticks(*self.limits) if self.log else ticks(*self.limits, self.most, whole=self.whole))

    @property
    def texts(self) -> tuple[str, ...]:
        """What stands at the ticks."""
        if not self.names and self.log and powers_of_ten(self.marks):
            return tuple(f"10{str(round(math.log10(value))).translate(_RAISED)}" for value in self.marks)
        return self.names or tuple(number(value) for value in self.marks)


@dataclass(frozen=True, eq=False, kw_only=True)
class Mark:
    """Something that is drawn: its role, the number of its group, its entry in the legend, and what it stands for."""

    role: str
    group: int | None = None
    label: str = ""
    says: str = ""  # what it stands for, a sentence of the caption

    @property
    def columns(self) -> tuple[Floats, ...]:
        """Its coordinates as arrays of one length; a single number counts for all."""
        given = (getattr(self, name) for name in ("x", "y", "left", "right", "low", "high") if hasattr(self, name))
        return np.broadcast_arrays(*(np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in given))


@dataclass(frozen=True, eq=False)
class Points(Mark):
    """One point for each row or column."""

    x: ArrayLike
    y: ArrayLike
    radius: float = 1.9  # in hundredths of an inch
    marker: str = ""  # as matplotlib names it, by default that of the group; pages draw dots, and crosses for "x"
    titles: tuple[str, ...] = ()  # what each point says when it is pointed at
    shade: Floats | None = None  # numbers that colour the points, from low to high


@dataclass(frozen=True, eq=False)
class Bars(Mark):
    """Rectangles: bars of a histogram, stacked shares, boxes."""

    left: ArrayLike
    right: ArrayLike
    low: ArrayLike
    high: ArrayLike
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Cells(Mark):
    """Squares of a heat map around their middles, up to one unit wide; the larger the strength, the darker."""

    x: ArrayLike
    y: ArrayLike
    strength: Floats  # from 0 to 1
    width: float = 1.0
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Segments(Mark):
    """Straight lines from (left, low) to (right, high): intervals, medians, whiskers."""

    left: ArrayLike
    right: ArrayLike
    low: ArrayLike
    high: ArrayLike


@dataclass(frozen=True, eq=False)
class Line(Mark):
    """A line through points, in steps or straight; with `titles`, the points are drawn and say something."""

    x: ArrayLike
    y: ArrayLike
    steps: bool = False
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Band(Mark):
    """What lies between two lines, in steps or straight."""

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    steps: bool = False


@dataclass(frozen=True, eq=False)
class Rule(Mark):
    """A line across the whole picture, at a value of x if it is upright and of y if not."""

    at: float
    upright: bool = False


@dataclass(frozen=True, eq=False)
class Words(Mark):
    """A text at a place: "start", "middle" or "end" of it is there, and it hangs below the place or stands above."""

    x: float
    y: float
    text: str
    anchor: str = "middle"
    above: bool = True


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture: axes, marks from back to front, and what it says in words."""

    text: str  # for those who do not see it
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: str = ""  # above a figure; a page has its own headings
    note: str = ""  # what is left out
    size: tuple[float, float] = PANEL
    legend: str = "best"  # where matplotlib puts it; empty for none
    shade: str = ""  # what the shade of points stands for
    square: bool = False  # both axes have one scale

    @property
    def caption(self) -> str:
        """What the marks stand for, each sentence once: nothing that is not drawn is described."""
        return caption([self])

    @property
    def entries(self) -> list[tuple[int, str]]:
        """The legend: the group and the name of each mark that has a name."""
        return [(mark.group or 0, mark.label) for mark in self.marks if mark.label]


def caption(pictures: Sequence[Picture]) -> str:
    """Return what the marks of some pictures stand for, each sentence once."""
    texts = (mark.says for picture in pictures for mark in picture.marks if mark.says)
    return " ".join(dict.fromkeys(sentence for text in texts for sentence in re.split(r"(?<=\.) (?=[A-Z])", text)))


def histogram(values: Floats, bins: int | Floats, label: str, room: float) -> tuple[Bars, Axis, float]:
    """Return the bars of a histogram, an axis for their heights with some space above them, and the largest height."""
    counts, edges = np.histogram(values, bins=bins)
    some, most = counts > 0, float(counts.max())
    bars = Bars(edges[:-1][some], edges[1:][some], 0.0, counts[some], role="bars")
    return bars, count_axis(most, label, room), most


def count_axis(most: float, label: str, room: float) -> Axis:
    """Return an axis of counts from 0, with some space above the largest."""
    return Axis((0.0, room * most), label, tuple(ticks(0.0, most, 4, whole=True)))


def percent_axis(top: float, label: str) -> Axis:
    """Return an axis of shares from 0 to a little above `top`."""
    limits = (0.0, min(1.04, 1.1 * top) or 1.04)
    marks = tuple(ticks(*limits, 5))
    return Axis(limits, label, marks, tuple(f"{round(100 * mark, 6):g} %" for mark in marks))


def shared(k: int) -> int:
    """Return the number of a colour: groups beyond the last colour share it."""
    return min(int(k), GROUPS - 1)


MOST_TICKS = 8


def ticks(low: float, high: float, most: int = 5, *, whole: bool = False) -> list[float]:
    """Return round numbers from low to high; `whole` ones where there is nothing between them.

    There are at most about `most`; more only if there was but one, which shows no scale.

    >>> ticks(11.6, 19.2, 3)
    [12.0, 14.0, 16.0, 18.0]
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
    return marks if len(marks) > 1 or most >= MOST_TICKS else ticks(low, high, most + 1, whole=whole)


def log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten from low to high, and where these are few, twice and five times as much.

    >>> log_ticks(20.0, 450.0), log_ticks(0.001, 1.0)
    ([20.0, 50.0, 100.0, 200.0], [0.001, 0.01, 0.1, 1.0])
    """
    factors = (1, 2, 5) if high < 100 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [float(f"{factor}e{power}") for power in powers for factor in factors]
    return [value for value in every if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def powers_of_ten(values: Sequence[float]) -> bool:
    """Say whether numbers are powers of ten, and one of them too long to be written out.

    >>> powers_of_ten([1e6, 1e7]), powers_of_ten([0.01, 1.0]), powers_of_ten([2e6, 1e7])
    (True, False, False)
    """
    long = any(not 1e-3 <= value <= 1e5 for value in values)
    return long and all(abs(math.log10(value) % 1.0) < 1e-9 for value in values)


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


def level_labels(names: Sequence[str]) -> list[str]:
    """Return names of categories that fit below an axis: cut at their ends, or else where they stay different.

    >>> level_labels(["Elementary", "a very long name of a level", "a very long name of another"])
    ['Elementary', 'a very lo… a level', 'a very lo… another']
    """
    cleaned = [clean(name) for name in names]
    ends = [name if len(name) <= LABEL_LETTERS else f"{name[: LABEL_LETTERS - 1].rstrip()}…" for name in cleaned]
    return ends if len(set(ends)) == len(set(cleaned)) else [short(name, LABEL_LETTERS) for name in names]
