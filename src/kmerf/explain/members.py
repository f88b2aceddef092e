"""The members of a combined test, one by one: what each found, and which of them carried the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kmerf.core.arrays import Floats
from kmerf.explain import importances as importance
from kmerf.explain.importances import Importances
from kmerf.methods.protocol import Fit
from kmerf.nulls.combining import scores
from kmerf.nulls.permutation import Permutation


@dataclass(frozen=True, eq=False)
class Member:
    """One member of a combined test."""

    name: str
    statistic: float
    """Its own statistic: a kernel correlation, or what another test measures."""
    score: float
    """The same in standard deviations above the mean of its permuted values, more or less by its level and
    skewness (`kmerf.nulls.combining`); the test takes the largest."""
    error: float
    """Standard error of the statistic, from a sample of rows where they are very many; else 0."""
    pvalue: float
    """By rank among the permutations, were it the only test; not adjusted for the others."""
    importances: Importances | None = None
    """What each feature did for it, where it is a forest."""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        plain = {name: getattr(self, name) for name in ("name", "statistic", "score", "error", "pvalue")}
        return plain | {"importances": None if self.importances is None else self.importances.to_dict()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Member:
        """Rebuild what `to_dict` gave."""
        found = data["importances"]
        return cls(**(data | {"importances": None if found is None else Importances.from_dict(found)}))


def find_members(fit: Fit, permuted: Floats, names: tuple[str, ...]) -> tuple[Member, ...]:
    """Return the members of a test with several, from its fit and its permuted statistics (B, k)."""
    if len(fit.parts) < 2 or len(permuted) < 3:
        return ()
    known, _ = scores(fit.statistics, permuted, fit.levels)
    found = []
    for k, part in enumerate(fit.parts):
        alone = Permutation(len(permuted)).judge(part.statistic, permuted[:, k], 0)
        shares = None if part.gains is None else importance.summarise(part.gains, names)
        found.append(Member(part.name, part.statistic, float(known[k]), part.error, alone.pvalue, shares))
    return tuple(found)
