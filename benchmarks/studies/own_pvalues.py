"""Do users find as much as the tables of docs/power.md say? Our own p-value, beside the null that those tables have.

    python -m benchmarks.studies.own_pvalues --store library [--cells 40] [--replicates 20] [--write]

In the library the permuted data sets of a cell together are the null of each. A user has one data set and 99 refits of
it. Here both decide on the same data sets, of cells with few rows drawn at random.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path

import numpy as np

from benchmarks.data.library import Cell, cells
from benchmarks.pages import marks
from benchmarks.pages.marks import DOCS
from benchmarks.studies.fit_weights import LEVEL, Design, final_weights, read
from kmerf import Extrapolated
from kmerf.methods.portfolio import Portfolio
from kmerf.nulls.judging import Run, judge_fit

MOST_ROWS = 100


def chosen_cells(number: int) -> list[Cell]:
    """Return some cells, drawn at random."""
    small = [each for each in cells(1) if each.source.n <= MOST_ROWS]
    return [small[k] for k in np.random.default_rng(0).permutation(len(small))[:number]]


def own(cell: Cell, replicate: int) -> bool:
    """Tell whether the default finds the relation in one data set of the library, as a user would have it."""
    seed = zlib.crc32(f"{cell.source!r} {replicate}".encode())
    sample = cell.source.draw(np.random.default_rng(seed))
    problem = Portfolio().prepare(sample, seed)
    return judge_fit(Extrapolated(), problem, problem.fit(np.arange(sample.n), 0), Run(seed)).pvalue <= LEVEL


def by_the_library(store: Path, places: set[str], replicates: int) -> dict[tuple[str, int], bool]:
    """Tell the same by the null of the library, with the final weights."""
    sets = [each for each in read(store, replicates)[0] if each.place in places]
    found: dict[tuple[str, int], bool] = {}
    for classes in (False, True):
        members, weights = final_weights(classes)
        some = [each for each in sets if each.classes == classes]
        pvalues = Design.of(some, members).pvalues(weights)
        found |= {(each.place, each.replicate): bool(p <= LEVEL) for each, p in zip(some, pvalues, strict=True)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("library"))
    parser.add_argument("--cells", type=int, default=40)
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    chosen = chosen_cells(options.cells)
    known = by_the_library(options.store, {cell.name for cell in chosen}, options.replicates)
    more = []
    for cell in chosen:
        ours = [own(cell, replicate) for replicate in range(options.replicates)]
        theirs = [known[cell.name, replicate] for replicate in range(options.replicates)]
        more.append((np.mean(ours), np.mean(theirs)))
        print(cell.family, *more[-1], flush=True)
    shares = np.array(more)
    gap = shares[:, 0] - shares[:, 1]
    text = (
        f"On {len(chosen)} cells of up to {MOST_ROWS} rows, drawn at random, {options.replicates} data sets each, "
        f"a user's own p-value finds "
        f"{shares[:, 0].mean():.3f} and the null of the tables {shares[:, 1].mean():.3f}: "
        f"{gap.mean():+.3f} ± {gap.std(ddof=1) / len(gap) ** 0.5:.3f}"
    )
    print(text)
    if options.write:
        marks.write(DOCS / "power.md", {"own_pvalues": text})


if __name__ == "__main__":
    main()
