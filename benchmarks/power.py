"""How often does each test find what there is? Our default test, the published ones and newer ones, on the same data.

    python benchmarks/power.py --store power.sqlite --study published --replicates 300
    python benchmarks/power.py --store power.sqlite --study published --only "ours,Dcorr" --cells "p<=100"

Studies:
    published   the 19 dependent simulations by the published formulas without noise, n = 100, five dimensions of each
    pvalue      our own p-value on 20 of those cells, beside the empirical null
    small       the same simulations with n = 30 and 50, p = 3 and a middle dimension
    own         relations of our own: interactions, one feature in fifty, heavy tails, discrete y, missing values, ...
    large       faint relations of our own, n = 1000
    two-sample  15 mixtures with fresh noise, rotations by 20 degrees, and groups of our own; 100 rows in all
    modern      newer tests (benchmarks/modern.py) on some of the cells above
    cost        our default and one forest with the default null, all refits counted, on a few cells

With `--seed 20261116` the published study draws data sets that had no part in any choice, for the page's table of them.

Every test has the same empirical null: two fits a replicate, one of the data and one with y permuted, and the permuted
statistics of all replicates give the cutoff. Studies share their seed, so what one has computed serves the others.
Small dimensions come first. Stop it and start it again with the same store: it goes on where it was.
benchmarks/power_page.py writes docs/power.md from the store.
"""

from __future__ import annotations

import argparse
import operator
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import modern
from relations import FAINT, GROUPS, NUMERIC, Filled, Grouped, Related

from kmerf import KMERF, ForestSpec, rivals, simulations, study
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.protocol import Method
from kmerf.nulls.extrapolated import Extrapolated
from kmerf.simulations import MIXTURES, SIMULATIONS

SEED = 5_2026
FRESH = 20261116  # of the data sets that judge what was chosen on the others
STUDIES = ("cost", "published", "own", "two-sample", "small", "large", "pvalue", "modern")
REPLICATES = {"pvalue": 100, "large": 200, "cost": 5}  # 300 elsewhere
TRUE_NULL = "multimodal_independence"
DEPENDENT = [name for name in SIMULATIONS if name != TRUE_NULL]

PUBLISHED = ("paper", "MGC", "Dcorr", "Hsic", "HHG", "CCA", "RV")
"""The seven tests of the published tables."""

CHOOSING = (
    "linear",
    "cubic",
    "step",
    "w_shaped",
    "uncorrelated_bernoulli",
    "fourth_root",
    "sin_sixteen_pi",
    "diamond",
    "circle",
    "multiplicative_noise",
)
"""The simulations that were looked at while the defaults were chosen; the others only confirm."""


def tests(name: str) -> dict[str, Method]:
    ours: dict[str, Method] = {"ours": Portfolio()}
    if name == "pvalue":
        return ours
    if name == "cost":
        return ours | {"single": KMERF()}
    by_the_table = name in ("published", "small")
    others: dict[str, Method] = {
        "MGC": rivals.MGC(),
        "Dcorr": rivals.Dcorr(),
        # As published: Hsic takes the bandwidth of x for y too, and "CCA" is the RV coefficient (docs/reproduction.md).
        "Hsic": rivals.Hsic(bandwidth="hyppo" if by_the_table else "median"),
        "HHG": rivals.HHG(),
        "CCA": rivals.RV() if by_the_table else rivals.CCA(),
        "RV": rivals.RV(),
    }
    if name == "own":
        others = {label: Filled(method) for label, method in others.items()}
    paper: dict[str, Method] = {"paper": KMERF(ForestSpec(500), proximity="all")}
    if name == "published":  # wide data make forests dear; the paper's is there in place of ours
        return ours | paper | others
    return ours | {"single": KMERF()} | paper | others


def dimensions(name: str) -> tuple[int, ...]:
    """Return five dimensions of the published grid, which has ten points or eight."""
    grid = simulations.dimension_grid(name)
    return tuple(grid[k] for k in ((0, 2, 4, 7, 9) if len(grid) == 10 else (0, 2, 3, 5, 7)))


def published(name: str, p: int, n: int = 100) -> study.Simulated:
    return study.Simulated(name, n, p, 0.0, "published")


def checked() -> list[study.Source]:
    """Return the 20 cells of the p-values: the middle dimension of each simulation, if refits of it are affordable."""
    middle = [published(name, dimensions(name)[2] if dimensions(name)[2] <= 50 else 3) for name in DEPENDENT]
    return [*middle, published("spiral", dimensions("spiral")[1])]


