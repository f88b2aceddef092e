"""What is chosen on the page: how the table is read, and the question.

Options of reading come with what was detected, and the reader's doubts as questions. The question is a sentence: what
is filled in, how it is checked, and how it reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, NamedTuple

from kmerf.app.calls import KINDS, Refused, shell_option

_AS_READ = ("", "as detected")
METHODS = (
    ("", "kmerf, the default: forests and other tests, combined"),
    ("forest", "one forest"),
    ("dcorr", "distance correlation"),
    ("hsic", "kernel correlation"),
    ("mgc", "multiscale graph correlation"),
    ("hhg", "Heller, Heller and Gorfine"),
)


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
    "thousands": ("Does “{value}” separate thousands?", "Yes"),
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


@dataclass(frozen=True)
class AskedQuestion:
    """The sentence as it is filled in."""

    kind: str = "independence"
    y: str = ""
    event: str = ""
    event_value: str = ""
    x: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    blocks: str = ""
    order: str = ""
    pairwise: bool = False
    method: str = ""
    rows: int | None = None
    permutations: int | None = None
    target: float = 0.8
    seed: int = 0

    def sentence(self) -> str:
        """Return it in words."""
        x = "all other columns" if not self.x else ", ".join(self.x[:4]) + (", …" if len(self.x) > 4 else "")
        given = f", given {', '.join(self.given)}" if self.given and self.kind not in ("plan", "compare") else ""
        y = f"{self.y} until {self.event}" if self.event and self.kind != "ksample" else self.y
        return {
            "independence": f"Does {y} depend on {x}{given}?",
            "ksample": f"Do the groups of {self.y} differ in {x}{given}?",
            "screen": f"Which {f'of {x}' if self.x else 'other columns'} are related to {y}{given}?",
            "compare": "Did the table change since the older one?",
            "plan": f"How many rows to find that {y} depends on {x}?",
        }[self.kind]

    def roles(self) -> dict[str, str]:
        """Return the columns that it names, each with what it is there."""
        if self.kind == "compare":
            return {}
        named = {self.blocks: "blocks", self.order: "order", **dict.fromkeys(self.given, "given")}
        if self.kind != "ksample":
            named |= {self.event: "event"}
        named |= {self.y: "groups" if self.kind == "ksample" else "y"}
        named.pop("", None)
        return named

    def changed(self, change: Mapping[str, Any], names: Sequence[str]) -> AskedQuestion:
        """Return it with some of its parts changed, or refuse; `names` are those of the table."""
        checked: dict[str, Any] = {"event_value": ""} if "event" in change else {}
        for key, value in change.items():
            if key == "event_value" and isinstance(value, str):
                checked[key] = value.strip()[:100]
            elif _is_choice(key, value, names):
                checked[key] = value
            elif key in ("x", "given") and isinstance(value, list) and all(each in names for each in value):
                checked[key] = tuple(name for name in names if name in value)
            elif key in ("rows", "permutations", "seed"):
                checked[key] = whole_number(value, key)
            elif key == "target":
                checked[key] = _share(value)
            else:
                raise Refused(f"{key} cannot be {str(value)[:60]!r}")
        return replace(self, **checked)

    def within(self, names: Collection[str]) -> AskedQuestion:
        """Return it without the columns that a table does not have."""
        single = {name: getattr(self, name) for name in ("y", "event", "blocks", "order")}
        kept: dict[str, Any] = {name: value if value in names else "" for name, value in single.items()}
        kept |= {key: tuple(name for name in getattr(self, key) if name in names) for key in ("x", "given")}
        return replace(self, **kept)

    def event_code(self, kind: str) -> float | str | None:
        """Return the value that stands for an event, in a column of this kind; None if it needs none."""
        if self.event_value == "" or kind != "numeric":
            return self.event_value or None
        try:
            value = float(self.event_value)
        except ValueError:
            raise Refused("The value for the event must be a number, as the others of its column are.") from None
        return int(value) if value.is_integer() else value


def _is_choice(key: str, value: Any, names: Sequence[str]) -> bool:
    """Return whether a part of the question can have a value."""
    if key in ("y", "event", "blocks", "order"):
        return value == "" or value in names
    options = {"kind": KINDS, "pairwise": (True, False), "method": tuple(dict(METHODS))}
    return isinstance(value, str | bool) and value in options.get(key, ())


def _share(value: Any) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = 0.0
    if not 0.05 < share < 1.0:
        raise Refused("the power must be between 0.05 and 1, such as 0.8")
    return share
