"""How long `KMERF().test` takes here and in hyppo, with one worker: a valid p-value needs refits, hyppo's takes none.

    python benchmarks/hyppo_classes.py [--write]

hyppo's permutations are timed over a few and multiplied up. `--write` puts the sentence into docs/how-to/hyppo.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from hyppo import independence as theirs
from marks import DOCS, put

from kmerf.compat.hyppo import independence as ours

PAGE = DOCS / "how-to" / "hyppo.md"
ROWS, COLUMNS, REFITS, TIMED = 500, 3, 99, 5


def seconds(job: Callable[[], object]) -> float:
    """Return the processor time of a job, the better of two."""
    times = []
    for _ in range(2):
        begun = time.process_time()
        job()
        times.append(time.process_time() - begun)
    return min(times)


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
        "(`python benchmarks/hyppo_classes.py`)."
    )
    print(text)
    if chosen.write:
        put(PAGE, "hyppo-time", [text])


if __name__ == "__main__":
    main()
