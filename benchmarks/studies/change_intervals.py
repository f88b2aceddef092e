"""How often do the 95 % intervals of `result.changes`, and that of the C-index, hold the truth?

    python -m benchmarks.studies.change_intervals --store changes.jsonl --parts times shown --first 1000
    python -m benchmarks.studies.change_intervals --store changes.jsonl --parts changes largest --write

The truth follows from the design. The contrast of low and high values is compared with that of the population beyond
the cut-offs that are printed, and beyond its own quartiles. Of ten columns, the one named in advance is the
first, the largest is the one whose estimate is largest for its interval, and the one shown first is
`result.changes[0]` of the default test, with few permutations. The C-index is compared with
that of the true risks, from many rows. Its correction was chosen on the first 40 data sets, so these begin later.

Each data set is a line of the store, so that a run can be stopped and resumed; `--write` puts what is known into
docs/changes.md.
"""

from __future__ import annotations

import argparse
import json
import math
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, stats

import kmerf
from benchmarks.pages.marks import DOCS, table, write
from kmerf.data.sample import Followed, Sample
from kmerf.explain.changes import find_changes, first_of
from kmerf.explain.effects import find_effect
from kmerf.explain.hazards import compared
from kmerf.reading.samples import read_independence, read_ksample
from kmerf.results.parts import FIRST_CHANGES, HUMP, PAIRS, RATIO, U_SHAPE, Change

DATA_SETS = 400
FEWEST = 40  # data sets of a coverage that is shown
SIZES = (40, 100, 400)
PAGE = DOCS / "changes.md"
MANY = 4000  # rows, of each of MEANT data sets, that give the true C-index
MEANT = 25
QUARTILE = float(stats.norm.ppf(0.75))
BEYOND = float(stats.norm.pdf(QUARTILE)) / 0.25  # mean of a normal column beyond its upper quartile
Draw = Callable[[int, np.random.Generator], tuple[Sample, Any]]


class Design(NamedTuple):
    """How a sample comes about with its true change: a number, one per `step`, or a function of what is compared."""

    draw: Draw
    groups: bool = False
    exchange: str = ""
    measure: str = ""
    """Which changes count; if empty, those of a test without evidence, which are differences of means."""


class Found(NamedTuple):
    """One estimate beside the truth."""

    estimate: float
    low: float
    high: float
    truth: float


# --- groups ---


def two_groups(noise: Callable[..., Any], shift: float = 0.5, spread: float = 1.0, second: float = 0.5) -> Draw:
    """Return a column in two groups: noise of mean 0, in the second group wider and shifted."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        code = np.arange(n) < round(second * n)
        x = noise(rng, n) * np.where(code, spread, 1.0) + shift * code
        return read_ksample(x[:, None], groups=np.where(code, "b", "a")), shift

    return draw


def normal(rng: np.random.Generator, n: int) -> Any:
    return rng.normal(size=n)


def exponential(rng: np.random.Generator, n: int) -> Any:
    return rng.exponential(size=n) - 1.0


def log_normal(rng: np.random.Generator, n: int) -> Any:
    return np.exp(rng.normal(size=n)) - math.exp(0.5)


def six_groups(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
    code = np.arange(n) % 6
    means = {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.3, "e": 0.3, "f": 0.6}
    x = np.array(list(means.values()))[code] + rng.normal(size=n)
    return read_ksample(x[:, None], groups=np.array(list(means))[code]), lambda c: means[c.second] - means[c.first]


def shares(first: float, second: float, part: float = 0.5) -> Draw:
    """Return two categories, and the share of yes in each."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        code = np.arange(n) < round(part * n)
        said = np.zeros(n, bool)
        while said.all() or not said.any():  # of a column of one value nothing is tested
            said = rng.random(n) < np.where(code, second, first)
        x = np.where(code, "b", "a")[:, None]
        return read_independence(x, np.where(said, "yes", "no"), categorical=[0]), second - first

    return draw


# --- low and high values ---


def between_ends(x: Any) -> float:
    """Return the difference of normal values beyond the cut-offs that are printed of a column."""
    low, high = np.quantile(x, [0.25, 0.75], method="inverted_cdf")
    return float(stats.norm.pdf(high) / stats.norm.sf(high) + stats.norm.pdf(low) / stats.norm.cdf(low))


