"""The words that users read: no phrase of CONTRIBUTING's list of terms to avoid in pages, docstrings and messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
AVOIDED = {
    r"\brivals?\b": "other tests",
    r"\bnothing is there\b": "if there is no effect",
    r"\banew\b": "again",
    r"\bat hand\b": "available, or leave it out",
    r"\bin sight\b": "in view",
    r"\b(?:their|its) likes\b": "similar",
    r"\bof an earlier day\b": "earlier",
    r"\bdata sets a (?:row|cell|relation|line)\b": "per",
    r"\b(?:one|two|three|\d+) (?:test|label|row|replicate)s? a (?:row|gene|column|cell|leaf|tree)\b": "per",
    r"(?<!there )\b(?:is|are) no (?:distances?|tests?|proof|interval|null|numbers?|columns?|paths?)\b": "is not a",
    r"\b(?:this|other|one|every) (?:rooms?|doors?)\b": "packages, interfaces",
    r"\bTell whether\b": "Return whether",
}
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def found(text: str) -> Iterator[str]:
    """Yield each phrase to avoid, with what to write."""
    for pattern, better in AVOIDED.items():
        for match in re.finditer(pattern, text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"line {line}: {match[0]!r}; write {better!r}"


def test_pages_use_plain_words() -> None:
    bad = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"```.*?```|`[^`]*`|<!-- [\w-]+:(?:begin|end) -->", " ", text, flags=re.DOTALL)
        bad += [f"{page.relative_to(ROOT)}: {each}" for each in found(text)]
    assert bad == []


def test_docstrings_and_messages_use_plain_words() -> None:
    bad = []
    for source in SOURCES:
        nodes = ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        bad += [
            f"{source.relative_to(ROOT)}: {each}" for text in texts for each in found(re.sub(r"`[^`]*`", " ", text))
        ]
    assert bad == []
