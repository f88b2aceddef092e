"""Numbers as people write them: with a percent sign, a unit or a currency, thousands separators, a decimal comma.

A cell is a sign, a currency, digits with separators, and a unit: `-$1,234.50`, `58,1 kg`, `12 %`. A column is read so
if all of its cells are, with one unit. What a separator means is decided for the whole column: of the ways to write
numbers (`WAYS`) those remain under which every cell is a number. If two of them give different numbers, as for `1,234`,
nobody can tell which is meant. Then another column of the same table decides, or else the user.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from kmerf.core.errors import Argument, InputError, Message
from kmerf.core.safe_text import is_number
from kmerf.reading.text_cells import Fault, FileOption

_CURRENCY = r"(?:(?:US|A|C|NZ|HK|R)?\$|[€£¥₹₩₽₺₪]|USD|EUR|GBP|CHF|JPY|CNY|SEK|NOK|DKK|Fr\.)"
_BLANKS = "\u00a0\u202f\u2009 "
_WORD = r"[a-zA-Zµμ°ΩÅ℃℉][a-zA-Zµμ°Ω²³/·]{0,11}"
_CELL = re.compile(
    rf"(?P<paren>\()?(?P<sign>[+\-\u2212]?)[{_BLANKS}]?(?P<prefix>{_CURRENCY})?[{_BLANKS}]?(?P<minus>[-\u2212]?)"
    rf"(?P<body>[0-9](?:[0-9.,'\u2019{_BLANKS}]*[0-9])?|[.,][0-9]+)(?P<power>[eE][+-]?[0-9]+)?"
    rf"[{_BLANKS}]?(?P<suffix>%|\u2030|{_CURRENCY}|{_WORD}(?: [a-zA-Z]{{1,8}})?)?(?(paren)\))"
)
_MULTIPLES = frozenset({"k", "K", "M", "m", "mn", "mln", "bn", "B"})  # $83K
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
MAX_TRIED = 200  # texts that show quickly that a column holds something else

WAYS = tuple((decimal, thousands) for decimal in ".," for thousands in ("", ".,".replace(decimal, ""), " ", "'"))
"""Marks of decimals and of thousands that are tried."""


class NumberMarks(NamedTuple):
    """What stands before decimals and between thousands; None where the user does not say."""

    decimal: str | None = None
    thousands: str | None = None

    @property
    def named(self) -> bool:
        """Whether the user says anything."""
        return self != (None, None)


AUTO = NumberMarks()


def number_marks(decimal: str | None, thousands: str | None) -> NumberMarks:
    """Check what the user says about marks in numbers.

    >>> number_marks(",", None)
    NumberMarks(decimal=',', thousands=None)
    """
    if decimal not in (None, ".", ","):
        raise InputError("cannot be the decimal mark", argument=Argument("decimal", decimal), remedy="pass '.' or ','")
    thousands = {"space": " ", "none": "", "\u2019": "'"}.get(thousands or "", thousands)
    if thousands not in (None, "", ".", ",", " ", "'", "_"):
        remedy = "pass one of ',' '.' ' ' and the apostrophe, or '' for none"
        raise InputError("cannot separate thousands", argument=Argument("thousands", thousands), remedy=remedy)
    if decimal is not None and decimal == thousands:
        finding = Message("and ", Argument("thousands"), f" are both {decimal!r}")
        raise InputError(finding, argument="decimal", remedy="they must differ")
    return NumberMarks(decimal, thousands)


class WrittenNumbers(NamedTuple):
    """The numbers of a column, and how they were written."""

    numbers: Mapping[str, float]
    """Of each different text."""
    unit: str
    marks: NumberMarks
    decisive: bool
    """Whether the cells themselves tell that commas are, or are not, decimal."""

    @property
    def words(self) -> str:
        """How they were written, for people."""
        parts = [f"unit {self.unit}"] if self.unit else []
        parts += ["decimal commas"] if self.marks.decimal == "," else []
        if self.marks.thousands:
            parts.append(f"{_NAMES[self.marks.thousands]} between thousands")
        return ", ".join(parts)


_NAMES = {",": "commas", ".": "points", " ": "blanks", "'": "apostrophes", "_": "underscores"}


class _WrittenCell(NamedTuple):
    text: str
    body: str
    unit: str
    negative: bool
    power: str


def written_numbers(
    texts: Collection[str], marks: NumberMarks = AUTO, hint: str | None = None
) -> WrittenNumbers | Fault | None:
    """Read the different texts of a column as numbers; a fault if the user has to decide, None if it holds text.

    `hint` is the decimal mark of other columns of the same table.

    >>> written_numbers(["12.3%", "8%"]).numbers
    {'12.3%': 12.3, '8%': 8.0}
    >>> written_numbers(["1 234,5", "17,25"]).words
    'decimal commas, blanks between thousands'
    >>> print(written_numbers(["1,234", "5,678"]).finding)
    holds '1,234', which is 1234 if the comma separates thousands and 1.234 if it is a decimal comma
    >>> written_numbers(["a", "12"]) is None
    True
    """
    cells = _cells(texts)
    if not cells:
        return None
    unit = _unit(cells)
    if isinstance(unit, Fault) or unit is None:
        return unit
    readings = _readings(cells, marks)
    if not readings:
        return _unreadable(cells, marks)
    chosen = _choose(readings, cells, unit, hint)
    if isinstance(chosen, Fault):
        return chosen
    decimal, thousands = chosen
    numbers = {cell.text: _value(cell, decimal, thousands) for cell in cells}
    separators = {letter for cell in cells for letter in _plain(cell.body) if not letter.isdigit()}
    used = NumberMarks(decimal if "," in separators or "." in separators else None, thousands)
    if thousands not in separators:
        used = used._replace(thousands="")
    if decimal not in separators:
        used = used._replace(decimal=".")
    differ = {way for way, values in readings.items() if values != readings[chosen]}
    return WrittenNumbers(numbers, unit, used, "," in separators and not differ)


def _cells(texts: Iterable[str]) -> list[_WrittenCell]:
    """Take texts apart; nothing if one is not a number with attachments."""
    cells: list[_WrittenCell] = []
    for text in texts:
        match = _CELL.fullmatch(text)
        if match is None or (match["prefix"] and match["suffix"] and match["suffix"] not in _MULTIPLES):
            return []
        negative = "-" in (sign := f"{match['sign']}{match['minus']}".replace("\u2212", "-")) or bool(match["paren"])
        if sign == "--" or (match["paren"] and (sign or not (match["prefix"] or len(match["body"]) > 1))):
            return []
        cells.append(_WrittenCell(text, match["body"], _unit_name(match), negative, match["power"] or ""))
    return cells


def _unit_name(match: re.Match[str]) -> str:
    return " ".join(filter(None, (match["suffix"], match["prefix"]))).replace("μ", "µ")


def _unit(cells: Collection[_WrittenCell]) -> str | Fault | None:
    """Return the one unit of all cells; a fault if there are several, None if they are no units."""
    units: dict[str, str] = {}  # and a cell that has it
    for cell in cells:
        if cell.unit or not set(cell.body) <= set("0.,"):  # zero needs no unit
            units.setdefault(cell.unit, cell.text)
    names = list(units)
    if len(names) == 2 and all(names) and names[0].rstrip("s") == names[1].rstrip("s"):  # 1 day, 2 days
        return max(names, key=len)
    if set(names) & _ORDINALS:
        return None
    if len(names) <= 1:
        return names[0] if names else ""
    if "" not in units:
        return None if not _may_be_units(names) else _several_units(units)
    bare = units.pop("")
    finding = f"has the unit {next(iter(units))!r} in some cells and none in others, such as {bare!r}"
    return Fault(finding, "give all cells the same unit, or leave only the numbers")


_KNOWN = re.compile(
    r"%|[kmcµn]?[gl]|mg|mcg|kg|lbs?|oz|t|[kmcµn]?m|km|ft|in|mi|s|sec|min|mins|h|hr|hrs|d|days?|weeks?|wk|months?|mo|"
    rf"years?|yrs?|[kMG]?Hz|[kMG]?W|k|K|M|mln|bn|°C|°F|C|F|{_CURRENCY}",
)


def _may_be_units(names: Collection[str]) -> bool:
    return all(_KNOWN.fullmatch(name) for name in names)


def _several_units(units: Mapping[str, str]) -> Fault:
    listing = " and ".join(f"{cell!r}" for cell in list(units.values())[:2])
    return Fault(f"has different units, such as {listing}", "write all cells in one unit")


def _readings(cells: Collection[_WrittenCell], marks: NumberMarks) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the ways to write numbers under which every cell is one, each with the numbers."""
    ways = WAYS if marks.thousands != "_" else ((".", "_"), (",", "_"))
    readings = {}
    for decimal, thousands in ways:
        if decimal == marks.thousands:
            continue
        if marks.decimal not in (None, decimal) or (
            marks.thousands is not None and thousands not in ("", marks.thousands)
        ):
            continue
        pattern = _pattern(decimal, thousands)
        if all(pattern.fullmatch(_plain(cell.body)) for cell in cells):
            readings[decimal, thousands] = tuple(_value(cell, decimal, thousands) for cell in cells)
    return readings


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    part = rf"(?:{re.escape(decimal)}[0-9]+)?"
    grouped = rf"|[1-9][0-9]{{0,2}}(?:{re.escape(thousands)}[0-9]{{3}})+{part}" if thousands else ""
    return re.compile(rf"[0-9]+{part}|{re.escape(decimal)}[0-9]+{grouped}")


