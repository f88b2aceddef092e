"""Conditions on rows: `age > 40 and arm != 'control'`. A small grammar of its own; nothing is ever evaluated as code.

condition  = term, { "or", term }
term       = factor, { "and", factor }
factor     = "not", factor | "(", condition, ")" | comparison
comparison = operand, ( operator, operand | ["not"], "in", "(", literal, { ",", literal }, ")"
                      | "is", ["not"], "missing" ) | column
operator   = "==" | "=" | "!=" | "<>" | "<" | "<=" | ">" | ">="
operand    = column | literal;   literal = number | 'text' | "text" | true | false
column     = word | `any name`
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kmerf.core.errors import InputError, listed

DEEPEST = 60  # parentheses and nots within one another
LONGEST = 20_000  # characters

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
    if len(condition) > LONGEST:
        raise InputError(f"--where has {len(condition)} characters: at most {LONGEST} are read; shorten it.")
    return _Parser(_tokens(condition), names).whole()


class _Token(NamedTuple):
    kind: str
    text: str


def _tokens(condition: str) -> list[_Token]:
    tokens, at = [], 0
    while condition[at:].strip():
        match = _TOKEN.match(condition, at)
        if match is None or match.lastgroup is None:
            raise InputError(
                f"--where: cannot read {short(condition[at:].strip())}: {_advice(condition[at:].strip())}."
            )
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
            raise InputError("--where is empty: write something like age > 40, or leave it out.")
        node = self._or()
        if self._at < len(self._tokens):
            rest = self._tokens[self._at]
            chained = rest.text in ("<", "<=", ">", ">=", "==", "=", "!=", "<>")
            remedy = "compare two at a time, as in a > 1 and a < 5" if chained else "put and or or before it"
            raise InputError(f"--where: did not expect {short(rest.text)}: {remedy}.")
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
        if self._depth > DEEPEST:
            raise InputError(f"--where is nested more than {DEEPEST} deep: write it with fewer parentheses and nots.")
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
            raise InputError(
                "--where: after a column, not needs in: write a not in (1, 2), or not before the comparison."
            )
        token = self._peek()
        if token is not None and token.kind == "mark" and token.text not in "(),":
            self._at += 1
            return Compare(left, _SAME.get(token.text, token.text), self._operand())
        return left

    def _operand(self, literal: bool = False) -> Operand:
        token = self._peek()
        if token is None:
            raise InputError("--where ends too early: a column or a value must follow.")
        self._at += 1
        if token.kind == "number":
            return Operand("numeric", float(token.text))
        if token.kind == "text":
            quote = token.text[0]
            return Operand("text", token.text[1:-1].replace(quote * 2, quote))
        if token.text in ("true", "false") and token.kind == "keyword":
            return Operand("boolean", token.text == "true")
        if token.kind not in ("word", "quoted"):
            raise InputError(f"--where: did not expect {token.text!r}: a column or a value belongs there.")
        name = token.text[1:-1].replace("``", "`") if token.kind == "quoted" else token.text
        if literal:
            raise InputError(f"--where: {short(name)} among the values of in (...): put text in quotes, '{name[:30]}'.")
        if name not in self._names:
            hint = f"text goes in quotes, '{name[:30]}'" if token.kind == "word" else "check the name"
            raise InputError(f"--where: there is no column {short(name)}: {hint}. Columns: {listed(self._names)}.")
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
            raise InputError(f"--where: {text!r} is needed where {there}: add it.")
