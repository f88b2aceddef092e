"""How a question is answered: prepare the test, observe, permute, judge, explain, and put it all into a `Result`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.errors import Argument, InputError
from kmerf.core.progress import no_progress
from kmerf.core.settings import as_plain
from kmerf.core.streams import Purpose, seed_for
from kmerf.explain import explanation
from kmerf.explain.explanation import Extras, FinishedTest
from kmerf.explain.feature_importances import find_importances
from kmerf.explain.members import find_members
from kmerf.methods.protocol import observe
from kmerf.nulls.judging import draw_and_weigh
from kmerf.nulls.late_looks import LATE
from kmerf.nulls.registry import refits_for_pairs
from kmerf.nulls.sequential import Sequential
from kmerf.questions.leak_note import leak_note
from kmerf.results.single_result import Result

if TYPE_CHECKING:
    from kmerf.data.sample_values import Sample
    from kmerf.questions.setup import Choice
    from kmerf.results.parts import NullResult


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
    (statistic, outcome), permuted = draw_and_weigh(null, problem, fit, run, reasons=permutes)
    early = outcome.stopped and len(permuted.statistics) < LATE
    found = find_importances(fit, sample, run.n_jobs, gain=extras.gain)
    fewest = outcome.pvalue if early else 0.0
    about = part.settings.get("exchange", "within")
    finished = FinishedTest(sample, method, null, run, fit, permuted, found, fewest, about)
    explained = explanation.explain(finished, extras, feature_sets, partial(_pair, choice, run.seed))
    leaks = leak_note(sample, partial(_again, choice, question, run.seed))
    y = sample.y
    sizes = {} if y.codes is None else dict(zip(y.labels, np.bincount(y.codes).tolist(), strict=True))
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
        groups=sizes,
        settings={"method": as_plain(method), "null": as_plain(null), **part.settings},
        seed=run.seed,
        statistic_error=fit.parts[0].error if len(fit.parts) == 1 else 0.0,
        untested=dict(part.untested),
        members=find_members(fit, permuted.statistics, found.by_part, fewest, null.looks),
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
    judgement, _ = draw_and_weigh(null, problem, fit, run)
    return judgement.statistic, judgement.null


def _check_shares(extras: Extras) -> None:
    """Raise if pairs of groups are asked for, and there are none to compare."""
    if extras.pairwise:
        raise InputError(
            "compares groups two by two, and with these blocks it is the shares of the groups that are compared",
            argument=Argument("pairwise", True),
            remedy="leave it out",
        )
