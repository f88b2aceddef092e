"""How a table is read: every column with its role, its kind and what to know of it, and what must be decided first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DescribedColumn:
    """One column of a table."""

    name: str
    role: str
    """"x", "y" or "left out"."""
    kind: str
    """"numeric", "boolean", "categorical", "text", "date" or "other"."""
    missing: int
    distinct: int | None
    """Different values, missing ones apart; None where they cannot be compared."""
    remark: str


@dataclass(frozen=True)
class Description:
    """What `kmerf.describe` returns; it prints as a table."""

    rows: int
    columns: tuple[DescribedColumn, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What has to be decided before the table can be tested, each with its remedy."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        columns = [vars(column) for column in self.columns]
        return {"rows": self.rows, "columns": columns, "notes": list(self.notes), "problems": list(self.problems)}

    def __str__(self) -> str:
        from kmerf.show.description import description_lines

        return "\n".join(description_lines(self))
