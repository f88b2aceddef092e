"""Columns of x that alone determine y: copies of it in another unit, or what y was made from.

For a numeric y that is a column whose ranks are those of y, up or down, or categories inside of which y is constant.
For classes it is a column of numbers that has each class in one range of its own, or categories that each are of one
class. A column counts only if chance would hardly make one such column in a thousand tables.

What a column that determines y alone hides: the answer says what remains without it.

How a question is answered: prepare the test, observe, permute, judge, explain, and put it all into a `Result`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import mid_ranks, read_only
from kmerf.core.errors import Argument, InputError
from kmerf.core.settings import as_plain
from kmerf.core.streams import Purpose, seed_for
from kmerf.execution.progress import no_progress
from kmerf.explain import explanation
from kmerf.explain.explanation import Extras, FinishedTest
from kmerf.explain.feature_importances import find_importances
from kmerf.explain.feature_tests import find_members
from kmerf.methods.protocol import observe
from kmerf.nulls.definitions import LATE, Sequential
from kmerf.nulls.judging import draw_and_judge
from kmerf.nulls.registry import refits_for_pairs
from kmerf.results.single_result import Result

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features, Response, Sample
    from kmerf.questions.setup import Choice
    from kmerf.results.parts import NullResult

COPY = 0.9995  # rank correlation from which a column is a copy
MOST_COLUMNS = 2000  # of x that are looked at
CHANCE = math.log(1000.0)

_PRESENT = 0.9  # share of rows in which a column must have a value


def find_leaks(sample: Sample) -> tuple[str, ...]:
    """Return the names of columns that determine y alone; none where x has one column, or y several.

    >>> from kmerf.reading.samples import read_independence
    >>> wage = np.random.default_rng(0).lognormal(size=30)
    >>> find_leaks(read_independence({"logwage": np.log(wage), "age": np.arange(30.0) % 7}, wage))
    ('logwage',)
    """
    x, y = sample.x, sample.y
    if not 1 < x.p <= MOST_COLUMNS or len(y.names) > 1:
        return ()
    return tuple(name for j, name in enumerate(x.names) if _determines(x, j, y))


def _determines(x: Features, j: int, y: Response) -> bool:
    values = x.column(j)
    rows = ~np.isnan(values)
    if rows.sum() < _PRESENT * len(rows):
        return False
    categories, values = len(x.categories[j]) > 1, values[rows]
    bound = CHANCE + math.log(x.p)
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
    return abs(float((ranks * other).sum())) >= COPY * size


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
    """Tell whether rows with the same value have the same y."""
    order = np.lexsort((y, values))
    same = values[order][1:] == values[order][:-1]
    return not bool((same & (y[order][1:] != y[order][:-1])).any())


def without_columns(sample: Sample, names: tuple[str, ...]) -> Sample:
    """Return a sample without some of the columns of x."""
    x = sample.x
    kept = [j for j, name in enumerate(x.names) if name not in names]
    features = replace(
        x,
        values=read_only(x.values[:, np.isin(x.column_of, kept)]),
        names=tuple(x.names[j] for j in kept),
        kinds=tuple(x.kinds[j] for j in kept),
        column_of=read_only(np.searchsorted(kept, x.column_of[np.isin(x.column_of, kept)])),
        missing=tuple(x.missing[j] for j in kept),
        categories=tuple(x.categories[j] for j in kept),
        shown=None if x.shown is None else x.shown[:, kept],
    )
    return replace(sample, x=features)


def leak_note(sample: Sample, ask: Callable[[Sample], Result]) -> tuple[str, ...]:
    """Name the columns of a table that determine y alone, and `ask` again without them."""
    leaks = find_leaks(sample) if sample.tabular else ()
    if not leaks:
        return ()
    names = " and ".join(map(repr, leaks[:3])) + (f" and {len(leaks) - 3} more" if len(leaks) > 3 else "")
    one = len(leaks) == 1
    finding = f"{'Column' if one else 'Columns'} {names} alone {'determines' if one else 'determine'} y"
    rest = without_columns(sample, leaks)
    if rest.x.p == 0 or not _varies(rest):
        return (f"{finding}, and no other column is left.",)
    return (f"{finding}. Without {'it' if one else 'them'}, {_answer(ask(rest))}.",)


def _varies(sample: Sample) -> bool:
    values = sample.x.values
    return not np.array_equal(values[1:], values[:-1], equal_nan=True)


def _answer(result: Result) -> str:
    effect = result.effect
    bound = result.null.bound
    p = f"p = {result.pvalue:.2g}" if bound is None else f"p <= {bound:.2g}"
    if effect is None or effect.score is None:
        return p
    if effect.measure != "R2":
        return f"{p} and {effect.measure} {max(effect.score, 0.5):.2f}"
    ranks = "" if effect.rank_score is None else f" (of ranks {max(effect.rank_score, 0.0):.2f})"
    return f"{p} and R2 {max(effect.score, 0.0):.2f}{ranks}"


def answer(sample: Sample, question: str, choice: Choice, extras: Extras) -> Result:
    """Test the sample as chosen, and explain the result as far as `extras` asks for."""
    classes = sample.y.codes is not None
    part, choice = choice.part_of(sample)
    sample = part.sample
    if classes and sample.y.codes is None:  # their shares in each block are numbers
        question = "independence"
        _check_shares(extras)
    feature_sets = explanation.check(extras, sample, choice.method, choice.exchange)
    method, null, problem, run, notes = choice.set_up(sample)
    permutes = null.n_resamples > 0
    fit = observe(problem, run.n_jobs, reasons=permutes)
    explanation.check_fit(extras, fit)
    (statistic, outcome), permuted = draw_and_judge(null, problem, fit, run, reasons=permutes)
    early = outcome.stopped and len(permuted.statistics) < LATE
    found = find_importances(fit, sample, run.n_jobs, gain=extras.gain)
    fewest = outcome.pvalue if early else 0.0
    about = part.settings.get("exchange", "within")
    finished = FinishedTest(sample, method, null, run, fit, permuted, found, fewest, about)
    explained = explanation.explain(finished, extras, feature_sets, partial(_pair, choice, run.seed))
    leaks = leak_note(sample, partial(_again, choice, question, run.seed))
    y = sample.y
    return Result(
        question=question,
        method=method.name,
        statistic=statistic,
        pvalue=outcome.pvalue,
        null=outcome,
        n=sample.n,
        p=sample.x.p,
        q=y.q,
        y_kind=y.kind,
        events=y.events,
        groups=y.class_sizes,
        settings={"method": as_plain(method), "null": as_plain(null), **part.settings},
        seed=run.seed,
        statistic_error=fit.parts[0].error if len(fit.parts) == 1 else 0.0,
        untested=dict(part.untested),
        members=find_members(fit, permuted.statistics, found.by_part, fewest, null.interim_analyses),
        **explained._replace(notes=(*notes, *leaks, *explained.notes))._asdict(),
    )


def _again(choice: Choice, question: str, seed: int, sample: Sample) -> Result:
    """Ask the same of other columns."""
    execution = choice.execution._replace(rng=seed, progress=no_progress)
    return answer(replace(sample, tabular=False), question, choice._replace(execution=execution), Extras())


def _pair(choice: Choice, seed: int, sample: Sample, number: int, pairs: int) -> tuple[float, NullResult]:
    """Test two groups; each of the pairs has random numbers of its own."""
    own = seed_for(seed, Purpose.PAIR_OF_GROUPS, number)
    execution = choice.execution._replace(rng=own, progress=no_progress)
    part, choice = choice._replace(execution=execution).part_of(sample)
    _, null, problem, run, _ = choice.set_up(part.sample)
    if choice.null is None:
        null = Sequential(refits_for_pairs(problem, pairs))
    fit = observe(problem, run.n_jobs)
    judgement, _ = draw_and_judge(null, problem, fit, run)
    return judgement.statistic, judgement.null


def _check_shares(extras: Extras) -> None:
    """Raise if pairs of groups are asked for, and there are none to compare."""
    if extras.pairwise:
        raise InputError(
            "compares groups two by two, and with these blocks it is the shares of the groups that are compared",
            argument=Argument("pairwise", True),
            remedy="leave it out",
        )
