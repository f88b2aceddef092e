"""Conditions on rows: `age > 40 and arm != 'control'`. A small grammar of its own; nothing is ever evaluated as code.

condition  = term, { "or", term }
term       = factor, { "and", factor }
factor     = "not", factor | "(", condition, ")" | comparison
comparison = operand, ( operator, operand | ["not"], "in", "(", literal, { ",", literal }, ")"
                      | "is", ["not"], "missing" ) | column
operator   = "==" | "=" | "!=" | "<>" | "<" | "<=" | ">" | ">="
operand    = column | literal;   literal = number | 'text' | "text" | true | false
column     = word | `any name`

A condition is compiled to one polars expression. Truth has three values: a comparison with a missing cell is neither
true nor false, "and" takes the smaller and "or" the larger of false < unknown < true. That is how polars joins true,
false and null. Only rows where the whole is true are kept.

Dates are compared by their moments, in microseconds since 1970. Text is read as a date if its year comes first,
2024-1-31 or 2024-01-31T10:30:00.5+02:00; a date is the midnight it begins with. Instants with a zone are those of UTC,
and are kept apart from those without, which could be anywhere. Which number of 05/03/2021 is the day is not known: such
dates, and columns where only some have a zone, have no order.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError, listed
from kmerf.reading.formats import ShellArgument
from kmerf.reading.text_cells import YEAR_FIRST

if TYPE_CHECKING:
    import polars as pl

    from kmerf.reading.typed_table import CellValues, Table

_ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"

_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%d %H:%M%z",
    "%Y-%m-%d %H:%M:%S%.f%z",
)


class Instants(NamedTuple):
    """When the cells of a column are."""

    kind: str
    """"date", or "zoned date" where they are moments of UTC."""
    series: pl.Series
    """As datetimes, to the microsecond."""


def moments(series: pl.Series) -> Instants | None:
    """Return the moments of a column of dates or of text that `parsed` reads; None where they have no order.

    >>> import polars as pl
    >>> instants = moments(pl.Series(["2024-1-31T12:00+02:00", "2024-01-31 9:30Z"]))
    >>> instants.kind, [str(moment) for moment in instants.series]
    ('zoned date', ['2024-01-31 10:00:00', '2024-01-31 09:30:00'])
    >>> moments(pl.Series(["05/03/2021"])) is None
    True
    """
    import polars as pl

    if series.dtype == pl.String:
        return _of_text(series)
    if series.dtype not in (pl.Date, pl.Datetime):  # a time of day, or a duration
        return None
    zone = getattr(series.dtype, "time_zone", None)
    if zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return Instants("date" if zone is None else "zoned date", series.cast(pl.Datetime("us")))


def parsed(text: pl.Series) -> pl.Series:
    """Return text as datetimes; null where it is none, such as on the 30th of February."""
    import polars as pl

    dated = text.str.contains(YEAR_FIRST) & ~text.str.contains(":60")  # polars would read a 60th second
    plain = (
        text.set(~dated, None)
        .str.replace_all("/", "-", literal=True)
        .str.replace("T", " ", literal=True)
        .str.replace(" ?Z$", "+00:00")
        .str.replace(r" ([+-][0-9]{2}:?[0-9]{2})$", "$1")
        .alias("text")
    )
    instants = [pl.col("text").str.to_datetime(form, time_unit="us", strict=False) for form in _FORMATS]
    unzoned = [each.dt.replace_time_zone(None) for each in instants]
    return plain.to_frame().select(pl.coalesce(unzoned)).to_series().alias(text.name)


def _of_text(text: pl.Series) -> Instants | None:
    instants = parsed(text)
    if instants.null_count() > text.null_count():
        return None
    zoned = int(text.str.contains(rf":.*{_ZONE}$").sum())
    if zoned not in (0, len(text) - text.null_count()):
        return None
    return Instants("zoned date" if zoned else "date", instants)


MAX_DEPTH = 60  # parentheses and nots within one another
MAX_CHARACTERS = 20_000  # characters

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<quoted>`(?:[^`]|``)+`)
    |(?P<mark><=|>=|==|!=|<>|=|<|>|\(|\)|,)
    |(?P<word>[^\W\d][\w.]*)
    )""",
    re.VERBOSE,
)
_WORDS = {"and", "or", "not", "in", "is", "missing", "true", "false"}
_SAME = {"=": "==", "<>": "!="}


