"""The questions that were asked of a table, what became of each, and what it means to have asked several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kmerf.app.calls import Asked, WorkProgress

if TYPE_CHECKING:
    from kmerf.app.answers import ShownAnswer


@dataclass
class Entry:
    """A question that was asked."""

    number: int
    asked: Asked
    names: list[str]
    sentence: str
    status: str = "running"
    """"running", "done", "partial", "stopped" or "failed"."""
    answer: ShownAnswer | None = None
    problem: list[Any] = field(default_factory=list)
    seconds: float = 0.0
    clock: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    """What the report says of the table."""
    reached: WorkProgress | None = None
    """How much was done when it was stopped."""

    @property
    def command(self) -> str:
        """The command that computes it again."""
        return self.asked.shell()


def history(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return all questions for the page, the last first."""
    adjusted, _ = multiplicity(entries)
    return [
        {
            "number": entry.number,
            "clock": entry.clock,
            "sentence": entry.sentence,
            "status": entry.status,
            "headline": entry.answer.headline if entry.answer else "",
            "p": entry.answer.p if entry.answer else "",
            "holm": _holm_text(adjusted.get(entry.number), entry),
            "problem": " ".join("".join(p if isinstance(p, str) else p["text"] for p in n) for n in entry.problem),
            "command": entry.command,
            "seconds": duration(entry.seconds),
        }
        for entry in reversed(entries)
    ]


def _holm_text(adjusted: float | None, entry: Entry) -> str:
    """Write an adjusted p-value; that of one which is known to be at most a bound is a bound too."""
    if adjusted is None or entry.answer is None:
        return ""
    least = "≤ " if "≤" in entry.answer.p else ""
    return f"{least}{adjusted:.2g}" if least or adjusted < 0.001 else f"{adjusted:.3f}"


def multiplicity(entries: Sequence[Entry]) -> tuple[dict[int, float], str]:
    """Return Holm's p-values by the numbers of the questions, and a sentence on having asked several."""
    pvalues = {e.number: e.answer.pvalue for e in entries if e.answer and e.answer.pvalue is not None}
    adjusted = holm({number: p for number, p in pvalues.items() if p is not None})
    count = len(adjusted)
    if count < 2:
        one = "One question of this table has a p-value so far" if count else "No question has a p-value so far"
        return adjusted, f"{one}. Each further question increases the chance of a false positive."
    chance = 100 * (1 - 0.95**count)
    return adjusted, (
        f"You asked this table {count} questions that have a p-value. If none of the relations existed, the chance "
        f"that at least one p-value is 0.05 or less could be as large as {chance:.0f} %. The p-values adjusted by "
        f"Holm's method account for all {count}; report how many questions you asked."
    )


def holm(pvalues: Mapping[int, float]) -> dict[int, float]:
    """Return p-values adjusted by Holm's method.

    >>> holm({1: 0.01, 2: 0.04, 3: 0.03})
    {1: 0.03, 3: 0.06, 2: 0.06}
    """
    adjusted, highest, count = {}, 0.0, len(pvalues)
    for k, (number, p) in enumerate(sorted(pvalues.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, (count - k) * p))
        adjusted[number] = highest
    return adjusted


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(0.3), duration(7.2), duration(200), duration(9000)
    ('1 s', '7 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{max(1.0, seconds):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def estimate_text(estimate: Mapping[str, Any] | None) -> str:
    """Say how long a question takes.

    >>> estimate_text({"seconds": 3240.0, "sample": {"rows": 300, "seconds": 240.0}})
    'up to 54 min, or 4 min with a sample of 300 rows'
    """
    if estimate is None:
        return "…"
    seconds = estimate.get("seconds")
    if seconds is None:
        return "not known in advance"
    text = f"{'up to' if seconds > 20 else 'about'} {duration(seconds)}"
    sample = estimate.get("sample")
    return f"{text}, or {duration(sample['seconds'])} with a sample of {sample['rows']} rows" if sample else text
