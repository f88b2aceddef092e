"""How often is an effect called below or above a margin? By how large it really is.

Numeric y: three normal columns, of which the first has correlation r with a normal y. The share of the variance of the
ranks of y that x explains is then 6 / pi * arcsin(r^2 / 2). Groups: the first column is shifted by d standard
deviations in one of two groups, whose AUC is then Phi(d / sqrt(2)). An effect that is equal to the margin is neither
below nor above it, so each of the two is an error there, and meant to happen in 2.5 % at most. Run

    python -m benchmarks.studies.margins --runs 200 --write     # into docs/changes.md, about 20 minutes
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np
from scipy import stats

from benchmarks.pages.marks import DOCS, put, table
from kmerf.explain.effects import find_effect
from kmerf.explain.explanation import decide
from kmerf.reading.samples import read_independence, read_ksample

SEED = 2027
R2, AUC = (0.0, 0.06, 0.14, 0.3), (0.5, 0.6, 0.7, 0.8)  # what is really there
MARGINS = {"R2 of ranks": 0.06, "AUC": 0.6}
DECISIONS = ("below", "above", "undecided")


def of_numbers(rng: np.random.Generator, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of which the ranks are explained to this share."""
    x = rng.normal(size=(n, 3))
    r = np.sqrt(2.0 * np.sin(share * np.pi / 6.0))
    return x, r * x[:, 0] + np.sqrt(1.0 - r**2) * rng.normal(size=n)


def of_groups(rng: np.random.Generator, n: int, area: float) -> tuple[np.ndarray, np.ndarray]:
    """Return x and groups of which the best prediction has this AUC."""
    x = rng.normal(size=(n, 3))
    groups = np.arange(n) % 2
    x[:, 0] += np.sqrt(2.0) * stats.norm.ppf(area) * groups
    return x, groups


def decisions(measure: str, truth: float, n: int, runs: int) -> Counter[str]:
    """Return how often each decision was made."""
    made: Counter[str] = Counter()
    for run in range(runs):
        rng = np.random.default_rng([SEED, run, n])
        if measure == "AUC":
            x, y = of_groups(rng, n, truth)
            sample = read_ksample(x, groups=y)
        else:
            sample = read_independence(*of_numbers(rng, n, truth))
        found = decide(MARGINS[measure], find_effect(sample, "within", run, n_jobs=1))
        assert found is not None
        assert found.measure == measure
        made[found.decision] += 1
    return made


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--rows", type=int, nargs="*", default=[100, 400])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = []
    for measure, truths in (("R2 of ranks", R2), ("AUC", AUC)):
        for truth in truths:
            for n in options.rows:
                made = decisions(measure, truth, n, options.runs)
                shares = (f"{made[each] / options.runs:.3f}" for each in DECISIONS)
                rows.append([f"{measure}, margin {MARGINS[measure]:g}", f"{truth:g}", str(n), *shares])
                print(*rows[-1], flush=True)
    error = np.sqrt(0.025 * 0.975 / options.runs)
    lines = [table(["effect", "really", "rows", *DECISIONS], rows), ""]
    lines.append(f"{options.runs} data sets per line; the standard error of a rate of 0.025 is {error:.3f}.")
    print("\n".join(lines))
    if options.write:
        put(DOCS / "changes.md", "margins", lines)


if __name__ == "__main__":
    main()
