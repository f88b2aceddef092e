"""The published simulations: what the default finds, each left out of its fit, beside what the paper's tables say.

    python -m benchmarks.data.library --store library --questions questions.csv
    python -m benchmarks.data.library --published --store published
    python -m benchmarks.pages.published_page --store library --published published --tables ../shared/data/published

Writes its part of docs/power.md and the picture. The figures of other tests are those that were published, on the same
dimensions; docs/reproduction.md has how near our own implementations come to them.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from benchmarks.data.library import dimensions
from benchmarks.pages import marks
from benchmarks.pages.marks import DOCS
from benchmarks.pages.power_figure import Block, draw
from benchmarks.studies.fit_weights import LEVEL, DataSet, read
from benchmarks.studies.real import JUDGED, bold, judged_alone
from kmerf.simulations import SIMULATIONS

TESTS = ("KMERF", "MGC", "Dcorr", "Hsic", "HHG", "CCA", "RV")
LABELS = {"CCA": "hyppo's CCA"}  # of hyppo 0.4.0, which is the RV coefficient (docs/reproduction.md)
MARGIN = 0.07  # below the best of them, from which it is told

Array = np.ndarray


def found_of_each(chosen: list[DataSet], pvalues: Array) -> dict[str, list[bool]]:
    """Return whether each data set is found, by simulation."""
    by_name: dict[str, list[bool]] = {name: [] for name in SIMULATIONS}
    for each, p in zip(chosen, pvalues, strict=True):
        by_name[each.family].append(bool(p <= LEVEL))
    return {name: yes for name, yes in by_name.items() if yes}


def as_published(folder: Path) -> dict[tuple[str, str], float]:
    """Return the mean power of each test in each simulation, over the dimensions that ours has met."""
    with (folder / "independence_power_vs_d.csv").open(newline="") as file:
        known = {(row["test"], row["simulation"], int(row["x"])): float(row["power"]) for row in csv.DictReader(file)}
    names = dict.fromkeys(simulation for _, simulation, _ in known if simulation in SIMULATIONS)
    return {(test, name): np.mean([known[test, name, p] for p in dimensions(name)]) for test in TESTS for name in names}


def rows(ours: dict[str, float], others: dict[tuple[str, str], float]) -> dict[str, list[float]]:
    """Return the powers of all tests, ours first, by the title of the simulation, and their means."""
    found = {SIMULATIONS[name].title: [own, *(others[test, name] for test in TESTS)] for name, own in ours.items()}
    return found | {"mean": list(np.mean(list(found.values()), axis=0))}


def verdict(by_name: dict[str, list[bool]], lines: dict[str, list[float]], cells: int) -> str:
    """Say what the default finds, and how that compares."""
    shares, sizes = (np.array([f(yes) for yes in by_name.values()]) for f in (np.mean, len))
    error = np.sqrt(np.sum(shares * (1 - shares) / sizes)) / shares.size
    each = np.array([line for title, line in lines.items() if title != "mean"])
    gaps = each[:, 0] - each[:, 1:].max(axis=1)
    behind = [title for (title, _), gap in zip(lines.items(), gaps, strict=False) if gap < -MARGIN]
    strongest = int(np.argmax(lines["mean"][1:]))
    return (
        f"The default finds **{shares.mean():.3f} ± {error:.3f}** (mean over {shares.size} simulations, {cells} cells, "
        f"{sizes.sum()} data sets). The strongest of the published tests is {TESTS[strongest]} with "
        f"{lines['mean'][1 + strongest]:.3f}; the best of them in each simulation, with hindsight, would have "
        f"{each[:, 1:].max(axis=1).mean():.3f}. More than {MARGIN} below that best one: {', '.join(behind) or 'none'}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("library"))
    parser.add_argument("--published", type=Path, default=Path("published"))
    parser.add_argument("--tables", type=Path, required=True, help="the folder of the published tables")
    options = parser.parse_args()
    chosen, pvalues = judged_alone(read(options.store, JUDGED)[0], options.published, False)
    by_name = found_of_each(chosen, pvalues)
    lines = rows({name: float(np.mean(yes)) for name, yes in by_name.items()}, as_published(options.tables))
    heads = ["default", "paper's KMERF", *(LABELS.get(test, test) for test in TESTS[1:])]
    body = [[title, *bold(line)] for title, line in lines.items()]
    marks.write(
        DOCS / "power.md",
        {
            "published_verdict": verdict(by_name, lines, len({each.place for each in chosen})),
            "published_table": marks.table(["simulation", *heads], body),
        },
    )
    places = range(1, len(heads))
    draw(heads, places, [Block("Published simulations", lines)], DOCS / "images" / "power.png", MARGIN)


if __name__ == "__main__":
    main()
