"""Write the numbers of docs/power.md, and the figure, from the store of benchmarks/power.py.

    python benchmarks/power_page.py --store power.sqlite [--published FOLDER]

With --published, the folder of the published tables, their means stand beside ours. Parts of the page whose study the
store does not hold stay as they are.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import marks
import numpy as np
import power_members
from marks import DOCS, table
from power import CHOOSING, DEPENDENT, FRESH, PUBLISHED, dimensions, plans
from power_figure import Block, draw
from relations import Grouped

from kmerf import study
from kmerf.core.errors import InputError
from kmerf.simulations import MIXTURES, SIMULATIONS
from kmerf.study.estimate import cutoff

TITLES = {"ours": "**default**", "single": "one forest", "paper": "paper's KMERF"}
ALL = 10**6  # more replicates than any store has
LEAST = 20  # replicates, below which the empirical null has no cutoff at level 0.05
MARGIN, GOAL, COST = 0.07, 0.78, 3.0  # what was asked of the default before it was built
NULL_MIXTURE = "independent"

Key = Callable[[study.Source], object]


@dataclass(frozen=True)
class StudyPowers:
    """The powers of a study by the empirical null, on the data that all of its tests have met."""

    plan: study.Study
    tests: list[str]
    data: list[study.Source]
    powers: dict[tuple[str, study.Source], study.Power]

    def __bool__(self) -> bool:
        return bool(self.data)

    @property
    def rivals(self) -> list[str]:
        return [test for test in self.tests if test not in ("ours", "single")]

    @property
    def extent(self) -> str:
        sizes = [self.powers[test, data].replicates for test in self.tests for data in self.data]
        replicates = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
        missing = [test for test in self.plan.tests if test not in self.tests]
        absent = f" Not computed yet: {', '.join(missing)}." if missing else ""
        part = "" if len(self.data) == len(self.plan.data) else f" of {len(self.plan.data)}"
        return f"{len(self.data)}{part} cells, {replicates} replicates a cell.{absent}"

    def only(self, wanted: Callable[[study.Source], bool]) -> StudyPowers:
        return replace(self, data=[data for data in self.data if wanted(data)])

    def mean(self, test: str) -> float:
        return float(np.mean([self.powers[test, data].power for data in self.data]))

    def error(self, test: str) -> float:
        """Return the standard error of the mean; the cells' data are independent."""
        squares = [self.powers[test, data].standard_error ** 2 for data in self.data]
        return float(np.sqrt(np.sum(squares)) / len(squares))

    def groups(self, key: Key) -> dict[object, StudyPowers]:
        keys = dict.fromkeys(map(key, self.data))
        return {each: self.only(lambda data, each=each: key(data) == each) for each in keys}

    def best(self) -> str:
        """Return the rival with the highest mean, chosen with hindsight."""
        return max(self.rivals, key=self.mean)


def read(plan: study.Study, store: Path) -> StudyPowers:
    try:
        powers = study.power(plan, store)
    except InputError:  # there is nothing of it
        return StudyPowers(plan, [], [], {})
    known = [power for power in powers if power.rule == "published" and power.replicates >= LEAST]
    by_place = {(power.test, power.data): power for power in known}
    met = {test for test, _ in by_place}
    tests = [test for test in plan.tests if test in met]
    data = [source for source in plan.data if all((test, source) in by_place for test in tests)]
    found = StudyPowers(plan, tests, data, by_place)
    return found if "ours" in tests and found.rivals else replace(found, data=[])


def folded(title: str, text: str) -> str:
    return f'<details markdown="1"><summary>{title}</summary>\n\n{text}\n\n</details>'


def name_of(test: str) -> str:
    return TITLES.get(test, test)


def title_of(data: study.Source) -> str:
    known = MIXTURES if isinstance(data, study.Mixed) else SIMULATIONS
    return known[data.name].title if data.name in known else data.name.replace("_", " ")


def signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def distance(found: StudyPowers) -> tuple[str, float, float]:
    """Return the best rival, how far we are above it, and a standard error that ignores that the data are the same."""
    best = found.best()
    return best, found.mean("ours") - found.mean(best), float(np.hypot(found.error("ours"), found.error(best)))


def comparison(
    found: StudyPowers, heads: Sequence[str], key: Key, cells: Callable[[StudyPowers], Sequence[str]]
) -> str:
    """Return a table with a line for each group of cells: all tests, the best rival, and our distance to it."""
    rows = []
    for group in found.groups(key).values():
        best, above, error = distance(group)
        values = {test: f"{group.mean(test):.2f}" for test in found.tests}
        values[best] = f"*{values[best]}*"
        mark = "**" if above < -MARGIN else ""
        last = f"{mark}{signed(above)}{mark} ± {error:.3f}"
        rows.append([*cells(group), *values.values(), name_of(best).strip("*"), last])
    if len(rows) > 1:
        last = [f"**{found.mean(test):.3f}**" for test in found.tests]
        best, above, error = distance(found)
        blank = [""] * (len(heads) - 1)
        rows.append(["**mean**", *blank, *last, name_of(best).strip("*"), f"{signed(above)} ± {error:.3f}"])
    return table([*heads, *map(name_of, found.tests), "best rival", "distance"], rows)


def first(group: StudyPowers) -> study.Source:
    return group.data[0]


def by_cell(found: StudyPowers) -> str:
    """Return the table of all cells, folded."""
    ordered = replace(found, data=sorted(found.data, key=lambda data: list(found.plan.data).index(data)))
    names = list(dict.fromkeys(data.name for data in ordered.data))
    ordered = replace(ordered, data=sorted(ordered.data, key=lambda d: (names.index(d.name), d.n, d.p)))
    several_n = len({(type(data), data.n) for data in found.data}) > len({type(data) for data in found.data})
    heads = ["data", *(["n"] if several_n else []), "p"]

    def cells(group: StudyPowers) -> list[str]:
        data = first(group)
        return [title_of(data), *([str(data.n)] if several_n else []), str(data.p)]

    return folded("All cells", comparison(ordered, heads, lambda data: data, cells))


# The published simulations


def by_simulation(found: StudyPowers) -> dict[str, StudyPowers]:
    groups = found.groups(lambda data: data.name)
    return {name: groups[name] for name in DEPENDENT if name in groups}


def hindsight(found: StudyPowers) -> float:
    """Return the mean power of the best of the seven in each simulation, weighed by its cells."""
    groups = by_simulation(found).values()
    return float(np.average([group.mean(group.best()) for group in groups], weights=[len(g.data) for g in groups]))


def published_means(found: StudyPowers, folder: Path | None) -> str:
    halves = found, found.only(lambda data: data.name in CHOOSING), found.only(lambda data: data.name not in CHOOSING)
    known = published_figures(found, folder) if folder else {}

    def line(title: str, values: Sequence[str], test: str) -> list[str]:
        return [title, *values] + ([f"{known[test]:.3f}" if test in known else ""] if known else [])

    rows = [
        line(name_of(t), [f"{h.mean(t):.3f} ± {h.error(t):.3f}" if h else "" for h in halves], t) for t in found.tests
    ]
    best = [f"{hindsight(half):.3f}" if half else "" for half in halves]
    rows.append(line("best of the published tests in each simulation, with hindsight", best, "hindsight"))
    counts = [len(by_simulation(half)) for half in halves]
    heads = [f"all {counts[0]}", f"used to choose ({counts[1]})", f"only to confirm ({counts[2]})"]
    return table(["mean power", *heads, *(["as published"] if known else [])], rows)