def sources(name: str) -> list[study.Source]:
    """Return the data of a study, small dimensions first."""
    found: list[study.Source] = []
    if name == "published":
        found = [published(each, p) for each in DEPENDENT for p in dimensions(each)]
    elif name == "pvalue":
        found = checked()
    elif name == "cost":
        found = [published("quadratic", 3), published("quadratic", 10), published("uncorrelated_bernoulli", 46)]
        found += [published("square", 11), study.Mixed("claw", 50, 10), Grouped("three_groups")]
    elif name == "small":
        found = [published(k, p, n) for k, n in product(DEPENDENT, (30, 50)) for p in (3, min(100, dimensions(k)[2]))]
    elif name == "own":
        found = [Related(each) for each in NUMERIC]
    elif name == "large":
        found = [Related(each, 1000) for each in FAINT]
    elif name == "two-sample":
        found = [study.Mixed(each, 50, p) for each, p in product(MIXTURES, (3, 6, 10))]
        found += [study.Rotated(each, 50, p, 20.0) for each, p in product(SIMULATIONS, (3, 6, 10))]
        found += [Grouped(each) for each in GROUPS]
    return sorted(found, key=lambda source: source.p)


def plans(name: str, replicates: int | None = None) -> list[study.Study]:
    """Return a study; the newer tests are two, for they are not all for the same data."""
    size = replicates or REPLICATES.get(name, 300)
    if name == "modern":
        groups = [data for data in sources("two-sample") if isinstance(data, Grouped) or data.p == 6]
        numbers = [published(each, p) for each in DEPENDENT for p in dimensions(each)[:3] if p <= 50]
        relations = [data for data in sources("own") if data.name != "missing_values"]
        ours = tests("pvalue")
        return [
            study.Study(ours | modern.TWO_SAMPLE, groups, size, SEED),
            study.Study(ours | modern.INDEPENDENCE, [*sorted(numbers, key=lambda s: s.p), *relations], size, SEED),
        ]
    chosen = tests(name)
    own = dict.fromkeys(chosen, Extrapolated()) if name in ("pvalue", "cost") else {}
    return [study.Study(chosen, sources(name), size, SEED, own)]


_SIGNS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "=": operator.eq}


def keeps(cells: str, data: study.Source) -> bool:
    """Tell whether a source meets every one of some conditions, such as "p<=100, n=30" or "name=linear"."""
    for condition in filter(None, map(str.strip, cells.split(","))):
        parts = re.fullmatch(r"(n|p|name)\s*(<=|>=|<|>|=)\s*(\w+)", condition)
        if parts is None:
            raise SystemExit(f"--cells {condition!r} cannot be read: write it like p<=100, n=30 or name=linear.")
        field, sign, value = parts.groups()
        if not _SIGNS[sign](getattr(data, field), value if field == "name" else int(value)):
            return False
    return True


def restricted(plan: study.Study, only: Sequence[str], cells: str, seed: int = SEED) -> study.Study | None:
    """Return the part of a study that was asked for, or None where there is nothing of it."""
    chosen = {label: method for label, method in plan.tests.items() if not only or label in only}
    data = [source for source in plan.data if keeps(cells, source)]
    own = {label: null for label, null in plan.pvalue.items() if label in chosen}
    return study.Study(chosen, data, plan.replicates, seed, own) if chosen and data else None


def show(found: list[study.Power]) -> None:
    labels = list(dict.fromkeys((power.test, power.rule) for power in found))
    heads = [test if rule == "published" else f"{test} p" for test, rule in labels]
    print(f"{'':<44}" + "".join(f"{head:>9}" for head in heads))
    by_place = {(power.data, power.test, power.rule): power.power for power in found}
    rows = list(dict.fromkeys(power.data for power in found))
    for data in rows:
        title = f"{data.name} n={data.n} p={data.p}"
        cells = [by_place.get((data, *label)) for label in labels]
        print(f"{title:<44}" + "".join(f"{'-':>9}" if cell is None else f"{cell:>9.3f}" for cell in cells))
    whole = [data for data in rows if all((data, *label) in by_place for label in labels)]
    if whole:
        means = [sum(by_place[(data, *label)] for data in whole) / len(whole) for label in labels]
        print(f"{f'mean of {len(whole)} rows with all tests':<44}" + "".join(f"{mean:>9.3f}" for mean in means))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--study", choices=[*STUDIES, "all"], default="all")
    parser.add_argument("--replicates", type=int, help="300 (large 200, pvalue 100, cost 5)")
    parser.add_argument("--only", default="", metavar="TESTS", help="labels of tests, with commas between them")
    parser.add_argument("--cells", default="", metavar="CONDITIONS", help='such as "p<=100, n=30" or "name=linear"')
    parser.add_argument("--store", type=Path, default=Path("power.sqlite"))
    parser.add_argument("--seed", type=int, default=SEED, help=f"{FRESH} draws data that had no part in any choice")
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    only = [label for label in map(str.strip, options.only.split(",")) if label]
    for name in STUDIES if options.study == "all" else [options.study]:
        for whole in plans(name, options.replicates):
            plan = restricted(whole, only, options.cells, options.seed)
            if plan is None:
                continue
            study.run(plan, options.store, n_jobs=options.jobs, progress=True)
            print(f"\n{name}: {plan.replicates} replicates")
            show(study.power(plan, options.store))


if __name__ == "__main__":
    main()
