"""Effect sizes against known truths: bias and coverage of R2 and AUC over designs, written into docs/effects.md.

    python -m benchmarks.studies.effect_sizes --store effects.jsonl            # compute the rest, then write the page
    python -m benchmarks.studies.effect_sizes --store effects.jsonl --part 0/2 # one of two processes
    python -m benchmarks.studies.effect_sizes --store effects.jsonl --write    # only write the page
    python -m benchmarks.studies.effect_sizes --store core.jsonl --core        # the table of 400 data sets
    python -m benchmarks.studies.effect_sizes --store some.jsonl --designs "classes|groups"   # of some designs

The truth of R2 is cov(y, y') / var(y), with y' drawn again for the same x, from a million rows. That of an AUC is the
AUC of the true probabilities. Each data set is a line of the store, so that a run can be stopped and resumed. Lines of
the page whose cells the store does not have stay as they are.
"""

from __future__ import annotations

import argparse
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.pages.marks import DOCS, table, write
from kmerf.data.block_parts import block_part
from kmerf.explain.effects import find_beyond, find_effect
from kmerf.forests.fitted import auc
from kmerf.reading.samples import read_independence

DATA_SETS = 200
FEWEST = 100  # that the page shows
CORE_DATA_SETS = 400
CORE_START = 1000  # the number of the first data set of the core: none is one of the other tables
MANY = 1_000_000
PAGE = DOCS / "effects.md"
HEAD = ["design", "rows", "data sets"]


class Data(NamedTuple):
    """Rows without y: what y depends on, which blocks they are in, what is given."""

    x: Any
    blocks: Any = None
    z: Any = None
    categorical: tuple[int, ...] = ()


class Design(NamedTuple):
    """How x comes about, and y from it."""

    rows: Callable[[int, np.random.Generator], Data]
    y: Callable[[Data, np.random.Generator], np.ndarray]
    sizes: tuple[int, ...] = (24, 50)
    exchange: str = "within"
    again: Callable[[Data, np.random.Generator], Data] | None = None  # x drawn again for the same z
    score: Callable[[np.ndarray], np.ndarray] | None = None  # log-densities of the classes (n, k), up to a constant
    strata: bool = False  # whether several rows share each value of z


def groups(k: int, shares: tuple[float, ...] = ()) -> Callable[[int, np.random.Generator], Data]:
    """Return rows of one category, of groups of equal size or of these shares."""

    def rows(n: int, rng: np.random.Generator) -> Data:
        place = (np.arange(n) + 0.5) / n
        codes = np.searchsorted(np.cumsum(shares)[:-1], place) if shares else np.arange(n) % k
        return Data(codes[:, None].astype(float), categorical=(0,))

    return rows


def numbers(p: int = 1, low: float | None = None) -> Callable[[int, np.random.Generator], Data]:
    """Return rows of normal columns, or of uniform ones."""
    if low is None:
        return lambda n, rng: Data(rng.normal(size=(n, p)))
    return lambda n, rng: Data(rng.uniform(low, -low, size=(n, p)))


def plus_noise(mean: Callable[[np.ndarray], np.ndarray], spread: float = 1.0) -> Callable[..., np.ndarray]:
    """Return y with normal noise around a function of x."""
    return lambda data, rng: mean(data.x) + spread * rng.normal(size=len(data.x))


