"""How a table is read, as the page offers it: options with what was detected, and the reader's doubts as questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from kmerf.app.calls import Refused, shell_option

_AS_READ = ("", "as detected")


class ReadingOption(NamedTuple):
    """An option of reading that the page offers."""

    name: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()
    """Values and words; none for a text to fill in."""
    hint: str = ""
    forms: tuple[str, ...] = ("text", "excel")
    """The formats that have it."""


SETTINGS = (
    ReadingOption(
        "sep",
        "Separator",
        (_AS_READ, (",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar"), (" ", "space")),
        forms=("text",),
    ),
    ReadingOption("decimal", "Decimal mark", (_AS_READ, (".", "point"), (",", "comma")), forms=("text",)),
    ReadingOption(
        "thousands",
        "Between thousands",
        (_AS_READ, ("none", "nothing"), (",", "comma"), (".", "point"), (" ", "space"), ("'", "apostrophe")),
        forms=("text",),
    ),
    ReadingOption(
        "header",
        "Line of names",
        (_AS_READ, ("none", "there are no names"), *((str(k), f"line {k}") for k in range(1, 7))),
    ),
    ReadingOption("skip", "Lines above the table", hint="a number"),
    ReadingOption(
        "comment", "Comments begin with", (_AS_READ, ("none", "there are none"), ("#", "#")), forms=("text",)
    ),
    ReadingOption("sheet", "Sheet", hint="a name or a number", forms=("excel",)),
    ReadingOption(
        "encoding",
        "Encoding",
        (_AS_READ, *((name, name) for name in ("utf-8", "cp1252", "latin-1", "utf-16", "mac-roman"))),
        forms=("text",),
    ),
    ReadingOption("na", "Missing cells hold", hint="codes, with commas: 999, ?", forms=()),
    ReadingOption(
        "dates",
        "Dates",
        (
            _AS_READ,
            ("elapsed", "as elapsed time alone"),
            ("day-first", "the day comes first"),
            ("month-first", "the month comes first"),
            ("drop", "leave them out"),
        ),
        forms=(),
    ),
)
# The doubts of the reader, asked as questions: by the argument that answers them with yes.
DOUBTS = {
    "blocks": ("Do rows with the same {value} belong together, such as measurements of one person?", "Yes, together"),
    "keep": ("Do you want to use {value}, which may only number or name the rows?", "Yes, use it"),
    "na": ("Does {value} mean missing?", "Yes, missing"),
    "categorical": ("Are the values of {value} labels, and not quantities?", "Yes, labels"),
    "event_value": ("Does {value} mean that the event happened?", "Yes"),
    "y_kind": ("Should the outcome be read as {value}?", "Yes"),
    "dates": ("Should dates be read as “{value}”?", "Yes"),
    "decimal": ("Is “{value}” the decimal mark?", "Yes"),
    "thousands": ("Does “{value}” stand between thousands?", "Yes"),
    "header": ("Are the names in line {value} alone?", "Yes"),
    "sheet": ("Did you mean the sheet {value}?", "Yes, read it"),
}
READING = ("sep", "encoding", "decimal", "thousands", "skip", "header", "comment", "sheet", "na")


def settings(
    table: Mapping[str, Any] | None,
    reading: Mapping[str, Any],
    dates: str,
    form: str = "text",
    sheets: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Return the options of reading, with what was detected and what they are in the shell."""
    rows = []
    for setting in SETTINGS:
        if setting.forms and form not in setting.forms:
            continue
        value = dates if setting.name == "dates" else reading.get(setting.name)
        plain = "" if value in (None, "auto") else _as_choice(value)
        rows.append(
            {
                **setting._asdict(),
                "choices": (_AS_READ, *((name, name) for name in sheets))
                if setting.name == "sheet"
                else setting.choices,
                "value": plain,
                "detected": "" if table is None else _detected(setting.name, table),
                "option": "" if plain == "" else shell_option(setting.name, value),
            }
        )
    return rows


def _detected(name: str, table: Mapping[str, Any]) -> str:
    """Say what was found in the file."""
    if name == "sep":
        return str(table["separator"] or "")
    if name == "encoding":
        return str(table["encoding"] or "")
    if name == "decimal":
        commas = [column for column, words in table["written"].items() if "decimal" in words or "comma" in words]
        return f"{table['written'][commas[0]]} ({_some(commas)})" if commas else "point"
    if name == "dates":
        dates = [column for column, kind in table["kinds"].items() if kind == "date"]
        return f"in {_some(dates)}" if dates else "none"
    if name == "na":
        return "empty cells and NA"
    if name == "sheet":
        return str(table["sheet"] or "")
    if name == "header":
        return _noted(table, "names") or "line 1"
    if name == "comment":
        return _noted(table, "comments") or "none"
    return ""


def _noted(table: Mapping[str, Any], word: str) -> str:
    """Return the note that has a word, without what it proposes."""
    for note in table["notes"]:
        if isinstance(note[0], str) and word in note[0]:
            return str(note[0].partition("; ")[0].rstrip("."))
    return ""


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def reason(pieces: Sequence[Any]) -> str:
    """Return what a note found, without the argument of Python that it proposes: a question takes its place.

    >>> reason(["Left out: 'id' (counts the rows); pass ", {"text": "keep=['id']"}, " to use it."])
    "Left out: 'id' (counts the rows)."
    >>> reason(["Left out: 'id' (counts the rows)", "; pass ", {"text": "keep=['id']"}, " to use it", "."])
    "Left out: 'id' (counts the rows)."
    >>> reason(["The table", ": no columns are left", ": pass ", {"text": "keep=['id']"}, " to use it."])
    'The table: no columns are left.'
    """
    first = "".join(takewhile(lambda piece: isinstance(piece, str), pieces))
    end = max(first.rfind(mark) for mark in ("; ", ". ", ": pass ", ": say "))
    return f"{first[:end]}." if end > 0 else "".join(p if isinstance(p, str) else p["text"] for p in pieces)


def asked_as(choice: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a note proposes as a question, with the option of the shell that answers it."""
    name, value = choice["name"], choice["value"]
    question, yes = DOUBTS.get(name, ("{value}?", "Yes"))
    shown = ", ".join(value) if isinstance(value, list) else str(value)
    return {
        "name": name,
        "value": value,
        "question": question.format(value=shown),
        "yes": yes,
        "option": "" if name == "event_value" else shell_option(name, value),
    }


def _as_choice(value: Any) -> str:
    if value is False or value == "":
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def option_value(name: str, text: str) -> Any:
    """Return the value of an option of reading from the text of the page; None for the default."""
    text = text if name == "sep" else text.strip()
    if text == "":
        return None
    if name == "header":
        return False if text == "none" else int(text)
    if name in ("thousands", "comment"):
        return "" if text == "none" else text
    if name == "skip":
        return whole_number(text, "the number of lines")
    if name == "na":
        return [code.strip() for code in text.split(",") if code.strip()][:50]
    return text


def whole_number(value: Any, what: str) -> int | None:
    """Return the number that a field holds; None if it is empty and may be."""
    if value in ("", None):
        return None if what in ("rows", "permutations") else 0
    if not str(value).isdecimal() or len(str(value)) > 15:
        raise Refused(f"{what} must be a whole number")
    return int(value)
