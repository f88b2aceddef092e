"""How a question is answered: prepare the test, observe, permute, judge, explain, and put it all into a `Result`.

`ask` is the one way from a sample and the options of a user to a result, for every question that a p-value answers.
`Choice` turns options into a test that is ready to run: defaults, checks that choices go together, preparation.

**Leaks** are columns of x that alone determine y: copies of it in another unit, or what y was made from. For a numeric
y that is a column whose ranks are those of y, up or down, or categories inside of which y is constant.
For classes it is a column of numbers that has each class in a range that no other class shares, or categories that each
are of one class. A column counts only if chance would hardly make one such column in a thousand tables. As such a
column hides what the others hold, the answer says what remains without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.adjustment.answering import answer_given, check_conditional, with_conditional_features
from kmerf.core.arrays import mid_ranks
from kmerf.core.errors import Argument, Call, InputError, Message, Note, choose, rank_of, warn
from kmerf.core.settings import LEVEL, as_plain, holds_matrix
from kmerf.core.streams import Purpose, as_seed, seed_for
from kmerf.data import exchangeability
from kmerf.data.block_parts import BlockPart, block_part
from kmerf.data.sample import Sample, column_part, fault, some_rows
from kmerf.data.series import differences, read_lags, series_part
from kmerf.execution import parallel
from kmerf.execution.parallel import Execution
from kmerf.execution.progress import Forecast, as_progress, no_progress
from kmerf.explain import explanation
from kmerf.explain.changes import names_of
from kmerf.explain.closer_look import led_by, look_at_blocks
from kmerf.explain.explanation import Extras, FinishedTest, check_margin, decide
from kmerf.explain.feature_importances import find_importances, find_members
from kmerf.explain.kinds import find_kinds
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.protocol import Method, Problem, check_chi_square, observe, prepare
from kmerf.methods.registry import choose_method
from kmerf.nulls.definitions import LATE, Sequential
from kmerf.nulls.judging import FEW_ROWS, Run, choose_null, default_null, draw_and_judge, needs_single, refits_for_pairs
from kmerf.results.question import INDEPENDENCE, hypothesis
from kmerf.results.single_result import Result

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.exchangeability import Exchange
    from kmerf.data.sample import Features, Response
    from kmerf.nulls.definitions import Null
    from kmerf.results.parts import Change, NullResult

PAST = "past"  # given: the past of y
MAX_CELLS_AGAIN, MAX_ROWS_AGAIN = 6000, 2000  # up to which a series is tested in another way too
MAX_QUICK_ROWS = 2000  # above which a sample of the rows is advised


class PreparedTest(NamedTuple):
    """A sample, made ready to be tested."""

    method: Method
    null: Null
    problem: Problem
    run: Run
    notes: tuple[str, ...]


class Choice(NamedTuple):
    """How to test: the method, the null (None for the default), which rows change places, and how to compute."""

    method: Method
    null: Null | None
    exchange: str
    execution: Execution

    def part_of(self, sample: Sample) -> tuple[BlockPart, Choice]:
        """Return what of a sample can be tested with its blocks, and the choice that goes with that part."""
        part = block_part(sample, self.exchange)
        if part.sample.n != sample.n and holds_matrix(self.method):
            raise InputError(
                ": a precomputed y_kernel is of all rows, and with these blocks not all rows are compared",
                argument="y_kernel",
                remedy="name a kernel",
            )
        notes = (*part.sample.notes, *part.notes)
        return part._replace(sample=replace(part.sample, notes=notes)), self._replace(exchange=part.exchange)

    def set_up(self, sample: Sample) -> PreparedTest:
        """Choose the defaults, check that the choices go together and with the sample, and prepare the problem."""
        method, null = self.method, self.null
        run = self.run_on(sample)
        problem = prepare(method, sample, run.seed, run.exchange)
        supplied = sample.permutations
        if supplied is not None and supplied.count is not None:
            null = _within_supply(null, default_null(problem), supplied.count)
        if null is None:
            return PreparedTest(method, default_null(problem), problem, run, (*sample.notes, *_few_rows_note(sample)))
        notes = (*sample.notes, *_doubts(null, problem, run.exchange))
        return PreparedTest(method, null, problem, run, notes)

    def run_on(self, sample: Sample, *, all_rows: bool = False) -> Run:
        """Settle the seed, the workers and which rows change places; `all_rows` if they cannot be sampled."""
        rng, n_jobs, backend, progress = self.execution
        seed = as_seed(rng)
        allowed = exchangeability.exchange_of(sample, self.exchange)
        reporter = as_progress(progress, self.method.name)
        advice = speed_advice(0 if all_rows else sample.n, forests=isinstance(self.method, Portfolio))
        watched = reporter if callable(progress) else Forecast(reporter, advice)
        return Run(seed, parallel.worker_count(n_jobs), backend, watched, allowed)


def _within_supply(null: Null | None, usual: Null, count: int) -> Null:
    """Return a null that draws no more row orders than there are."""
    if null is None:
        return usual if usual.n_resamples <= count else type(usual)(count)  # type: ignore[call-arg]
    if null.n_resamples > count:
        finding = f"has {count} row orders, and the null asks for {null.n_resamples}"
        raise InputError(finding, argument="permutations", remedy="pass more of them, or ask for fewer")
    return null


def speed_advice(rows: int, *, forests: bool) -> Message:
    """Suggest faster settings for this many rows, by several forests or by one; empty if there are none.

    >>> speed_advice(54000, forests=True)
    "Quicker: rows=2000 for a random sample of the rows, method='forest' for one forest."
    >>> speed_advice(100, forests=False)
    ''
    """
    fewer = 1000 if rows <= 2 * MAX_QUICK_ROWS else MAX_QUICK_ROWS
    ways = [Message(Argument("rows", fewer), " for a random sample of the rows")] if rows > MAX_QUICK_ROWS else []
    ways += [Message(Argument("method", "forest"), " for one forest")] if forests else []
    return Message("Quicker: ", *[part for way in ways for part in (", ", way)][1:], ".") if ways else Message()


def _few_rows_note(sample: Sample) -> tuple[str, ...]:
    few = sample.n < FEW_ROWS
    text = f"With fewer than {FEW_ROWS} rows the p-value is from the exact permutation test."
    return (Note(text, rank="detail"),) if few else ()


def _doubts(null: Null, problem: Problem, allowed: Exchange) -> tuple[str, ...]:
    """Warn where a null that assumes an unbiased kernel is known to fail, and say so in the notes as well."""
    if not null.needs_unbiased:
        return ()
    if allowed.log_arrangements < 1e-9:  # p is 1 under every null
        return ()
    if not allowed.free:
        case = Message("with ", Argument("blocks"), ", use ") if allowed.units else Message("here, use ")
        raise InputError(
            "assumes that all rows are exchangeable",
            argument=Argument("null", Call("ChiSquare")),
            remedy=Message(case, Argument("null", Call("Permutation"))),
        )
    doubts = check_chi_square(problem)
    if doubts is None:
        return ()
    unbiased = Argument("proximity", "oob")
    text = Message(f"This chi-square p-value is not valid: {doubts}. Use another null, or ", unbiased, ".")
    warn(text)
    return (Note(text, rank="doubt"),)


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
        return (Note(f"{finding}, and no other column is left.", rank="doubt"),)
    rest_of_it = f"Without {'it' if one else 'them'}, {_answer(ask(replace(sample, x=rest)))}"
    return (Note(f"{finding}. {rest_of_it}.", rank="doubt"),)


def _p(result: Result) -> str:
    bound = result.null.bound
    return f"p = {result.pvalue:.2g}" if bound is None else f"p <= {bound:.2g}"


def _answer(result: Result) -> str:
    """Return the p-value and the effect in short."""
    effect, p = result.effect, _p(result)
    if effect is None or effect.score is None:
        return p
    if effect.measure != "R2":
        return f"{p} and {effect.measure} {max(effect.score, 0.5):.2f}"
    ranks = "" if effect.rank_score is None else f" (of ranks {max(effect.rank_score, 0.0):.2f})"
    return f"{p} and R2 {max(effect.score, 0.0):.2f}{ranks}"


class AskOptions(NamedTuple):
    """How to test a sample, and what to explain: the options that `independence` documents."""

    method: Method | str | None = None
    preset: str | None = None
    null: Null | str | None = None
    exchange: str = "auto"
    importances: str = "marginal"
    feature_groups: Mapping[str, Any] | None = None
    interval: float | None = None
    pairwise: bool = False
    details: bool = False
    rows: int | None = None
    margin: float | None = None
    lags: Any = None
    past: bool = False
    """Whether y is compared with x given its own past."""


def asks_past(given: Any, x: Any) -> bool:
    """Return whether `given` asks for the past of y, and does not name a column."""
    if not isinstance(given, str) or given != PAST:
        return False
    names = x.x.names if isinstance(x, Sample) else getattr(x, "columns", x.keys() if isinstance(x, Mapping) else ())
    return PAST not in list(names)


def ask(sample: Sample, question: str, options: AskOptions, execution: Execution) -> Result:
    """Answer a question about a sample; what the test given z does not support is refused by name."""
    _check_importances(options.importances, sample.blocks)
    check_margin(options.margin, sample)
    if options.exchange == "within" and sample.blocks is None and sample.z is None and not sample.same_rows:
        finding = Message("needs ", Argument("blocks"))
        raise InputError(
            finding, argument=Argument("exchange", "within"), remedy="a label for each row, or the name of a column"
        )
    sample, rng = some_rows(sample, options.rows, execution.rng)
    execution = execution._replace(rng=rng)
    if sample.permutations is not None and options.importances == "conditional":
        clash = "assumes independent rows, and permutations says that they are not"
        raise InputError(clash, argument=Argument("importances", "conditional"), remedy="leave one out")
    if sample.times is not None or options.lags is not None or options.past:
        return _ask_series(sample, question, options, execution)
    result = _ask(sample, question, options, execution)
    return replace(result, notes=(*result.notes, *_in_time(sample, result, options, execution)))


def _in_time(sample: Sample, result: Result, options: AskOptions, execution: Execution) -> tuple[str, ...]:
    """Return the answer for rows in time, if they seem to be a series that nobody declared and it is quick to find."""
    if sample.noticed is None or not sample.free:
        return ()
    if sample.z is not None:  # a series would be tested without it, which is another question
        return ()
    order, times = sample.noticed
    parts = f"{order} ("  # of a date
    others = [j for j, name in enumerate(sample.x.names) if name != order and not name.startswith(parts)]
    if not others:
        return ()
    x = sample.x if len(others) == sample.x.p else column_part(sample.x, others)
    series = replace(sample, x=x, times=times, tabular=False)
    again = _quickly(series, result, options, execution)
    if again is None:
        return ()
    doubts = [note for note in again.notes if rank_of(note) == "doubt" and note not in result.notes]
    return (
        Note("With ", Argument("order", order), f", which accounts for that: {_answer(again)}.", rank="doubt"),
        *doubts,
    )


def _quickly(sample: Sample, result: Result, options: AskOptions, execution: Execution) -> Result | None:
    """Return the answer for a series if it is quick to find, to be named beside another."""
    if sample.n > MAX_ROWS_AGAIN or sample.n * sample.x.p * len(read_lags(options.lags)) > MAX_CELLS_AGAIN:
        return None
    quiet = execution._replace(rng=result.seed, progress=no_progress)
    asked = AskOptions(options.method, options.preset, options.null)._replace(lags=options.lags)
    try:
        return _ask_series(replace(sample, notes=()), result.question, asked, quiet, steps=False)
    except InputError:  # times are not equally spaced, there are too few, or they are constant
        return None


def _ask_series(
    sample: Sample, question: str, options: AskOptions, execution: Execution, *, steps: bool = True
) -> Result:
    """Answer a question about rows in time order; if both sides drift, about their `steps` too."""
    conditional = options.importances if options.importances == "conditional" else None
    taken = [("interval", options.interval), ("pairwise", options.pairwise or None), ("importances", conditional)]
    for name, value in taken:
        if value is not None and sample.times is not None:
            finding = Message("assumes independent rows, and ", Argument("order"), " says they are not")
            raise InputError(finding, argument=Argument(name, value), remedy="leave one out")
    part = series_part(sample, options.lags, past=options.past)
    whole, sample = sample, replace(part.sample, notes=(*part.sample.notes, *part.notes))
    if sample.z is not None and sample.blocks is not None:
        finding = Message("with ", Argument("given"), " takes one series, and ", Argument("blocks"), " names several")
        raise InputError(finding, argument="order", remedy="leave one out")
    if sample.blocks is not None:
        options = options._replace(exchange=within_series(options.exchange))
    result = _ask(sample, question, options, execution)
    result = replace(result, settings={**result.settings, **part.settings})
    if part.drift is None or not steps:
        return result
    more = _of_steps(whole, result, options, execution)
    notes = (Note(*note.parts, *more, rank="doubt") if note is part.drift else note for note in result.notes)
    return replace(result, notes=tuple(notes))


def _of_steps(sample: Sample, result: Result, options: AskOptions, execution: Execution) -> tuple[str | Argument, ...]:
    """Return the answer for differences from row to row, which follow no trend, or how to find it if it takes long."""
    plain = sample.y.kind == "numeric" and sample.z is None and not options.past
    again = _quickly(differences(sample), result, options, execution) if plain else None
    if again is not None:
        return (f" Of differences from row to row: {_p(again)}.",)
    return " Test differences from row to row, table.diff() of the numeric columns, with ", Argument("order", True), "."


def within_series(exchange: str) -> str:
    """Return how rows of several series change places: inside of their series; raise if another way is asked for."""
    if exchange not in ("auto", "within"):
        finding = Message(
            "was passed together with ", Argument("order"), ", with which rows are permuted within their series"
        )
        raise InputError(finding, argument=Argument("exchange", exchange), remedy="leave one out")
    return "within"


def _ask(sample: Sample, question: str, options: AskOptions, execution: Execution) -> Result:
    """Answer a question about rows that change places as the sample says."""
    if sample.z is not None:
        passed = options._asdict().items()
        others = {name: value for name, value in passed if name not in ("rows", "margin", "lags", "past")}
        result = answer_given(sample, question, execution, others | {"blocks": sample.blocks is not None})
        return replace(result, margin=decide(options.margin, result.effect))
    conditional = options.importances == "conditional"
    if conditional:
        check_conditional(sample.x)
    null = choose_null(options.null)
    method = choose_method(options.method, options.preset, single=needs_single(null))
    gain = options.importances == "gain"
    extras = Extras(options.feature_groups, options.interval, options.pairwise, options.details, gain)
    result = answer(sample, question, Choice(method, null, options.exchange, execution), extras)
    result = replace(result, margin=decide(options.margin, result.effect))
    return with_conditional_features(result, sample, execution.n_jobs) if conditional else result


def answer(sample: Sample, question: str, choice: Choice, extras: Extras) -> Result:
    """Test the sample as chosen, and explain the result as far as `extras` asks for."""
    whole, classes = sample, sample.y.codes is not None
    part, choice = choice.part_of(sample)
    sample = part.sample
    if classes and sample.y.codes is None:  # their shares in each block are numbers
        question = INDEPENDENCE.name
        _check_shares(extras)
    feature_sets = explanation.check(extras, sample, choice.method, choice.exchange)
    method, null, problem, run, notes = choice.set_up(sample)
    permutes = null.n_resamples > 0
    fit = observe(problem, run.n_jobs, importances=permutes)
    explanation.check_fit(extras, fit)
    (statistic, outcome), permuted = draw_and_judge(null, problem, fit, run, reasons=permutes)
    early = outcome.stopped and len(permuted.statistics) < LATE
    importances = find_importances(fit, sample, run.n_jobs, gain=extras.gain)
    fewest = outcome.pvalue if early else 0.0
    about = part.settings.get("exchange", "within")
    found = sample, method, null, run, fit, permuted, importances, fewest
    finished = FinishedTest(*found, about, part.measured)
    explained = explanation.explain(finished, extras, feature_sets, partial(_pair, choice, run.seed))
    if explained.details is not None and about in ("within", "whole"):
        explained = explained._replace(details=look_at_blocks(explained.details, whole, about, run.seed))
    leaks = leak_note(sample, partial(_again, choice, question, run.seed))
    y = sample.y
    rejects, groups = outcome.pvalue <= LEVEL, not hypothesis(question).names_y
    changes: tuple[Change, ...] = ()
    if extras.changes:
        ways = part.settings.get("exchange", "")
        changes = explanation.changes(explained, whole, groups, ways, evident=rejects)
    if explained.details is not None:
        explained = explained._replace(details=led_by(changes, explained.details, sample, evident=rejects))
    return Result(
        question=question,
        names=names_of(whole),
        changes=changes,
        kinds=find_kinds(sample, run.exchange, outcome.pvalue, run.seed)
        if extras.changes and rejects and permutes
        else (),
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
        settings={"method": as_plain(method), "null": as_plain(null), **part.settings, **_supplied(sample)},
        seed=run.seed,
        statistic_error=fit.parts[0].error if len(fit.parts) == 1 else 0.0,
        untested=dict(part.untested),
        units=sample.column_units,
        members=find_members(fit, permuted.statistics, importances.by_part, fewest, null.interim_analyses),
        **explained._replace(notes=(*notes, *leaks, *explained.notes))._asdict(),
    )


def _supplied(sample: Sample) -> dict[str, Any]:
    """Record the row orders of the user."""
    supplied = sample.permutations
    if supplied is None:
        return {}
    return {"permutations": {"count": supplied.count, "digest": supplied.digest}}


def _again(choice: Choice, question: str, seed: int, sample: Sample) -> Result:
    """Ask the same of other columns."""
    execution = choice.execution._replace(rng=seed, progress=no_progress)
    return answer(replace(sample, tabular=False), question, choice._replace(execution=execution), Extras(changes=False))


def _pair(choice: Choice, seed: int, sample: Sample, number: int, pairs: int) -> tuple[float, NullResult]:
    """Test two groups; each pair has its own random numbers."""
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
            "compares groups two by two, and with these blocks the shares of the groups are compared",
            argument=Argument("pairwise", True),
            remedy="leave it out",
        )


def _check_importances(importances: str, blocks: Any) -> None:
    """Raise unless p-values of features can be found in this way."""
    choose("importances", importances, ("marginal", "conditional", "gain"))
    if importances == "conditional" and blocks is not None:
        finding = Message("assumes independent rows, and ", Argument("blocks"), " says that they are not")
        raise InputError(finding, argument=Argument("importances", importances), remedy="leave one out")
