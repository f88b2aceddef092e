"""Which exchange is valid in which design? How often tests of true nulls, and of relations, reject at level 0.05.

    python -m benchmarks.studies.designs --replicates 200     writes the table of docs/block-designs.md

Three designs, one of them with two effects, each with several ways to say (or not to say) which rows belong together.
The test is the distance correlation with 99 permutations: it is quick, and what makes an exchange right or wrong does
not depend on the test.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import kmerf
from benchmarks.pages.marks import DOCS, put, table

LEVEL = 0.05
SEED = 20261116

Rng = np.random.Generator
Design = tuple[Any, Any, dict[str, Any]]
Exchange = dict[str, Any]


def plots_in_sites(rng: Rng, effect: float) -> Design:
    """A treatment of plots, which are inside sites; better sites have more treated plots."""
    sites, plots, size = 8, 5, 3
    site, plot = np.repeat(np.arange(sites), plots * size), np.repeat(np.arange(sites * plots), size)
    fertile = rng.normal(size=sites)
    treated = rng.random(sites * plots) < 1 / (1 + np.exp(-1.5 * np.repeat(fertile, plots)))
    x = 2.0 * fertile[site] + 1.2 * rng.normal(size=sites * plots)[plot] + 0.3 * rng.normal(size=site.size)
    x += effect * treated[plot]
    ways = {
        "rows": {},
        "rows inside sites": {"blocks": site},
        "whole plots": {"blocks": plot, "exchange": "whole"},
        "means of plots": {"blocks": plot},
        "whole plots inside sites": {"blocks": np.column_stack([site, plot]), "exchange": "whole"},
        "means of plots inside sites": {"blocks": np.column_stack([site, plot])},
    }
    return x, np.where(treated[plot], "treated", "control"), ways


def before_and_after(rng: Rng, effect: float) -> Design:
    """Two measures of 30 subjects, who have changed or not; there were more measures of one kind of subject after."""
    subjects = 30
    level = 1.5 * rng.normal(size=subjects)
    after = rng.integers(1, 4, subjects) + (level > 0)  # those with high values came more often
    subject = np.concatenate([np.arange(subjects), np.repeat(np.arange(subjects), after)])
    when = np.repeat(["before", "after"], [subjects, int(after.sum())])
    x = level[subject] + 0.7 * rng.normal(size=subject.size) + effect * (when == "after")
    return x, when, {"rows": {}, "rows inside subjects": {"blocks": subject}}


def subjects_by_batches(rng: Rng, effect: float) -> Design:
    """Ten subjects in each of four batches, three rows each; subjects and batches have levels of their own."""
    subjects, batches, size = 10, 4, 3
    subject = np.repeat(np.arange(subjects), batches * size)
    batch = np.tile(np.repeat(np.arange(batches), size), subjects)
    levels = rng.normal(size=subjects)[subject] + rng.normal(size=batches)[batch]
    own = rng.normal(size=subject.size)
    x, y = levels + 0.7 * own, levels + 0.7 * rng.normal(size=subject.size) + effect * own
    ways = {
        "rows": {},
        "rows inside subjects": {"blocks": subject},
        "rows inside batches": {"blocks": batch},
        "rows of one subject and batch": {"blocks": np.column_stack([subject, batch])},
    }
    return x, y, ways


DESIGNS: dict[str, tuple[Callable[[Rng, float], Design], float]] = {
    "plots inside sites": (plots_in_sites, 1.5),
    "before and after": (before_and_after, 0.5),
    "subjects and batches crossed": (subjects_by_batches, 0.3),
    "plots inside sites, a harmful treatment": (plots_in_sites, -1.5),
}


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=200)
    replicates = parser.parse_args().replicates
    rows = []
    for number, (name, (make, effect)) in enumerate(DESIGNS.items()):
        null, relation = (rates(make, size, [SEED, number], replicates) for size in (0.0, effect))
        rows += [[name, way, text(null[way], replicates), text(relation[way], replicates)] for way in null]
    heads = ["design", "what changes places", "rejected, no effect", "rejected, an effect"]
    put(DOCS / "block-designs.md", "designs", [table(heads, rows), "", f"{replicates} data sets per cell."])


def rates(make: Callable[[Rng, float], Design], effect: float, seed: list[int], replicates: int) -> dict[str, float]:
    """Return how often each way rejects."""
    rejected: dict[str, int] = {}
    for i in range(replicates):
        x, y, ways = make(np.random.default_rng([*seed, i]), effect)
        for way, options in ways.items():
            result = kmerf.independence(x, y, method="dcorr", null=kmerf.Permutation(99), rng=i, n_jobs=1, **options)
            rejected[way] = rejected.get(way, 0) + (result.pvalue <= LEVEL)
    return {way: count / replicates for way, count in rejected.items()}


def text(rate: float, replicates: int) -> str:
    """Return a rate and its standard error."""
    return f"{rate:.3f} ± {math.sqrt(max(rate * (1 - rate), 0.25 / replicates) / replicates):.3f}"


if __name__ == "__main__":
    main()
