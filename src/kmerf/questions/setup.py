"""From what the user chose to a test that is ready to run: defaults, checks that choices go together, preparation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.errors import Argument, Call, InputError, Message, warn
from kmerf.core.settings import holds_matrix
from kmerf.core.streams import as_seed
from kmerf.data import exchangeability
from kmerf.data.block_parts import BlockPart, block_part
from kmerf.execution import parallel
from kmerf.execution.parallel import Execution
from kmerf.execution.progress import Forecast, as_progress
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.protocol import Method, Problem, check_chi_square, prepare
from kmerf.nulls.judging import FEW_ROWS, Run
from kmerf.nulls.registry import default_null

if TYPE_CHECKING:
    from kmerf.data.exchangeability import Exchange
    from kmerf.data.sample import Sample
    from kmerf.nulls.definitions import Null


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
        if null is None:
            return PreparedTest(method, default_null(problem), problem, run, (*sample.notes, *_few_rows_note(sample)))
        notes = (*sample.notes, *_doubts(null, problem, run.exchange))
        return PreparedTest(method, null, problem, run, notes)

    def run_on(self, sample: Sample, *, all_rows: bool = False) -> Run:
        """Settle the seed, the workers and which rows change places; `all_rows` if they cannot be sampled."""
        rng, n_jobs, backend, progress = self.execution
        seed = as_seed(rng)
        allowed = exchangeability.exchange(sample.blocks, self.exchange, sample.y, sample.inside, sample.x)
        reporter = as_progress(progress, self.method.name)
        advice = speed_advice(0 if all_rows else sample.n, forests=isinstance(self.method, Portfolio))
        watched = reporter if callable(progress) else Forecast(reporter, advice)
        return Run(seed, parallel.worker_count(n_jobs), backend, watched, allowed)


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
    return (f"With fewer than {FEW_ROWS} rows the p-value is from the exact permutation test.",) if few else ()


def _doubts(null: Null, problem: Problem, allowed: Exchange) -> tuple[str, ...]:
    """Warn where a null that assumes an unbiased kernel is known to fail, and say so in the notes as well."""
    if not null.needs_unbiased:
        return ()
    if allowed.log_arrangements < 1e-9:  # p is 1 under every null
        return ()
    if allowed.units:
        raise InputError(
            "takes all rows to be exchangeable",
            argument=Argument("null", Call("ChiSquare")),
            remedy=Message("with ", Argument("blocks"), ", use ", Argument("null", Call("Permutation"))),
        )
    doubts = check_chi_square(problem)
    if doubts is None:
        return ()
    unbiased = Argument("proximity", "oob")
    text = Message(f"This chi-square p-value is not valid: {doubts}. Use another null, or ", unbiased, ".")
    warn(text)
    return (text,)