def line(slope: float, of: str = "cut-offs") -> Draw:
    """Return y along a normal column, with the truth beyond the cut-offs printed, beyond quartiles, or for these x."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        x = rng.normal(size=n)
        sample = read_independence(x[:, None], slope * x + rng.normal(size=n))

        def truth(change: Change) -> float:
            if change.shape in (U_SHAPE, HUMP):
                return 0.0
            if of == "quartiles":
                return 2.0 * slope * BEYOND
            if of == "rows":
                low, high = np.quantile(x, [0.25, 0.75], method="inverted_cdf")
                return slope * float(x[x >= high].mean() - x[x <= low].mean())
            return slope * between_ends(x)

        return sample, truth

    return draw


def share_line(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
    """Return a share that is 0.2 in the lowest quarter of a column, 0.5 in the highest and 0.35 between."""
    x = rng.permutation(n) / n  # which have its quartiles
    share = np.where(x < 0.25, 0.2, np.where(x >= 0.75 - 1.0 / n, 0.5, 0.35))
    said = np.where(rng.random(n) < share, "yes", "no")
    return read_independence(x[:, None], said), lambda c: 0.0 if c.shape in (U_SHAPE, HUMP) else 0.3


# --- given z, and blocks ---


def given_line(*, noise: str = "even", curved: bool = False) -> Draw:
    """Return y along x and z, which go together."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        z = rng.normal(size=n)
        x = 0.6 * (z**2 - 1.0 if curved else z) + 0.8 * rng.normal(size=n)
        width = np.exp(0.5 * x) if noise == "grows" else 1.0
        y = (z**2 if curved else z) + 0.5 * x + width * rng.normal(size=n)
        return read_independence(x[:, None], y, given=z[:, None]), lambda c: 0.5 * c.step

    return draw


