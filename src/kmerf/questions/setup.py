"""From what the user chose to a test that is ready to run: defaults, checks that choices go together, preparation."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from kmerf.core import parallel
from kmerf.core.errors import InputError, KmerfWarning, choose
from kmerf.core.progress import Progress, as_progress
from kmerf.core.streams import Seed, as_seed
from kmerf.data import exchangeability
from kmerf.data.sample import Sample
from kmerf.methods.kmerf import KMERF
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.protocol import Method, Problem, prepare
from kmerf.nulls.chi_square import ChiSquare
from kmerf.nulls.judging import FEW_ROWS, default_null
from kmerf.nulls.protocol import Null
from kmerf.nulls.resampling import Run

PRESETS = {"paper": KMERF(proximity="all")}


class Execution(NamedTuple):
    """The options that say how to compute, not what."""

    rng: Seed
    n_jobs: int | None
    backend: str
    progress: bool | Progress


class TestChoice(NamedTuple):
    """How to test, as the user said it."""

    method: Method | None
    null: Null | None
    exchange: str
    running: Execution


class PreparedTest(NamedTuple):
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


def set_up(sample: Sample, method: Method | None, null: Null | None, exchange: str, running: Execution) -> PreparedTest:
    """Choose the defaults, check that the choices go together, and prepare the problem."""
    if null is not None:
        _checked("null", null, "judge", "kmerf.Permutation()")
    if method is None:  # a portfolio has no chi-square null
        method = KMERF() if isinstance(null, ChiSquare) else Portfolio()
    _checked("method", method, "prepare", "kmerf.KMERF()")
    seed = as_seed(running.rng)
    allowed = exchangeability.exchange(sample.blocks, exchange, sample.y)
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
    return PreparedTest(method, null, problem, run, notes)


def _checked(argument: str, value: Any, attribute: str, remedy: str) -> Any:
    if isinstance(value, type) or not hasattr(value, attribute):
        raise InputError(f"{argument}={value!r} cannot be used: pass a value such as {remedy}.")
    return value
