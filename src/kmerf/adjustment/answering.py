"""How a question is answered given z: check the options, remove z, judge the residuals, and build a `Result`.

Single columns have p-values of their own: each column of x given z, and each column of x given all its others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.adjustment.comparison import DEFAULT_NULL, ComponentResult, Given, judge
from kmerf.adjustment.products import WEIGHTS, of_features, of_response
from kmerf.adjustment.stratification import log_arrangements
from kmerf.core.errors import Argument, InputError, Message, Note, warn
from kmerf.core.settings import LEVEL, as_plain
from kmerf.core.streams import Purpose, as_seed, seed_for
from kmerf.data.sample import all_levels, column_part, fault
from kmerf.execution import parallel
from kmerf.execution.parallel import one_thread
from kmerf.execution.progress import as_progress, begin, no_progress
from kmerf.explain.changes import SHOWN, find_changes, first_of, names_of
from kmerf.explain.closer_look import look_at_data
from kmerf.explain.effects import Added, find_beyond
from kmerf.nulls.definitions import BesagClifford, Permutation, benjamini_hochberg, holm, normal_score
from kmerf.nulls.judging import choose_null
from kmerf.results.parts import DOUBT, LARGE_P, Adjustment, FeatureTests, Kind, Member
from kmerf.results.question import hypothesis
from kmerf.results.single_result import Result

if TYPE_CHECKING:
    from kmerf.adjustment.comparison import ConditionalResult
    from kmerf.adjustment.products import Coordinates, Residuals
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features, Response, Sample
    from kmerf.execution.parallel import Execution
    from kmerf.execution.progress import Progress
    from kmerf.nulls.definitions import Null
    from kmerf.results.parts import NullResult

METHOD = "residuals given z"
MIN_ROWS = 30  # for regressions on z
MIN_ROWS_INSIDE = 15  # rows beyond the first of each stratum, for regressions inside strata
MIN_ORDERS = 20  # of rows inside strata: with fewer, no p-value can be 0.05
MAX_PICTURED = 6  # columns whose data are kept for pictures
COLUMN_TREES = 100  # of each forest, if there are forests for every column
COLUMN_DEGREES = 2  # of polynomials of ranks, if every column is compared given the others
DRAWS_PER_COLUMN, MAX_COLUMN_DRAWS = 20, 9_999  # so that one column alone may be significant after an adjustment
MANY_COLUMNS = 10  # above, a split tries a third of them

_X, _Y = 1, 2  # numbers of the variables
_STEPS = 4  # that progress shows
_RESIDUALS = ", whose test compares residuals and grows no forests of y"
_REFUSED = {  # options that have no meaning given z: their default, and the reason
    "method": (None, _RESIDUALS),
    "preset": (None, _RESIDUALS),
    "blocks": (None, ", whose test assumes independent rows, not blocks"),
    "exchange": ("auto", ", whose test assumes independent rows, not blocks"),
    "importances": ("marginal", ", whose p-values of columns are those given z"),
    "feature_groups": (None, _RESIDUALS),
    "interval": (None, _RESIDUALS),
    "pairwise": (False, ", whose test compares all groups at once"),
    "backend": ("threads", ", whose test has no work for processes"),
}
_WORDS = {  # what each component asks, and what it says if it carries the answer
    "level": ("does y rise or fall with x?", "{y} rises or falls with x"),
    "shape": ("does anything about y change with x?", "the spread or the shape of {y} changes with x"),
    "varying": ("is there a relation, which may vary with z?", "the relation of x and {y} varies with z"),
}


def refuse(**options: Any) -> None:
    """Raise if an option was set that has no meaning given z."""
    for name, value in options.items():
        default, why = _REFUSED[name]
        if value and value != default:
            finding = Message("was passed together with ", Argument("given"), why)
            raise InputError(finding, argument=name, remedy="leave one out")


def check_null(null: Null | str | None) -> Null | None:
    """Return the null that the user asks for; raise if it cannot judge the test given z."""
    user_null = choose_null(null)
    if user_null is not None and user_null.needs_unbiased:
        finding = Message("was passed together with ", Argument("given"), ", whose statistic is not a correlation")
        raise InputError(finding, argument="null", remedy="leave one out")
    return user_null


def check_strata(user_null: Null | None, given: Given) -> None:
    """Raise if a null has nothing to permute."""
    if user_null is not None and given.strata is None:
        why = ", few of whose values are shared by rows: y cannot be permuted among rows with the same value"
        finding = Message("was passed together with ", Argument("given"), why)
        raise InputError(finding, argument="null", remedy="leave one out")


def remove_given(
    given: Given, n: int, variables: Mapping[int, Coordinates], shown: Progress = no_progress
) -> tuple[Given, list[Residuals]]:
    """Remove z from variables, by their numbers; numbers in z that turn out to be names are read as categories."""
    check_rows(given, n)
    residuals = []
    for number, coordinates in variables.items():
        residuals.append(given.remove_from(coordinates, number))
        shown(len(residuals), _STEPS)
    named = given.with_names(*residuals)
    if named is None:
        return given, residuals
    check_rows(named, n)
    return named, [named.remove_from(coordinates, number) for number, coordinates in variables.items()]


def check_rows(given: Given, n: int) -> None:
    """Raise unless there are rows enough to remove z."""
    lack = too_few(given, n)
    if lack is not None:
        raise InputError(lack[0], argument="given", remedy=lack[1])


def too_few(given: Given, n: int) -> tuple[str, str] | None:
    """Say why there are too few rows to remove z, and what to do; None if there are enough."""
    strata = given.strata
    if strata is None:
        finding = f"has many different values, so it is removed by regressions, and {n} rows are too few for them"
        remedy = f"collect {MIN_ROWS} or more, or pass one with few different values"
        return (finding, remedy) if n < MIN_ROWS else None
    several = f"has {strata.count:,} different values in {n:,} rows"
    if sum(math.lgamma(size + 1) for size in strata.sizes.tolist()) < math.log(MIN_ORDERS):
        alone = int((strata.sizes == 1).sum())
        finding = f"{several}, {alone:,} of them in one row only, so that there is almost nothing to compare"
        return finding, "collect more rows with the same value, or merge values"
    left = strata.freedom - (given.covariates.straight.shape[1] if strata.rest else 0)
    if strata.rest and left < MIN_ROWS_INSIDE:
        finding = f"{several}, and {max(0, left)} rows are left to compare once its other columns are removed as well"
        return finding, f"collect rows until {MIN_ROWS_INSIDE} are left, merge categories, or leave out columns"
    return None


def named_note(given: Given, sample: Sample) -> str:
    """Say which numbers are taken for names of levels, if any are."""
    assert sample.z is not None
    assert given.z is not None
    kinds = zip(sample.z.names, sample.z.kinds, given.z.kinds, strict=True)
    names = ", ".join(repr(name) for name, before, after in kinds if before != after)
    why = "rows with the same value are more alike than a function of the number explains"
    return f" Read as categories: {names}, as {why}." if names else ""


def answer_given(sample: Sample, question: str, execution: Execution, options: Mapping[str, Any]) -> Result:
    """Test x against y given z; `options` of `independence` other than those that say what to read, and `details`."""
    refused = {name: options[name] for name in _REFUSED if name in options}
    refuse(backend=execution.backend, **refused)
    result = _answer(sample, question, execution, options.get("null"))
    return with_pictures(result, sample) if options["details"] else result


def compare_given(
    sample: Sample, seed: int, n_jobs: int = 1, null: Null | None = None, shown: Progress = no_progress
) -> tuple[Given, Residuals, Residuals, ConditionalResult]:
    """Remove z from x and from y, and compare what is left; the p-value is that of the whole test."""
    assert sample.z is not None
    variables = {_X: of_features(sample.x), _Y: of_response(sample.y)}
    given, (x, y) = remove_given(Given(sample.z, seed, n_jobs), sample.n, variables, shown)
    check_strata(null, given)
    orders = arrangements(given, sample.x.values, sample.y.values)
    return given, x, y, judge(given, x, y, null or DEFAULT_NULL, orders)


def _answer(sample: Sample, question: str, execution: Execution, null: Null | str | None) -> Result:
    seed, n_jobs = as_seed(execution.rng), parallel.worker_count(execution.n_jobs)
    shown = as_progress(execution.progress, METHOD)
    begin(shown, _STEPS)
    user_null = check_null(null)
    assert sample.z is not None
    given, x, y, outcome = compare_given(sample, seed, n_jobs, user_null, shown)
    shown(3, _STEPS)
    strata = given.strata.codes if given.strata is not None and not given.strata.rest else None
    added = find_beyond(sample, seed, n_jobs, strata)
    adjustment = _adjustment(given, sample, x, y, outcome.shrinking, added)
    notes = (*sample.notes, *_notes(given, sample, adjustment, outcome.pvalue), *_nothing_left(x, y))
    features = None
    if sample.x.p > 1:
        features = tests_of(sample.x.names, *columns_given(given, x, of_features(sample.x).feature, y, sample.x.p))
    shown(_STEPS, _STEPS)
    return Result(
        question=question,
        method=METHOD,
        statistic=normal_score(outcome.limit),
        pvalue=outcome.pvalue,
        null=outcome.null,
        importances=None,
        n=sample.n,
        p=sample.x.p,
        q=sample.y.q,
        y_kind=sample.y.kind,
        events=sample.y.events,
        groups=sample.y.class_sizes,
        settings={"given": list(sample.z.names)} | ({} if user_null is None else {"null": as_plain(user_null)}),
        seed=seed,
        notes=notes,
        units=sample.column_units,
        members=_members(outcome.components),
        features=features,
        effect=None if added is None else added.effect,
        adjustment=adjustment,
        names=names_of(sample),
        changes=find_changes(
            sample,
            _leading(features, sample.x.p),
            groups=not hypothesis(question).names_y,
            chosen_from=first_of(sample),
            evident=outcome.pvalue <= LEVEL,
        ),
        kinds=_kinds(outcome.components, outcome.pvalue, outcome.null),
    )


def _leading(features: FeatureTests | None, p: int) -> list[int]:
    """Return the columns with the smallest p-values, by position; of equal ones, the most important first."""
    if features is None:
        return list(range(p))[:SHOWN]
    return [int(j) for j in np.lexsort((-features.importance, features.pvalues))[:SHOWN]]


def _kinds(components: Sequence[ComponentResult], pvalue: float, null: NullResult) -> tuple[Kind, ...]:
    """Return the level as the one kind of change, if the test itself rejects.

    The other components are no kinds: a line moves their statistics too.
    """
    if pvalue > LEVEL:
        return ()
    least = 0.0 if null.distribution is None or "permutation" not in null.name else 1.0 / (1 + null.distribution.size)
    levels = (each for each in components if each.name == "level")
    return tuple(
        Kind("level", float(each.pvalue), float(max(each.pvalue, pvalue)), bounded=each.pvalue <= least)
        for each in levels
    )


def arrangements(given: Given, x: Floats, y: Floats) -> float:
    """Return the logarithm of the number of arrangements of rows inside strata; infinity without strata."""
    if given.strata is None:
        return math.inf
    return min(log_arrangements(values, given.strata.codes) for values in (x, y))


def with_pictures(result: Result, sample: Sample) -> Result:
    """Add the data of the leading columns, for pictures, with z removed from y."""
    order = range(sample.x.p) if result.features is None else np.argsort(-result.features.importance, kind="stable")
    return replace(result, details=look_at_data(sample, [int(j) for j in order][:MAX_PICTURED], result.seed))


def check_conditional(x: Features) -> None:
    """Raise unless each column of x can be compared with y given the others."""
    argument = Argument("importances", "conditional")
    if x.p < 2:
        finding = Message("compares a column with the others, and ", Argument("x"), " has one")
        raise InputError(finding, argument=argument, remedy="leave it out")
    varies = [j for j in range(x.p) if fault(column_part(x, [j])) is None]
    for j in varies:
        others = beyond_others(x, [k for k in varies if k != j], 0)
        if others.z is not None and too_few(others, x.n) is not None:
            why = f"removes all other columns from {x.names[j]!r} and from y, and {x.n} rows are too few for that"
            raise InputError(why, argument=argument, remedy="leave it out, or collect more rows")


def with_conditional_features(result: Result, sample: Sample, n_jobs: int | None) -> Result:
    """Replace the p-values of the features by those given all other features."""
    x = sample.x
    columns = columns_beyond_others(x, sample.y, result.seed, parallel.worker_count(n_jobs))
    note = "P-values of features are given all other features (approximate); importances are those of the forests."
    return replace(result, features=tests_of(x.names, *columns), notes=(*result.notes, note))


def tests_of(names: tuple[str, ...], importance: Floats, pvalues: Floats) -> FeatureTests:
    """Adjust the p-values of columns."""
    return FeatureTests(names, importance, pvalues, holm(pvalues), benjamini_hochberg(pvalues))


def _members(components: Sequence[ComponentResult]) -> tuple[Member, ...]:
    """Return the components as members; shares are as weight over p-value, which small ones add up to."""
    parts = np.array([WEIGHTS[each.name] / each.pvalue for each in components])
    return tuple(map(_member, components, (parts / parts.sum()).tolist()))


def _member(component: ComponentResult, share: float) -> Member:
    name, statistic, pvalue = component
    question, meaning = _WORDS[name]
    return Member(name, statistic, normal_score(pvalue), 0.0, pvalue, question=question, meaning=meaning, share=share)


def _adjustment(
    given: Given, sample: Sample, x: Residuals, y: Residuals, shrinking: float, added: Added | None
) -> Adjustment:
    assert sample.z is not None
    return Adjustment(
        names=sample.z.names,
        explained_x=x.explained,
        explained_y=y.explained,
        lack_of_fit_x=x.lack_of_fit,
        lack_of_fit_y=y.lack_of_fit,
        strata=None if given.strata is None else given.strata.count,
        lack_of_fit_joint=shrinking,
        measure="" if added is None else added.effect.measure,
        without_x=None if added is None else added.without_x,
        with_x=None if added is None else added.with_x,
    )


def _notes(given: Given, sample: Sample, adjustment: Adjustment, pvalue: float) -> tuple[str, ...]:
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
    if pvalue > LARGE_P:
        return (rests, f"{why}: a small p-value would not have been reliable.")
    remedy = "collect more rows, or pass functions of the covariates that describe the relation better."
    text = f"{why}, so the p-value may be far too small: {remedy}"
    warn(text)
    return (rests, Note(text, rank="doubt"))


def _basis(given: Given) -> str:
    """Say what the p-value rests on."""
    approximate = "The p-value is approximate: it is valid as far as the regressions remove what z explains."
    if given.strata is None or given.z is None:
        return approximate
    count, alone = given.strata.count, int((given.strata.sizes == 1).sum())
    rests = f"y was permuted among rows with the same values of the covariates ({count:,} different ones)."
    if given.strata.rest:
        names = ", ".join(given.z.names[j] for j in given.strata.rest)
        inside = f"inside {count:,} strata of the covariates"
        rests = f"Regressions removed {names}, and what is left of y was permuted {inside}."
        rests = f"{rests} {approximate}"
    return f"{rests} {alone:,} rows have a unique value and do not contribute." if alone else rests


def _nothing_left(x: Residuals, y: Residuals) -> tuple[str, ...]:
    """Warn if a variable is constant inside all strata."""
    flat = [name for name, each in (("x", x), ("y", y)) if not each.values.any()]
    if not flat:
        return ()
    verb = "are" if len(flat) > 1 else "is"
    inside = "among rows with the same values of the covariates"
    text = f"{' and '.join(flat)} {verb} constant {inside}: nothing is left to compare."
    warn(text)
    return (text,)


def shared_variance(x: Residuals, y: Residuals) -> float:
    """Return how much of the levels of x and y goes together: the mean squared correlation of their residuals."""
    a, b = (each.levels.values for each in (x, y))
    a, b = ((each - each.mean(axis=0)) / np.maximum(each.std(axis=0), 1e-300) for each in (a, b))
    return float((np.einsum("ij,ik->jk", a, b) ** 2).mean() / len(a) ** 2)


def columns_given(given: Given, x: Residuals, feature: Ints, y: Residuals, count: int) -> tuple[Floats, Floats]:
    """Return what each of so many original columns of x shares with y given z, and its p-value; 0 and 1 if constant."""
    draws = min(MAX_COLUMN_DRAWS, DRAWS_PER_COLUMN * count - 1)
    null = DEFAULT_NULL if draws <= DEFAULT_NULL.n_resamples else BesagClifford(Permutation(draws))
    parts = [x.some(feature == number) for number in range(count)]
    columns = [
        (shared_variance(each, y), judge(given, each, y, null).pvalue) if each.degrees.size else (0.0, 1.0)
        for each in parts
    ]
    values = np.array(columns)
    return values[:, 0], values[:, 1]


def columns_beyond_others(x: Features, y: Response, seed: int, n_jobs: int) -> tuple[Floats, Floats]:
    """Return what each original column of x shares with y given all others, and its p-value; 0 and 1 if constant."""
    mine, response = (each.some(each.degrees <= COLUMN_DEGREES) for each in (of_features(x), of_response(y)))
    varies = [j for j in range(x.p) if (mine.feature == j).any()]

    def test(number: int) -> tuple[float, float]:
        if number not in varies:
            return 0.0, 1.0
        others = [j for j in varies if j != number]
        given = beyond_others(x, others, seed_for(seed, Purpose.ADJUSTED_COLUMN, number))
        column, rest = given.remove_from(mine.some(mine.feature == number), _X), given.remove_from(response, _Y)
        return shared_variance(column, rest), judge(given, column, rest).pvalue

    with one_thread():  # around the workers, as each of them limits threads for all
        values = np.array(parallel.run(test, range(x.p), n_jobs=n_jobs))
    return values[:, 0], values[:, 1]


def beyond_others(x: Features, others: Sequence[int], seed: int) -> Given:
    """Return some columns of x, by position, as what another is compared given; None of them explain nothing."""
    if not others:
        return Given(None, seed)
    some = column_part(x, others)
    wide = all_levels(some).values.shape[1]
    return Given(some, seed, trees=COLUMN_TREES, tried="all" if wide <= MANY_COLUMNS else 1.0 / 3.0)