@dataclass(frozen=True)
class Operand:
    """A column by its name, or a literal."""

    kind: Literal["column", "numeric", "boolean", "text"]
    value: Any


@dataclass(frozen=True)
class Compare:
    """Two operands, and how they are compared."""

    left: Operand
    operator: str
    right: Operand


@dataclass(frozen=True)
class Among:
    """Whether a column has one of several values."""

    left: Operand
    options: tuple[Operand, ...]


@dataclass(frozen=True)
class IsMissing:
    """Whether a cell is missing."""

    left: Operand


@dataclass(frozen=True)
class Not:
    """The opposite."""

    part: Node


@dataclass(frozen=True)
class Joined:
    """All of several conditions, or at least one of them."""

    word: Literal["and", "or"]
    parts: tuple[Node, ...]


Node = Operand | Compare | Among | IsMissing | Not | Joined


def parse(condition: str, names: list[str]) -> Node:
    """Return the tree of a condition.

    >>> parse("age >= 40", ["age"])
    Compare(left=Operand(kind='column', value='age'), operator='>=', right=Operand(kind='numeric', value=40.0))
    """
    if len(condition) > MAX_CHARACTERS:
        raise _error(f"has {len(condition)} characters", f"at most {MAX_CHARACTERS} are read; shorten it")
    return _Parser(_tokens(condition), names).whole()


def _error(finding: str, remedy: str) -> InputError:
    return InputError(finding, argument=ShellArgument("where"), remedy=remedy)


class _Token(NamedTuple):
    kind: str
    text: str


def _tokens(condition: str) -> list[_Token]:
    tokens, at = [], 0
    while condition[at:].strip():
        match = _TOKEN.match(condition, at)
        if match is None or match.lastgroup is None:
            rest = condition[at:].strip()
            raise _error(f": cannot read {short(rest)}", _advice(rest))
        text = match[match.lastgroup]
        keyword = match.lastgroup == "word" and text.lower() in _WORDS
        tokens.append(_Token("keyword", text.lower()) if keyword else _Token(match.lastgroup, text))
        at = match.end()
    return tokens


def _advice(rest: str) -> str:
    if rest[0] in "'\"`":
        return f"the {rest[0]} is never closed"
    if rest[:2] in ("&&", "||") or rest[0] in "&|!":
        return "write and, or, not"
    return "write something like age > 40 and arm != 'control'; names with other signs go in `backquotes`"


def short(text: str) -> str:
    """Quote a text for a message, cut if it is long."""
    return repr(text if len(text) <= 30 else text[:29] + "…")


