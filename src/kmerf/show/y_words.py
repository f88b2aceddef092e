"""What y is: its description, and what to call it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kmerf.core.safe_text import short

if TYPE_CHECKING:
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result

LISTED = 6  # groups that are named
_NAMELESS = (("y",), ("group",))  # what arrays are called
_WIDEST = 20  # letters of the name of a group


def y_text(result: Result, *, names: bool = True) -> str:
    """Describe y: numbers, or classes or groups, with `names` by their names and sizes."""
    if result.y_kind == "censored":
        return "y a time and an event"
    return _text(result.groups, "groups" if result.question == "ksample" else "classes", result.q, names)


def screen_y_text(screen: Screen) -> str:
    """Describe the y of a screen."""
    if screen.y_kind == "censored":
        return "y a time and an event"
    return _text(screen.groups, "classes", 1, names=False)


def _text(groups: Mapping[str, int], kind: str, q: int, names: bool) -> str:
    if not groups:
        return "y numeric" + (f", {q} columns" if q > 1 else "")
    head = f"{len(groups)} groups" if kind == "groups" else f"y categorical, {len(groups)} classes"
    return f"{head}: {_listed(groups)}" if names else head


def _listed(groups: Mapping[str, int]) -> str:
    sizes = [f"{short(name, _WIDEST)} ({size})" for name, size in groups.items()]
    return ", ".join(sizes[:LISTED]) + (f" and {len(sizes) - LISTED} more" if len(sizes) > LISTED else "")


def y_of(result: Result) -> str:
    """Return what to call y, from the data that the result holds; empty where it has none, or they had no names."""
    points = None if result.details is None else result.details.points
    survival = None if result.details is None else result.details.survival
    if survival is not None:
        return "" if survival.time == "y1" else y_name([survival.time])
    return "" if points is None or points.y_names in _NAMELESS else y_name(points.y_names)


def asked_of(question: str, y: str) -> str:
    """Return a member's question with the name that the reader knows y by.

    >>> asked_of("Does the average of y move with x?", "weight")
    'Does the average of weight move with x?'
    """
    asked = question[:1].upper() + question[1:]
    return re.sub(r"\by\b", lambda _: y, asked)


def y_name(columns: Sequence[str]) -> str:
    """Return what to call y, from the names of its columns; empty where they are not known.

    >>> y_name(["weight", "height"]), y_name([]), y_name(["a", "b", "c", "d"])
    ('weight and height', '', 'a, b and 2 more')
    """
    names = [short(name, 40) for name in columns[:3]]
    if len(columns) > 3:
        return f"{', '.join(names[:2])} and {len(columns) - 2} more"
    return " and ".join(names)
