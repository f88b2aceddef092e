"""How fast we are beside hyppo, scikit-learn and LightGBM, in one process run.

    python -m benchmarks.speed.speed [--write] [--large]

Both sides do the same job on the same data: KMERF with 500 trees and the paper's settings. hyppo's permutations are
timed over a few and multiplied up, since a thousand of them would take the better part of an hour; ours are all run.
`--large` adds hyppo at n = 10,000, which takes it more than six minutes and 5.4 GB. `--write` puts the table into the
README and docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np

import kmerf
from benchmarks.pages.marks import PERFORMANCE, ROOT, put
from kmerf.execution import parallel
from kmerf.forests import growing as forest

PAPER = kmerf.KMERF(proximity="all")


def seconds(job: Callable[[], object], repeats: int) -> float:
    """Return the median time of a job, after one run that is not counted (compilation, caches)."""
    job()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        job()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def data(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, p))
    return x, x[:, 0] + rng.normal(size=n)


def chi_square(n: int, p: int, ours: int, theirs: int) -> tuple[str, float, float]:
    """The test with the chi-square p-value. hyppo's forest gets both cores too."""
    from hyppo.independence import KMERF

    x, y = data(n, p)
    workers = parallel.worker_count(None)
    us = seconds(lambda: kmerf.independence(x, y, method=PAPER, null=kmerf.ChiSquare(), rng=0), ours)
    one = seconds(lambda: KMERF(random_state=0).test(x, y[:, None]), theirs)
    two = seconds(lambda: KMERF(random_state=0, n_jobs=workers).test(x, y[:, None]), theirs)
    return f"chi-square test, n = {n}, p = {p}", us, min(one, two)


def large(n: int, p: int, max_samples: float | None) -> tuple[str, float, float]:
    """One test at a size where hyppo can be run only once."""
    from hyppo.independence import KMERF

    x, y = data(n, p)
    spec = kmerf.ForestSpec(max_samples=max_samples)
    method = kmerf.KMERF(spec, proximity="all")
    us = seconds(lambda: kmerf.independence(x, y, method=method, null=kmerf.ChiSquare(), rng=0), 1)
    if n not in HYPPO:
        begun = time.perf_counter()
        KMERF(random_state=0, n_jobs=parallel.worker_count(None)).test(x, y[:, None])
        HYPPO[n] = time.perf_counter() - begun
    drawn = "default rows per tree" if max_samples is None else "all rows in every tree"
    return f"chi-square test, n = {n}, p = {p}, {drawn}", us, HYPPO[n]


HYPPO: dict[int, float] = {}


def permutations(n: int, p: int, resamples: int, timed: int) -> tuple[str, float, float]:
    """The test with refitted permutations."""
    from hyppo.independence import KMERF

    x, y = data(n, p)
    null = kmerf.Permutation(resamples)
    kmerf.independence(x, y, method=PAPER, null=kmerf.Permutation(1), rng=0)
    begun = time.perf_counter()
    kmerf.independence(x, y, method=PAPER, null=null, rng=0)
    us = time.perf_counter() - begun
    workers = parallel.worker_count(None)
    begun = time.perf_counter()
    KMERF(random_state=0).test(x, y[:, None], reps=timed, workers=workers, auto=False)
    them = (time.perf_counter() - begun) * resamples / timed
    return f"{resamples} refitted permutations, n = {n}, p = {p} (hyppo: from {timed})", us, them


def growing(n: int, p: int, repeats: int) -> tuple[str, float, float]:
    """Growing the forest alone, both with all cores."""
    from sklearn.ensemble import RandomForestRegressor

    x, y = data(n, p)
    workers = parallel.worker_count(None)

    def ours() -> object:
        spec = kmerf.ForestSpec(max_samples=1.0)
        return forest.Forest(spec, forest.presort(x), y[:, None], False, 0).leaves(workers)

    theirs = RandomForestRegressor(500, n_jobs=workers, random_state=0)
    return (
        f"growing 500 trees, n = {n}, p = {p} (scikit-learn)",
        seconds(ours, repeats),
        seconds(lambda: theirs.fit(x, y), repeats),
    )


def growing_lightgbm(n: int, p: int, repeats: int) -> tuple[str, float, float]:
    """Growing the forest alone, with as many rows and leaves in a tree; LightGBM's splits are on 255 bins."""
    from lightgbm import LGBMRegressor

    x, y = data(n, p)
    workers = parallel.worker_count(None)
    spec = kmerf.ForestSpec(bootstrap=False, max_samples=0.632)
    options = {"num_leaves": n, "min_child_samples": 1, "min_child_weight": 0.0, "verbose": -1}
    sampled = {"boosting_type": "rf", "subsample": 0.632, "subsample_freq": 1}
    theirs = LGBMRegressor(n_estimators=500, n_jobs=workers, random_state=0, **options, **sampled)

    def ours() -> object:
        return forest.Forest(spec, forest.presort(x), y[:, None], False, 0).leaves(workers)

    name = f"growing 500 trees, n = {n}, p = {p} (LightGBM, rf mode)"
    return name, seconds(ours, repeats), seconds(lambda: theirs.fit(x, y), repeats)


def shown(value: float) -> str:
    return f"{1000 * value:.1f} ms" if value < 1 else f"{value:.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into README.md and docs/performance.md")
    parser.add_argument("--large", action="store_true", help="also run hyppo at n = 10,000, once")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    jobs: list[Callable[[], tuple[str, float, float]]] = [
        lambda: chi_square(100, 10, 20, 5),
        lambda: chi_square(1000, 10, 5, 3),
        lambda: permutations(100, 10, 1000, 20),
        lambda: growing(100, 10, 5),
        lambda: growing(1000, 10, 3),
        lambda: growing(10_000, 10, 1),
        lambda: growing_lightgbm(1000, 10, 3),
    ]
    if options.large:
        jobs += [lambda: large(10_000, 10, None), lambda: large(10_000, 10, 1.0)]
    lines = ["| job | kmerf | other | ratio |", "|---|---|---|---|"]
    print("\n".join(lines))
    for job in jobs:
        name, us, them = job()
        lines.append(f"| {name} | {shown(us)} | {shown(them)} | {them / us:.1f}x |")
        print(lines[-1], flush=True)
    cores = parallel.worker_count(None)
    lines += [
        "",
        f"{cores} cores, Python {platform.python_version()}; `python -m benchmarks.speed.speed`, hyppo 0.5.2.",
    ]
    print(lines[-1], f"load {os.getloadavg()[0]:.1f}")
    if options.write:
        for path in (ROOT / "README.md", PERFORMANCE):
            put(path, "speed", lines)


if __name__ == "__main__":
    main()
