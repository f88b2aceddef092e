"""How a question is answered: prepare the test, observe, permute, judge, explain, and put it all into a `Result`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from kmerf.core.settings import as_plain
from kmerf.core.streams import Purpose, seed_for
from kmerf.data.sample import Sample
from kmerf.explain import explanation as reasons
from kmerf.explain.explanation import Extras, FinishedTest
from kmerf.explain.members import find_members
from kmerf.methods.protocol import observe
from kmerf.nulls.judging import weigh
from kmerf.nulls.resampling import resample
from kmerf.questions.setup import TestChoice, set_up
from kmerf.results.result import Result


def answer(sample: Sample, question: str, asked: TestChoice, wishes: Extras) -> Result:
    groups = reasons.check(wishes, sample, asked.method, asked.exchange)
    method, null, problem, run, notes = set_up(sample, *asked)
    told = null.n_resamples > 0
    fit = observe(problem, run.n_jobs, reasons=told)
    reasons.check_fit(wishes, fit)
    drawn = resample(problem, int(null.n_resamples), run, reasons=told)
    statistic, outcome = weigh(null, fit.statistics, drawn.statistics, fit.levels, sample.n, run.exchange)
    tested = FinishedTest(sample, method, null, run, fit, drawn)
    found = reasons.find_reasons(tested, wishes, groups, partial(_pair, asked, run.seed))
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
        groups=sizes,
        settings={"method": as_plain(method), "null": as_plain(null)} | _block_settings(sample, asked.exchange),
        seed=run.seed,
        statistic_error=fit.parts[0].error if len(fit.parts) == 1 else 0.0,
        members=find_members(fit, drawn.statistics, sample.x.names),
        **found._replace(notes=(*notes, *found.notes))._asdict(),
    )


def _pair(asked: TestChoice, seed: int, sample: Sample, number: int) -> tuple[float, float]:
    """Test two groups; each pair has random numbers of its own."""
    own = seed_for(seed, Purpose.PAIR_OF_GROUPS, number)
    running = asked.running._replace(rng=own, progress=False)
    ready = set_up(sample, asked.method, asked.null, asked.exchange, running)
    fit = observe(ready.problem, ready.run.n_jobs)
    drawn = resample(ready.problem, int(ready.null.n_resamples), ready.run)
    found = weigh(ready.null, fit.statistics, drawn.statistics, fit.levels, sample.n, ready.run.exchange)
    return found.statistic, found.null.pvalue


def _block_settings(sample: Sample, exchange: str) -> dict[str, Any]:
    if sample.blocks is None:
        return {}
    return {"blocks": int(sample.blocks.max()) + 1, "exchange": exchange}
