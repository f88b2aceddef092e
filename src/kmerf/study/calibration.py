"""Does a test keep its level on the user's own x? y is permuted, so that nothing depends on anything, and tested.

Each of R permutations of y gives a statistic, the forest grown again. Under `ChiSquare` each has its own p-value.
Under a null that permutes, statistics of permuted data are exchangeable with those of their own permutations, so no
more are needed: each takes its turn as the observed one, against the next ones in a circle. A rank among exchangeable
values keeps its level by construction, so there the check can find fault with nothing but the tail that `Extrapolated`
adds; it is `ChiSquare` that it is for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.errors import Argument, InputError, explain_unknown, whole
from kmerf.core.settings import LEVEL
from kmerf.data.exchangeability import log_arrangements
from kmerf.data.sample import some_rows
from kmerf.execution.parallel import Execution
from kmerf.methods.protocol import Method, observe
from kmerf.methods.registry import choose_method
from kmerf.nulls.judging import choose_null, default_null, judge, judge_in_turn, needs_single, resample
from kmerf.questions.answer import Choice
from kmerf.reading import samples
from kmerf.study.estimate import Interval, wilson

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.core.streams import Seed
    from kmerf.data.exchangeability import Exchange
    from kmerf.execution.progress import Progress
    from kmerf.nulls.definitions import Null


@dataclass(frozen=True, eq=False)
class Calibration:
    """How often a test rejected although there was no effect."""

    pvalues: Floats
    levels: tuple[float, ...]
    seed: int

    @property
    def rates(self) -> tuple[float, ...]:
        """Share of rejections at each level."""
        return tuple(float(np.mean(self.pvalues <= level)) for level in self.levels)

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """95 % score interval of each rate; rough if p-values share their permutations."""
        n = self.pvalues.size
        return tuple(wilson(rate * n, n) for rate in self.rates)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What each rate means, in words."""
        ends = zip(self.levels, self.intervals, strict=True)
        return tuple(
            "too many" if low > level else "fewer than allowed" if high < level else "as it should be"
            for level, (low, high) in ends
        )

    def __str__(self) -> str:
        lines = [
            f"Rejections of {self.pvalues.size} true nulls, made by permuting y",
            "",
            "  level   rejected   95 % interval",
        ]
        every = zip(self.levels, self.rates, self.intervals, self.verdicts, strict=True)
        for level, rate, (low, high), verdict in every:
            lines.append(f"  {level:<7g} {rate:8.3f}   {low:.3f} to {high:.3f}   {verdict}")
        return "\n".join(lines)


@explain_unknown
def check_calibration(
    x: Any,
    y: Any,
    *,
    method: Method | str | None = None,
    null: Null | str | None = None,
    replicates: int = 500,
    levels: float | Iterable[float] = (LEVEL, 0.01),
    categorical: Iterable[str | int] = (),
    keep: Iterable[str | int] = (),
    na: Any = (),
    y_kind: str = "auto",
    missing_y: str = "auto",
    blocks: Any = None,
    exchange: str = "auto",
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
) -> Calibration:
    """Estimate how often a test rejects on your own x if y is permuted, so that there is no effect.

    Parameters
    ----------
    replicates
        How many times y is permuted and the method fitted; no more fits are needed, whatever the null.
    levels
        The levels to check.
    x, y, method, null, categorical, keep, na, y_kind, missing_y, blocks, exchange, rng, n_jobs, backend, progress
        As in `independence`.

    Returns
    -------
    Calibration
        Rates of rejection with their intervals, and the p-values; `kmerf.figures.plot_tail` draws them.

    Examples
    --------
    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(40, 3))
    >>> fast = kmerf.KMERF(kmerf.ForestSpec(n_trees=50))
    >>> check = check_calibration(x, x[:, 0] > 0, method=fast, null=kmerf.ChiSquare(), replicates=200, rng=1)
    >>> check.rates[0] < 0.2
    True
    """
    sample = samples.read_independence(
        x, y, categorical=categorical, keep=keep, na=na, y_kind=y_kind, missing_y=missing_y, blocks=blocks
    )
    sample, rng = some_rows(sample, None, rng)  # of sampling weights, those that count alike
    checked = tuple(np.atleast_1d(np.asarray(levels, dtype=np.float64)).tolist())
    named_null = choose_null(null)
    test = choose_method(method, single=needs_single(named_null))
    part, choice = Choice(test, named_null, exchange, Execution(rng, n_jobs, backend, progress)).part_of(sample)
    sample, ready = part.sample, choice.set_up(part.sample)
    if named_null is None:  # the default, with no more refits than there are replicates
        ready = ready._replace(null=default_null(ready.problem, most=whole("replicates", replicates) - 1))
    if whole("replicates", replicates) <= ready.null.n_resamples:
        finding = f"must be more than the {ready.null.n_resamples} resamples of the null"
        raise InputError(finding, argument=Argument("replicates", replicates))
    statistics = resample(ready.problem, replicates, ready.run).statistics
    weights = observe(ready.problem, ready.run.n_jobs).weights
    allowed = ready.run.exchange
    fewest = log_arrangements(sample.x.values, sample.y.values, allowed, paired=False)  # every order takes its turn
    pvalues = _pvalues(ready.null, statistics, weights, sample.n, replace(allowed, log_arrangements=fewest))
    return Calibration(pvalues, checked, ready.run.seed)


def _pvalues(null: Null, statistics: Floats, weights: Floats, n: int, exchange: Exchange) -> Floats:
    size = int(null.n_resamples)
    circle = np.concatenate([statistics, statistics])
    windows = (circle[i + 1 : i + 1 + size] for i in range(len(statistics)))

    def find(observed: Floats, window: Floats) -> float:
        return judge_in_turn(
            null.interim_analyses, lambda size: judge(null, observed, window[:size], weights, n, exchange)
        ).null.pvalue

    return np.array([find(each, window) for each, window in zip(statistics, windows, strict=True)])
