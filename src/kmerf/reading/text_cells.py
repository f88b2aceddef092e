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
_HALF = r"(?: ?[aApP]\.?[mM]\.?)?"
LOCAL = rf"^[0-9]{{1,2}}[./-][0-9]{{1,2}}[./-]([0-9]{{4}}|[0-9]{{2}})( [0-9]{{1,2}}:[0-9]{{2}}(:[0-9]{{2}})?{_HALF})?$"

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
WORDED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_MONTH}[ -]\'?(?P<year>[0-9]{{4}})",  # Jan 2024
        rf"{_MONTH} (?P<day>[0-9]{{1,2}}),? (?P<year>[0-9]{{4}})",  # Jan 15, 2024
        rf"(?P<day>[0-9]{{1,2}})\.?[ -]{_MONTH},?[ -](?P<year>[0-9]{{4}})",  # 15 Jan 2024
        r"(?P<year>[0-9]{4})[ -]?W(?P<week>[0-9]{2})",  # 2024-W05
        r"(?P<year>[0-9]{4})[ -]?Q(?P<quarter>[1-4])",  # 2024-Q1
        r"Q(?P<quarter>[1-4])[ /-](?P<year>[0-9]{4})",  # Q1 2024
        r"(?P<year>[0-9]{4})[-/](?P<month>0[1-9]|1[0-2])",  # 2024-01
        r"(?P<month>0?[1-9]|1[0-2])/(?P<year>[0-9]{4})",  # 01/2024
    )
)
"""Dates with words, and weeks, months and quarters, which are the day they begin with."""

CLOCK = r"^(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?: ?[aApP]\.?[mM]\.?)?$"
LAPSE = re.compile(r"([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?")
SPELLED = re.compile(
    r"(?:([0-9]+) ?d(?:ays?)?)? ?(?:([0-9]+) ?h(?:(?:ou)?rs?)?)? ?(?:([0-9]+) ?m(?:in(?:ute)?s?)?)? ?"
    r"(?:([0-9]+(?:\.[0-9]+)?) ?s(?:ec(?:ond)?s?)?)?"
)
"""Times that passed: 75:30, 26:10:05, and 2h 41m."""

_UNIT = r"^[<>≤≥~$€£]? ?[+-]?[0-9]+([.,][0-9]+)* ?(%|[a-zA-Zµ°/]{1,6}|€|\$|[*†‡]{1,4})?$"


class FileOption(Argument):
    """An option about a file, which `read_table` has in Python and every command in the shell.

    >>> print(FileOption("decimal", ","))
    kmerf.read_table(path, decimal=',')
    """

    def __str__(self) -> str:
        return f"kmerf.read_table(path, {super().__str__()})"


MAX_CODES = 4  # different texts among numbers that are all named as codes of missing values


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
    """Cells of a column that are not numbers."""

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
        several = sorted(stray.texts) if 1 < len(stray.texts) <= MAX_CODES else cell
        means = Message("put numbers there, pass ", Argument("na", several), " if that means missing, or ")
        return Fault(f"holds numbers, but {count}, {shown}", Message(means, Argument("categorical", [stray.column])))
    return None


def are_dates(texts: Iterable[str]) -> bool:
    """Return whether all texts are dates that are written in the same way.

    >>> are_dates(["2024-01-31", "2024-2-1"]), are_dates(["1/2/24"]), are_dates(["Jan 2024"]), are_dates(["2024"])
    (True, True, True, False)
    """
    texts = list(texts)
    return bool(texts) and (
        _all(YEAR_FIRST, texts) or _all(LOCAL, texts) or any(all(map(way.fullmatch, texts)) for way in WORDED)
    )


def mixed_dates(texts: Collection[str]) -> Fault | None:
    """Say which texts are dates written in different ways, if all are dates.

    >>> mixed_dates(["2024-01-15", "Jan 15, 2024"]).finding
    "holds dates in several formats, such as '2024-01-15' and 'Jan 15, 2024'"
    """
    ways = (re.compile(YEAR_FIRST), re.compile(LOCAL), *WORDED)
    formats: dict[int, str] = {}
    for text in texts:
        way = next((k for k, each in enumerate(ways) if each.fullmatch(text)), None)
        if way is None:
            return None
        formats.setdefault(way, text)
    if len(formats) < 2:
        return None
    shown = " and ".join(map(repr, list(formats.values())[:3]))
    return Fault(f"holds dates in several formats, such as {shown}", "write all as 2024-01-31")


def are_times(texts: Iterable[str]) -> bool:
    """Return whether all texts are times of day, such as 14:30 or 9:05:30, or durations, such as 75:30 or 2h 41m.

    >>> are_times(["14:30", "9:05:30"]), are_times(["75:30"]), are_times(["2h 41m", "3h"]), are_times(["3h"])
    (True, True, True, False)
    """
    texts = list(texts)
    return bool(texts) and (_all(CLOCK, texts) or are_lapses(texts))


def are_lapses(texts: Collection[str]) -> bool:
    """Return whether all texts are durations, and not all of them could be times of day or numbers with a unit."""
    if all(map(LAPSE.fullmatch, texts)):
        return not _all(CLOCK, texts)
    matches = []
    for text in texts:
        match = SPELLED.fullmatch(text)
        if match is None or not text:
            return False
        matches.append(sum(part is not None for part in match.groups()))
    return max(matches, default=0) > 1


def _all(pattern: str, texts: Iterable[str]) -> bool:
    compiled = re.compile(pattern)
    return all(compiled.search(text) for text in texts)
