"""Text that is fit to show. Names and cells are hostile: what a terminal or a page would obey is shown, not sent."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from typing import Any

# Controls, invisible marks that reorder or hide text, lone surrogates, and separators of lines.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def clean(text: str) -> str:
    r"""Return a text with everything that is not plain to see spelled out.

    >>> print(clean("red \x1b[31m [bold] \u202e end"))
    red \x1b[31m [bold] \u202e end
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if unicodedata.category(c) not in _UNSAFE else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def short(text: str, most: int = 28) -> str:
    """Return a name as it is shown: clean, and cut in the middle if it is long.

    >>> short("a_very_long_name_of_a_column_indeed", 20)
    'a_very_lon…mn_indeed'
    """
    text = clean(text)
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most - most // 2 - 1) :]}"


def is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_wide(character: str) -> bool:
    """Return whether a character takes two cells of a terminal, as those of East Asia do."""
    return not character.isascii() and unicodedata.east_asian_width(character) in "WF"


def cells(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    >>> cells("town"), cells("\u6771\u4eac")
    (4, 4)
    """
    return len(text) if text.isascii() else len(text) + sum(map(is_wide, text))


_FORMULA = ("=", "+", "-", "@")  # with which a spreadsheet takes a cell for a formula


def as_csv(rows: Sequence[Sequence[Any]]) -> str:
    """Return a table as CSV; None and NaN become empty cells, and names not formulas."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[_csv_cell(cell) for cell in row] for row in rows])
    return out.getvalue()


def _csv_cell(value: Any) -> Any:
    """Return a value as it goes into a CSV file that a spreadsheet may open.

    >>> _csv_cell("=1+1"), _csv_cell(-0.5), _csv_cell(None)
    ("'=1+1", -0.5, '')
    """
    if value is None or value != value:
        return ""
    if not isinstance(value, str):
        return value
    text = clean(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