def _plain(body: str) -> str:
    return re.sub(f"[{_BLANKS}]", " ", body).replace("\u2019", "'")


def _value(cell: _WrittenCell, decimal: str, thousands: str) -> float:
    digits = _plain(cell.body)
    digits = digits.replace(thousands, "") if thousands else digits
    value = float(digits.replace(decimal, ".") + cell.power)
    return -value if cell.negative else value


def _choose(
    readings: Mapping[tuple[str, str], tuple[float, ...]], cells: Collection[_WrittenCell], unit: str, hint: str | None
) -> tuple[str, str] | Fault:
    """Choose a way to write numbers, or say which two cannot be told apart."""
    ways = list(readings)
    plain = (".", "")
    money = re.fullmatch(_CURRENCY, unit) is not None
    if len(set(readings.values())) == 1 or (plain in readings and not money):
        return plain if plain in readings else ways[0]
    if money:  # amounts have two decimals, so that three digits are thousands
        grouped = [way for way in ways if way[1]]
        if plain not in readings or len({readings[way] for way in grouped}) == 1 == len(ways) - 1:
            return grouped[0] if grouped else ways[0]
        return _ambiguous(cells, "point") if hint is None else next(way for way in ways if way[0] == hint)
    meant = [way for way in ways if way[0] == hint]
    if meant:
        return meant[0]
    return _ambiguous(cells, "comma")


