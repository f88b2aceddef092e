"""Where hyppo's classes differ from ours: how long `KMERF().test` takes, and what hyppo's Hsic does on true nulls.

    python -m benchmarks.speed.hyppo_classes [--write]

A valid p-value of KMERF needs refits, hyppo's takes none; its permutations are timed over a few and multiplied up, all
with one worker. `--write` puts what was found into docs/how-to/hyppo.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from hyppo import independence as theirs

from benchmarks.pages.marks import DOCS, write
from kmerf.compat.hyppo import independence as ours

PAGE = DOCS / "how-to" / "hyppo.md"
ROWS, COLUMNS, REFITS, TIMED = 500, 3, 99, 5
NULLS, NULL_ROWS = 100, 40


def seconds(job: Callable[[], object]) -> float:
    """Return the processor time of a job, the better of two."""
    times = []
    for _ in range(2):
        begun = time.process_time()
        job()
        times.append(time.process_time() - begun)
    return min(times)


def on_nulls() -> tuple[float, int]:
    """Return the mean statistic of hyppo's Hsic with a polynomial kernel, and how often its biased form rejects."""
    statistics, rejected = [], 0
    for seed in range(NULLS):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(2, NULL_ROWS, 2))
        statistics.append(theirs.Hsic("poly").statistic(x, y))
        rejected += theirs.Hsic(bias=True).test(x, y)[1] <= 0.05
    return float(np.mean(statistics)), int(rejected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, COLUMNS))
    y = x[:, :1] + rng.normal(size=(ROWS, 1))
    here = seconds(lambda: ours.KMERF().test(x, y, workers=1))
    one = seconds(lambda: theirs.KMERF().test(x, y, workers=1))
    some = seconds(lambda: theirs.KMERF().test(x, y, workers=1, auto=False, reps=TIMED))
    refitted = one + (some - one) * REFITS / TIMED
    text = (
        f"With {ROWS} rows, {COLUMNS} columns and one worker that is {here:.1f} s of processor time here and {one:.1f} "
        f"s in hyppo; with {REFITS} permutations (`auto=False`), hyppo takes {refitted:.0f} s, by {TIMED} of them "
        "(`python -m benchmarks.speed.hyppo_classes`)."
    )
    poly, rejected = on_nulls()
    found = {"hyppo-time": text, "hyppo-poly": f"{poly:.2f}", "hyppo-biased": f"{rejected} of {NULLS}"}
    print(found)
    if chosen.write:
        write(PAGE, found)


if __name__ == "__main__":
    main()
