"""What each member of the default does for it: alone, and by its absence, from the statistics in the store.

The store of benchmarks/power.py holds the statistics of every member, observed and permuted, so other portfolios of the
same members can be judged without fitting anything again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf import study
from kmerf.methods.portfolio import Portfolio
from kmerf.nulls.combining import combine_many
from kmerf.study.design import canonical
from kmerf.study.estimate import cutoff

Floats = NDArray[np.float64]


class Parts(NamedTuple):
    """The statistics of all members on one source (R, k), and their weights (k,)."""

    observed: Floats
    permuted: Floats
    weights: Floats

    def power(self, chosen: Sequence[int], weights: Floats | None = None) -> float:
        """Return the power of some members together, with their own weights or others."""
        columns = list(chosen)
        given = self.weights if weights is None else weights
        found, null = combine_many(self.observed[:, columns], self.permuted[:, columns], given[columns])
        return float((1 + np.sum(found >= cutoff(null))) / (1 + found.size))


def read(plan: study.Study, sources: Sequence[study.Source], store: Path) -> list[Parts]:
    """Return the statistics of the default's members on each of the sources that the store holds."""
    keys = plan.keys()
    wanted = {keys["ours", canonical(data)]: k for k, data in enumerate(sources)}
    found: dict[int, list[tuple[int, float, float, float]]] = {}
    rows = study.load(store)
    names = ("code", "test", "data", "seed", "part", "weight", "statistic", "permuted")
    for *key, part, weight, observed, permuted in zip(*(rows[name] for name in names), strict=True):
        if tuple(key) in wanted:
            found.setdefault(wanted[tuple(key)], []).append((part, weight, observed, permuted))
    parts = []
    for values in found.values():
        size = max(part for part, *_ in values) + 1
        table = np.array(values).reshape(-1, size, 4)
        parts.append(Parts(table[:, :, 2], table[:, :, 3], table[0, :, 1]))
    return parts


def rows(plan: study.Study, sources: Sequence[study.Source], store: Path, classes: bool) -> list[list[str]]:
    """Return a line for each member, and for all together with equal weights and with those they have."""
    parts = read(plan, sources, store)
    if not parts:
        return []
    names = list(Portfolio().classes if classes else Portfolio().numeric)
    everyone = range(len(names))
    found = []
    for k, name in enumerate(names):
        alone = np.mean([each.power([k]) for each in parts])
        others = np.mean([each.power([j for j in everyone if j != k]) for each in parts])
        found.append([f"`{name}`", f"{parts[0].weights[k]:g}", f"{alone:.3f}", f"{others:.3f}"])
    equal = np.mean([each.power(everyone, np.ones(len(names))) for each in parts])
    together = np.mean([each.power(everyone) for each in parts])
    found.append(["all, with equal weights", "", f"{equal:.3f}", ""])
    found.append(["**all**", "", f"**{together:.3f}**", ""])
    return found