def _ambiguous(cells: Collection[_WrittenCell], mark: str) -> Fault:
    """Ask which of two readings is meant."""
    sign = {"comma": ",", "point": "."}[mark]
    cell = next(cell for cell in cells if sign in cell.body)
    grouped, decimal = (
        (_value(cell, ".", ","), _value(cell, ",", ""))
        if sign == ","
        else (_value(cell, ",", "."), _value(cell, ".", ""))
    )
    finding = (
        f"holds {cell.text!r}, which is {grouped:g} if the {mark} separates thousands and {decimal:g} if it is a "
        f"decimal {mark}"
    )
    remedy = Message("pass ", FileOption("thousands", sign), " or ", FileOption("decimal", sign))
    return Fault(finding, remedy, ambiguous=True)


def _unreadable(cells: Collection[_WrittenCell], marks: NumberMarks) -> Fault | None:
    """Say which cell is not written as the user says; None if nobody said."""
    if not marks.named:
        return None
    ways = [(marks.decimal or way[0], way[1]) for way in WAYS if marks.thousands in (None, way[1])]
    patterns = [_pattern(*way) for way in ways or WAYS]
    cell = next((c for c in cells if not any(p.fullmatch(_plain(c.body)) for p in patterns)), next(iter(cells)))
    said = [FileOption(name, value) for name, value in marks._asdict().items() if value is not None]
    finding = Message(f"has {cell.text!r}, which is not a number with ", *[p for a in said for p in (" and ", a)][1:])
    return Fault(finding, "leave out the option, or mend the cells")


def may_hold_numbers(texts: Collection[str]) -> bool:
    """Return quickly, by some of the texts, whether a column may hold numbers with attachments."""
    some = list(texts)[:MAX_TRIED]
    return bool(some) and all(_CELL.fullmatch(text) for text in some)


MIN_ATTACHED = 10  # different numbers with attachments, from which on words among them are stray


def stray_texts(texts: Collection[str]) -> set[str]:
    """Return the texts that are not numbers; those with attachments are, if there are many of them in one unit."""
    matching = [text for text in texts if _CELL.fullmatch(text)]
    written = written_numbers(matching) if len(matching) >= MIN_ATTACHED else None
    if isinstance(written, WrittenNumbers) or (written is not None and written.ambiguous):
        return set(texts) - set(matching)
    return {text for text in texts if not is_number(text)}


_SEVERAL = re.compile(r"[-+<>]?[0-9][0-9.]*%?(?:\s*(?:/|±|\+/-|–|—|to|x|×|[,;:(\[])\s*[-+]?[0-9][0-9.]*%?[)\]]?){1,3}")


def hold_several(texts: Collection[str]) -> bool:
    """Return whether each text has several numbers, as blood pressures and intervals have.

    >>> [hold_several([text]) for text in ("123/76", "6.1 ± 0.7", "2 (1, 3)", "12")]
    [True, True, True, False]
    """
    return bool(texts) and all(_SEVERAL.fullmatch(text) for text in texts)


def looks_like_number(text: str) -> bool:
    """Return whether a text is a number, with attachments or without.

    >>> looks_like_number("$1,200"), looks_like_number("n/a")
    (True, False)
    """
    return _CELL.fullmatch(text) is not None
