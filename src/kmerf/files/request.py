"""What a user asks of a table: which columns play which part, and which rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TableRequest:
    """Columns by selectors (see `kmerf.files.selectors`), and a condition (see `kmerf.files.where_grammar`)."""

    y: tuple[str, ...] = ()
    groups: str | None = None
    x: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    blocks: str | None = None
    categorical: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    where: str | None = None
    missing_y: str = "drop"
    given: tuple[str, ...] = ()
    time: str | None = None
    event: str | None = None
    """With `time`, in place of `y`: a column, and the value that stands for an event (`kmerf.files.event_values`)."""
    takes_blocks: bool = True
    """Whether the question can be told which rows belong together."""
