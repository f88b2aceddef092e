"""Write the numbers and figures of docs/reproduction.md from the store of benchmarks/studies/reproduction.py.

    python -m benchmarks.pages.reproduction_page --store reproduction.sqlite --published FOLDER

FOLDER holds the published tables. Parts whose study the store does not hold stay as they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import marks
from benchmarks.pages.marks import DOCS, table
from benchmarks.studies.reproduction import PARTS, TABLES, at, compared, plan
from kmerf import ForestSpec, simulations, study
from kmerf.core.errors import InputError
from kmerf.figures import plot_power
from kmerf.forests.growing import Forest, presort
from kmerf.forests.proximity import partner_counts
from kmerf.forests.response_kernels import PointKernel, over_trees
from kmerf.simulations import SIMULATIONS

NAMES = list(SIMULATIONS)
TRUE_NULL = "multimodal_independence"


def beside_published(part: str, found: list[study.Agreement]) -> str:
    tests = list(dict.fromkeys(each.ours.test for each in found))
    by_place = {(each.ours.data, each.ours.test): each for each in found}
    axis = "n" if part.endswith("_n") else "p"

    def cell(each: study.Agreement) -> str:
        text = f"{each.ours.power:.2f} / {each.published.power:.2f}"
        return f"**{text}**" if each.holm <= 0.05 else text

    rows = [
        [SIMULATIONS[data.name].title, str(at(part, by_place[data, tests[0]].ours))]
        + [cell(by_place[data, test]) for test in tests]
        for data in dict.fromkeys(each.ours.data for each in found)
    ]
    return table(["simulation", axis, *tests], rows)


def agreement_summary(part: str, found: list[study.Agreement]) -> str:
    wrong = [each for each in found if each.holm <= 0.05]
    z = np.array([each.z for each in found])
    moving = np.array([0.02 < each.published.power < 0.98 for each in found])
    worst = max(found, key=lambda each: abs(each.z))
    lines = [
        f"{len(found)} powers; {len(wrong)} differ from the published ones by more than the Monte Carlo error of both "
        f"(Holm, family-wise level 0.05). Over the {moving.sum()} whose published power lies between 0.02 and 0.98 the "
        f"mean of z is {z[moving].mean():.2f} and of z² {np.mean(z[moving] ** 2):.2f} (1 if there is nothing but "
        f"chance); the largest |z| is {abs(worst.z):.1f} ({worst.ours.test}, "
        f"{SIMULATIONS[worst.ours.data.name].title}, {at(part, worst.ours)}).",
    ]
    for each in wrong:
        lines.append(
            f"- {each.ours.test}, {SIMULATIONS[each.ours.data.name].title}, {at(part, each.ours)}: ours "
            f"{each.ours.power:.3f} ({each.ours.interval[0]:.3f} to {each.ours.interval[1]:.3f}), published "
            f"{each.published.power:.3f}, z = {each.z:.1f}."
        )
    return "\n".join(lines)


def means(found: list[study.Power], group: Callable[[study.Power], object], null: str = TRUE_NULL) -> str:
    """Mean power of each test over the dependent simulations, and its type-I error on the one that is not, if any."""
    tests = list(dict.fromkeys(cell.test for cell in found))
    rows = []
    for key in dict.fromkeys(map(group, found)):
        chosen = [cell for cell in found if group(cell) == key]
        for title, wanted in (("mean power", False), ("type-I error (independent)", True)):
            inside = [cell for cell in chosen if (cell.data.name == null) == wanted]
            if not inside:
                continue
            values = [[cell.power for cell in inside if cell.test == test] for test in tests]
            rows.append([str(key), title, *(f"{np.mean(column):.3f}" for column in values)])
    return table(["", "", *tests], rows)


def save(found: list[study.Power], name: str, **options: Any) -> str:
    path = DOCS / "images" / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    plot_power(found, **options).savefig(path)
    return f"![{name.replace('_', ' ')}](images/{name}.png)"


def multiscale(design: study.Study, store: Path) -> str:
    found = study.power(design, store)
    plain, local = list(design.tests)
    by_place = {(cell.data.name, cell.test): cell for cell in found}
    rows = [
        [
            SIMULATIONS[name].title,
            *(
                f"{by_place[name, test].power:.3f} ± {by_place[name, test].standard_error:.3f}"
                for test in (plain, local)
            ),
        ]
        for name in NAMES
    ]
    dependent = [name for name in NAMES if name != TRUE_NULL]
    mean = [np.mean([by_place[name, test].power for name in dependent]) for test in (plain, local)]
    seconds = study.timings(design, store)
    cost = [1000 * np.median([s for (test, _), s in seconds.items() if test == label]) for label in (plain, local)]
    rows += [
        ["**mean of the 19 dependent**", *(f"**{value:.3f}**" for value in mean)],
        ["**milliseconds per replicate** (two fits)", *(f"**{value:.0f}**" for value in cost)],
    ]
    better = [
        SIMULATIONS[name].title
        for name in dependent
        if by_place[name, local].power - by_place[name, plain].power
        > 2 * np.hypot(by_place[name, local].standard_error, by_place[name, plain].standard_error)
    ]
    said = (
        f"Similar in most simulations, and better by more than two standard errors in {len(better)} of 19 "
        f"({', '.join(better)}): those in which the spread of y moves with x more than its mean does. It took "
        f"{cost[1] / cost[0]:.1f} times as long at n = 100; its cost grows as n² log n, that of the plain one as n."
    )
    return table(["n = 100, p = 3, κ = 1", "plain", "multiscale"], rows) + "\n\n" + said


def leaf_sizes(sizes: Iterable[int]) -> dict[int, float]:
    """Mean distance in x between rows that share a leaf, over that between any two rows; `all` proximity, p = 3."""
    found = {}
    for n in sizes:
        x, y = simulations.simulate("quadratic", n, 3, kappa=1.0, rng=n)
        leaves = Forest(ForestSpec(n_trees=100), presort(x), y, False, 0).leaves()
        points = PointKernel.of(x)
        within = -over_trees(leaves, "all", points.within(np.arange(n))) / partner_counts(leaves, "all").sum()
        found[n] = within / (-points.rows.sum() / (n * (n - 1)))
    return found


def consistency(design: study.Study, store: Path) -> str:
    found = study.power(design, store)
    sizes = list(dict.fromkeys(cell.data.n for cell in found))
    by_place = {(cell.data.name, cell.data.n): cell for cell in found}
    raw = {(cell.data.name, cell.data.n): cell.statistic for cell in study.cells(design, store)}
    rows = [[SIMULATIONS[name].title, *(f"{by_place[name, n].power:.2f}" for n in sizes)] for name in NAMES]
    nothing = [raw[TRUE_NULL, n] for n in sizes]
    errors = [f"{v.mean():.4f} ± {v.std(ddof=1) / np.sqrt(v.size):.4f}" for v in nothing]
    rows.append(["independent: mean statistic", *errors])
    rows.append(["independent: root mean square", *(f"{np.sqrt((v**2).mean()):.4f}" for v in nothing)])
    rows.append(["distance within leaves / overall", *(f"{size:.3f}" for size in leaf_sizes(sizes).values())])
    return table(["power at n =", *map(str, sizes)], rows)


def full_figure(design: study.Study, store: Path) -> str:
    """How long Figure 1 of the paper would take: 10,000 replicates of every simulation and dimension."""
    seconds = study.timings(design, store)
    total = 0.0
    for name in NAMES:
        known = sorted((data.p, s) for (test, data), s in seconds.items() if test == "KMERF" and data.name == name)
        at_p, cost = np.array(known).T
        # Cost grows in proportion to p (p q where y has as many columns) beyond the largest dimension measured.
        power = 2 if name in ("sin_four_pi", "sin_sixteen_pi", "square", "diamond") else 1
        for p in simulations.dimension_grid(name):
            total += np.interp(p, at_p, cost) if p <= at_p[-1] else cost[-1] * (p / at_p[-1]) ** power
    ten = [s for (test, data), s in seconds.items() if test == "KMERF" and data.p == 10 and data.name == "quadratic"]
    return (
        f"One replicate of KMERF, an observed and a permuted fit of 500 trees, took {1000 * np.median(ten):.0f} ms on "
        f"one core at n = 100, p = 10 (quadratic). At the measured rates the paper's whole Figure 1 for KMERF, 10,000 "
        f"replicates of 20 simulations at every dimension of the published grids, takes "
        f"{total * 10_000 / 2 / 3600:.0f} hours on 2 cores; costs beyond the largest dimension measured are "
        "extrapolated in proportion to p. (The machine ran other jobs as well; an idle one is faster.)"
    )


def powers(design: study.Study, store: Path) -> list[study.Power]:
    """Return what the store has of a study: nothing, perhaps."""
    try:
        return study.power(design, store)
    except InputError:
        return []


def facts(store: Path, published: Path) -> dict[str, str]:
    """Return the parts of the page that the store has the studies for."""
    designs = {part: plan(part, NAMES, None, 500) for part in PARTS}
    found = {part: cells for part in PARTS if (cells := powers(designs[part], store))}
    said: dict[str, str] = {}
    for part in TABLES:
        if part in found:
            agreements = compared(part, found[part], published)
            said[f"{part}_summary"] = agreement_summary(part, agreements)
            said[f"{part}_table"] = beside_published(part, agreements)
    rules: dict[str, dict[str, Any]] = {
        "published_d": {"against": "p", "rules": {"Dcorr": "pvalue", "Hsic": "pvalue"}},
        "published_n": {"against": "n"},
        "paper_d": {"against": "p"},
        "paper_n": {"against": "n"},
    }
    for part, options in rules.items():
        if part in found:
            said[f"{part}_figure"] = save(found[part], part, **options)
    for part, axis in (("paper_d", "p"), ("paper_n", "n")):
        if part in found:
            said[f"{part}_means"] = means(found[part], lambda cell, axis=axis: f"{axis} = {getattr(cell.data, axis)}")
    said |= rotations(found.get("rotations", []))
    for part, section in (("multiscale", multiscale), ("consistency", consistency)):
        if part in found:
            said[part] = section(designs[part], store)
    if "published_d" in found:
        said["full_figure"] = full_figure(designs["published_d"], store)
    return said


def rotations(found: list[study.Power]) -> dict[str, str]:
    """Return the figures and means of two samples, by the angle between them."""
    said = {}
    for angle, key in ((20.0, "rotations_20"), ("random", "rotations_random")):
        turned = [cell for cell in found if cell.data.angle == angle]
        if turned:
            said[f"{key}_figure"] = save(turned, key, against="p")
            said[f"{key}_means"] = means(turned, lambda cell: f"p = {cell.data.p}", null="")
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--published", type=Path, required=True, metavar="FOLDER")
    options = parser.parse_args()
    marks.write(DOCS / "reproduction.md", facts(options.store, options.published))


if __name__ == "__main__":
    main()
