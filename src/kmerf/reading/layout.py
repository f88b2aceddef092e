"""Where a table begins and ends in a text file or a sheet: titles above it, comments, rows of names, totals, footnotes.

Leading rows are titles if they have at most one cell, or two or more fields less than most rows, and the row of names
follows: text in all cells that are not empty, as many as the rows below have. Lines that begin with # before the names
are comments, and so are all others that do then, unless such a line has as many fields as the table and is followed by
data: then it is the row of names. A second row of names has text where all rows below have numbers; in brackets, or as
short words that are units, it gives the units. With identifiers of an import below them, questions are left out. The
last rows are footnotes if they have one cell, which is a sentence or begins as footnotes do, and totals if their first
cell says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kmerf.core.errors import InputError, Message
from kmerf.reading.number_cells import looks_like_number
from kmerf.reading.text_cells import CLOCK, LOCAL, YEAR_FIRST, FileOption

HASH = "#"
MAX_TITLES = 20  # rows above the names
_UNIT = re.compile(r"[(\[](?P<unit>[^()\[\]]{1,16})[)\]]")


@dataclass(frozen=True)
class FileLayout:
    """Which lines of a file are what; `header` and `skip` are None where the user does not say."""

    skip: int | None = None
    """Lines at the beginning that are left out."""
    header: tuple[int, ...] | None = None
    """Lines of the file that hold names, counted from 1; none if there are no names."""
    comment: str | None = None
    """What lines that are left out begin with; empty for nothing."""
    footer: int | None = None
    """Rows at the end that are left out; 0 for none."""

    @property
    def has_names(self) -> bool:
        """Whether there is a row of names."""
        return self.header is None or bool(self.header)


def read_layout(skip: int | None, header: object, comment: str | None, footer: int | None = None) -> FileLayout:
    """Check what the user says.

    >>> read_layout(None, "2,3", None).header, read_layout(None, False, "#").header, read_layout(3, True, None).skip
    ((2, 3), (), 3)
    """
    for name, lines in (("skip", skip), ("footer", footer)):
        if lines is not None and (isinstance(lines, bool) or not isinstance(lines, int) or lines < 0):
            raise InputError("must be a number of lines", argument=FileOption(name, lines), remedy="pass 0 or more")
    if comment is not None and (
        len(comment) > 3 or comment.isalnum() or any(c.isspace() for c in comment) or comment == '"'
    ):
        raise InputError(
            "cannot begin a comment", argument=FileOption("comment", comment), remedy="pass a sign such as '#'"
        )
    return FileLayout(skip, _header_lines(header), comment, footer)


def _header_lines(header: object) -> tuple[int, ...] | None:
    if header is None or header is True or header == "auto":
        return None
    if header is False or header == "none":
        return ()
    parts = (
        header.replace("-", ",").split(",")
        if isinstance(header, str)
        else header
        if isinstance(header, list | tuple)
        else [header]
    )
    try:
        lines = tuple(int(str(part)) for part in parts)
    except ValueError:
        lines = (0,)
    if not lines or min(lines) < 1 or len(lines) > 2 or list(lines) != list(range(lines[0], lines[0] + len(lines))):
        remedy = "pass the number of a line, two that follow each other ('2,3'), or none"
        raise InputError("does not name lines of the file", argument=FileOption("header", header), remedy=remedy)
    return lines


def find_layout(rows: Sequence[tuple[int, Sequence[str]]], asked: FileLayout) -> tuple[FileLayout, list[str]]:
    """Find where names and data begin among the first rows, each with its line; say what was decided.

    Rows are without those that `asked` leaves out. What is returned has every field set.
    """
    comment = "" if asked.comment is None else asked.comment
    notes: list[str] = []
    if asked.comment is None:
        rows, comments = _without_comments(rows)
        if comments:
            comment = HASH
            notes.append(f"Lines that begin with {HASH} are comments, and left out ({comments} above the names).")
    if asked.header is not None:
        return replace(asked, skip=(asked.header[0] - 1 if asked.header else asked.skip or 0), comment=comment), notes
    titles = _titles(rows) if asked.skip is None else 0
    start = rows[titles][0] if titles < len(rows) else 1
    if titles:
        text = next((cell.strip() for cell in rows[0][1] if cell.strip()), "")[:40]
        what = "line is a title" if titles == 1 else f"{titles} lines are titles"
        notes.append(f"The first {what}, such as {text!r}, and left out; names are in line {start}.")
    header: tuple[int, ...] = (start,)
    below = [cells for _, cells in rows[titles + 1 :]]
    if len(below) > 4 and _is_import(below[1]):
        header = (start, rows[titles + 1][0], rows[titles + 2][0])
        notes.append(f"Lines {header[1]} and {header[2]} are questions and identifiers of an import, and left out.")
    elif len(below) > 3 and _is_second_header(rows[titles][1], below):
        header = (start, rows[titles + 1][0])
        shown = next(cell for cell in below[0] if cell.strip())
        reading = f"Line {header[1]} belongs to the names, such as {shown.strip()[:40]!r}; if it is data, pass "
        notes.append(Message(reading, FileOption("header", start), "."))
    return replace(
        asked, skip=start - 1 if titles or comment or asked.skip else 0, header=header, comment=comment
    ), notes


def _without_comments(rows: Sequence[tuple[int, Sequence[str]]]) -> tuple[Sequence[tuple[int, Sequence[str]]], int]:
    leading = 0
    while leading < len(rows) and rows[leading][1] and rows[leading][1][0].lstrip().startswith(HASH):
        leading += 1
    if not leading or leading == len(rows):
        return rows, 0
    width = len(rows[leading][1])
    last, first = rows[leading - 1][1], rows[leading][1]
    if len(last) == width > 1 and any(looks_like_number(cell.strip()) for cell in first):
        leading -= 1  # it holds the names
    left = [row for row in rows if not row[1][0].lstrip().startswith(HASH)] if leading else rows
    return (left, leading) if leading and left else (rows, 0)


def _titles(rows: Sequence[tuple[int, Sequence[str]]]) -> int:
    """Count the rows above the names."""
    width = Counter(len(cells) for _, cells in rows).most_common(1)[0][0] if rows else 0
    count = 0
    while count < min(len(rows) - 2, MAX_TITLES) and _is_title(rows[count][1], width):
        count += 1
    if not count:
        return 0
    names, below = rows[count][1], rows[count + 1 :]
    usual = sum(len(cells) == len(names) for _, cells in below)
    named = all(not _is_value(cell) for cell in names) and sum(bool(c.strip()) for c in names) >= max(
        2, 0.6 * len(names)
    )
    return count if named and 2 * usual >= len(below) and len(names) > 1 else 0


def _is_title(cells: Sequence[str], width: int) -> bool:
    """Return whether a row may be a title; one field less than others may be names without that of the row names."""
    full = [cell.strip() for cell in cells if cell.strip()]
    if len(full) <= 1 or len(cells) < width - 1:
        return True
    sentence = len(cells) < width and (len(full[0].split()) > 2 or any(map(_is_value, full)))
    return sentence or (len(full) == 2 < width - 1 and full[0].endswith(":"))


def _is_import(cells: Sequence[str]) -> bool:
    return all(cell.strip().startswith('{"ImportId"') for cell in cells if cell.strip()) and any(map(str.strip, cells))


def _is_second_header(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row below the names has text where all others have numbers, and no value itself."""
    first, rest = below[0], [row for row in below[1:] if len(row) == len(names)]
    if len(first) != len(names) or len(rest) < 3 or any(_is_value(cell) for cell in first):
        return False
    columns = [[row[j].strip() for row in rest if row[j].strip() not in ("", "NA")] for j in range(len(names))]
    numeric = [j for j, cells in enumerate(columns) if len(cells) >= 3 and all(looks_like_number(c) for c in cells)]
    words = [first[j].strip() for j in numeric if first[j].strip()]
    if not numeric or not words:
        return False
    others = [j for j in range(len(names)) if j not in numeric and first[j].strip() and first[j].strip() in columns[j]]
    missing = all(len(word) > 1 and word.strip(".-?") and word.lower() not in _MISSING for word in words)
    enough = len(words) == len(numeric) and (
        len(words) > 1 or len(names) <= 2 or any(_UNIT.fullmatch(w) for w in words)
    )
    return missing and not others and enough