def by_level(*means: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return the mean of each level."""
    return lambda x: np.array(means)[x[:, 0].astype(int)]


def mixed(n: int, rng: np.random.Generator) -> Data:
    """Return a category of two levels and a number."""
    return Data(np.column_stack([np.arange(n) % 2, rng.normal(size=n)]).astype(float), categorical=(0,))


def in_blocks(size: int, x: Callable[[int, np.random.Generator], np.ndarray]) -> Callable[..., Data]:
    """Return rows in blocks of a size."""
    return lambda n, rng: Data(x(n, rng)[:, None].astype(float), np.arange(n) // size)


def in_block_noise(mean: Callable[[np.ndarray], np.ndarray], between: float) -> Callable[..., np.ndarray]:
    """Return y with noise between blocks and within them."""

    def y(data: Data, rng: np.random.Generator) -> np.ndarray:
        count = int(data.blocks.max()) + 1  # few blocks are the same in every data set
        shift = between * (rng.normal(size=count) if count > 3 else np.linspace(-1.0, 1.0, count))
        return mean(data.x) + shift[data.blocks] + rng.normal(size=len(data.x))

    return y


def beside_z(n: int, rng: np.random.Generator) -> Data:
    """Return a number x that goes along with z."""
    z = rng.normal(size=(n, 1))
    return Data(0.6 * z + 0.8 * rng.normal(size=(n, 1)), z=z)


def in_strata(n: int, rng: np.random.Generator) -> Data:
    """Return a number in strata of six rows."""
    return Data(rng.normal(size=(n, 1)), z=(np.arange(n) // 6)[:, None].astype(float))


def beside_levels(n: int, rng: np.random.Generator) -> Data:
    """Return a number that rises with a category of six levels."""
    z = np.arange(n) % 6
    return Data((0.6 * z + rng.normal(size=n))[:, None], z=z[:, None].astype(float))


def stratum_noise(data: Data, rng: np.random.Generator) -> np.ndarray:
    """Return y with noise between strata and within them around a line."""
    strata = data.z[:, 0].astype(int)
    return rng.normal(size=int(strata.max()) + 1)[strata] + 0.6 * data.x[:, 0] + rng.normal(size=strata.size)


def levels_and_noise(n: int, rng: np.random.Generator) -> Data:
    """Return a category of four levels and three numbers."""
    return Data(np.column_stack([np.arange(n) % 4, rng.normal(size=(n, 3))]), categorical=(0,))


def slopes_and_noise(n: int, rng: np.random.Generator) -> Data:
    """Return a category of three levels and five numbers."""
    return Data(np.column_stack([np.arange(n) % 3, rng.normal(size=(n, 5))]), categorical=(0,))


def unequal(n: int, rng: np.random.Generator) -> Data:
    """Return before and after in blocks of two, three and five rows."""
    blocks = np.repeat(np.arange(3 * (n // 10 + 1)), np.tile([2, 3, 5], n // 10 + 1))[:n]
    first = np.searchsorted(blocks, blocks)
    return Data(((np.arange(n) - first) % 2)[:, None].astype(float), blocks)


def corners(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return two columns, of classes around three corners of a square."""
    return CORNERS[codes] + rng.normal(size=(codes.size, 2))


def classes(shares: tuple[float, ...], x: Callable[[np.ndarray, np.random.Generator], np.ndarray]) -> dict[str, Any]:
    """Return the parts of a design whose classes come first, and then x."""

    def rows(n: int, rng: np.random.Generator) -> Data:
        codes = np.searchsorted(np.cumsum(shares)[:-1], (np.arange(n) + 0.5) / n)
        return Data(x(codes, rng), blocks=codes)  # the classes, until `sample_of` takes them out

    return {"rows": rows, "y": lambda data, rng: data.blocks.astype(float)}


def shifted(by: float, p: int = 1) -> Callable[[np.ndarray, np.random.Generator], np.ndarray]:
    """Return normal columns, the first with classes this far apart."""

    def x(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        found = rng.normal(size=(codes.size, p))
        found[:, 0] += by * codes
        return found

    return x


def normal_score(by: float, k: int = 2) -> Callable[[np.ndarray], np.ndarray]:
    """Return the log-densities of classes that are so far apart in the first column."""
    return lambda x: -0.5 * (x[:, :1] - by * np.arange(k)) ** 2


def paired(by: float) -> Callable[[int, np.random.Generator], Data]:
    """Return pairs of rows, one of each class."""
    return in_blocks(2, lambda n, rng: np.arange(n) % 2)


TWO_OF_SIX = np.array([0.8, 0.8, 0.0, 0.0, 0.0, 0.0])
OF_LEVELS = np.array([0.0, 3.6, 3.0, 2.4, 4.8, 4.2])
RARE = np.array([0.035 / 0.665, 0.065 / 0.335])
CORNERS = np.array([[0.0, 0.0], [1.2, 0.0], [0.0, 1.2]])
HALF = (0.5, 0.5)
QUARTERS = (0.25,) * 4
ALL = (24, 50, 300)
NOTHING = (20, 30, 60)
DESIGNS = {
    "two groups": Design(groups(2), plus_noise(by_level(0.0, 1.0)), (24, 50, 100, 300, 1000)),
    "two groups, one of a fifth": Design(groups(2, (0.8, 0.2)), plus_noise(by_level(0.0, 1.0))),
    "two groups, close": Design(groups(2), plus_noise(by_level(0.0, 0.4))),
    "3 levels": Design(groups(3), plus_noise(by_level(0.0, 1.2, 0.6))),
    "6 levels": Design(groups(6), plus_noise(by_level(0.0, 2.0, 1.0, 0.0, 1.5, 0.5))),
    "12 levels": Design(groups(12), plus_noise(by_level(*(0.25 * (7 * k % 12) for k in range(12)))), ALL),
    "5 doses, a line": Design(
        lambda n, rng: Data((np.arange(n) % 5)[:, None].astype(float)), plus_noise(lambda x: 0.5 * x[:, 0])
    ),
    "line": Design(numbers(), plus_noise(lambda x: 0.6 * x[:, 0]), ALL),
    "steep line": Design(numbers(), plus_noise(lambda x: 2.0 * x[:, 0])),
    "line, log-normal y": Design(
        numbers(), lambda data, rng: np.exp(0.8 * data.x[:, 0] + 0.8 * rng.normal(size=len(data.x)))
    ),
    "sine": Design(numbers(1, -1.0), plus_noise(lambda x: 1.5 * np.sin(3.0 * x[:, 0])), (24, 50, 300, 1000)),
    "parabola": Design(numbers(1, -1.5), plus_noise(lambda x: x[:, 0] ** 2)),
    "group and number": Design(mixed, plus_noise(lambda x: 0.8 * x[:, 0] + 0.6 * x[:, 1])),
    "a slope for each group": Design(mixed, plus_noise(lambda x: (2.0 * x[:, 0] - 1.0) * x[:, 1]), ALL),
    "5 columns, 1 real": Design(numbers(5), plus_noise(lambda x: x[:, 0]), ALL),
    "20 columns, 2 real": Design(numbers(20), plus_noise(lambda x: 0.8 * x[:, 0] + 0.8 * x[:, 1]), (50, 300, 1000)),
    "10 columns, 3 real, a product": Design(
        numbers(10), plus_noise(lambda x: 0.7 * (x[:, 0] + x[:, 1] + x[:, 0] * x[:, 2])), (50, 300)
    ),
    "12 columns, a product alone": Design(numbers(12), plus_noise(lambda x: x[:, 0] * x[:, 1]), (100,)),
    "12 columns, 2 products": Design(
        numbers(12), plus_noise(lambda x: 0.6 * (x[:, 0] + x[:, 1] + x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3])), (100,)
    ),
    "4 levels and 3 columns of noise": Design(levels_and_noise, plus_noise(by_level(0.0, 1.2, 0.4, 1.6)), ALL),
    "nothing, 1 column": Design(numbers(), plus_noise(lambda x: 0.0 * x[:, 0]), NOTHING),
    "nothing, 3 columns": Design(numbers(3), plus_noise(lambda x: 0.0 * x[:, 0]), NOTHING),
    "nothing, 6 levels": Design(groups(6), plus_noise(by_level(*(0.0,) * 6)), NOTHING),
    "within pairs": Design(paired(1.0), in_block_noise(lambda x: 1.0 * x[:, 0], 1.5)),
    "line within blocks of 6": Design(
        in_blocks(6, lambda n, rng: rng.normal(size=n)), in_block_noise(lambda x: 0.6 * x[:, 0], 1.5), (48, 120, 300)
    ),
    "line within 3 blocks": Design(
        lambda n, rng: Data(rng.normal(size=(n, 1)), np.arange(n) % 3), in_block_noise(lambda x: 0.6 * x[:, 0], 1.5)
    ),
    "two groups of blocks of 4": Design(
        in_blocks(4, lambda n, rng: np.arange(n) // 4 % 2),
        in_block_noise(lambda x: 1.5 * x[:, 0], 0.7),
        (48, 120, 300),
        "between",
    ),
    "given z, a line": Design(
        beside_z,
        lambda data, rng: (data.z + 0.6 * data.x)[:, 0] + rng.normal(size=len(data.x)),
        ALL,
        again=lambda data, rng: data._replace(x=0.6 * data.z + 0.8 * rng.normal(size=data.z.shape)),
    ),
    "given z, nothing": Design(
        beside_z,
        lambda data, rng: data.z[:, 0] + rng.normal(size=len(data.x)),
        again=lambda data, rng: data._replace(x=0.6 * data.z + 0.8 * rng.normal(size=data.z.shape)),
    ),
    "given 6 levels, a line": Design(
        beside_levels,
        lambda data, rng: OF_LEVELS[data.z[:, 0].astype(int)] + 0.5 * data.x[:, 0] + rng.normal(size=len(data.x)),
        (50, 120),
        again=lambda data, rng: data._replace(x=0.6 * data.z + rng.normal(size=data.z.shape)),
        strata=True,
    ),
    "2 classes, d = 0.8": Design(**classes(HALF, shifted(0.8)), sizes=(24, 50, 300, 1000), score=normal_score(0.8)),
    "2 classes, d = 0.3": Design(**classes(HALF, shifted(0.3)), sizes=ALL, score=normal_score(0.3)),
    "2 classes, d = 2": Design(**classes(HALF, shifted(2.0)), score=normal_score(2.0)),
    "2 classes, one of a fifth": Design(**classes((0.8, 0.2), shifted(0.8)), score=normal_score(0.8)),
    "2 classes, spread": Design(
        **classes(HALF, lambda codes, rng: ((1.0 + 2.0 * codes) * rng.normal(size=codes.size))[:, None]),
        score=lambda x: np.column_stack([-0.5 * x[:, 0] ** 2, -0.5 * (x[:, 0] / 3.0) ** 2]),
    ),
    "2 classes, 5 columns": Design(**classes(HALF, shifted(0.8, 5)), sizes=ALL, score=normal_score(0.8)),
    "2 classes by 2 levels": Design(
        **classes(HALF, lambda codes, rng: (rng.random(codes.size) < 0.3 + 0.3 * codes)[:, None].astype(float)),
        score=lambda x: np.column_stack([np.zeros(len(x)), x[:, 0]]),
    ),
    "2 classes by a rare level": Design(  # a tenth of the rows has it; 65 % of these are of the second class, 30 % else
        **classes((0.665, 0.335), lambda codes, rng: (rng.random((codes.size, 1)) < RARE[codes, None]).astype(float)),
        sizes=(80, 300),
        score=lambda x: np.where(x == 1.0, np.log(RARE), np.log(1.0 - RARE)),
    ),
    "4 classes": Design(**classes(QUARTERS, shifted(0.5)), sizes=ALL, score=normal_score(0.5, 4)),
    "nothing, 2 classes": Design(**classes(HALF, shifted(0.0)), sizes=NOTHING, score=normal_score(0.0)),
    "nothing, 2 classes by 2 levels": Design(
        **classes(HALF, lambda codes, rng: rng.integers(0, 2, codes.size)[:, None].astype(float)),
        sizes=NOTHING,
        score=lambda x: np.zeros((len(x), 2)),
    ),
    "nothing, 4 classes, 3 columns": Design(
        **classes(QUARTERS, shifted(0.0, 3)), sizes=NOTHING, score=normal_score(0.0, 4)
    ),
}
# Nothing in the method was chosen by these.
FRESH = {
    "8 columns, a product and a line": Design(
        numbers(8), plus_noise(lambda x: x[:, 0] * x[:, 1] + 0.7 * x[:, 2]), (50, 100, 300)
    ),
    "3 levels, a slope for each, 4 more columns": Design(
        slopes_and_noise, plus_noise(lambda x: (x[:, 0] - 1.0) * x[:, 1]), (50, 300)
    ),
    "nothing, 30 columns": Design(numbers(30), plus_noise(lambda x: 0.0 * x[:, 0]), (100,)),
    "line, noise that grows": Design(
        numbers(1, -1.0), lambda data, rng: (data.x + np.exp(data.x) * rng.normal(size=data.x.shape))[:, 0], ALL
    ),
    "a step": Design(numbers(1, -1.0), plus_noise(lambda x: 1.5 * (x[:, 0] > 0.3)), ALL),
    "4 levels within blocks of 8": Design(
        in_blocks(8, lambda n, rng: np.arange(n) % 4), in_block_noise(lambda x: 0.4 * x[:, 0], 1.5), (48, 120)
    ),
    "given strata of 6, a line": Design(
        in_strata,
        stratum_noise,
        (48, 120),
        again=lambda data, rng: data._replace(x=rng.normal(size=data.x.shape)),
        strata=True,
    ),
    "3 classes in 2 columns": Design(
        **classes((1 / 3,) * 3, corners),
        sizes=ALL,
        score=lambda x: -0.5 * ((x[:, None, :] - CORNERS) ** 2).sum(axis=2),
    ),
}
# Neither by these, which came later.
LATER = {
    "4 doses, heavy tails": Design(
        lambda n, rng: Data((np.arange(n) % 4)[:, None].astype(float)),
        lambda data, rng: 0.5 * data.x[:, 0] + rng.standard_t(3, size=len(data.x)),
        (50, 200),
    ),
    "a class of a tenth, 2 of 6 columns": Design(
        **classes((0.9, 0.1), lambda codes, rng: rng.normal(size=(codes.size, 6)) + TWO_OF_SIX * codes[:, None]),
        sizes=(50, 200),
        score=lambda x: np.column_stack([-0.5 * ((x - by * TWO_OF_SIX) ** 2).sum(axis=1) for by in (0.0, 1.0)]),
    ),
    "before and after, unequal blocks": Design(unequal, in_block_noise(lambda x: 0.7 * x[:, 0], 1.5), (50, 200)),
}
DESIGNS |= FRESH | LATER
# What most people ask, and the designs that came later; with more data sets. Those that take longest come last.
CORE: dict[str, tuple[int, ...]] = {
    **{name: design.sizes for name, design in LATER.items()},
    **dict.fromkeys(("two groups", "3 levels", "within pairs", "2 classes, d = 0.8", "3 classes in 2 columns"), ALL),
    "two groups of blocks of 4": (48, 120, 300),
    "nothing, 2 classes": ALL,
    **dict.fromkeys(("line", "nothing, 1 column", "given z, a line"), (300, 50, 24)),
}


@cache
def truth(name: str) -> dict[str, float]:
    """Return the true values of a design."""
    design, rng = DESIGNS[name], np.random.default_rng(1)
    if "nothing" in name:
        return {"score": 0.0 if design.score is None else 0.5, "rank_score": 0.0}
    n = MANY // 12 * 12
    data = design.rows(n, rng)
    if design.score is not None:
        return {"score": _true_area(design.score(data.x), data.blocks)}
    first = design.y(data, rng)
    second = design.y(data, rng if design.again is None else np.random.default_rng(2))
    others = None if design.again is None else design.y(design.again(data, rng), np.random.default_rng(2))  # same noise
    if data.blocks is not None:  # what a test compares: differences from the means of blocks, or these means
        within = design.exchange == "within"
        first, second = (
            each - _means(each, data.blocks) if within else _block_means(each, data.blocks) for each in (first, second)
        )
    found = {}
    for key, change in (("rank_score", lambda y: np.searchsorted(np.sort(first), y) / y.size), ("score", lambda y: y)):
        a, b = change(first), change(second)
        if data.blocks is not None and within:
            a, b = (each - _means(each, data.blocks) for each in (a, b))
        a, b = a - a.mean(), b - b.mean()
        c = np.zeros(a.size) if others is None else change(others) - change(others).mean()
        found[key] = float((a * (b - c)).mean() / np.sqrt((a**2).mean() * (b**2).mean()))
    return found


def _means(values: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    return _block_means(values, blocks)[blocks]


def _block_means(values: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    return np.bincount(blocks, values) / np.bincount(blocks)


def _true_area(scores: np.ndarray, codes: np.ndarray) -> float:
    found = []
    for a, b in combinations(range(scores.shape[1]), 2):
        rows = np.flatnonzero((codes == a) | (codes == b))
        found.append(auc((scores[:, b] - scores[:, a])[rows], codes[rows] == b))
    return float(np.mean(found))


def estimate(name: str, n: int, number: int) -> dict[str, float | None]:
    """Return the effect that is found in one data set."""
    design = DESIGNS[name]
    rng = np.random.default_rng([zlib.crc32(name.encode()), n, number])
    data = design.rows(n, rng)
    y: Any = design.y(data, rng)
    blocks = data.blocks
    if design.score is not None:
        y, blocks = np.array([f"class {int(code)}" for code in y]), None
    sample = read_independence(data.x, y, categorical=data.categorical, blocks=blocks, given=data.z)
    if data.z is not None:
        beyond = find_beyond(sample, number, strata=data.z[:, 0].astype(int) if design.strata else None)
        assert beyond is not None
        return beyond.effect.to_dict()
    part = block_part(sample, design.exchange)  # as `independence` does
    return find_effect(part.measured or part.sample, part.settings.get("exchange", "within"), number).to_dict()


def main() -> None:
    """Compute what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--core", action="store_true", help="the core designs, in a store of their own")
    parser.add_argument("--data-sets", type=int, default=None)
    parser.add_argument("--designs", default="", help="a pattern that the names of designs contain")
    options = parser.parse_args()
    sizes = CORE if options.core else {name: design.sizes for name, design in DESIGNS.items() if name not in LATER}
    sizes = {name: some for name, some in sizes.items() if re.search(options.designs, name)}
    if not options.write:
        start, usual = (CORE_START, CORE_DATA_SETS) if options.core else (0, DATA_SETS)
        compute(options.store, options.part, sizes, range(start, start + (options.data_sets or usual)))
    if options.part == "0/1":
        write_core(read(options.store)) if options.core else write_page(read(options.store))


def compute(store: Path, part: str, sizes: dict[str, tuple[int, ...]], numbers: range) -> None:
    """Add what is missing to the store."""
    mine, of = map(int, part.split("/"))
    path = store if of == 1 else store.with_suffix(f".{mine}{store.suffix}")
    known = {(row["design"], row["n"], row["number"]) for row in read(store)}
    cells = [(n, name) for name, some in sizes.items() for n in some]
    with path.open("a", encoding="utf-8") as file:
        for place, (n, name) in enumerate(cells):
            for number in numbers if place % of == mine else ():
                if (name, n, number) not in known:
                    found = estimate(name, n, number)
                    kept = ("score", "score_low", "score_high", "rank_score", "rank_low", "rank_high")
                    line = {"design": name, "n": n, "number": number} | {key: found[key] for key in kept}
                    file.write(json.dumps(line) + "\n")
                    file.flush()


def read(store: Path) -> list[dict[str, Any]]:
    """Return what is known, of all parts."""
    paths = sorted(store.parent.glob(f"{store.stem}*{store.suffix}"))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def lines_of(mark: str) -> tuple[list[str], dict[tuple[str, int], list[list[str]]]]:
    """Return the head of a table of the page, and its lines by design and size."""
    part = PAGE.read_text(encoding="utf-8").split(f"<!-- {mark}:begin -->")[1].split(f"<!-- {mark}:end -->")[0]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines() if line.startswith("|")]
    cells = defaultdict(list)
    for line in lines[2:]:
        cells[line[0], int(line[1])].append(line)
    return lines[0], cells


def write_core(rows: list[dict[str, Any]]) -> None:
    """Write the table of the core."""
    cells, written = by_cell(rows), lines_of("core")[1]
    lines: list[list[str]] = []
    for name, sizes in CORE.items():
        for n in sizes:
            found = cells.get((name, n), [])
            lines += _measures(name, n, found) if len(found) >= FEWEST else written[name, n]
    write(PAGE, {"core": table([*HEAD, "measure", "truth", "bias", "covered"], lines)})


def by_cell(rows: list[dict[str, Any]]) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """Return the data sets of each design and size."""
    cells = defaultdict(list)
    for row in rows:
        cells[row["design"], row["n"]].append(row)
    return cells


def write_page(rows: list[dict[str, Any]]) -> None:
    """Write the tables."""
    cells = by_cell(rows)
    tables: dict[str, list[list[str]]] = {"shares": [], "areas": [], "fresh": []}
    written = {mark: lines_of(mark)[1] for mark in tables}
    for name, design in DESIGNS.items():
        for n in design.sizes if name not in LATER else ():
            mark = "fresh" if name in FRESH else "shares" if design.score is None else "areas"
            found = cells.get((name, n), [])
            if len(found) < FEWEST:
                tables[mark] += written[mark].get((name, n), [])
                continue
            measures = _measures(name, n, found)
            if name in FRESH:
                tables[mark] += measures
            else:  # the measures side by side
                tables[mark].append([*measures[0][:3], *(word for each in measures for word in each[4:])])
    each = ["truth", "bias", "covered"]
    write(
        PAGE,
        {
            "shares": table(
                [*HEAD, *(f"ranks: {word}" for word in each), *(f"values: {word}" for word in each)], tables["shares"]
            ),
            "areas": table([*HEAD, *each], tables["areas"]),
            "fresh": table([*HEAD, "measure", *each], tables["fresh"]),
        },
    )
    write_distribution()


def write_distribution() -> None:
    """Write how bias and coverage are distributed over the cells of the tables on the page."""
    cells = []
    for mark in ("fresh", "shares", "areas"):
        head, written = lines_of(mark)
        places = [k for k, word in enumerate(head) if word.endswith("bias")]
        for line in (line for lines in written.values() for line in lines):
            for k in places:  # coverage stands beside it
                bias, error = map(float, line[k].split("±"))
                cells.append((int(line[1]), int(line[2]), bias, error, float(line[k + 1].split("±")[0])))
    found, rows = np.array(cells), []
    for words, low, high in (("up to 30", 0, 30), ("48 to 60", 31, 60), ("100 and more", 61, 10**6), ("all", 0, 10**6)):
        n, sets, bias, error, covered = found[(found[:, 0] >= low) & (found[:, 0] <= high)].T
        target = np.where(n < 48, 0.05, 0.02)
        mean = covered.mean()
        chance = np.sqrt((mean * (1.0 - mean) / sets).mean())
        apart = np.sqrt(max(0.0, covered.var(ddof=1) - chance**2))
        inside = (covered >= 0.93) & (covered <= 0.98)
        rows.append(
            [
                words,
                str(n.size),
                f"{bias.mean():+.3f}",
                f"{(np.abs(bias) <= target).sum()}",
                f"{(np.abs(bias) - 2.0 * error > target).sum()}",
                f"{mean:.3f}",
                f"{chance:.3f}",
                f"{apart:.3f}",
                f"{(covered < 0.93).sum()}, {inside.sum()}, {(covered > 0.98).sum()}",
            ]
        )
    heads = ["rows", "cells", "mean bias", "within target", "clearly outside", "mean coverage", "sd by chance"]
    heads += ["sd between cells", "below 0.93, between, above 0.98"]
    write(PAGE, {"distribution": table(heads, rows)})


def _measures(name: str, n: int, found: list[dict[str, Any]]) -> list[list[str]]:
    """Return one line for each measure: the cell, the measure, its truth, bias and coverage."""
    design = DESIGNS[name]
    names = {"rank": "R2 of ranks", "score": "R2"}
    if design.score is not None:
        several = design.rows(n, np.random.default_rng(0)).blocks.max() > 1
        names = {"score": "mean AUC" if several else "AUC"}
    return [
        [
            name,
            str(n),
            str(len(found)),
            measure,
            *_judged(found, key, truth(name)["rank_score" if key == "rank" else key]),
        ]
        for key, measure in names.items()
    ]


def _judged(rows: list[dict[str, Any]], key: str, value: float) -> list[str]:
    """Return the truth, the bias and how often the interval covers it."""
    value = round(value, 3) + 0.0
    found = np.array([row["rank_score" if key == "rank" else "score"] for row in rows])
    low, high = (np.array([row[f"{key}_{end}"] for row in rows]) for end in ("low", "high"))
    covered = (low <= value + 1e-9) & (value - 1e-9 <= high)
    error, share = found.std(ddof=1) / np.sqrt(found.size), covered.mean()
    margin = np.sqrt(share * (1.0 - share) / found.size)
    return [f"{value:.3f}", f"{found.mean() - value:+.3f} ± {error:.3f}", f"{share:.3f} ± {margin:.3f}"]


if __name__ == "__main__":
    main()
