"""Columns of x that alone determine y: copies of it in another unit, or what y was made from.

For a numeric y that is a column whose ranks are those of y, up or down, or categories inside of which y is constant.
For classes it is a column of numbers that has each class in a range that no other class shares, or categories that each
are of one class. A column counts only if chance would hardly make one such column in a thousand tables. As such a
column hides what the others hold, the answer says what remains without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import mid_ranks
from kmerf.data.sample import column_part, fault

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features, Response, Sample
    from kmerf.results.single_result import Result

MIN_COPY_CORRELATION = 0.9995  # of ranks, from which a column is a copy
MAX_COLUMNS = 2000  # of x that are examined
LOG_ODDS = math.log(1000.0)  # against chance, for one such column in a table
MIN_PRESENT = 0.9  # share of rows in which a column must have a value


def find_leaks(sample: Sample) -> tuple[str, ...]:
    """Return the names of columns that determine y alone; none where x has one column, or y several.

    >>> from kmerf.reading.samples import read_independence
    >>> wage = np.random.default_rng(0).lognormal(size=30)
    >>> find_leaks(read_independence({"logwage": np.log(wage), "age": np.arange(30.0) % 7}, wage))
    ('logwage',)
    """
    x, y = sample.x, sample.y
    if not 1 < x.p <= MAX_COLUMNS or len(y.names) > 1:
        return ()
    return tuple(name for j, name in enumerate(x.names) if _determines(x, j, y))


def _determines(x: Features, j: int, y: Response) -> bool:
    values = x.column(j)
    rows = ~np.isnan(values)
    if rows.sum() < MIN_PRESENT * len(rows):
        return False
    categories, values = len(x.categories[j]) > 1, values[rows]
    bound = LOG_ODDS + math.log(x.p)
    if y.codes is None:
        return _determines_numbers(values, y.values[rows, 0], categories, bound)
    return _determines_classes(values, y.codes[rows], categories, bound)


def _determines_numbers(values: Floats, y: Floats, categories: bool, bound: float) -> bool:
    if categories:
        return np.unique(values).size <= len(y) / 3 and _constant_within(values, y) and len(y) >= 20
    ranks, other = mid_ranks(values), mid_ranks(y)
    ranks, other = ranks - ranks.mean(), other - other.mean()
    size = math.sqrt(float((ranks**2).sum() * (other**2).sum()))
    distinct = min(np.unique(values).size, np.unique(y).size)
    if size == 0.0 or math.lgamma(distinct + 1) - math.log(2) < bound:
        return False
    return abs(float((ranks * other).sum())) >= MIN_COPY_CORRELATION * size


def _determines_classes(values: Floats, codes: Ints, categories: bool, bound: float) -> bool:
    sizes = np.unique(codes, return_counts=True)[1]
    arrangements = math.lgamma(len(codes) + 1) - sum(math.lgamma(size + 1) for size in sizes.tolist())
    if len(sizes) < 2 or arrangements - math.lgamma(len(sizes) + 1) < bound or not _constant_within(values, codes):
        return False
    if categories:
        return np.unique(values).size <= len(codes) / 3
    ordered = codes[np.argsort(values, kind="stable")]
    return 1 + int((ordered[1:] != ordered[:-1]).sum()) == len(sizes)


def _constant_within(values: Floats, y: Floats | Ints) -> bool:
    """Return whether rows with the same value have the same y."""
    order = np.lexsort((y, values))
    same = values[order][1:] == values[order][:-1]
    return not bool((same & (y[order][1:] != y[order][:-1])).any())


def leak_note(sample: Sample, ask: Callable[[Sample], Result]) -> tuple[str, ...]:
    """Name the columns of a table that determine y alone, and `ask` again without them."""
    leaks = find_leaks(sample) if sample.tabular else ()
    if not leaks:
        return ()
    names = " and ".join(map(repr, leaks[:3])) + (f" and {len(leaks) - 3} more" if len(leaks) > 3 else "")
    one = len(leaks) == 1
    finding = f"{'Column' if one else 'Columns'} {names} alone {'determines' if one else 'determine'} y"
    others = [j for j, name in enumerate(sample.x.names) if name not in leaks]
    rest = column_part(sample.x, others) if others else None
    if rest is None or fault(rest) is not None:
        return (f"{finding}, and no other column is left.",)
    return (f"{finding}. Without {'it' if one else 'them'}, {_answer(ask(replace(sample, x=rest)))}.",)


def _answer(result: Result) -> str:
    """Return the p-value and the effect in short."""
    effect = result.effect
    bound = result.null.bound
    p = f"p = {result.pvalue:.2g}" if bound is None else f"p <= {bound:.2g}"
    if effect is None or effect.score is None:
        return p
    if effect.measure != "R2":
        return f"{p} and {effect.measure} {max(effect.score, 0.5):.2f}"
    ranks = "" if effect.rank_score is None else f" (of ranks {max(effect.rank_score, 0.0):.2f})"
    return f"{p} and R2 {max(effect.score, 0.0):.2f}{ranks}"
