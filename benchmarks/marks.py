"""Parts of a page that scripts write: what stands between two marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PERFORMANCE = ROOT / "docs" / "performance.md"


def put(path: Path, mark: str, lines: Sequence[str]) -> None:
    """Put lines between the marks of that name."""
    before, rest = path.read_text().split(f"<!-- {mark}:begin -->")
    after = rest.split(f"<!-- {mark}:end -->")[1]
    path.write_text("\n".join([before + f"<!-- {mark}:begin -->", *lines, f"<!-- {mark}:end -->" + after]))
