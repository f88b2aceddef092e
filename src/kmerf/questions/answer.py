"""How a question is answered: prepare the test, observe, permute, judge, explain, and put it all into a `Result`.

`ask` is the one way from a sample and the options of a user to a result, for every question that a p-value answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from kmerf.adjustment.answering import answer_given, check_conditional, check_importances, with_conditional_features
from kmerf.core.errors import Argument, InputError
from kmerf.core.settings import as_plain
from kmerf.core.streams import Purpose, seed_for
from kmerf.data.sample import some_rows
from kmerf.execution.progress import no_progress
from kmerf.explain import explanation
from kmerf.explain.explanation import Extras, FinishedTest
from kmerf.explain.feature_importances import find_importances
from kmerf.explain.feature_tests import find_members
from kmerf.methods.protocol import observe
from kmerf.methods.registry import choose_method
from kmerf.nulls.definitions import LATE, Sequential
from kmerf.nulls.judging import draw_and_judge
from kmerf.nulls.registry import choose_null, needs_single, refits_for_pairs
from kmerf.questions.leaks import leak_note
from kmerf.questions.setup import Choice
from kmerf.results.question import INDEPENDENCE
from kmerf.results.single_result import Result

if TYPE_CHECKING:
    from kmerf.data.sample import Sample
    from kmerf.execution.parallel import Execution
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null
    from kmerf.results.parts import NullResult


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


def ask(sample: Sample, question: str, options: AskOptions, execution: Execution) -> Result:
    """Answer a question about a sample; what the test given z does not support is refused by name."""
    check_importances(options.importances, sample.blocks)
    sample, rng = some_rows(sample, options.rows, execution.rng)
    execution = execution._replace(rng=rng)
    if sample.z is not None:
        others = {name: value for name, value in options._asdict().items() if name != "rows"}
        return answer_given(sample, question, execution, others | {"blocks": sample.blocks is not None})
    conditional = options.importances == "conditional"
    if conditional:
        check_conditional(sample.x)
    null = choose_null(options.null)
    method = choose_method(options.method, options.preset, single=needs_single(null))
    gain = options.importances == "gain"
    extras = Extras(options.feature_groups, options.interval, options.pairwise, options.details, gain)
    result = answer(sample, question, Choice(method, null, options.exchange, execution), extras)
    return with_conditional_features(result, sample, execution.n_jobs) if conditional else result


def answer(sample: Sample, question: str, choice: Choice, extras: Extras) -> Result:
    """Test the sample as chosen, and explain the result as far as `extras` asks for."""
    classes = sample.y.codes is not None
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
    finished = FinishedTest(sample, method, null, run, fit, permuted, importances, fewest, about)
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
        members=find_members(fit, permuted.statistics, importances.by_part, fewest, null.interim_analyses),
        **explained._replace(notes=(*notes, *leaks, *explained.notes))._asdict(),
    )


def _again(choice: Choice, question: str, seed: int, sample: Sample) -> Result:
    """Ask the same of other columns."""
    execution = choice.execution._replace(rng=seed, progress=no_progress)
    return answer(replace(sample, tabular=False), question, choice._replace(execution=execution), Extras())


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
            "compares groups two by two, and with these blocks it is the shares of the groups that are compared",
            argument=Argument("pairwise", True),
            remedy="leave it out",
        )