_MISSING = {"none", "null", "nan", "n/a", "na", "unknown", "missing", "unk", "<na>", "nil"}


MAX_FOOTNOTES = 30  # rows at the end
_TOTAL = re.compile(
    r"(grand |sub-?)?totals?( général)?|gesamt(summe)?|insgesamt|summe|sum|somme|suma|totale|average|avg\.?|mean|"
    r"mittelwert|moyenne|media|promedio",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(
    r"(sources?|notes?|legend|footnotes?|quelle|anmerkung|updated|generated|copyright)\b|[©*†‡¹²]", re.IGNORECASE
)


def is_footnote(cells: Sequence[str], *, apart: bool = False) -> bool:
    """Return whether a row below a table is a footnote; `apart` if an empty line comes before it.

    >>> is_footnote(["Source: Bureau of Labor"]), is_footnote(["(NA) Data are not available"]), is_footnote(["Smith"])
    (True, True, False)
    """
    first = cells[0].strip() if cells else ""
    if not first or _is_value(first) or any(_is_value(cell) for cell in cells[1:] if cell.strip()):
        return False
    return apart or _FOOTNOTE.match(first) is not None or len(first.split()) > 3


def rows_at_end(rows: Sequence[Sequence[str]]) -> tuple[int, list[str]]:
    """Count the rows at the end of a table that are totals or footnotes, and say so; `rows` are some of the last.

    >>> rows_at_end([["a", "1"], ["b", "2"], ["Total", "3"], ["Source: a book", ""]])[0]
    2
    """
    count, totals = 0, []
    labels = Counter(next((cell.strip() for cell in cells if cell.strip()), "") for cells in rows)
    while count < min(MAX_FOOTNOTES, len(rows) - 1):
        cells = rows[-1 - count]
        full = [cell.strip() for cell in cells if cell.strip()]
        if full and _TOTAL.fullmatch(full[0].rstrip(":")) and labels[full[0]] == 1 and len(full) > 1:
            totals.append(full[0])
        elif not (len(full) == 1 < len(cells) and cells[0].strip() and is_footnote(cells)):
            break
        count += 1
    if not count:
        return 0, []
    which = "row is" if count == 1 else f"{count} rows are"
    a, plural = ("a ", "") if count == 1 else ("", "s")
    named = " and ".join(repr(total) for total in reversed(totals[:3]))
    kinds = [f"{a}total{plural} ({named})"] if totals else []
    kinds += [f"{a}footnote{plural}"] if len(totals) < count else []
    what = " or ".join(kinds)
    keep = Message(
        f"The last {which} {what}, and left out; pass ",
        FileOption("footer", 0),
        " to keep ",
        "it." if count == 1 else "them.",
    )
    return count, [keep]


def _is_value(cell: str) -> bool:
    text = cell.strip()
    return looks_like_number(text) or any(re.search(pattern, text) for pattern in (YEAR_FIRST, LOCAL, CLOCK))


def joined_names(rows: Sequence[Sequence[str]]) -> tuple[list[str], dict[int, str]]:
    """Return the names of one or two rows of them, and the units that the second gives, by column.

    >>> joined_names([["weight", "arm"], ["(kg)", "(A/B)"]])
    (['weight', 'arm'], {0: 'kg', 1: 'A/B'})
    >>> joined_names([["blood", ""], ["before", "after"]])
    (['blood before', 'blood after'], {})
    """
    first = [cell.strip() for cell in rows[0]]
    if len(rows) != 2:
        return first, {}
    second = [cell.strip() for cell in rows[1]]
    matches = [_UNIT.fullmatch(cell) for cell in second]
    bare = all(not cell or (len(cell) <= 6 and " " not in cell) for cell in second) and len(
        set(filter(None, first))
    ) == len(first)
    if all(match or not cell for match, cell in zip(matches, second, strict=True)) or bare:
        return first, {
            j: (m["unit"] if m else cell) for j, (m, cell) in enumerate(zip(matches, second, strict=True)) if cell
        }
    names, above = [], ""
    for upper, lower in zip(first, second, strict=True):
        above = upper or above  # a cell that spans several columns
        names.append(" ".join(filter(None, (above, lower))))
    return names, {}
