"""Time and peak memory of a test against the number of rows, columns, trees and refits, with fitted exponents.

    python -m benchmarks.speed.scale [--write] [--quick] [--only rows columns trees refits default nothing wide power]

Every point runs in a process of its own, so that its peak memory is its own; compilation is not counted. Times are
shown as the wall clock saw them and as processor time, which other work on the machine disturbs less; exponents are
fitted to the latter. `--write` puts the tables and the figure into docs/performance.md.

`power` is the study behind the default number of rows per tree: the distance of the statistic from its null, in
standard deviations of the null, for relations of little strength in many rows.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.pages.marks import PERFORMANCE, ROOT, put

FIGURE = ROOT / "docs" / "images" / "scale.png"

SETS: dict[str, list[dict[str, Any]]] = {
    "rows": [{"n": n} for n in (100, 1000, 10_000, 100_000, 1_000_000)],
    "all rows": [{"n": n, "max_samples": 1.0} for n in (100, 1000, 10_000)],
    "columns": [{"n": 200, "p": p} for p in (10, 100, 1000, 20_000)],
    "trees": [{"n": 1000, "m": m} for m in (125, 250, 500, 1000)],
    "refits": [{"n": 100, "refits": b} for b in (50, 100, 200, 1000)],
    "default": [{"n": n, "default": True} for n in (100, 1000, 10_000, 100_000, 1_000_000)],
    "nothing": [{"n": n, "default": True, "related": False} for n in (100, 1000, 10_000, 100_000, 1_000_000)],
    "wide": [{"n": 200, "p": p, "default": True} for p in (10, 200, 2000)],
}
VARIES = {"columns": "p", "trees": "m", "refits": "refits", "wide": "p"}  # all others the number of rows


def point(
    n: int,
    p: int = 10,
    m: int = 500,
    refits: int = 0,
    max_samples: float | None = None,
    default: bool = False,
    related: bool = True,
):
    """Run one test and return its times (s), the peak memory of the process (MB) and the number of refits."""
    import kmerf

    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, p))
    y = (x[:, 0] if related else 0.0) + rng.normal(size=n)
    method = None if default else kmerf.KMERF(kmerf.ForestSpec(m, max_samples=max_samples))
    null: Any = kmerf.Permutation(refits) if refits else kmerf.ChiSquare()
    if default:
        null = kmerf.Sequential(99)
    for size in {min(n, 200), min(n, 8000)}:  # compile everything first
        small = None if default else kmerf.KMERF(kmerf.ForestSpec(8, max_samples=max_samples))
        few = kmerf.Permutation(2) if refits or default else null
        kmerf.independence(x[:size, : min(p, 8)], y[:size], method=small, null=few, rng=0)
    wall, processor = [], []
    for _ in range(5 if n * p * m * (100 if default else 1 + refits) < 1e8 else 1):
        begun, spent = time.perf_counter(), time.process_time()
        result = kmerf.independence(x, y, method=method, null=null, rng=0)
        wall.append(time.perf_counter() - begun)
        processor.append(time.process_time() - spent)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    drawn = 0 if result.null.distribution is None else result.null.distribution.size
    return {"wall": min(wall), "cpu": min(processor), "peak": peak, "data": x.nbytes / 2**20, "refits": drawn}


def apart(settings: dict[str, Any]) -> dict[str, float]:
    """Run a point in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.speed.scale", "--point", json.dumps(settings)]
    out = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    return found


def exponents(sizes: list[float], times: list[float]) -> list[float]:
    """Return the slope of log time against log size from each point to the next."""
    steps = np.diff(np.log(times)) / np.diff(np.log(sizes))
    return [float(step) for step in steps]


