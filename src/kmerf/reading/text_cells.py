"""Text that is meant as something else: dates, numbers written for people, numbers with a stray word among them.

Nothing is guessed: such a column is a date, or has a fault that says what to do about it. Files and dataframes share
these rules, which look at the different texts of a column.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from kmerf.core.errors import Argument, Message

_ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"
_TIME = rf"[T ][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?(?: ?{_ZONE})?"
YEAR_FIRST = rf"^[0-9]{{4}}[-/][0-9]{{1,2}}[-/][0-9]{{1,2}}(?:{_TIME})?$"
LOCAL = r"^[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?$"

CLOCK = r"^(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?: ?[aApP]\.?[mM]\.?)?$"

_UNIT = r"^[<>≤≥~$€£]? ?[+-]?[0-9]+([.,][0-9]+)* ?(%|[a-zA-Zµ°/]{1,6}|€|\$)?$"


class FileOption(Argument):
    """An option about a file, which `read_table` has in Python and every command in the shell.

    >>> print(FileOption("decimal", ","))
    kmerf.read_table(path, decimal=',')
    """

    def __str__(self) -> str:
        return f"kmerf.read_table(path, {super().__str__()})"


class Fault(NamedTuple):
    """Why a column cannot be used as it is, and what to do."""

    finding: str
    remedy: str
    ambiguous: bool = False
    """Whether it has two readings, of which the user, or another column, has to choose one."""

    @property
    def text(self) -> Message:
        """Both, as one clause."""
        return Message(self.finding, ": ", self.remedy)


class StrayCells(NamedTuple):
    """Cells of a column that are no numbers."""

    column: str
    texts: Collection[str]
    """The different ones."""
    cells: int
    """How many cells they are."""
    present: int
    """How many cells of the column are not missing."""
    first: str
    row: int
    """Where the first of them is, counted from 1."""


def number_fault(stray: StrayCells) -> Fault | None:
    """Say why a column that seems to hold numbers cannot be used as such; None if it is text.

    >>> number_fault(StrayCells("cost", ["free"], cells=1, present=9, first="free", row=3)).finding
    "holds numbers, but 1 cell is not, such as 'free' in data row 3"
    """
    cell = stray.first[:40]
    shown = f"such as {cell!r} in data row {stray.row}"
    if stray.cells < stray.present and _all(_UNIT, stray.texts):
        return Fault(f"has numbers with signs or units, {shown}", "leave only the number")
    if 2 * stray.cells <= stray.present:
        count = "1 cell is not" if stray.cells == 1 else f"{stray.cells} cells are not"
        means = Message("put numbers there, pass ", Argument("na", cell), " if that means missing, or ")
        return Fault(f"holds numbers, but {count}, {shown}", Message(means, Argument("categorical", [stray.column])))
    return None


def are_dates(texts: Iterable[str]) -> bool:
    """Tell whether all texts are dates, of which the year or the day comes first.

    >>> are_dates(["2024-01-31", "2024-2-1"]), are_dates(["1/2/24"]), are_dates(["2024"])
    (True, True, False)
    """
    texts = list(texts)
    return bool(texts) and (_all(YEAR_FIRST, texts) or _all(LOCAL, texts))


def are_times(texts: Iterable[str]) -> bool:
    """Tell whether all texts are times of day, such as 14:30 or 9:05:30.

    >>> are_times(["14:30", "9:05:30"]), are_times(["25:00"]), are_times([])
    (True, False, False)
    """
    texts = list(texts)
    return bool(texts) and _all(CLOCK, texts)


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _all(pattern: str, texts: Iterable[str]) -> bool:
    compiled = re.compile(pattern)
    return all(compiled.search(text) for text in texts)
