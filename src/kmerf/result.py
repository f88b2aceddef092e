"""What a test returns: a frozen value that prints as a small table, unpacks as (statistic, p-value), and goes to JSON.

A result holds everything that is needed to repeat it on the same data: the settings and the seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kmerf._version import __version__
from kmerf.importance import Importances
from kmerf.null import NullResult

_TITLES = {"independence": "Test of independence", "ksample": "Test of k samples"}
_SHOWN = 10  # features in the printed table


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of `independence` or `ksample`."""

    question: str
    """"independence" or "ksample"."""
    method: str
    statistic: float
    pvalue: float
    null: NullResult
    importances: Importances | None
    n: int
    p: int
    q: int
    y_kind: str
    """"numeric" or "categorical": how y was read."""
    groups: dict[str, int]
    """Rows in each class or group; empty for a numeric y."""
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    """What was done to the data, and what to be careful about."""
    version: str = __version__

    def __iter__(self) -> Iterator[float]:
        """Unpack as `statistic, pvalue`."""
        return iter((self.statistic, self.pvalue))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.question, self.statistic, self.pvalue, self.seed))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that holds all of the result."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        importances = None if self.importances is None else self.importances.to_dict()
        return plain | {"null": self.null.to_dict(), "importances": importances, "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Result:
        """Rebuild the result that `to_dict` gave."""
        importances = data["importances"]
        rebuilt = {
            "null": NullResult.from_dict(data["null"]),
            "importances": None if importances is None else Importances.from_dict(importances),
            "notes": tuple(data["notes"]),
        }
        return cls(**(data | rebuilt))

    def __str__(self) -> str:
        lines = [f"{_TITLES[self.question]} ({self.method})", "", *self._answer(), *self._features()]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _answer(self) -> list[str]:
        return [
            f"  statistic  {self.statistic:10.5g}",
            f"  p-value    {_p_text(self.pvalue):>10}   {_null_text(self.null)}",
            f"  data       {self.n} rows, {self.p} features; {self._y_text()}",
            f"  seed       {self.seed}",
            "",
        ]

    def _y_text(self) -> str:
        if self.question == "ksample":
            return f"{len(self.groups)} groups: " + _list_text(
                [f"{name} ({size})" for name, size in self.groups.items()]
            )
        if self.y_kind == "categorical":
            return f"y categorical with {len(self.groups)} classes: " + _list_text(list(self.groups))
        return "y numeric" + (f" with {self.q} columns" if self.q > 1 else "")

    def _features(self) -> list[str]:
        if self.importances is None:
            return []
        table = self.importances
        top = table.ranking[:_SHOWN]
        width = max(7, *(min(28, len(name)) for name in top))
        peak = max(float(table.mean.max()), 1e-300)
        lines = [f"  {'feature':<{width}}  importance  95 % of trees", f"  {'-' * (width + 49)}"]
        for name in top:
            i = table.names.index(name)
            mean, low, high = float(table.mean[i]), float(table.low[i]), float(table.high[i])
            shown = name if len(name) <= width else name[: width - 1] + "…"
            lines.append(f"  {shown:<{width}}  {mean:10.3f}  {low:.3f} to {high:.3f}  {'█' * round(20 * mean / peak)}")
        if len(table.names) > _SHOWN:
            lines.append(f"  ... and {len(table.names) - _SHOWN} more features")
        return [*lines, ""]


def _p_text(p: float) -> str:
    return f"{p:.3g}" if p >= 1e-4 or p == 0 else f"{p:.1e}"


def _null_text(null: NullResult) -> str:
    if null.distribution is None:
        return null.name
    size = null.distribution.size
    if null.extrapolated:
        return f"{size} permutations, none as large; extrapolated below {1 / (1 + size):.2g}"
    return f"{size} permutations; standard error {null.standard_error:.2g}"


def _list_text(items: list[str], most: int = 6) -> str:
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")
