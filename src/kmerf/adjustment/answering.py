"""What all questions given z share: checks, and how p-values and classes are written.

How a question is answered given z: remove z, compare what is left, and put it all into a `Result`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.adjustment import single_columns
from kmerf.adjustment.comparison import Given, Remainder, Seen, compare
from kmerf.adjustment.products import WEIGHTS
from kmerf.adjustment.rank_coordinates import of_features, of_response
from kmerf.core.errors import Argument, InputError, Message, choose, warn
from kmerf.core.streams import as_seed
from kmerf.data.sample import column_part, fault
from kmerf.execution import parallel
from kmerf.execution.progress import as_progress, begin
from kmerf.explain.closer_look import look_at_data
from kmerf.explain.effects import Added, find_beyond
from kmerf.nulls.multiplicity import benjamini_hochberg, holm
from kmerf.results.parts import DOUBT, Adjustment, FeatureTests, Member, NullResult
from kmerf.results.single_result import Result

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample import Features, Sample
    from kmerf.execution.parallel import Execution

METHOD = "residuals given z"
FEWEST_ROWS = 30  # for regressions on z
FEWEST_INSIDE = 15  # rows beyond the first of each stratum, for regressions inside strata
FEWEST_ORDERS = 20  # of rows inside strata: with fewer, no p-value can be 0.05

_BLOCKS = ", whose test takes rows to be independent of each other, not in blocks"
_DEFAULTS = {"exchange": "auto", "importances": "marginal", "backend": "threads"}


def refuse(**options: Any) -> None:
    """Raise if an option was set that has no meaning given z."""
    for name, value in options.items():
        if value and value != _DEFAULTS.get(name):
            why = _BLOCKS if name == "blocks" else ", which has a test of its own"
            finding = Message("was passed together with ", Argument("given"), why)
            raise InputError(finding, argument=name, remedy="leave one out")


def check_rows(given: Given, n: int) -> None:
    """Raise unless there are rows enough to remove z."""
    found = too_few(given, n)
    if found is not None:
        raise InputError(found[0], argument="given", remedy=found[1])


def too_few(given: Given, n: int) -> tuple[str, str] | None:
    """Say why there are too few rows to remove z, and what to do; None if there are enough."""
    strata = given.strata
    if strata is None:
        finding = f"has many different values, so it is removed by regressions, and {n} rows are too few for them"
        remedy = f"collect {FEWEST_ROWS} or more, or pass one with few different values"
        return (finding, remedy) if n < FEWEST_ROWS else None
    several = f"has {strata.count:,} different values in {n:,} rows"
    if sum(math.lgamma(size + 1) for size in strata.sizes.tolist()) < math.log(FEWEST_ORDERS):
        alone = int((strata.sizes == 1).sum())
        finding = f"{several}, {alone:,} of them in one row only, so that there is almost nothing to compare"
        return finding, "collect more rows with the same value, or merge values"
    left = strata.freedom - (given.covariates.straight.shape[1] if strata.rest else 0)
    if strata.rest and left < FEWEST_INSIDE:
        finding = f"{several}, and {max(0, left)} rows are left to compare once its other columns are removed as well"
        return finding, f"collect rows until {FEWEST_INSIDE} are left, merge categories, or leave out columns"
    return None


def named_note(given: Given, sample: Sample) -> str:
    """Say which numbers are taken for names of levels, if any are."""
    assert sample.z is not None
    assert given.z is not None
    kinds = zip(sample.z.names, sample.z.kinds, given.z.kinds, strict=True)
    names = ", ".join(repr(name) for name, before, after in kinds if before != after)
    why = "rows with the same value are more alike than a function of the number explains"
    return f" Read as categories: {names}, as {why}." if names else ""


def normal_score(pvalue: float) -> float:
    """Return the standard normal quantile that a p-value stands for; 0 for 1, where nothing was left to compare.

    >>> round(normal_score(0.05), 3), normal_score(1.0)
    (1.645, 0.0)
    """
    from scipy.special import ndtri

    return float(-ndtri(pvalue)) if pvalue < 1.0 else 0.0


def class_sizes(sample: Sample) -> dict[str, int]:
    """Return the rows in each class of y."""
    y = sample.y
    return {} if y.codes is None else dict(zip(y.labels, np.bincount(y.codes).tolist(), strict=True))


PICTURED = 6  # columns whose data are kept for pictures
_X, _Y = 1, 2  # numbers of the variables
_STEPS = 4  # that progress shows
_WORDS = {  # what each look asks, and what was found where it carries the answer
    "level": ("does y rise or fall with x?", "{y} rises or falls with x"),
    "shape": ("does anything else of y move with x?", "the spread or the shape of {y} moves with x"),
    "varying": ("is there a relation that varies with z?", "the relation of x and {y} varies with z"),
}


def answer_given(sample: Sample, question: str, execution: Execution, options: Mapping[str, Any]) -> Result:
    """Test x against y given z; `options` of `independence` other than those that say what to read, and `details`."""
    details = options["details"]
    others = {name: value for name, value in options.items() if name not in ("details", "gain")}
    refuse(backend=execution.backend, **others)
    result = _tested(sample, question, execution)
    return with_pictures(result, sample) if details else result


def _tested(sample: Sample, question: str, execution: Execution) -> Result:
    assert sample.z is not None
    seed, n_jobs = as_seed(execution.rng), parallel.worker_count(execution.n_jobs)
    shown = as_progress(execution.progress, METHOD)
    begin(shown, _STEPS)
    given = Given(sample.z, seed, n_jobs)
    check_rows(given, sample.n)
    coordinates = of_features(sample.x)
    x = given.remove_from(coordinates, _X)
    shown(1, _STEPS)
    y = given.remove_from(of_response(sample.y), _Y)
    shown(2, _STEPS)
    named = given.with_names(x, y)
    if named is not None:
        given = named
        check_rows(given, sample.n)
        x, y = given.remove_from(coordinates, _X), given.remove_from(of_response(sample.y), _Y)
    found = compare(given, x, y)
    shown(3, _STEPS)
    strata = given.strata.codes if given.strata is not None and not given.strata.rest else None
    added = find_beyond(sample, seed, n_jobs, strata)
    adjustment = _adjustment(given, sample, x, y, found.shrinking, added)
    notes = (*sample.notes, *_notes(given, sample, adjustment), *_nothing_left(x, y))
    importance, pvalues = (
        single_columns.columns_given(given, x, coordinates.feature, y, sample.x.p)
        if sample.x.p > 1
        else (np.zeros(0), np.zeros(0))
    )
    shown(_STEPS, _STEPS)
    return Result(
        question=question,
        method=METHOD,
        statistic=normal_score(found.overall),
        pvalue=found.pvalue,
        null=_null(found.pvalue, found.permuted),
        importances=None,
        n=sample.n,
        p=sample.x.p,
        q=sample.y.q,
        y_kind=sample.y.kind,
        events=sample.y.events,
        groups=class_sizes(sample),
        settings={"given": list(sample.z.names)},
        seed=seed,
        notes=notes,
        members=_members(found.looks),
        features=tests_of(sample.x.names, importance, pvalues) if sample.x.p > 1 else None,
        effect=None if added is None else added.effect,
        adjustment=adjustment,
    )


def with_pictures(result: Result, sample: Sample) -> Result:
    """Add the data of the leading columns, for pictures; z is not removed from them."""
    order = range(sample.x.p) if result.features is None else np.argsort(-result.features.importance, kind="stable")
    return replace(result, details=look_at_data(sample, [int(j) for j in order][:PICTURED], result.seed))


def check_importances(importances: str, blocks: Any) -> None:
    """Raise unless p-values of features can be found in this way."""
    choose("importances", importances, ("marginal", "conditional", "gain"))
    if importances == "conditional" and blocks is not None:
        finding = Message(
            "takes rows to be independent of each other, and ", Argument("blocks"), " says that they are not"
        )
        raise InputError(finding, argument=Argument("importances", importances), remedy="leave one out")


def check_conditional(x: Features) -> None:
    """Raise unless each column of x can be compared with y given the others."""
    argument = Argument("importances", "conditional")
    if x.p < 2:
        finding = Message("compares a column with the others, and ", Argument("x"), " has one")
        raise InputError(finding, argument=argument, remedy="leave it out")
    varies = [j for j in range(x.p) if fault(column_part(x, [j])) is None]
    for j in varies:
        others = single_columns.beyond_others(x, [k for k in varies if k != j], 0)
        if others.z is not None and too_few(others, x.n) is not None:
            why = f"removes all other columns from {x.names[j]!r} and from y, and {x.n} rows are too few for that"
            raise InputError(why, argument=argument, remedy="leave it out, or collect more rows")


def with_conditional_features(result: Result, sample: Sample, n_jobs: int | None) -> Result:
    """Replace the p-values of the features by those given all other features."""
    x = sample.x
    found = single_columns.columns_beyond_others(x, sample.y, result.seed, parallel.worker_count(n_jobs))
    note = "P-values of features are given all other features (approximate); importances are those of the forests."
    return replace(result, features=tests_of(x.names, *found), notes=(*result.notes, note))


def tests_of(names: tuple[str, ...], importance: Floats, pvalues: Floats) -> FeatureTests:
    """Adjust the p-values of columns."""
    return FeatureTests(names, importance, pvalues, holm(pvalues), benjamini_hochberg(pvalues))


def _members(looks: Sequence[Seen]) -> tuple[Member, ...]:
    """Return what each look found; shares are as weight over p-value, whose largest counts."""
    parts = np.array([WEIGHTS[look.name] / look.pvalue for look in looks])
    shares = parts / parts.sum()
    return tuple(_member(look, float(share)) for look, share in zip(looks, shares, strict=True))


def _member(look: Seen, share: float) -> Member:
    asks, carries = _WORDS[look.name]
    score = normal_score(look.pvalue)
    return Member(look.name, look.statistic, score, 0.0, look.pvalue, asks=asks, carries=carries, share=share)


def _adjustment(
    given: Given, sample: Sample, x: Remainder, y: Remainder, shrinking: float, added: Added | None
) -> Adjustment:
    assert sample.z is not None
    return Adjustment(
        names=sample.z.names,
        explained_x=x.explained,
        explained_y=y.explained,
        lack_of_fit_x=x.lack_of_fit,
        lack_of_fit_y=y.lack_of_fit,
        strata=None if given.strata is None else given.strata.count,
        shrinking=shrinking,
        measure="" if added is None else added.effect.measure,
        without_x=None if added is None else added.without_x,
        with_x=None if added is None else added.with_x,
    )


def _notes(given: Given, sample: Sample, adjustment: Adjustment) -> tuple[str, ...]:
    """Say what the p-value rests on, and warn where it does not hold."""
    rests = _basis(given) + named_note(given, sample)
    if not adjustment.doubtful:
        return (rests,)
    which = [name for name in ("x", "y") if getattr(adjustment, f"lack_of_fit_{name}") <= DOUBT]
    why = (
        f"The residuals of {' and of '.join(which)} still depend on given"
        if which
        else "What x and y have in common shrinks the more finely given is removed"
    )
    remedy = "collect more rows, or pass functions of given that describe the relation better."
    text = f"{why}, so the p-value may be far too small: {remedy}"
    warn(text)
    return (rests, text)


def _basis(given: Given) -> str:
    """Say what the p-value rests on."""
    approximate = "The p-value is approximate: it holds as far as what z explains was removed."
    if given.strata is None or given.z is None:
        return approximate
    count, alone = given.strata.count, int((given.strata.sizes == 1).sum())
    rests = f"y was permuted among rows with the same value of given, which has {count:,} of them."
    if given.strata.rest:
        names = ", ".join(given.z.names[j] for j in given.strata.rest)
        rests = f"What is left of y was permuted inside {count:,} strata of given; regressions removed {names}."
        rests = f"{rests} {approximate}"
    return f"{rests} {alone:,} rows have a value of their own and say nothing." if alone else rests


def _nothing_left(x: Remainder, y: Remainder) -> tuple[str, ...]:
    """Warn if a variable is constant inside all strata."""
    flat = [name for name, each in (("x", x), ("y", y)) if not each.left.values.any()]
    if not flat:
        return ()
    verb = "are" if len(flat) > 1 else "is"
    text = f"{' and '.join(flat)} {verb} constant among rows with the same value of given: nothing is left to compare."
    warn(text)
    return (text,)


def _null(pvalue: float, permuted: Floats | None) -> NullResult:
    if permuted is None:
        return NullResult("normal limit", pvalue)
    error = float(np.sqrt(pvalue * (1.0 - pvalue) / permuted.size))
    return NullResult("permutation inside strata", pvalue, error, np.array([normal_score(p) for p in permuted]))
