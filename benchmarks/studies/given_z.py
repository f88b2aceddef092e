"""Is the test given z valid, does it find relations, and how long does it take? Beside hyppo's conditional tests.

    python -m benchmarks.studies.given_z run --replicates 200          all data, sizes and our own test
    python -m benchmarks.studies.given_z run --data null_1 --rows 500  some of them
    python -m benchmarks.studies.given_z features --replicates 100     columns given the others, with proxies
    python -m benchmarks.studies.given_z lines --replicates 100        lines for which least squares or logit is right
    python -m benchmarks.studies.given_z screens --replicates 400      screens given z in which y depends on no column
    python -m benchmarks.studies.given_z page --rates gkcm_rates.csv   the tables of docs/conditional.md

Each test of each data set is a line of build/conditional/<part>.jsonl; a run goes on where it stopped, and goes through
the replicates one by one, so that it may be stopped at any time. `gkcm_rates.csv` has the published rates of other
tests: data, method, n, replicates, rejected_0.05, median_seconds.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kmerf
from benchmarks.data.conditional_data import ALTERNATIVES, DATA, GROUP_DESIGNS, NULLS, PROXIES, PUBLISHED
from benchmarks.data.conditional_fresh import FRESH
from benchmarks.data.conditional_jumps import JUMPS
from benchmarks.data.conditional_lines import LINE_ROWS, LINES, REAL, line, real, right_pvalue
from benchmarks.data.conditional_strata import SCREEN_ROWS, SCREENS, STRATA, STRATA_RELATIONS, STRATA_SHARES
from kmerf.adjustment.answering import compare_given
from kmerf.reading.samples import read_independence
from kmerf.results.parts import Adjustment

OUT = Path(__file__).resolve().parents[2] / "build" / "conditional"
SEED = 20261116
TIMED = 10  # data sets of each published cell, whose whole call is timed
ROWS = {"published": (500, 1000, 2000), "strata": (120,), "other": (300,)}

Answer = dict[str, Any]


def main() -> None:
    """Run one part, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["run", "lines", "features", "screens", "page"])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--data", nargs="*")
    parser.add_argument("--rows", nargs="*", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rates", type=Path)
    options = parser.parse_args()
    if options.part == "page":
        from benchmarks.pages.given_z_page import write

        write(OUT, options.rates)
        return
    ask, cells = _PARTS[options.part]
    wanted = [cell for cell in cells(options.rows) if not options.data or cell[0] in options.data]
    keep(options.part, wanted, options.replicates, lambda name, n, i: ask(name, n, i, options.jobs))


def keep(
    part: str, cells: list[tuple[str, int]], replicates: int, ask: Callable[[str, int, int], list[Answer]]
) -> None:
    """Ask of every data set that has no answer yet."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{part}.jsonl"
    done = {(a["data"], a["n"], a["replicate"]) for a in answers(path)}
    with path.open("a") as file:
        for i in range(replicates):
            for name, n in cells:
                if (name, n, i) in done:
                    continue
                for answer in ask(name, n, i):
                    file.write(json.dumps({"data": name, "n": n, "replicate": i} | answer) + "\n")
                file.flush()


def answers(path: Path) -> Iterator[Answer]:
    """Read what was found before."""
    if path.exists():
        with path.open() as file:
            yield from map(json.loads, file)


def draw(name: str, n: int, replicate: int) -> tuple[Any, Any, Any]:
    """Return x, y and z of one data set; the same for every test."""
    return DATA[name](np.random.default_rng([SEED, zlib.crc32(name.encode()), n, replicate]), n)


def ours(name: str, n: int, replicate: int, n_jobs: int) -> list[Answer]:
    """Test one data set; groups are compared without z as well."""
    x, y, z = draw(name, n, replicate)
    if name in STRATA_SHARES or (name in PUBLISHED and replicate < TIMED):
        answer = whole_call(x, y, z, replicate, n_jobs)
    else:
        _, a, b, found = compare_given(read_independence(x, y, given=z), replicate, n_jobs)
        adjustment = Adjustment(
            (), a.explained, b.explained, a.lack_of_fit, b.lack_of_fit, lack_of_fit_joint=found.shrinking
        )
        answer = _told(found.pvalue, adjustment, found.components)
    if name not in GROUP_DESIGNS:
        return [answer]
    plain = kmerf.independence(x, y, method=kmerf.baselines.Dcorr(), rng=replicate, n_jobs=n_jobs)
    return [answer, {"test": "without z", "p": plain.pvalue}]


def whole_call(x: Any, y: Any, z: Any, seed: int, n_jobs: int) -> Answer:
    """Test as a user does, and take the time; this also says how well y is predicted, which the test does without."""
    begun = time.process_time()  # of all threads, so that other work on the machine does not count
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kmerf.KmerfWarning)
        result = kmerf.conditional(x, y, given=z, rng=seed, n_jobs=n_jobs)
    seconds, adjustment = time.process_time() - begun, result.adjustment
    assert adjustment is not None
    shares = [adjustment.without_x, adjustment.with_x]
    return _told(result.pvalue, adjustment, result.members) | {"cpu": seconds, "shares": shares}


def _told(pvalue: float, adjustment: Adjustment, components: Sequence[Any]) -> Answer:
    return {
        "test": "kmerf",
        "p": pvalue,
        "doubtful": adjustment.doubtful,
        "explained": [adjustment.explained_x, adjustment.explained_y],
        "members": {each.name: each.pvalue for each in components},
    }


def lines(name: str, n: int, replicate: int, n_jobs: int) -> list[Answer]:
    """Test a line, and ask the right parametric test; a real question once."""
    if name in REAL:
        if replicate:
            return []
        x, y, z, right = real(name)
    else:
        x, y, z = line(name, np.random.default_rng([SEED, zlib.crc32(name.encode()), n, replicate]), n)
        right = right_pvalue(x, y, z)
    found = compare_given(read_independence(x, y, given=z), replicate, n_jobs)[-1]
    members = {component.name: component.pvalue for component in found.components}
    return [{"test": "kmerf", "p": found.pvalue, "members": members}, {"test": "right", "p": right}]


def proxies(name: str, n: int, replicate: int, n_jobs: int) -> list[Answer]:
    """Ask which columns matter, given the others and not."""
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode()), n, replicate])
    x, y, roles = PROXIES[name](rng, n)
    fast = kmerf.KMERF(kmerf.ForestSpec(n_trees=50))
    begun = time.process_time()
    marginal = kmerf.independence(x, y, method=fast, rng=replicate, n_jobs=n_jobs)
    between = time.process_time()
    beyond = kmerf.independence(
        x, y, method=fast, null=kmerf.Permutation(19), importances="conditional", rng=replicate, n_jobs=n_jobs
    )
    ended = time.process_time()
    assert marginal.features is not None
    assert beyond.features is not None
    return [
        {"test": "marginal", "roles": roles, "p": marginal.features.pvalues.tolist(), "seconds": between - begun},
        {"test": "beyond others", "roles": roles, "p": beyond.features.pvalues.tolist(), "seconds": ended - between},
    ]


def screens(name: str, n: int, replicate: int, n_jobs: int) -> list[Answer]:
    """Screen columns on none of which y depends given z."""
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode()), n, replicate])
    x, y, z = SCREENS[name](rng, n)
    begun = time.process_time()
    found = kmerf.screen(x, y, given=z, rng=replicate, n_jobs=n_jobs)
    return [{"test": "screen", "selected": len(found.selected), "cpu": time.process_time() - begun}]


def _own_cells(rows: list[int] | None) -> list[tuple[str, int]]:
    names = (*NULLS, *JUMPS, *FRESH, *STRATA, *STRATA_RELATIONS, *STRATA_SHARES, *ALTERNATIVES, *GROUP_DESIGNS)
    return [(name, n) for name in names for n in rows or ROWS[_kind(name)]]


def _kind(name: str) -> str:
    if name in PUBLISHED:
        return "published"
    return "strata" if name in STRATA | STRATA_RELATIONS else "other"


_PARTS: dict[str, Any] = {
    "run": (ours, _own_cells),
    "lines": (
        lines,
        lambda rows: [(name, n) for name in LINES for n in rows or LINE_ROWS] + [(name, 0) for name in REAL],
    ),
    "screens": (screens, lambda rows: [(name, n) for name in SCREENS for n in rows or SCREEN_ROWS[name]]),
    "features": (proxies, lambda rows: [(name, n) for name in PROXIES for n in rows or (200,)]),
}

if __name__ == "__main__":
    main()
