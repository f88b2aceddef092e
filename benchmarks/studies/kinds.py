"""How often is each kind of change called: level, spread, shape, joint? By what really changes.

Rates are of p-values of each kind at or below 0.05, before the adjustment over kinds ("alone") and as results call them
("called": adjusted by Holm's method, and only where the test itself rejects). Run

    python -m benchmarks.studies.kinds --runs 250 --write                     # each kind alone: docs/changes.md
    python -m benchmarks.studies.kinds --runs 200 --called                    # with the test itself: minutes per design
    python -m benchmarks.studies.kinds --runs 150 --of numbers --rows 100     # a part
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import kmerf
from benchmarks.pages.marks import DOCS, put
from kmerf.data.exchangeability import exchange
from kmerf.explain.kinds import NAMES, find_kinds
from kmerf.reading.samples import read_independence, read_ksample

Rng = np.random.Generator
LEVEL = 0.05
SEED = 2026  # other data than those with which the statistics were chosen


def _two(rng: Rng, n: int, change: Callable[[np.ndarray, Rng], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=(n, 3))
    groups = np.arange(n) % 2
    x[groups == 1] = change(x[groups == 1], rng)
    return x, groups


def _correlated(x: np.ndarray, rng: Rng) -> np.ndarray:
    x[:, 1] = 0.8 * x[:, 0] + 0.6 * x[:, 1]
    return x


def _first(values: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray, Rng], np.ndarray]:
    def change(x: np.ndarray, rng: Rng) -> np.ndarray:
        x[:, 0] = values(x[:, 0])
        return x

    return change


def _exponential(z: np.ndarray) -> np.ndarray:
    return np.random.default_rng(int(abs(z[0]) * 1e9)).exponential(size=z.size) - 1.0


def _skewed(rng: Rng, n: int, shift: float, scale: float) -> tuple[np.ndarray, np.ndarray]:
    groups = np.arange(n) % 2
    x = rng.exponential(size=(n, 3)) - 1.0
    x[groups == 1] = x[groups == 1] * scale + shift
    return x, groups


def _uneven(rng: Rng, n: int, shift: float, scale: float) -> tuple[np.ndarray, np.ndarray]:
    groups = (np.arange(n) % 5 == 0).astype(int)
    x = rng.normal(size=(n, 3))
    x[groups == 1] = x[groups == 1] * scale + shift
    return x, groups


def _six(rng: Rng, n: int, shift: float, scale: float) -> tuple[np.ndarray, np.ndarray]:
    groups = np.arange(n) % 6
    return rng.normal(size=(n, 2)) * (1.0 + scale * groups[:, None] / 5) + shift * groups[:, None] / 5, groups


def _numbers(rng: Rng, n: int, of: Callable[..., np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=(n, 3))
    return x, of(x, rng.normal(size=n))


GROUPS: dict[str, Callable[[Rng, int], tuple[np.ndarray, np.ndarray]]] = {
    "nothing": lambda rng, n: _two(rng, n, lambda x, _: x),
    "level by 1 sd": lambda rng, n: _two(rng, n, _first(lambda v: v + 1.0)),
    "level by 3 sd": lambda rng, n: _two(rng, n, _first(lambda v: v + 3.0)),
    "spread x 2": lambda rng, n: _two(rng, n, _first(lambda v: 2.0 * v)),
    "level and spread": lambda rng, n: _two(rng, n, _first(lambda v: 2.0 * v + 1.0)),
    "shape: exponential": lambda rng, n: _two(rng, n, _first(_exponential)),
    "joint: correlation 0.8": lambda rng, n: _two(rng, n, _correlated),
    "skewed, nothing": lambda rng, n: _skewed(rng, n, 0.0, 1.0),
    "skewed, level": lambda rng, n: _skewed(rng, n, 1.0, 1.0),
    "skewed, spread x 2": lambda rng, n: _skewed(rng, n, 0.0, 2.0),
    "1 : 4, level": lambda rng, n: _uneven(rng, n, 1.0, 1.0),
    "1 : 4, spread x 2": lambda rng, n: _uneven(rng, n, 0.0, 2.0),
    "six groups, level": lambda rng, n: _six(rng, n, 1.5, 0.0),
    "six groups, spread": lambda rng, n: _six(rng, n, 0.0, 1.5),
}
NUMBERS: dict[str, Callable[[Rng, int], tuple[np.ndarray, np.ndarray]]] = {
    "nothing": lambda rng, n: _numbers(rng, n, lambda x, e: e),
    "line": lambda rng, n: _numbers(rng, n, lambda x, e: x[:, 0] + e),
    "steep line": lambda rng, n: _numbers(rng, n, lambda x, e: 4.0 * x[:, 0] + e),
    "parabola": lambda rng, n: _numbers(rng, n, lambda x, e: x[:, 0] ** 2 + e),
    "step": lambda rng, n: _numbers(rng, n, lambda x, e: 2.0 * (x[:, 0] > 0) + e),
    "wave": lambda rng, n: _numbers(rng, n, lambda x, e: 2.0 * np.sin(3.0 * x[:, 0]) + e),
    "spread": lambda rng, n: _numbers(rng, n, lambda x, e: np.exp(0.7 * x[:, 0]) * e),
    "line and spread": lambda rng, n: _numbers(rng, n, lambda x, e: x[:, 0] + np.exp(0.7 * x[:, 0]) * e),
    "product": lambda rng, n: _numbers(rng, n, lambda x, e: x[:, 0] * x[:, 1] + e),
    "skewed noise, line": lambda rng, n: _numbers(rng, n, lambda x, e: x[:, 0] + np.exp(e)),
}


def rates(
    number: int,
    design: Callable[[Rng, int], tuple[np.ndarray, np.ndarray]],
    n: int,
    runs: int,
    *,
    groups: bool,
    called: bool,
) -> dict[str, tuple[float, bool]]:
    """Return how often each kind has a p-value at or below the level, and whether it is tested at all.

    A design has the data of its number.
    """
    hits, tested = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, False)
    for run in range(runs):
        x, y = design(np.random.default_rng([SEED, number, n, run]), n)
        if called:
            ask = kmerf.independence if not groups else lambda x, y, rng: kmerf.ksample(x, groups=y, rng=rng)
            kinds = ask(x, y, rng=run).kinds
        else:
            sample = read_ksample(x, groups=y) if groups else read_independence(x, y)
            kinds = find_kinds(sample, exchange(None, "within", sample.y), 0.0, run)
        for kind in kinds:
            tested[kind.name] = True
            hits[kind.name] += (kind.adjusted if called else kind.pvalue) <= LEVEL
    return {name: (count / runs, tested[name] or called) for name, count in hits.items()}


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--called", action="store_true")
    parser.add_argument("--rows", type=int, nargs="*", default=[60, 200])
    parser.add_argument("--of", choices=("groups", "numbers"), nargs="*", default=["groups", "numbers"])
    parser.add_argument("--write", action="store_true", help="into docs/changes.md, a table for each of --of")
    options = parser.parse_args()
    for of in options.of:
        lines = [f"| {of}: what changes | rows | {' | '.join(NAMES)} |", f"|---|---|{'---|' * len(NAMES)}"]
        print("\n".join(lines))
        for number, (name, design) in enumerate((GROUPS if of == "groups" else NUMBERS).items()):
            for n in options.rows:
                found = rates(number, design, n, options.runs, groups=of == "groups", called=options.called)
                cells = (f"{rate:.3f}" if tested else "-" for rate, tested in found.values())
                lines.append(f"| {name} | {n} | {' | '.join(cells)} |")
                print(lines[-1], flush=True)
        error = np.sqrt(LEVEL * (1.0 - LEVEL) / options.runs)
        lines += ["", f"{options.runs} data sets per line; the standard error of a rate of 0.05 is {error:.3f}."]
        if options.write:
            put(DOCS / "changes.md", f"kinds-{of}", lines)


if __name__ == "__main__":
    main()