def published_figures(found: StudyPowers, folder: Path) -> dict[str, float]:
    """Return the mean powers of the published table on the same cells, and with hindsight."""
    labels = {"KMERF": "paper"}
    with (folder / "independence_power_vs_d.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    known = {(labels.get(r["test"], r["test"]), r["simulation"], int(r["x"])): float(r["power"]) for r in rows}
    places = [(data.name, data.p) for data in found.data]
    means = {test: float(np.mean([known[(test, *place)] for place in places])) for test in PUBLISHED}
    names = list(dict.fromkeys(name for name, _ in places))
    best = [max(np.sum([known[(t, *place)] for place in places if place[0] == k]) for t in PUBLISHED) for k in names]
    return means | {"hindsight": float(np.sum(best)) / len(places)}


def published_verdict(found: StudyPowers) -> str:
    ours, best = found.mean("ours"), hindsight(found)
    strongest = found.best()
    said = [
        f"Mean power of the default: {ours:.3f} ± {found.error('ours'):.3f}. The strongest single rival is "
        f"{name_of(strongest)} with {found.mean(strongest):.3f}; picking the best of the published tests for every "
        f"simulation, with hindsight, would give {best:.3f}. The default is {abs(ours - best):.3f} "
        f"{'above' if ours >= best else 'below'} that."
    ]
    whole = len(found.data) == len(found.plan.data) and len(found.tests) == len(found.plan.tests)
    said.append(
        f"The aim set beforehand was {GOAL}: {'reached' if ours >= GOAL else f'missed by {GOAL - ours:.3f}'}."
        if whole
        else "Not all cells and tests are there yet, so these are not the figures of the whole grid."
    )
    short = [(name, *distance(group)) for name, group in by_simulation(found).items()]
    below = [each for each in short if each[2] < -MARGIN]
    listed = "; ".join(
        f"{SIMULATIONS[name].title} ({-above:.3f} ± {error:.3f} below {name_of(rival)})"
        for name, rival, above, error in below
    )
    said.append(
        f"Simulations in which the default is more than {MARGIN} below the best of the published tests: "
        f"{listed or 'none'}."
    )
    level = [each for each in short if each[2] >= 0]
    said.append(f"It is at or above the best of them in {len(level)} of {len(short)} simulations.")
    return " ".join(said)


def published(found: StudyPowers, folder: Path | None) -> dict[str, str]:
    if not found:
        return {}

    def cells(group: StudyPowers) -> list[str]:
        data = first(group)
        return [SIMULATIONS[data.name].title, "choose" if data.name in CHOOSING else "confirm"]

    ordered = replace(found, data=[data for group in by_simulation(found).values() for data in group.data])
    main = comparison(ordered, ["simulation", "used to"], lambda data: data.name, cells)
    return {
        "published_verdict": f"{found.extent}\n\n{published_verdict(found)}",
        "published_means": published_means(found, folder),
        "published_table": main + "\n\n" + by_cell(ordered),
    }


def fresh(plan: study.Study, store: Path) -> str | None:
    """Compare the default with the rivals that the store has on fresh data, simulation by simulation."""
    try:
        known = [power for power in study.power(plan, store) if power.rule == "published"]
    except InputError:
        return None
    powers = {(power.test, power.data): power for power in known if power.replicates >= LEAST}
    rows, below = [], []
    for name in DEPENDENT:
        data = [source for source in plan.data if source.name == name and ("ours", source) in powers]
        tests = [test for test in plan.tests if all((test, source) in powers for source in data)]
        group = StudyPowers(plan, tests, data, powers)
        if not data or not group.rivals:
            continue
        best, above, error = distance(group)
        sizes = [powers[test, source].replicates for test in ("ours", best) for source in data]
        mark = "**" if above < -MARGIN else ""
        asked = ", ".join(name_of(test) for test in group.rivals)
        whole = sum(source.name == name for source in plan.data)
        cells = f"{len(data)}" if len(data) == whole else f"{len(data)} of {whole}"
        extent = [cells, f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"]
        if above < -MARGIN:
            below.append(f"{SIMULATIONS[name].title} ({-above:.3f} ± {error:.3f} below {name_of(best)})")
        figures = [f"{group.mean(test):.3f}" for test in ("ours", best)]
        last = f"{mark}{signed(above)}{mark} ± {error:.3f}"
        rows.append([SIMULATIONS[name].title, *extent, asked, *figures, name_of(best), last])
    if not rows:
        return None
    heads = ["simulation", "cells", "replicates", "rivals asked", "**default**", "best of them", "which", "distance"]
    said = f"More than {MARGIN} below the best of them on fresh data: {'; '.join(below) or 'none'}."
    return f"{table(heads, rows)}\n\n{said}"


# Our own p-value


def own_pvalue(plan: study.Study, reference: study.Study, store: Path) -> str | None:
    """Compare decisions by our own p-value with those by the empirical null, on the same data sets."""
    try:
        cells = [cell for cell in study.cells(plan, store) if cell.replicate.size]
    except InputError:
        cells = []
    data = [cell.data for cell in cells]
    if not data:
        return None
    whole = study.Study({"ours": reference.tests["ours"]}, data, ALL, reference.seed)
    known = {cell.data: cell for cell in study.cells(whole, store)}
    rows, differences = [], []
    for cell in sorted(cells, key=lambda cell: DEPENDENT.index(cell.data.name)):
        # The published study has more replicates of the same data, so a better cutoff; its first ones are these.
        empirical = known[cell.data] if known[cell.data].replicate.size >= cell.replicate.size else cell
        limit = cutoff(empirical.permuted)
        shared = np.isin(empirical.replicate, cell.replicate)
        by_null = float(np.mean(empirical.statistic[shared] >= limit))
        by_p = float(np.mean(cell.pvalue <= 0.05))
        differences.append(by_p - by_null)
        where = [SIMULATIONS[cell.data.name].title, str(cell.data.p), str(cell.replicate.size)]
        rows.append([*where, f"{by_p:.2f}", f"{by_null:.2f}", signed(by_p - by_null)])
    mean = float(np.mean(differences))
    error = float(np.std(differences, ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else 0.0
    agree = abs(mean) <= 2 * error
    said = (
        f"{len(rows)} cells. The share of rejections by the p-value less that by the empirical null is {signed(mean)} "
        f"± {error:.3f} on average over cells; the largest difference in a cell is {max(map(abs, differences)):.2f}. "
        + ("The average is within two standard errors of 0." if agree else "**The average is not 0.**")
    )
    heads = ["simulation", "p", "replicates", "own p-value", "empirical null", "difference"]
    return f"{said}\n\n{table(heads, rows)}"


# Other studies


def family(data: study.Source) -> str:
    if isinstance(data, study.Mixed):
        return "mixtures" if data.name != NULL_MIXTURE else "no difference (type-I error)"
    return "groups of our own" if isinstance(data, Grouped) else "rotations by 20 degrees"


def type_one(null: StudyPowers) -> str:
    """Return how often each test rejects where there is no difference."""
    rows = [[f"no difference, p = {d.p}", *(f"{null.powers[t, d].power:.3f}" for t in null.tests)] for d in null.data]
    return table(["type-I error", *map(name_of, null.tests)], rows) if null else ""


def two_sample(found: StudyPowers) -> str | None:
    if not found:
        return None
    order = ["mixtures", "rotations by 20 degrees", "groups of our own"]
    different = found.only(lambda data: family(data) in order)
    said = [found.extent]
    for name, group in different.groups(family).items():
        best, above, error = distance(group)
        said.append(
            f"{name.capitalize()}: the default has {group.mean('ours'):.3f} ± {group.error('ours'):.3f}, the best "
            f"rival, {name_of(best)}, {group.mean(best):.3f}; the default is "
            f"{'above' if above > 0 else 'not above'} every rival ({signed(above)} ± {error:.3f})."
        )
    listed = replace(different, data=sorted(different.data, key=lambda d: order.index(family(d))))
    main = comparison(
        listed,
        ["data", "p", "cells"],
        lambda data: (family(data), 0 if isinstance(data, Grouped) else data.p),
        lambda g: [family(first(g)), "" if isinstance(first(g), Grouped) else str(first(g).p), str(len(g.data))],
    )
    null = found.only(lambda data: family(data) not in order)
    listed = replace(listed, data=[d for d in listed.data if not isinstance(d, Grouped)])
    groups = different.only(lambda data: isinstance(data, Grouped))
    own = comparison(groups, ["groups of our own", "p"], lambda d: d, lambda g: [title_of(first(g)), str(first(g).p)])
    parts = [" ".join(said), main, type_one(null), own if groups else "", by_cell(listed) if listed else ""]
    return "\n\n".join(part for part in parts if part)


def small(found: StudyPowers) -> str | None:
    if not found:
        return None

    def kind(data: study.Source) -> tuple[int, str]:
        return data.n, "3" if data.p == 3 else "middle"

    listed = replace(found, data=sorted(found.data, key=kind))
    main = comparison(listed, ["n", "p", "cells"], kind, lambda g: [*map(str, kind(first(g))), str(len(g.data))])
    return f"{found.extent}\n\n{main}\n\n{by_cell(found)}"


def own(found: StudyPowers) -> str | None:
    if not found:
        return None
    rows = list(found.plan.data)
    listed = replace(found, data=sorted(found.data, key=rows.index))
    main = comparison(
        listed, ["relation", "p"], lambda data: data, lambda group: [title_of(first(group)), str(first(group).p)]
    )
    return f"{found.extent}\n\n{main}"


def relation(data: study.Source) -> str:
    return "simulations" if data.name in DEPENDENT else "relations of our own"


def modern(found: StudyPowers, key: Callable[[study.Source], str]) -> str | None:
    if not found:
        return None
    null = found.only(lambda data: data.name == NULL_MIXTURE)
    other = found.only(lambda data: data.name != NULL_MIXTURE)
    main = comparison(other, ["data", "cells"], key, lambda group: [key(first(group)), str(len(group.data))])
    return "\n\n".join(filter(None, [found.extent, main, type_one(null), by_cell(other)]))


def members(title: str, plan: study.Study, classes: bool, store: Path) -> str | None:
    """Return what each member does in a study."""
    different = [data for data in plan.data if data.name != NULL_MIXTURE]
    rows = power_members.rows(plan, different, store, classes)
    return table([title, "part of the level", "alone", "the others without it"], rows) if rows else None


def by_the_null(plan: study.Study, store: Path) -> str | None:
    """Return how long the default and one forest take with the default null, all refits counted."""
    try:
        seconds = study.timings(plan, store)
    except InputError:
        seconds = {}
    data = [each for each in plan.data if all((test, each) in seconds for test in plan.tests)]
    if not data:
        return None
    ratios = [seconds["ours", each] / seconds["single", each] for each in data]
    rows = [
        [title_of(d), str(d.p), *(f"{seconds[test, d]:.2f}" for test in plan.tests), f"{ratio:.2f}"]
        for d, ratio in zip(data, ratios, strict=True)
    ]
    said = (
        "With the default null, seconds for a whole test on one core, all refits counted. "
        f"The aim was at most {COST:g} times the cost of one forest: the largest ratio here is {max(ratios):.2f}, so "
        f"it is {'kept' if max(ratios) <= COST else 'not kept'}."
    )
    return f"{said}\n\n{table(['data', 'p', *map(name_of, plan.tests), 'ratio'], rows)}"


def cost(found: StudyPowers, store: Path) -> str | None:
    if not found:
        return None
    seconds = study.timings(found.plan, store)
    bands = ((0, 10), (10, 100), (100, ALL))
    heads = [f"p ≤ {bands[0][1]}", f"{bands[1][0]} < p ≤ {bands[1][1]}", f"p > {bands[2][0]}"]
    rows = []
    for test in found.tests:
        timed = [data for data in found.data if (test, data) in seconds]  # a store may have lost the times of some
        values = [[seconds[test, data] for data in timed if low < data.p <= high] for low, high in bands]
        rows.append([name_of(test), *(f"{1000 * np.median(v):.1f}" if v else "" for v in values)])
    main = table(["milliseconds a replicate (median)", *heads], rows)
    if not {"ours", "single"} <= set(found.tests):
        return main
    ratios = [seconds["ours", data] / seconds["single", data] for data in found.data]
    middle = float(np.median(ratios))
    said = (
        f"A replicate is two fits. The default takes {middle:.2f} times as long as one forest of 500 trees, in the "
        f"median over cells (from {min(ratios):.2f} to {max(ratios):.2f}). Seconds are those of the machine that "
        "filled the store, and of whatever else it did at the time; ratios depend less on it."
    )
    return f"{said}\n\n{main}"


def halves() -> dict[str, str]:
    confirming = [name for name in DEPENDENT if name not in CHOOSING]
    return {
        "choosing": ", ".join(SIMULATIONS[name].title for name in CHOOSING),
        "confirming": ", ".join(SIMULATIONS[name].title for name in confirming),
        "choosing_number": str(len(CHOOSING)),
        "confirming_number": str(len(confirming)),
    }


def picture(published: StudyPowers, others: dict[str, StudyPowers]) -> str | None:
    if not published:
        return None
    names = [test.strip("*") for test in map(name_of, published.tests)]
    rows = {SIMULATIONS[k].title: [g.mean(t) for t in published.tests] for k, g in by_simulation(published).items()}
    rows["mean"] = [published.mean(test) for test in published.tests]
    blocks = [Block("simulations, n = 100, mean of their dimensions", rows)]
    alike = {k: other for k, other in others.items() if other and other.tests == published.tests}
    more = {k: [other.mean(test) for test in published.tests] for k, other in alike.items()}
    if more:
        blocks.append(Block("means of other studies", more))
    rivals = [k for k, test in enumerate(published.tests) if test in published.rivals]
    draw(names, rivals, blocks, DOCS / "images" / "power.png", MARGIN)
    return (
        "![Power of every test in every simulation](images/power.png)\n\n*Darker is more power. The bars on the right "
        "show how far the default is above (blue) or below (orange) the best rival of the row, which is in bold; the "
        f"dashed line is {MARGIN} below.*"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--published", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if not options.store.is_file():
        parser.error(f"{options.store} does not exist: python benchmarks/power.py --store {options.store} makes it")
    plan = {
        name: plans(name, ALL)[0] for name in ("published", "own", "two-sample", "small", "large", "pvalue", "cost")
    }
    found = {name: read(plan[name], options.store) for name in ("published", "own", "two-sample", "small", "large")}
    groups, numbers = (read(each, options.store) for each in plans("modern", ALL))
    different = found["two-sample"].only(lambda data: data.name != NULL_MIXTURE)
    others = {f"two samples: {name}": group for name, group in different.groups(family).items()}
    others |= {f"simulations, n = {n}": group for n, group in found["small"].groups(lambda data: data.n).items()}
    others["relations of our own"] = found["own"]
    others["faint relations, n = 1000"] = found["large"]
    grid = {name: len(dimensions(name)) for name in DEPENDENT}
    facts = {
        **published(found["published"], options.published),
        "fresh": fresh(replace(plan["published"], seed=FRESH), options.store),
        **halves(),
        "simulations": str(len(grid)),
        "grid_cells": str(sum(grid.values())),
        "margin": f"{MARGIN:g}",
        "figure": picture(found["published"], others),
        "pvalue": own_pvalue(plan["pvalue"], plan["published"], options.store),
        "two_sample": two_sample(found["two-sample"]),
        "small": small(found["small"]),
        "own": own(found["own"]),
        "large": own(found["large"]),
        "modern_groups": modern(groups, family),
        "modern_numbers": modern(numbers, relation),
        "members_published": members(f"{len(DEPENDENT)} simulations", plan["published"], False, options.store),
        "members_own": members("relations of our own", plan["own"], False, options.store),
        "members_two_sample": members("two samples", plan["two-sample"], True, options.store),
        "cost": cost(found["published"], options.store),
        "cost_by_the_null": by_the_null(plan["cost"], options.store),
    }
    marks.write(DOCS / "power.md", facts)


if __name__ == "__main__":
    main()
