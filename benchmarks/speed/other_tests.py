"""Time and memory of the rivals beside hyppo's, in one process: python -m benchmarks.speed.other_tests [--write]

For each statistic: the time to make it from data (ours: prepare and observe) and, ours, that of one permuted value,
which is what a permutation test takes 999 times; hyppo makes the statistic again from permuted distances. The best of
several runs, after one that compiles. Memory is the growth of the process's peak over what it held before.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import marks
from benchmarks.pages.marks import PERFORMANCE, table
from kmerf import baselines
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated
    import hyppo.independence as hyppo


def fast_dcorr() -> hyppo.Dcorr:
    """Return hyppo's Dcorr set as its `test` sets it for numbers; its `statistic` alone does not take that way."""
    method = hyppo.Dcorr()
    method.is_fast = True
    return method


# label, ours, hyppo's, columns of x and of y, numbers of rows
CASES = [
    ("Dcorr", baselines.Dcorr(), hyppo.Dcorr, (1, 1), (100, 3000)),
    ("Dcorr", baselines.Dcorr(), hyppo.Dcorr, (10, 1), (100, 3000)),
    ("Hsic", baselines.Hsic(bandwidth="hyppo"), hyppo.Hsic, (1, 1), (100, 3000)),
    ("Hsic", baselines.Hsic(bandwidth="hyppo"), hyppo.Hsic, (10, 1), (100, 3000)),
    ("MGC", baselines.MGC(), hyppo.MGC, (10, 1), (100, 500)),
    ("HHG", baselines.HHG(), hyppo.HHG, (10, 1), (100, 500)),
    ("Normalised covariance", baselines.NormalisedCovariance(), hyppo.CCA, (10, 1), (100, 3000)),
    ("CCA", baselines.CCA(), None, (10, 1), (100, 3000)),
    ("RV", baselines.RV(), hyppo.RV, (10, 1), (100, 3000)),
    ("RV", baselines.RV(), hyppo.RV, (100, 100), (100, 3000)),
    ("Dcorr, hyppo's fast form", baselines.Dcorr(), fast_dcorr, (1, 1), (100, 3000, 50_000)),
    ("Dcorr", baselines.Dcorr(), None, (1, 1), (100_000,)),  # where whole numbers overflow in hyppo, from n = 55,111 on
    ("HHG", baselines.HHG(), None, (10, 1), (3000,)),
    ("Dcorr", baselines.Dcorr(), None, (10, 1), (10_000,)),
    ("Hsic", baselines.Hsic(), None, (10, 1), (10_000,)),
]


def best(call: Callable[[], float], seconds: float = 0.6) -> float:
    """Return the shortest time of a call, from at least three and as many as fit in `seconds`."""
    call()
    found: list[float] = []
    start = time.perf_counter()
    while len(found) < 3 or (time.perf_counter() - start < seconds and len(found) < 2000):
        before = time.perf_counter()
        call()
        found.append(time.perf_counter() - before)
    return min(found)


def peak_memory(call: Callable[[], float]) -> float:
    """Return by how many MB the peak of resident memory rises over the present in a call; NaN where Linux is not."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    except OSError:
        return float("nan")
    before = _status("VmRSS")
    call()
    return (_status("VmHWM") - before) / 1024.0


def _status(field: str) -> float:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return float(line.split()[1])


def data(n: int, p: int, q: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(n, p)), rng.normal(size=(n, q))
    y[:, 0] += x[:, 0] ** 2
    return x, y


def show(seconds: float) -> str:
    return "-" if np.isnan(seconds) else f"{1e3 * seconds:.3f}" if seconds < 0.1 else f"{1e3 * seconds:.0f}"


def timed(label: str, ours: Any, theirs: Callable[[], Any] | None, columns: tuple[int, int], n: int) -> list[str]:
    """Return a line of the table: the times of one statistic on both sides, and how far the two are apart."""
    p, q = columns
    x, y = data(n, p, q)
    sample = read_independence(x, y)
    problem = ours.prepare(sample, 0)
    order = np.random.default_rng(0).permutation(n)
    made = best(lambda: observe(ours.prepare(sample, 0)).statistic)
    permuted = best(lambda: problem.fit(order, 1).statistic)
    if theirs is None:
        last = ["-", "-", ""]
    else:
        other = best(lambda: theirs().statistic(x, y))
        wanted = theirs().statistic(x, y)
        difference = abs(observe(problem).statistic - wanted) / max(1.0, abs(wanted))
        last = [show(other), f"{other / made:.1f}", f"{difference:.0e}"]
    return [label, f"{p}, {q}", str(n), show(made), show(permuted), *last]


def held(label: str, ours: Any, theirs: Callable[[], Any], columns: tuple[int, int], n: int = 3000) -> list[str]:
    """Return a line of the table of memory."""
    p, q = columns
    x, y = data(n, p, q)
    sample = read_independence(x, y)
    mine = peak_memory(lambda: observe(ours.prepare(sample, 0)).statistic)
    other = peak_memory(lambda: theirs().statistic(x, y))
    return [f"{label}, p = {p}, q = {q}", f"{mine:.0f}", f"{other:.0f}", f"{8 * n**2 / 2**20:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    options = parser.parse_args()
    lines = []
    for label, ours, theirs, columns, sizes in CASES:
        for n in sizes:
            lines.append(timed(label, ours, theirs, columns, n))
            print(*lines[-1], sep=" | ", flush=True)
    heads = ["statistic", "p, q", "n", "kmerf, ms", "per permutation, ms", "hyppo, ms", "ratio", "difference"]
    memory = [held(*case[:4]) for case in CASES[:4]]
    titles = ["peak extra memory, n = 3000", "kmerf, MB", "hyppo, MB", "n x n of float64, MB"]
    text = f"{table(heads, lines)}\n\n{table(titles, memory)}"
    print(text)
    if options.write:
        marks.write(PERFORMANCE, {"baselines": text})


if __name__ == "__main__":
    main()