class _Parser:
    """Recursive descent over the tokens; used once."""

    def __init__(self, tokens: list[_Token], names: list[str]) -> None:
        self._tokens, self._names, self._at, self._depth = tokens, names, 0, 0

    def whole(self) -> Node:
        if not self._tokens:
            raise _error("is empty", "write something like age > 40, or leave it out")
        node = self._or()
        if self._at < len(self._tokens):
            rest = self._tokens[self._at]
            chained = rest.text in ("<", "<=", ">", ">=", "==", "=", "!=", "<>")
            remedy = "compare two at a time, as in a > 1 and a < 5" if chained else "put and or or before it"
            raise _error(f": did not expect {short(rest.text)}", remedy)
        return node

    def _or(self) -> Node:
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        return Joined("or", tuple(parts)) if len(parts) > 1 else parts[0]

    def _and(self) -> Node:
        parts = [self._factor()]
        while self._take("and"):
            parts.append(self._factor())
        return Joined("and", tuple(parts)) if len(parts) > 1 else parts[0]

    def _factor(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _error(f"is nested more than {MAX_DEPTH} deep", "write it with fewer parentheses and nots")
        node: Node
        if self._take("not"):
            node = Not(self._factor())
        elif self._take("("):
            node = self._or()
            self._need(")")
        else:
            node = self._comparison()
        self._depth -= 1
        return node

    def _comparison(self) -> Node:
        left = self._operand()
        if self._take("is"):
            negated = self._take("not")
            self._need("missing")
            return Not(IsMissing(left)) if negated else IsMissing(left)
        negated = self._take("not")
        if self._take("in"):
            self._need("(")
            options = [self._operand(literal=True)]
            while self._take(","):
                options.append(self._operand(literal=True))
            self._need(")")
            return Not(Among(left, tuple(options))) if negated else Among(left, tuple(options))
        if negated:
            raise _error(": after a column, not needs in", "write a not in (1, 2), or not before the comparison")
        token = self._peek()
        if token is not None and token.kind == "mark" and token.text not in "(),":
            self._at += 1
            return Compare(left, _SAME.get(token.text, token.text), self._operand())
        return left

    def _operand(self, literal: bool = False) -> Operand:
        token = self._peek()
        if token is None:
            raise _error("ends too early", "a column or a value must follow")
        self._at += 1
        if token.kind == "number":
            return Operand("numeric", float(token.text))
        if token.kind == "text":
            quote = token.text[0]
            return Operand("text", token.text[1:-1].replace(quote * 2, quote))
        if token.text in ("true", "false") and token.kind == "keyword":
            return Operand("boolean", token.text == "true")
        if token.kind not in ("word", "quoted"):
            raise _error(f": did not expect {token.text!r}", "a column or a value belongs there")
        name = token.text[1:-1].replace("``", "`") if token.kind == "quoted" else token.text
        if literal:
            raise _error(f": {short(name)} among the values of in (...)", f"put text in quotes, '{name[:30]}'")
        if name not in self._names:
            hint = f"text goes in quotes, '{name[:30]}'" if token.kind == "word" else "check the name"
            raise _error(f": there is no column {short(name)}", f"{hint}. Columns: {listed(self._names)}")
        return Operand("column", name)

    def _peek(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, text: str) -> bool:
        token = self._peek()
        if token is None or token.text != text or token.kind not in ("mark", "keyword"):
            return False
        self._at += 1
        return True

    def _need(self, text: str) -> None:
        if not self._take(text):
            token = self._peek()
            there = "it ends" if token is None else f"there is {short(token.text)}"
            raise _error(f": {text!r} is needed where {there}", "add it")


class Kept(NamedTuple):
    """Which rows a condition keeps, and why it loses the others."""

    rows: NDArray[np.bool_]
    false: int
    unknown: int
    """Rows for which a missing value leaves it open."""


def keep(condition: str, table: Table) -> Kept:
    """Return the rows of a table that meet a condition.

    >>> import polars as pl
    >>> from kmerf.reading.typed_table import FileSource, table_of_frame
    >>> frame = pl.DataFrame({"age": [30.0, 50.0, None]})
    >>> keep("age > 40", table_of_frame(frame, FileSource("t", "text", None, None, None, 3)))
    Kept(rows=array([False,  True, False]), false=1, unknown=1)
    """
    import polars as pl

    compiler = _Compiler(table)
    expression = compiler.compile(parse(condition, table.names))
    truth = pl.DataFrame(compiler.columns).select(expression).to_series()
    rows, unknown = truth.fill_null(False).to_numpy(), truth.null_count()
    return Kept(rows, table.rows - int(rows.sum()) - unknown, unknown)


class _Compiler:
    """Turns the tree of a condition into an expression on `columns`, which it gathers on the way; used once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._cells: dict[str, CellValues] = {}

    @property
    def columns(self) -> dict[str, pl.Series]:
        """The columns that the expression uses, by their names in it."""
        return {str(i): cells.series for i, cells in enumerate(self._cells.values())}

    def compile(self, node: Node) -> pl.Expr:
        import polars as pl

        if isinstance(node, Not):
            return ~self.compile(node.part)
        if isinstance(node, Joined):
            join = pl.all_horizontal if node.word == "and" else pl.any_horizontal
            return join([self.compile(part) for part in node.parts])
        if isinstance(node, IsMissing):
            return self._expression(node.left).is_null()
        if isinstance(node, Among):
            return pl.any_horizontal([self._compared(node.left, "==", option) for option in node.options])
        if isinstance(node, Compare):
            return self._compared(node.left, node.operator, node.right)
        kind = self._column(node).kind
        if kind != "boolean":
            raise _error(f": column {node.value!r} is {kind}, not true or false", "compare it with something")
        return self._expression(node)

    def _compared(self, left: Operand, sign: str, right: Operand) -> pl.Expr:
        import polars as pl

        if left.kind != "column" and right.kind != "column":
            raise _error(f"compares {left.value!r} with {right.value!r}", "put a column on one side")
        if left.kind != "column":
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
            return self._compared(right, turned.get(sign, sign), left)
        cells = self._column(left)
        if right.kind == "column":
            kind, other = self._column(right).kind, self._expression(right)
        else:
            kind, value = _literal(left, cells, sign, right)
            other = pl.lit(value)
        _check_kinds(left, cells.kind, sign, right, kind)
        result: pl.Expr = _OPERATIONS[sign](self._expression(left), other)
        return result

    def _column(self, operand: Operand) -> CellValues:
        if operand.kind != "column":
            raise _error(f": {operand.value!r} is where a column belongs", "begin with a column's name")
        if operand.value not in self._cells:
            self._cells[operand.value] = self._table.values(operand.value)
        cells = self._cells[operand.value]
        if cells.kind not in _REMEDIES:
            raise _error(f": column {operand.value!r} is {cells.kind}, which cannot be compared", "use another")
        return cells

    def _expression(self, operand: Operand) -> pl.Expr:
        import polars as pl

        self._column(operand)
        # by number: polars takes names such as "*" or "^a$" for patterns
        return pl.col(str(list(self._cells).index(operand.value)))


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_DATES = ("date", "zoned date", "unordered date", "time", "duration")
_REMEDIES = {
    "numeric": "compare it with a number, without quotes",
    "text": "compare it with text in quotes",
    "boolean": "compare it with true or false",
    "date": "compare it with a date such as '2024-01-31', without a zone",
    "zoned date": "compare it with a moment and its zone, such as '2024-01-31T00:00Z'",
    "unordered date": "compare it with a date in quotes, written as there",
    "time": "make a column of numbers of it",
    "duration": "make a column of numbers of it",
}


def _literal(left: Operand, cells: CellValues, sign: str, right: Operand) -> tuple[str, Any]:
    """Return the kind and the value of what a column is compared with; for a column of dates, text is a date."""
    import polars as pl

    if right.kind != "text" or cells.kind not in _DATES[:3]:
        return right.kind, right.value
    if cells.kind == "unordered date":
        if sign in ("==", "!="):
            _check_form(left, cells, right)
        return cells.kind, right.value
    instant = moments(pl.Series([right.value], dtype=pl.String))
    if instant is None:
        finding = f": column {left.value!r} holds dates, and {short(right.value)} is not one that can be read"
        raise _error(finding, _REMEDIES[cells.kind])
    return instant.kind, instant.series.to_physical().item()


def _check_form(left: Operand, cells: CellValues, right: Operand) -> None:
    """Refuse a date, to be compared as text, whose figures and signs are not where those of any cell are."""
    present = cells.series.drop_nulls()
    form = re.sub("[0-9]", "0", right.value)
    if not (present.str.replace_all("[0-9]", "0") == form).any():
        held = f": column {left.value!r} holds dates such as {present[0]!r}"
        finding = f"{held}, and {short(right.value)} is written otherwise"
        raise _error(finding, "write it as there, or all dates of the file as 2024-01-31")


def _check_kinds(left: Operand, kind: str, sign: str, right: Operand, other: str) -> None:
    column = f": column {left.value!r}"
    if kind != other:
        raise _error(f"{column} is {kind}, and {short(str(right.value))} is {other}", _REMEDIES[kind])
    if sign in ("==", "!="):
        return
    if kind == "unordered date":
        finding = f"{column} holds dates whose order is not known, since day and month, or zones, could be others"
        raise _error(finding, f"write them all as 2024-01-31, or use ==, != or in (...), not {sign}")
    if kind in ("time", "duration"):
        raise _error(f"{column} is {kind}, whose order is not read", _REMEDIES[kind])
    if kind in ("text", "boolean"):
        raise _error(f"{column} is {kind}, which has no order", f"use ==, != or in (...), not {sign}")