def shown(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def table(name: str, quick: bool) -> Iterator[str]:
    """Run a set of points and yield the lines of its table; remember the points for the figure."""
    by = VARIES.get(name, "n")
    points = SETS[name][: 3 if quick else None]
    yield f"| {by} | wall | processor | growth | peak memory | data | refits |"
    yield "|---|---|---|---|---|---|---|"
    sizes: list[float] = []
    times: list[float] = []
    for settings in points:
        found = apart(settings)
        sizes.append(settings[by])
        times.append(found["cpu"])
        power = f"{by}^{exponents(sizes, times)[-1]:.2f}" if len(sizes) > 1 else ""
        cells = [f"{settings[by]:,}", shown(found["wall"]), shown(found["cpu"]), power]
        memory = [f"{found['peak']:.0f} MB", f"{found['data']:.1f} MB"]
        yield "| " + " | ".join([*cells, *memory, f"{found['refits']:.0f}"]) + " |"
    DRAWN[name] = sizes, times


DRAWN: dict[str, tuple[list[float], list[float]]] = {}
TITLES = {
    "rows": "**Rows.** One forest, 500 trees, p = 10, chi-square null, default rows per tree:",
    "all rows": "The same with `max_samples=1.0`: every tree draws as many rows as there are.",
    "columns": "**Columns.** n = 200, all of them tried at every split:",
    "trees": "**Trees.** n = 1000:",
    "refits": "**Refits.** n = 100, 500 trees, refitted permutations:",
    "default": "**The default test with up to 99 refits**, p = 10; y depends on one column:",
    "nothing": "**The same if y depends on no column**, p = 10:",
    "wide": "**The same for wide tables**, n = 200; y depends on one column:",
}


def short(size: float) -> str:
    """Return 1k for 1,000 and 1M for a million."""
    return next(f"{size / unit:g}{letter}" for unit, letter in ((1e6, "M"), (1e3, "k"), (1, "")) if size >= unit)


def draw() -> None:
    """Draw processor time against what was varied, one panel each."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    wide = min(4, len(DRAWN))
    high = -(-len(DRAWN) // wide)
    figure, panels = plt.subplots(high, wide, figsize=(3.2 * wide, 3.2 * high), squeeze=False, layout="constrained")
    for panel in panels.flat[len(DRAWN) :]:
        panel.set_visible(False)
    for panel, (name, (sizes, times)) in zip(panels.flat, DRAWN.items(), strict=False):
        panel.loglog(sizes, times, "o-", color="#1f5fa8")
        panel.loglog(sizes, times[-1] * np.array(sizes) / sizes[-1], ":", color="grey", label="linear")
        panel.set(title=name, xlabel=VARIES.get(name, "n"), ylabel="processor time, s")
        panel.set_xticks(sizes, [short(size) for size in sizes])
        panel.minorticks_off()
        panel.legend(frameon=False)
    figure.savefig(FIGURE, dpi=110)


# --- rows per tree ----------------------------------------------------------------------------------------------------


def relation(name: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(-1.0, 1.0, size=(n, 5))
    weak = (10_000 / n) ** 0.4
    mean = {
        "linear": 0.045 * x[:, 0],
        "sine": 0.10 * np.sin(4 * np.pi * x[:, 0]),
        "fast sine": 0.20 * np.sin(16 * np.pi * x[:, 0]),
        "product": 0.16 * x[:, 0] * x[:, 1],
    }[name]
    return x, weak * mean + rng.normal(size=n)


def power(n: int, replicates: int, m: int = 100) -> Iterator[str]:
    """Compare numbers of rows per tree."""
    from kmerf.forests import fitted, response_kernels
    from kmerf.forests import growing as forest

    sizes = [500, 1000, 2000, 4000, n]
    yield "| relation | leaf | " + " | ".join(f"{size:,} rows" for size in sizes) + " |"
    yield "|---" * (2 + len(sizes)) + "|"
    for name in ("linear", "sine", "fast sine", "product"):
        for leaf in (1, 5):
            cells = []
            for drawn in sizes:
                spec = forest.ForestSpec(m, min_samples_leaf=leaf, max_samples=drawn)
                found = np.empty((replicates, 2))
                spent = time.process_time()
                for r in range(replicates):
                    rng = np.random.default_rng([r, n])
                    x, y = relation(name, n, rng)
                    columns = forest.presort(x)
                    for which, target in enumerate((y, rng.permutation(y))):
                        readings = [fitted.PairReading("oob", response_kernels.NumberKernel.of(target))]
                        result = fitted.measure(forest.Forest(spec, columns, target[:, None], False, r), readings)
                        found[r, which] = result.dependences[0].covariance
                milliseconds = 1000 * (time.process_time() - spent) / replicates / 2 / m
                distance = (found[:, 0].mean() - found[:, 1].mean()) / found[:, 1].std(ddof=1)
                cells.append(f"{distance:.1f} ({milliseconds:.1f} ms)")
            yield f"| {name} | {leaf} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    parser.add_argument("--quick", action="store_true", help="the first points of each set only")
    parser.add_argument("--only", nargs="+", choices=[*SETS, "power"], default=list(SETS))
    parser.add_argument("--point", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.point:
        print(json.dumps(point(**json.loads(options.point))))
        return
    lines: list[str] = []
    for name in (name for name in options.only if name in SETS):
        lines += [TITLES[name], ""]
        print(lines[-2], flush=True)
        for line in table(name, options.quick):
            lines.append(line)
            print(line, flush=True)
        lines.append("")
    lines.append(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; `python -m benchmarks.speed.scale`.")
    if options.write and DRAWN:
        put(PERFORMANCE, "scale", lines)
        draw()
    if "power" in options.only:
        found = []
        for line in power(5000, 10 if options.quick else 60):
            found.append(line)
            print(line, flush=True)
        if options.write:
            put(PERFORMANCE, "rows", found)


if __name__ == "__main__":
    main()
