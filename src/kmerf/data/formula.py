"""Formulas: "y ~ a + b" names columns of a table. The marks are + for one more, - for one less and . for all others.

Names that are no words go into backticks: "y ~ `blood pressure` + age". There are no interactions or functions: a test
of dependence looks for them by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kmerf.core.errors import InputError, did_you_mean, listed

_TERM = re.compile(r"\s*([+-]?)\s*(`([^`]+)`|\.(?![\w.])|[^\W\d][\w.]*)\s*")


class NamedColumns(NamedTuple):
    """The columns that a formula names."""

    y: tuple[str, ...]
    x: tuple[str, ...]
    named: tuple[str, ...]
    """Those of x that it names one by one."""


def is_formula(text: object) -> bool:
    """Tell whether a value is a formula."""
    return isinstance(text, str) and "~" in text


def read_formula(text: str, names: Sequence[str]) -> NamedColumns:
    """Return the columns that a formula names.

    >>> read_formula("y ~ . - id", ["id", "a", "b", "y"])
    NamedColumns(y=('y',), x=('a', 'b'), named=())
    """
    left, _, right = text.partition("~")
    y = [_known(text, name, names) for sign, name in _terms(text, left) if sign != "-" and name != "."]
    added: list[str] = []
    named: list[str] = []
    for sign, name in _terms(text, right):
        meant = [each for each in names if each not in y] if name == "." else [_known(text, name, names)]
        if sign == "-":
            added = [each for each in added if each not in meant]
        else:
            added += [each for each in meant if each not in added]
            named += [] if name == "." else meant
    both = set(y) & set(added)
    if both:
        raise InputError(f"The formula {text!r} has {listed(sorted(both))} on both sides: leave it out of one.")
    return NamedColumns(tuple(y), tuple(added), tuple(name for name in named if name in added))


def _terms(text: str, side: str) -> list[tuple[str, str]]:
    terms: list[tuple[str, str]] = []
    at = 0
    while at < len(side.rstrip()):
        match = _TERM.match(side, at)
        if match is None or (bool(terms) and not match[1]):
            raise InputError(
                f"The formula {text!r} cannot be read at {side[at:].strip()[:20]!r}: write it as 'y ~ a + b', other "
                "names in backticks."
            )
        terms.append((match[1], match[3] or match[2]))
        at = match.end()
    if not terms:
        raise InputError(f"The formula {text!r} names no column on one side of ~: write it as 'y ~ a + b'.")
    return terms


def _known(text: str, name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    raise InputError(
        f"The formula {text!r} names {name!r}, and there is no such column{did_you_mean(name, names)} "
        f"Columns: {listed(names)}."
    )
