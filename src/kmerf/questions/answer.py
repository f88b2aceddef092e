"""The two questions: does y depend on x (`independence`), and do these groups differ (`ksample`)?

The second is the first, asked of the rows and the group that each belongs to. Both read their input into one `Sample`,
and `_answer` takes it from there: prepare, observe, find the p-value, put it all into a `Result`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kmerf.core import parallel
from kmerf.core.errors import InputError, KmerfWarning, choose
from kmerf.core.progress import Progress, as_progress
from kmerf.core.settings import as_plain
from kmerf.core.streams import Purpose, Seed, as_seed, seed_for
from kmerf.data import exchangeability as exchanges
from kmerf.data import sample as tables
from kmerf.data.sample import Sample
from kmerf.explain import explanation as reasons
from kmerf.explain.explanation import Tested, Wishes
from kmerf.explain.members import find_members
from kmerf.methods.kmerf import KMERF
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.protocol import Method, Problem, observe, prepare
from kmerf.nulls.chi_square import ChiSquare
from kmerf.nulls.judging import FEW_ROWS, default_null, weigh
from kmerf.nulls.protocol import Null
from kmerf.nulls.resampling import Run, resample
from kmerf.questions.result import Result

PRESETS = {"paper": KMERF(proximity="all")}



def independence(
    x: Any,
    y: Any,
    *,
    method: Method | None = None,
    preset: str | None = None,
    null: Null | None = None,
    categorical: Iterable[str | int] = (),
    y_kind: str = "auto",
    missing_y: str = "raise",
    blocks: Any = None,
    exchange: str = "within",
    feature_groups: Mapping[str, Any] | None = None,
    interval: float | None = None,
    pairwise: bool = False,
    details: bool = False,
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
) -> Result:
    """Test whether y depends on x.

    Parameters
    ----------
    x
        The features, one row an observation: an array, a list, or a table of pandas, polars or pyarrow. Missing values
        are used as they are.
    y
        What may depend on them: numbers, one column or several, or classes. Or, where x is a table, the name of its
        column (or columns) that holds y.
    method
        The test. By default a `Portfolio`: forests that look for different things, and tests without one, as one test.
    preset
        "paper" for the paper's own test, `KMERF(proximity="all")`, instead. Its p-value is the valid one, from refits;
        the paper's is `null=ChiSquare()`.
    null
        How to find the p-value. By default `Extrapolated(99)`: exact, from 99 refits on permuted y, with a model of the
        tail for p below 0.01. `Permutation(999)` uses no model, and is the default below 20 rows and for methods that
        refit nothing; `ChiSquare()` is the paper's, fast and not always valid.
    categorical
        Columns to read as categories, by name or position, where their type does not say so.
    y_kind
        "numeric" or "categorical"; by default numbers are numeric and everything else is categorical.
    missing_y
        What to do with rows whose y is missing: "raise" or "drop".
    blocks
        A label for each row, or the name of the column of x that holds them, where not all rows may be exchanged
        under the null: repeated measures, pairs, batches. Not for `ChiSquare`.
    exchange
        "within": rows change places inside their block. "whole": blocks change places, with their rows.
    feature_groups
        Sets of features whose importances are also tested together: `{"blood": ["sodium", "iron"]}`.
    interval
        A level such as 0.95, for an interval of the kernel correlation from 60 half-samples of the rows. It takes about
        a third as long as the default null.
    pairwise
        Whether to test every two of three or more classes as well: k (k - 1) / 2 more tests, on fewer rows each.
    details
        Whether to look closer at the forest: out-of-bag permutation importances, the share of each row in the
        statistic, and how y moves with the most important features. It takes about as long as a few refits.
    rng
        A seed, a numpy Generator, or None for a new seed, which the result records.
    n_jobs
        Workers; all cores by default. The result does not depend on it.
    backend
        "threads", or a joblib back end by name: "loky" for processes.
    progress
        True for a bar on standard error, or a function that is called with what is done and what there is.

    Returns
    -------
    Result
        Statistic, p-value, importances with p-values and the size of the effect;
        `statistic, pvalue = independence(x, y)` works too.

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 3))
    >>> y = x[:, 1] ** 2 + 0.1 * rng.normal(size=60)
    >>> result = kmerf.independence(x, y, rng=1)
    >>> result.pvalue < 0.001
    True
    >>> result.features.significant(0.05)
    ('x2',)
    """
    sample = tables.read_independence(x, y, categorical=categorical, y_kind=y_kind, missing_y=missing_y, blocks=blocks)
    asked = Asked(choose_method(method, preset), null, exchange, Running(rng, n_jobs, backend, progress))
    return _answer(sample, "independence", asked, Wishes(feature_groups, interval, pairwise, details))


def ksample(
    *samples: Any,
    groups: Any = None,
    method: Method | None = None,
    preset: str | None = None,
    null: Null | None = None,
    categorical: Iterable[str | int] = (),
    missing_y: str = "raise",
    blocks: Any = None,
    exchange: str = "within",
    feature_groups: Mapping[str, Any] | None = None,
    interval: float | None = None,
    pairwise: bool = False,
    details: bool = False,
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
) -> Result:
    """Test whether two or more groups come from the same distribution.

    Parameters
    ----------
    samples
        Two or more samples with the same columns, or one dictionary of named samples; or one table together with
        `groups`. Groups are one-hot, so their order does not matter.
    groups
        The name of the table's column that holds the groups, or one label for each row.
    missing_y
        What to do with rows whose group is missing: "raise" or "drop".
    pairwise
        Whether to test every two of three or more groups as well, to see which differ: k (k - 1) / 2 more tests, on
        fewer rows each, with p-values adjusted by Holm's method.
    method, preset, null, categorical, blocks, exchange, feature_groups, interval, details
        As in `independence`.
    rng, n_jobs, backend, progress
        As in `independence`. With several samples, `blocks` has the labels of their rows one below the other:
        `ksample(before, after, blocks=[*subjects, *subjects])` compares paired samples.

    Returns
    -------
    Result
        Statistic, p-value and importances with p-values: which features tell the groups apart.

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(40, 2)), rng.normal(size=(50, 2))
    >>> b[:, 0] *= 4.0
    >>> result = kmerf.ksample(a, b, rng=1)
    >>> result.pvalue < 0.001, result.groups
    (True, {'1': 40, '2': 50})
    """
    sample = tables.read_ksample(*samples, groups=groups, categorical=categorical, missing_y=missing_y, blocks=blocks)
    asked = Asked(choose_method(method, preset), null, exchange, Running(rng, n_jobs, backend, progress))
    return _answer(sample, "ksample", asked, Wishes(feature_groups, interval, pairwise, details))


class Running(NamedTuple):
    """The options that say how to compute, not what."""

    rng: Seed
    n_jobs: int | None
    backend: str
    progress: bool | Progress


class Asked(NamedTuple):
    """How to test, as the user said it."""

    method: Method | None
    null: Null | None
    exchange: str
    running: Running


class Ready(NamedTuple):
    """A sample, made ready to be tested."""

    method: Method
    null: Null
    problem: Problem
    run: Run
    notes: tuple[str, ...]


def choose_method(method: Method | None, preset: str | None) -> Method | None:
    """Return the method that was asked for, or the one that a preset stands for."""
    if preset is None:
        return method
    choose("preset", preset, list(PRESETS))
    if method is not None:
        raise InputError(f"preset={preset!r} was given together with a method: pass one of them.")
    return PRESETS[preset]


def set_up(sample: Sample, method: Method | None, null: Null | None, exchange: str, running: Running) -> Ready:
    """Choose the defaults, check that the choices go together, and prepare the problem."""
    if null is not None:
        _checked("null", null, "judge", "kmerf.Permutation()")
    if method is None:  # a portfolio has no chi-square null
        method = KMERF() if isinstance(null, ChiSquare) else Portfolio()
    _checked("method", method, "prepare", "kmerf.KMERF()")
    seed = as_seed(running.rng)
    allowed = exchanges.exchange(sample.blocks, exchange, sample.y)
    shown = as_progress(running.progress, method.name)
    run = Run(seed, parallel.worker_count(running.n_jobs), running.backend, shown, allowed)
    problem = prepare(method, sample, seed, allowed)
    notes = sample.notes
    if null is None:
        null = default_null(problem)
        if sample.n < FEW_ROWS:
            notes = (*notes, f"With fewer than {FEW_ROWS} rows the p-value is from the exact permutation test.")
    elif isinstance(null, ChiSquare):
        if sample.blocks is not None:
            raise InputError("null=ChiSquare() takes all rows to be exchangeable: with blocks, use null=Permutation().")
        doubts = problem.doubts()
        if doubts is not None:
            text = f"This chi-square p-value is not valid: {doubts}. Use another null, or proximity='oob'."
            warnings.warn(text, KmerfWarning, stacklevel=4)
            notes = (*notes, text)
    return Ready(method, null, problem, run, notes)


def _answer(sample: Sample, question: str, asked: Asked, wishes: Wishes) -> Result:
    groups = reasons.check(wishes, sample, asked.method, asked.exchange)
    method, null, problem, run, notes = set_up(sample, *asked)
    told = null.n_resamples > 0
    fit = observe(problem, run.n_jobs, reasons=told)
    reasons.check_fit(wishes, fit)
    drawn = resample(problem, int(null.n_resamples), run, reasons=told)
    statistic, outcome = weigh(null, fit.statistics, drawn.statistics, fit.levels, sample.n, run.exchange)
    tested = Tested(sample, method, null, run, fit, drawn)
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


def _pair(asked: Asked, seed: int, sample: Sample, number: int) -> tuple[float, float]:
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


def _checked(argument: str, value: Any, attribute: str, remedy: str) -> Any:
    if isinstance(value, type) or not hasattr(value, attribute):
        raise InputError(f"{argument}={value!r} cannot be used: pass a value such as {remedy}.")
    return value