def given_groups(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
    """Return a column in two groups that differ in z."""
    z = rng.normal(size=n)
    code = z + rng.normal(size=n) > 0.0
    x = z + 0.5 * code + rng.normal(size=n)
    return read_ksample(x[:, None], groups=np.where(code, "b", "a"), given=z[:, None]), 0.5


def within_line(size: int, slopes: float = 0.0) -> Draw:
    """Return a line within blocks that differ in level and, if asked, in slope."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        blocks = np.arange(n) // size
        shift = rng.normal(size=n)[blocks]
        x = shift + rng.normal(size=n)
        y = 2.0 * shift + (0.5 + slopes * rng.normal(size=n)[blocks]) * x + rng.normal(size=n)
        return read_independence(x[:, None], y, blocks=blocks), lambda c: 0.5 * c.step

    return draw


def pairs(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
    blocks, code = np.arange(n) // 2, np.arange(n) % 2
    x = 0.5 * code + 1.5 * rng.normal(size=n)[blocks] + rng.normal(size=n)
    return read_ksample(x[:, None], groups=np.where(code, "b", "a"), blocks=blocks), 0.5


def block_groups(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
    """Return a column in two groups of whole blocks of four rows."""
    blocks = np.arange(n) // 4
    x = 0.5 * (blocks % 2) + rng.normal(size=n)[blocks] + rng.normal(size=n)
    return read_ksample(x[:, None], groups=np.where(blocks % 2, "b", "a"), blocks=blocks), 0.5


# --- censored times ---


@cache
def censoring_rate(hazards: tuple[float, ...], share: float) -> float:
    """Return the hazard of being censored, such that so many rows are."""
    each = np.array(hazards)
    return float(optimize.brentq(lambda c: float((c / (c + each)).mean()) - share, 1e-6, 1e6))


def censored(rng: np.random.Generator, hazard: Any, share: float, usual: tuple[float, ...]) -> Any:
    """Return times and events."""
    times = rng.exponential(size=hazard.size) / hazard
    ends = rng.exponential(size=hazard.size) / censoring_rate(usual, share)
    return np.column_stack([np.minimum(times, ends), times <= ends])


def hazard_groups(ratio: float, share: float, *, given: bool = False, block: int = 0) -> Draw:
    """Return two categories with this ratio of hazards, given a column that goes along, or within blocks."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        code = np.arange(n) % 2
        z = rng.normal(size=n) if given else np.zeros(n)
        code = (z + rng.normal(size=n) > 0.0).astype(int) if given else code
        blocks = np.arange(n) // block if block else None
        beside = np.exp(0.7 * z) * (np.exp(rng.normal(size=n))[blocks] if block else 1.0)
        y = censored(rng, np.where(code, ratio, 1.0) * beside, share, (1.0, ratio))
        x = np.where(code, "b", "a")[:, None]
        roles: dict[str, Any] = {"given": z[:, None]} if given else {"blocks": blocks} if block else {}
        return read_independence(x, y, y_kind="censored", categorical=[0], **roles), ratio

    return draw


def hazard_doses(share: float) -> Draw:
    """Return three doses, with a ratio of 2 between the ends."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        dose = np.arange(n) % 3
        steps = tuple(2.0 ** (k / 2.0) for k in range(3))
        y = censored(rng, np.array(steps)[dose], share, steps)
        sample = read_independence(dose[:, None].astype(float), y, y_kind="censored")
        return sample, lambda c: 1.0 if c.shape in (U_SHAPE, HUMP) else 2.0

    return draw


DESIGNS = {
    "means, two groups: normal": Design(two_groups(normal), True),
    "skewed (exponential)": Design(two_groups(exponential), True),
    "very skewed (log-normal)": Design(two_groups(log_normal), True),
    "spread 1 : 3": Design(two_groups(normal, spread=3.0), True),
    "sizes 4 : 1": Design(two_groups(normal, second=0.2), True),
    "sizes 4 : 1, spread 1 : 3": Design(two_groups(normal, spread=3.0, second=0.2), True),
    "sizes 4 : 1, skewed": Design(two_groups(exponential, second=0.2), True),
    "six groups: lowest and highest mean": Design(six_groups, True),
    "shares 0.3 and 0.5": Design(shares(0.3, 0.5)),
    "shares 0.05 and 0.10": Design(shares(0.05, 0.10)),
    "shares 0.3 and 0.5, sizes 4 : 1": Design(shares(0.3, 0.5, 0.2)),
    "low and high values: no relation": Design(line(0.0)),
    "line, R2 = 0.2": Design(line(0.5)),
    "steep line, R2 = 0.9, for the same x": Design(line(3.0, "rows")),
    "steep line, R2 = 0.9, beyond the cut-offs printed": Design(line(3.0)),
    "steep line, R2 = 0.9, beyond the true quartiles": Design(line(3.0, "quartiles")),
    "shares 0.2 and 0.5 of low and high values": Design(share_line),
    "slope given z": Design(given_line()),
    "slope given z, noise that grows": Design(given_line(noise="grows")),
    "slope given z, which acts on both by its square": Design(given_line(curved=True)),
    "groups given z": Design(given_groups, True),
    "slope within blocks of 4": Design(within_line(4), exchange="within"),
    "slope within blocks of 4, slopes vary": Design(within_line(4, 0.5), exchange="within"),
    "groups within pairs": Design(pairs, True, "within"),
    "groups of blocks of 4, between blocks": Design(block_groups, True, "between"),
    "groups of blocks of 4, whole blocks": Design(block_groups, True, "whole"),
    "hazard ratio 2, 30 % censored": Design(hazard_groups(2.0, 0.3)),
    "hazard ratio 2, 70 % censored": Design(hazard_groups(2.0, 0.7)),
    "hazard ratio 2 of low and high doses, 30 % censored": Design(hazard_doses(0.3)),
    "hazard ratio 2 of low and high doses, 70 % censored": Design(hazard_doses(0.7)),
    "hazard ratio 2 given z, 30 % censored": Design(hazard_groups(2.0, 0.3, given=True)),
    "hazard ratio 2 within blocks of 4, 30 % censored": Design(hazard_groups(2.0, 0.3, block=4), exchange="within"),
}


# --- skewed columns, whose means do not differ clearly ---


def log_normal_groups(ratio: float, spread: float = 1.5, second: float = 0.5) -> Draw:
    """Return a positive column that is so many times as high in the second of two groups."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        code = np.arange(n) < round(second * n)
        x = np.exp(spread * rng.normal(size=n)) * np.where(code, ratio, 1.0)
        return read_ksample(
            x[:, None], groups=np.where(code, "b", "a")
        ), lambda c: ratio if c.second == "b" else 1 / ratio

    return draw


def heavy_tails(shift: float, second: float = 0.5) -> Draw:
    """Return a column with the tails of Cauchy in two groups."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        code = np.arange(n) < round(second * n)
        x = rng.standard_cauchy(size=n) + shift * code
        higher = 0.5 + math.atan(shift / 2.0) / math.pi
        return read_ksample(
            x[:, None], groups=np.where(code, "b", "a")
        ), lambda c: higher if c.second == "b" else 1 - higher

    return draw


def with_zeros(first: float, second: float) -> Draw:
    """Return a column that is zero in some rows of each group, and log-normal in the others."""

    def draw(n: int, rng: np.random.Generator) -> tuple[Sample, Any]:
        code = np.arange(n) < n // 2
        x = np.exp(2.0 * rng.normal(size=n)) * (rng.random(n) >= np.where(code, second, first))
        higher = (1 - second) * (0.5 * (1 - first) + first) + 0.5 * first * second
        return read_ksample(
            x[:, None], groups=np.where(code, "b", "a")
        ), lambda c: higher if c.second == "b" else 1 - higher

    return draw


SKEWED = {
    "ratio 2, log-normal (sd 1.5)": Design(log_normal_groups(2.0), True, measure=RATIO),
    "ratio 4, log-normal (sd 1.5)": Design(log_normal_groups(4.0), True, measure=RATIO),
    "ratio 4, log-normal (sd 2.5)": Design(log_normal_groups(4.0, 2.5), True, measure=RATIO),
    "ratio 4, log-normal (sd 2.5), sizes 4 : 1": Design(log_normal_groups(4.0, 2.5, 0.2), True, measure=RATIO),
    "pairs 0.65 (Cauchy)": Design(heavy_tails(1.0), True, measure=PAIRS),
    "pairs 0.81 (Cauchy)": Design(heavy_tails(3.0), True, measure=PAIRS),
    "pairs 0.81 (Cauchy), sizes 4 : 1": Design(heavy_tails(3.0, 0.2), True, measure=PAIRS),
    "pairs 0.70 (zeros in 0.6 and 0.2)": Design(with_zeros(0.6, 0.2), True, measure=PAIRS),
}


def change_of(name: str, n: int, rng: np.random.Generator) -> dict[str, Found]:
    """Return the change of one data set, or nothing if none is shown."""
    design = (DESIGNS | SKEWED)[name]
    sample, truth = design.draw(n, rng)
    evident = bool(design.measure)
    found = find_changes(sample, [0], groups=design.groups, exchange=design.exchange, evident=evident)
    if not found or (evident and found[0].measure != design.measure):
        return {}
    change = found[0]
    right = truth(change) if callable(truth) else truth
    return {name: Found(change.estimate, change.low, change.high, float(right))}


# --- the column that is shown first ---

COLUMNS = {
    "10 columns of noise": 0.0,
    "10 columns, each with a correlation of 0.1": 0.1,
    "10 columns, the first with a correlation of 0.5": 0.5,
}
SHOWN_SIZES = (100,)
PRINTED = ("printed 0", "printed 1", "printed 2")
SHOWN_AS = {
    "column named in advance": ("largest", ("named",)),
    "largest of ten": ("largest", ("largest",)),
    "first shown": ("shown", ("first",)),
    "first shown, p <= 0.05": ("shown", PRINTED[:1]),
    "three shown, p <= 0.05": ("shown", PRINTED),
}
PERMUTATIONS = 19


def ten_columns(name: str, n: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return ten columns, y, and how y depends on each."""
    r = COLUMNS[name]
    weights = np.full(10, r) if r < 0.5 else np.array([r, *[0.0] * 9])
    x = rng.normal(size=(n, 10))
    return x, x @ weights + math.sqrt(1.0 - float((weights**2).sum())) * rng.normal(size=n), weights


def beside_truth(change: Change, x: Any, weights: Any) -> Found:
    """Return a change of ten columns beside the truth beyond the cut-offs printed."""
    j = int(change.column[1:]) - 1
    bent = change.shape in (U_SHAPE, HUMP)
    return Found(change.estimate, change.low, change.high, 0.0 if bent else float(weights[j]) * between_ends(x[:, j]))


def largest_of(name: str, n: int, rng: np.random.Generator) -> dict[str, Found]:
    """Return the changes of the first column, and of the one with the largest estimate for its interval."""
    x, y, weights = ten_columns(name, n, rng)
    sample = read_independence(x, y)
    named = find_changes(sample, [0], groups=False)[0]
    changes = find_changes(sample, range(10), groups=False, chosen_from=first_of(sample))
    largest = max(changes, key=lambda change: abs(change.estimate) / (change.high - change.low))
    return {"named": beside_truth(named, x, weights), "largest": beside_truth(largest, x, weights)}


def shown_of(name: str, n: int, rng: np.random.Generator) -> dict[str, Found]:
    """Return the change that is shown first, and the three if the test has evidence, without which none is printed."""
    x, y, weights = ten_columns(name, n, rng)
    result = kmerf.independence(x, y, null=kmerf.Permutation(PERMUTATIONS), rng=int(rng.integers(2**31)), n_jobs=1)
    three = [beside_truth(change, x, weights) for change in result.changes[:FIRST_CHANGES]]
    printed = {f"printed {k}": each for k, each in enumerate(three)} if result.pvalue <= 0.05 else {}
    return {"first": three[0]} | printed


# --- the C-index ---

TIMES = {
    "no relation, 30 % censored": (0.0, 1, 0.3),
    "log hazard 0.7 x, 30 % censored": (0.7, 1, 0.3),
    "log hazard 0.7 x, 70 % censored": (0.7, 1, 0.7),
}


def times_of(slope: float, p: int, share: float, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return x, times and events."""
    x = rng.normal(size=(n, p))
    usual = tuple(np.exp(slope * stats.norm.ppf((np.arange(400) + 0.5) / 400)).tolist())
    return x, censored(rng, np.exp(slope * x[:, 0]), share, usual)


@cache
def true_concordance(name: str) -> float:
    """Return the C-index of the true risks."""
    slope, p, share = TIMES[name]
    if slope == 0.0:
        return 0.5
    rng = np.random.default_rng(1)
    found = []
    for _ in range(MEANT):
        x, y = times_of(slope, p, share, MANY, rng)
        right, pairs = compared(Followed(y[:, 0], y[:, 1]), x[:, 0])
        found.append(right.sum() / pairs.sum())
    return float(np.mean(found))


def concordance_of(name: str, n: int, rng: np.random.Generator) -> dict[str, Found]:
    """Return the C-index of one data set."""
    x, y = times_of(*TIMES[name], n, rng)
    effect = find_effect(read_independence(x, y, y_kind="censored"), "within", int(rng.integers(2**31)), 1)
    c, low, high = effect.concordance, effect.concordance_low, effect.concordance_high
    assert c is not None
    assert low is not None
    assert high is not None
    return {name: Found(c, low, high, true_concordance(name))}


# --- the study ---

PARTS: dict[str, tuple[dict[str, Any], tuple[int, ...], Callable[..., dict[str, Found]]]] = {
    "changes": (DESIGNS, SIZES, change_of),
    "skewed": (SKEWED, SIZES, change_of),
    "times": (TIMES, SIZES, concordance_of),
    "largest": (COLUMNS, SIZES, largest_of),
    "shown": (COLUMNS, SHOWN_SIZES, shown_of),
}


def cells(parts: list[str]) -> Iterator[tuple[str, str, int]]:
    """Yield what is measured."""
    for part in parts:
        names, sizes, _ = PARTS[part]
        yield from ((part, name, n) for n in sizes for name in names)


def compute(store: Path, parts: list[str], data_sets: int, first: int = 0) -> None:
    """Add what is missing to the store, from the data set of that number on."""
    known = {(row["part"], row["design"], row["n"], row["number"]) for row in read(store)}
    with store.open("a", encoding="utf-8") as file:
        for part, name, n in cells(parts):
            for number in range(first, first + data_sets):
                if (part, name, n, number) not in known:
                    rng = np.random.default_rng([zlib.crc32(name.encode()), n, number])
                    found = PARTS[part][2](name, n, rng)
                    file.write(json.dumps({"part": part, "design": name, "n": n, "number": number, "found": found}))
                    file.write("\n")
            file.flush()


def read(store: Path) -> list[dict[str, Any]]:
    """Return what is known."""
    return [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()] if store.exists() else []


def coverage(found: list[Found]) -> str:
    """Return the share of intervals that hold the truth."""
    share = float(np.mean([each.low <= each.truth <= each.high for each in found]))
    return f"{share:.3f}"


def write_page(rows: list[dict[str, Any]]) -> None:
    """Write the tables."""
    every: dict[tuple[str, str, int], list[dict[str, Found]]] = defaultdict(list)
    for row in rows:
        found = {key: Found(*each) for key, each in row["found"].items()}
        every[row["part"], row["design"], row["n"]].append(found)
    parts = {part for part, _, _ in every}
    tables = {
        "intervals": ("changes", _changes),
        "skewed": ("skewed", _skewed),
        "c-index": ("times", _concordances),
        "shown-first": ("shown", _shown),
    }
    write(PAGE, {mark: made(every) for mark, (part, made) in tables.items() if part in parts})


Cells = dict[tuple[str, str, int], list[dict[str, Found]]]


def _changes(every: Cells) -> str:
    lines = []
    for name in DESIGNS:
        line = [name]
        for n in SIZES:
            found = [each[name] for each in every["changes", name, n] if each]
            share = len(found) / len(every["changes", name, n])
            line.append(coverage(found) + (f" (of {100.0 * share:.0f} %)" if share < 0.995 else ""))
        lines.append(line)
    return "\n".join([table(["design", *(f"{n} rows" for n in SIZES)], lines), "", _runs(every, "changes")])


def _skewed(every: Cells) -> str:
    lines = []
    for name in SKEWED:
        line = [name]
        for n in SIZES:
            runs = every["skewed", name, n]
            found = [each[name] for each in runs if each]
            share = f" (of {100.0 * len(found) / len(runs):.0f} %)"
            line.append((coverage(found) if len(found) >= FEWEST else "-") + share)
        lines.append(line)
    return "\n".join([table(["design", *(f"{n} rows" for n in SIZES)], lines), "", _runs(every, "skewed")])


def _concordances(every: Cells) -> str:
    lines = []
    for name in TIMES:
        for n in SIZES:
            found = [each[name] for each in every["times", name, n]]
            bias = np.array([each.estimate - each.truth for each in found])
            error = bias.std(ddof=1) / math.sqrt(bias.size)
            numbers = f"{found[0].truth:.3f}", f"{bias.mean():+.3f} ± {error:.3f}", coverage(found)
            lines.append([name, str(n), *numbers])
    head = ["design", "rows", "true C-index", "bias", "coverage"]
    return "\n".join([table(head, lines), "", _runs(every, "times")])


def _shown(every: Cells) -> str:
    lines = []
    for name in COLUMNS:
        for n in SIZES:
            line = [name, str(n)]
            for part, keys in SHOWN_AS.values():
                sets = [[each[key] for key in keys if key in each] for each in every.get((part, name, n), [])]
                found = [each for of_one in sets for each in of_one]
                enough = sum(bool(of_one) for of_one in sets) >= FEWEST
                line.append(f"{coverage(found) if enough else '-'} ({len(found)})" if found else "-")
            lines.append(line)
    return table(["design", "rows", *SHOWN_AS], lines)


def _runs(every: Cells, part: str) -> str:
    runs = min(len(found) for key, found in every.items() if key[0] == part)
    error = math.sqrt(0.95 * 0.05 / runs)
    return f"{runs} data sets per cell, or more; the standard error of a coverage of 0.95 is {error:.3f}."


def main() -> None:
    """Compute what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--data-sets", type=int, default=DATA_SETS)
    parser.add_argument("--first", type=int, default=0, help="number of the first data set, which is part of its seed")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    compute(options.store, options.parts, options.data_sets, options.first)
    if options.write:
        write_page(read(options.store))


if __name__ == "__main__":
    main()
