"""A question as one value, and what it stands for: a call of the library, a line of the shell, a program in Python.

The page computes `Asked.call()` and shows `Asked.python()` and `Asked.shell()`, which are made from the same fields, so
that either gives the same numbers.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from kmerf import Permutation

KINDS = ("independence", "ksample", "screen", "compare", "plan")
_FLAGS = {"rng": "seed", "target": "power"}
FUNCTIONS = {"plan": "power_curve"}


@dataclass(frozen=True)
class Asked:
    """A question that is ready to be computed."""

    kind: str
    file: str
    """What the table is called where the user will run the command."""
    reading: dict[str, Any] = field(default_factory=dict)
    """Options of `read_table` that are not the defaults."""
    y: str = ""
    """Y, or the column of groups, or of times until an event."""
    event: str = ""
    """Whether such a time ended in an event, or was censored."""
    event_value: float | str | None = None
    """The value that stands for an event, if that is not 1 or true."""
    x: tuple[str, ...] = ()
    """The columns to test; all others if empty."""
    drop: tuple[str, ...] = ()
    """Columns to leave out, where x is all others."""
    given: tuple[str, ...] = ()
    blocks: str = ""
    order: str = ""
    categorical: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    dates: str = "auto"
    y_kind: str = "auto"
    pairwise: bool = False
    method: str = ""
    rows: int | None = None
    permutations: int | None = None
    """The number of permutations of a test, if it is not the default."""
    target: float = 0.8
    seed: int = 0
    other: str = ""
    """The older table, of a comparison; it is read as the new one is."""

    @property
    def function(self) -> str:
        """The name of the library's function."""
        return FUNCTIONS.get(self.kind, self.kind)

    def columns(self, names: Sequence[str]) -> list[str] | None:
        """Return the columns that go into the call, in the order of the table; None for all of them."""
        if self.kind == "compare":  # which has an argument for it, as a column may be gone
            return None
        if self.x:
            left = [name for name in names if name in self.used]
        else:
            left = [name for name in names if name not in self.drop or name in self.used]
        return None if len(left) == len(names) else left

    @property
    def used(self) -> set[str]:
        """The columns that the question names."""
        return {self.y, self.event, *self.x, *self.given, self.blocks, self.order} - {""}

    def arguments(self) -> dict[str, Any]:
        """Return the named arguments of the call."""
        tested, compared = self.kind in ("independence", "ksample"), self.kind == "compare"
        planned = self.kind == "plan"
        values = {
            "groups": self.y if self.kind == "ksample" else "",
            "given": list(self.given) if not planned else [],
            "blocks": self.blocks if not planned else "",
            "order": self.order if not planned else "",
            "drop": list(self.drop) if compared else [],
            "categorical": list(self.categorical),
            "keep": list(self.keep),
            "dates": self.dates if self.dates != "auto" and not compared else "",
            "y_kind": self._y_kind,
            "target": self.target if planned else None,
            "pairwise": self.pairwise and tested,
            "null": Permutation(self.permutations) if self.permutations and tested and not self.given else None,
            "method": self.method if not self.given and not compared else "",
            "rows": self.rows if not planned else None,
            "details": tested,
        }
        return {name: value for name, value in values.items() if value} | {"rng": self.seed}

    @property
    def _y_kind(self) -> str:
        """How the outcome is read, if not by itself."""
        if self.kind in ("ksample", "compare"):
            return ""
        return "censored" if self.event else self.y_kind if self.y_kind != "auto" else ""

    @property
    def outcome(self) -> str | list[str]:
        """Y as the library takes it."""
        return [self.y, self.event] if self.event else self.y

    def call(self, table: Any, other: Any = None) -> tuple[list[Any], dict[str, Any]]:
        """Return what to call the function with."""
        names = self.columns(table.names)
        data = table if names is None else table.select(names)
        if self.event_value is not None:
            data = data.to_frame("polars")
            data = data.with_columns(data[self.event] == self.event_value)
        if self.kind == "compare":
            return [other, data], self.arguments()
        return [data] if self.kind == "ksample" else [data, self.outcome], self.arguments()

    def python(self, names: Sequence[str]) -> str:
        """Return a program that computes the same."""
        chosen = self.columns(names)
        lines = ["import kmerf", "", f"table = {_read(self.file, self.reading)}"]
        if chosen is not None:
            lines.append(f"table = table.select({chosen!r})")
        if self.event_value is not None:
            lines.append("table = table.to_frame('polars')")
            lines.append(f"table = table.with_columns(table[{self.event!r}] == {self.event_value!r})")
        first = "table" if self.kind == "ksample" else f"table, {self.outcome!r}"
        if self.kind == "compare":
            lines.append(f"old = {_read(self.other, self.reading)}")
            first = "old, table"
        arguments = {name: _written(value) for name, value in self.arguments().items()}
        more = "".join(f", {name}={value}" for name, value in arguments.items())
        lines += [f"result = kmerf.{self.function}({first}{more})", "print(result)"]
        return "\n".join(lines)

    def shell(self) -> str:
        """Return the command that computes the same."""
        words = ["kmerf", self.kind, *([self.other] if self.kind == "compare" else []), self.file]
        arguments = self.arguments()
        if self.event:  # which --time and --event say
            del arguments["y_kind"]
        if self.kind not in ("ksample", "compare"):
            event = self.event if self.event_value is None else f"{self.event}={self.event_value}"
            words += ["--time", self.y, "--event", event] if self.event else ["--y", self.y]
        for name in self.x:
            words += ["--x", name]
        for name in () if self.x or self.kind == "compare" else self.drop:
            words += ["--drop", name] if name not in self.used else []
        for name, value in arguments.items():
            words += option(name, value)
        for name, value in self.reading.items():
            words += option(name, value)
        return shlex.join(words)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are not the defaults."""
        plain = Asked(self.kind, self.file)
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if getattr(self, each.name) != getattr(plain, each.name)
        }


def _read(file: str, options: Mapping[str, Any]) -> str:
    return f"kmerf.read_table({file!r}{''.join(f', {name}={value!r}' for name, value in options.items())})"


def _written(value: Any) -> str:
    """Return a value as a program has it."""
    return f"kmerf.{value!r}" if isinstance(value, Permutation) else repr(value)


def option(name: str, value: Any) -> list[str]:
    """Return an argument of the library as words of the command line.

    >>> option("decimal", ","), option("header", False), option("keep", ["id", "a,b"]), option("rng", 7)
    (['--decimal', ','], ['--no-header'], ['--keep', 'id', '--keep', 'a,b'], ['--seed', '7'])
    """
    if name == "header" and value is False:
        return ["--no-header"]
    if name == "details":  # the shell computes them for a report
        return []
    if isinstance(value, Permutation):
        return ["--null", "permutation", "--resamples", str(value.n_resamples)]
    flag = "--" + _FLAGS.get(name, name).replace("_", "-")
    if value is True:
        return [flag]
    if isinstance(value, list | tuple):
        return [word for each in value for word in (flag, str(each))]
    return [flag, str(value)]


def shell_option(name: str, value: Any) -> str:
    """Return an option as it is typed.

    >>> shell_option("na", ["?"]), shell_option("decimal", ",")
    ("--na '?'", '--decimal ,')
    """
    return shlex.join(option(name, value))


# --- what comes back --------------------------------------------------------------------------------------------------


class WorkProgress(NamedTuple):
    """How much of some work is done."""

    done: int
    total: int
    seconds: float


class Failure(Exception):  # noqa: N818
    """What a request was refused with: texts, some of them with arguments to choose."""

    def __init__(self, pieces: list[list[Any]], stopped: bool = False, lost: bool = False) -> None:
        super().__init__(pieces, stopped, lost)
        self.pieces = pieces
        self.stopped = stopped
        self.lost = lost  # the process is gone, and its tables with it

    def __str__(self) -> str:
        return " ".join("".join(p if isinstance(p, str) else p["text"] for p in piece) for piece in self.pieces)


class Refused(Exception):  # noqa: N818 - an answer, not an accident
    """An action that makes no sense, with the reason."""
