"""Pages and the parts of them that scripts write: what stands between two marks of one name.

A page in docs/, or the README, holds its prose once. Every number that a script computes stands between
`<!-- name:begin -->` and `<!-- name:end -->`, on lines of its own or inside a sentence, and the script rewrites it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PERFORMANCE = DOCS / "performance.md"


def write(page: Path, parts: Mapping[str, str | None]) -> None:
    """Rewrite the marked parts of a page. A part that is None, as its numbers are not at hand, stays as it is."""
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        if part is not None:
            text = rewritten(text, name, part)
    page.write_text(text, encoding="utf-8")


def rewritten(text: str, name: str, part: str) -> str:
    """Return a text with another part between the marks of a name.

    >>> rewritten("Of <!-- cells:begin -->7<!-- cells:end --> cells", "cells", "8")
    'Of <!-- cells:begin -->8<!-- cells:end --> cells'
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"the page must have {begin} and then {end}, each once: add the marks, or fix them")
    before, rest = text.split(begin)
    old, after = rest.split(end)
    line = "\n" if old.startswith("\n") else ""
    return f"{before}{begin}{line}{part}{line}{end}{after}"


def part(page: Path, name: str) -> str:
    """Return what stands between the marks of a name."""
    text = page.read_text(encoding="utf-8")
    return text.split(f"<!-- {name}:begin -->")[1].split(f"<!-- {name}:end -->")[0].strip("\n")


def put(page: Path, name: str, lines: Sequence[str]) -> None:
    """Rewrite one part of a page, given by its lines."""
    write(page, {name: "\n".join(lines)})


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of Markdown.

    >>> print(table(["n", "power"], [["20", "0.5"]]))
    | n | power |
    |---|---|
    | 20 | 0.5 |
    """
    head = list(head)
    lines = ["| " + " | ".join(line) + " |" for line in [head, *rows]]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])
