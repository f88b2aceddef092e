"""How strong is a relation, whatever n? R2 of numbers and AUC of classes, from predictions for held-out rows.

**Kernel correlation.** It is at most 1, and about 0 without dependence. Its interval, if asked for, is from
half-samples: rows are drawn without replacement (a bootstrap would put copies of a row in and out of bag), and the
forest is grown on each half. The sd over half-samples estimates the sd over new samples of n rows: the variance goes as
1/n, so half the rows double it, and halves of the same rows share half of it (the delete-half jackknife, Shao and Wu
1989). Then correlation -+ t sd, cut at 1, aims at the expected correlation of samples of this size: a forest of more
rows would see more. What is a mean over pairs of rows, not over rows, has a variance that goes as 1/n^2, of which
halves have three times as much, so it holds that value at least as often as its level says: docs/importance.md.

Classes are halved one by one, and with blocks, whole blocks are drawn. A half on which there is nothing to correlate,
of fewer than four rows or of one value of y, is drawn again.

**R2 and AUC.** `kmerf.explain.held_out` deals the rows and fits the models, and `kmerf.explain.held_out` has the
formulas. This module says what is predicted from what:

- censored times: R2 of their scores, and the C-index of what is predicted for them;
- numbers: R2 of their ranks, which no outlier spoils, and of the values; several columns of y count together;
- two classes: AUC; more of them: the mean AUC over pairs of classes;
- one column of numbers and one of groups (or of at most ten numbers, none of them rare), whichever of them is y: R2 of
  the numbers by the groups, and AUC of the groups by the numbers, so that `independence` and `ksample` report the same
  for the same data;
- with blocks, what was tested: differences within blocks, or between them;
- given z: by how much R2 or AUC is larger with x and z than with z alone.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.arrays import Floats, Ints, mid_ranks
from kmerf.core.errors import Argument, Call, InputError, Message
from kmerf.core.settings import holds_matrix
from kmerf.core.streams import Purpose, half_sample_seed, stream
from kmerf.data.block_parts import MOST_LEVELS
from kmerf.data.sample import FEWEST_ROWS, Sample, common_levels, take_rows
from kmerf.execution import parallel
from kmerf.execution.progress import no_progress
from kmerf.explain.held_out import (
    FEWEST_UNITS,
    TRAINED,
    Estimate,
    HeldOut,
    Layout,
    Outputs,
    added_area,
    area,
    concordance,
    cross_fit,
    dealing_for,
    keys_of,
    share,
)
from kmerf.explain.learner import Predictors, group_predictors, predictors
from kmerf.methods.protocol import Fit, Method, observe
from kmerf.nulls.judging import FEW_ROWS
from kmerf.results.parts import Effect

if TYPE_CHECKING:
    from kmerf.data.sample import Features
    from kmerf.nulls.judging import Run

HALVES = 60
_BY_DESIGN = 0.01  # probability of strata that are as alike in x, if its values are drawn at random
MOST_COMPARED = 10_000  # rows of a censored y that are compared two by two
FEWEST_BLOCKS = 4  # with fewer, two of them are no half

_TRIES = 200  # at a half on which there is something to correlate


def correlation(fit: Fit) -> float | None:
    """Return the kernel correlation that a method found: the largest of its forests, or else of others, or None."""
    known = [part for part in fit.parts if part.correlation]
    forests = [part for part in known if part.forest is not None]
    return max((part.statistic for part in forests or known), default=None)


def check_interval(level: Any, sample: Sample, method: Method | None) -> None:
    """Raise unless rows can be halved to find an interval of this level."""
    if isinstance(level, bool) or not isinstance(level, numbers.Real) or not 0.0 < float(level) < 1.0:
        finding = "must be a number between 0 and 1, such as 0.95, or None"
        raise InputError(finding, argument=Argument("interval", level))
    if sample.n < FEW_ROWS:
        finding = f"needs {FEW_ROWS} rows or more to halve, and there are {sample.n}"
        raise InputError(finding, argument=Argument("interval", level), remedy="leave it out")
    n_blocks = sample.n if sample.blocks is None else np.unique(sample.blocks).size
    if n_blocks < FEWEST_BLOCKS:
        finding = f"needs {FEWEST_BLOCKS} blocks or more to halve, and there are {n_blocks}"
        raise InputError(finding, argument=Argument("interval", level), remedy="leave it out")
    half_of(sample, np.random.default_rng(int(Purpose.HALF_SAMPLE)))
    if holds_matrix(method):
        raise InputError("cannot be computed with a precomputed y_kernel", argument="interval", remedy="name a kernel")


def check_correlation(level: float, fit: Fit) -> None:
    """Raise unless there is a correlation that an interval could be of."""
    if correlation(fit) is None:
        names = " and ".join(part.name for part in fit.parts)
        finding = f"is for a correlation, and the statistic of {names} is not one"
        ways = (Argument("method", Call(name)) for name in ("KMERF", "Dcorr"))
        remedy = Message("leave it out, or use ", next(ways), " or ", next(ways))
        raise InputError(finding, argument=Argument("interval", level), remedy=remedy)


def with_interval(effect: Effect, level: float, method: Method, sample: Sample, run: Run) -> Effect:
    """Add the interval, from the test's statistic on halves of the rows."""
    from scipy.special import stdtrit

    job = _Half(method, sample, run.seed)
    found = parallel.run(job, range(HALVES), n_jobs=run.n_jobs, backend=run.backend, progress=no_progress)
    assert effect.correlation is not None  # `check_correlation` saw to that
    half = float(np.std(found, ddof=1) * stdtrit(HALVES - 1, (1.0 + level) / 2.0))
    low, high = (min(1.0, effect.correlation + side) for side in (-half, half))
    return replace(effect, low=low, high=high, level=float(level))


@dataclass(frozen=True, eq=False)
class _Half:
    """The statistic of the half-sample of a given number; a value, so that it can be sent to a worker."""

    method: Method
    sample: Sample
    seed: int

    def __call__(self, number: int) -> float:
        rows = half_of(self.sample, stream(self.seed, Purpose.HALF_SAMPLE, number))
        part = take_rows(self.sample, rows)
        found = correlation(observe(self.method.prepare(part, half_sample_seed(self.seed, number))))
        assert found is not None  # `check_correlation` saw to that
        return found


def half_of(sample: Sample, rng: np.random.Generator) -> Ints:
    """Draw half of the rows: of each class, or of the blocks."""
    for _ in range(_TRIES):
        rows = _draw(sample, rng)
        if rows.size >= FEWEST_ROWS and (sample.y.values[rows] != sample.y.values[rows[0]]).any():
            return rows
    units = "rows" if sample.blocks is None else "blocks"
    finding = f": nearly every half of the {units} has fewer than {FEWEST_ROWS} rows or a single value of y"
    raise InputError(finding, argument="interval", remedy="leave it out")


def _draw(sample: Sample, rng: np.random.Generator) -> Ints:
    if sample.blocks is not None:
        drawn = _some_rows(np.unique(sample.blocks), rng)
        return np.flatnonzero(np.isin(sample.blocks, drawn))
    codes = np.zeros(sample.n, np.int64) if sample.y.codes is None else sample.y.codes
    parts = [_some_rows(np.flatnonzero(codes == code), rng) for code in np.unique(codes)]
    return np.sort(np.concatenate(parts))


def _some_rows(units: Ints, rng: np.random.Generator) -> Ints:
    """Draw half of some units, an odd one by the toss of a coin; two or more of them if there are."""
    size = (units.size + int(rng.integers(2))) // 2
    return rng.permutation(units)[: max(size, min(2, units.size))]


FEWEST_OF_LEVEL = 4  # rows of each value of such a column
MOST_OUTPUTS = 32  # columns of y that are predicted; of more, some
GUESSING = 0.5  # the AUC of it
MOST_KEYS = 6  # columns of x that rows are dealt by


class Added(NamedTuple):
    """What x adds to z, and how well y is predicted without and with x."""

    effect: Effect
    without_x: float
    with_x: float


class _Inputs(NamedTuple):
    """Columns to predict from: as trees take them, and with categories as zeros and ones."""

    values: Floats
    levels: Ints
    spread: Floats
    keys: Floats


def find_effect(sample: Sample, exchange: str, seed: int, n_jobs: int = 1) -> Effect:
    """Return the size of the effect that was tested; it has no numbers if there are too few rows or blocks for one."""
    layout = _layout(sample, exchange)
    if layout is None:
        return Effect()
    fitting = _Fitting(layout, seed, n_jobs)
    about = ("within blocks" if layout.within else "between blocks") if layout.blocks is not None else ""
    about = "between blocks" if exchange == "between" else about  # whose rows are blocks
    pair = _pair(sample)
    if pair is None:
        columns, codes = _columns(sample.x), sample.y.codes
        if codes is None:
            errors = fitting.errors([columns], sample.y.values)[0]
            of_times = _of_times(sample, errors, seed)
            return Effect(**_of_shares(*fitting.both_shares(errors, sample.y.values)), **of_times, about=about)
        return Effect(**_of_area(area(fitting.areas([columns], codes)[0], codes, layout), codes), about=about)
    numbers, groups = pair
    shares = _of_shares(*fitting.shares_by_group(numbers, groups))
    auc = _of_area(area(fitting.areas([_number(numbers)], groups)[0], groups, layout), groups)
    if sample.y.codes is None:
        beside = {"auc": auc["score"], "auc_low": auc["score_low"], "auc_high": auc["score_high"]}
        return Effect(**shares, **beside, auc_measure=auc["measure"], about=about)
    ranks = {name: shares[name] for name in ("rank_score", "rank_low", "rank_high")}
    return Effect(**auc, **ranks, about=about)


def find_beyond(sample: Sample, seed: int, n_jobs: int = 1, strata: Ints | None = None) -> Added | None:
    """Return by how much x and z predict y better than z alone; None if there are too few rows.

    `strata` has the value of z of each row, where several rows share it.
    """
    assert sample.z is not None
    if strata is not None and sample.y.codes is None:
        return _beyond_strata(sample, strata, seed, n_jobs)
    layout = _layout(sample, "within")
    if layout is None:
        return None
    fitting = _Fitting(layout, seed, n_jobs)
    z, x = _columns(sample.z), _columns(sample.x)
    both = _Inputs(*(np.concatenate([a, b], axis=-1) for a, b in zip(z, x, strict=True)))
    codes = sample.y.codes
    if codes is not None:
        alone, beside = fitting.areas([z, both], codes)
        without, whole = area(alone, codes, layout), area(beside, codes, layout)
        gain = added_area(beside, alone, codes, layout)
        if without.value < GUESSING:  # as where levels of z hold the classes evenly; guessing is no worse than that
            gain = Estimate(*(value - GUESSING for value in whole))
        most = 1.0 - max(without.value, GUESSING)
        low, high = max(0.0, gain.low), min(most, gain.high)
        measure = _of_area(gain, codes)["measure"]
        effect = Effect(measure=measure, score=gain.value, score_low=low, score_high=high, about="beyond z")
        return Added(effect, without.value, whole.value)
    alone, beside = fitting.errors([z, both], sample.y.values)
    added = [fitting.share(beside, sample.y.values, ranked=ranked, without=alone) for ranked in (False, True)]
    effect = Effect(**_of_shares(*added), about="beyond z")
    without_x = fitting.share(alone, sample.y.values, ranked=True).value
    return Added(effect, without_x, without_x + added[1].value)


def _beyond_strata(sample: Sample, strata: Ints, seed: int, n_jobs: int) -> Added | None:
    """Return what x adds to strata: the share of the variance within them that it explains, times their share.

    The latter is that of one-way ANOVA, (SS within / (n - strata)) / (SS total / (n - 1)), so that means of few rows do
    not seem to explain anything. Its error, from leaving out one stratum or row at a time, widens the interval.

    Where each stratum has the same values of x by design, such as all doses once, these differ more within strata than
    values drawn at random do, and no mean of y varies with them. So the part of x is `_spread_by_design` too large.
    """
    layout = Layout(sample.n, strata, True)
    if int(layout.units.max()) + 1 < FEWEST_UNITS:
        return None
    q = _some(sample.y.values).shape[1]
    left, error = _share_within(_numbers(sample.y.values).values, layout, q)
    fitting = _Fitting(layout, seed, n_jobs)
    found = fitting.both_shares(fitting.errors([_columns(sample.x)], sample.y.values)[0], sample.y.values)
    whole = [_times(found[k], left[1 - k], error[1 - k]) for k in (0, 1)]  # outputs have the ranks first
    if not np.isfinite([*whole[0], *whole[1], left[0]]).all():  # nothing varies inside strata
        return None
    less = 1.0 / _spread_by_design(common_levels(sample.x).values, strata)
    values, ranks = (Estimate(*(less * number for number in each)) for each in whole)
    with_x = 1.0 - left[0] + whole[1].value
    return Added(Effect(**_of_shares(values, ranks), about="beyond z"), with_x - ranks.value, with_x)


def _spread_by_design(x: Floats, strata: Ints) -> float:
    """Return how many times as large the variance of x within strata is as that of all rows, on average over columns.

    It is 1 unless the means of the strata differ less than those of random rows do, by the F-test at level 0.01.
    """
    from scipy.special import fdtr

    codes = np.unique(strata, return_inverse=True)[1].reshape(-1)
    count, n = np.bincount(codes), len(x)
    found = []
    for column in x.T:
        values = np.where(np.isnan(column), np.nanmean(column), column)
        means = np.bincount(codes, values) / count
        total, inside = float(((values - values.mean()) ** 2).sum()), float(((values - means[codes]) ** 2).sum())
        groups, rest = count.size - 1, n - count.size
        within = inside / rest if rest else 0.0
        by_design = within > 0.0 and fdtr(groups, rest, max(0.0, total - inside) / groups / within) < _BY_DESIGN
        found.append(within / (total / (n - 1.0)) if by_design else 1.0)
    return float(np.mean(found))


def _times(inside: Estimate, left: float, error: float) -> Estimate:
    """Return an estimate times a factor that has an error of its own."""
    beside = (1.96 * error * inside.value) ** 2
    down, up = (np.sqrt((left * (end - inside.value)) ** 2 + beside) for end in (inside.low, inside.high))
    value = left * inside.value
    return Estimate(value, float(max(0.0, value - down)), float(min(1.0, value + up)))


def _share_within(y: Floats, layout: Layout, q: int) -> tuple[list[float], list[float]]:
    """Return the share of the variance within strata, of the first q columns and of the others, and its error.

    Many strata are taken for a sample of them, few for the levels of a factor: then rows are left out instead.
    """
    assert layout.blocks is not None
    strata = layout.blocks
    count = np.bincount(strata)
    sums, squares = (np.column_stack([np.bincount(strata, each) for each in columns.T]) for columns in (y, y**2))
    inside = squares - sums**2 / count[:, None]

    def share_of(n: Any, groups: Any, inner: Floats, total: Floats, square: Floats) -> Floats:
        within = inner / np.maximum(n - groups, 1)
        return np.asarray(within / ((square - total**2 / n) / (n - 1.0)))

    n, groups = len(y), count.size
    parts = inside.sum(axis=0), sums.sum(axis=0), squares.sum(axis=0)
    every = share_of(n, groups, *parts)
    if layout.together:
        own = inside, sums, squares
        less = share_of(n - count[:, None], groups - 1, *(a - b for a, b in zip(parts, own, strict=True)))
    else:
        mine = count[strata][:, None]
        away = (y - (sums / count[:, None])[strata]) ** 2 * mine / np.maximum(mine - 1, 1)
        less = share_of(n - 1, groups - (mine == 1), *(a - b for a, b in zip(parts, (away, y, y**2), strict=True)))
    units = len(less)
    error = np.sqrt((units - 1.0) / units * ((less - less.mean(axis=0)) ** 2).sum(axis=0))
    return every.reshape(2, q).mean(axis=1).tolist(), error.reshape(2, q).mean(axis=1).tolist()


def _layout(sample: Sample, exchange: str) -> Layout | None:
    layout = Layout(sample.n, sample.blocks, sample.blocks is not None and exchange == "within")
    return layout if int(layout.units.max()) + 1 >= FEWEST_UNITS else None


class _Fitting(NamedTuple):
    """How to compute, and what is computed."""

    layout: Layout
    seed: int
    n_jobs: int

    def both_shares(self, errors: HeldOut, y: Floats) -> tuple[Estimate, Estimate]:
        """Return R2 of the values of y and of its ranks."""
        return self.share(errors, y, ranked=False), self.share(errors, y, ranked=True)

    def shares_by_group(self, numbers: Floats, groups: Ints) -> tuple[Estimate, Estimate]:
        """Return R2 of numbers, and of their ranks, by group."""
        y = numbers[:, None]
        errors = self._fit(
            [group_predictors(groups, self.layout.centred)], _numbers(y), groups[:, None].astype(np.float64)
        )
        return self.both_shares(errors[0], y)

    def share(self, errors: HeldOut, y: Floats, *, ranked: bool, without: HeldOut | None = None) -> Estimate:
        """Return one of both."""
        some = _some(y)
        q = some.shape[1]
        columns = slice(0, q) if ranked else slice(q, 2 * q)
        return share(errors, columns, self.layout, some if ranked else None, without)

    def errors(self, columns: Sequence[_Inputs], y: Floats) -> list[HeldOut]:
        """Return the errors of ranks and values of y, of models of several sets of columns."""
        models = [self._model(each, steady=False) for each in columns]
        return self._fit(models, _numbers(y), keys_of(columns[-1].keys))

    def areas(self, columns: Sequence[_Inputs], codes: Ints) -> list[HeldOut]:
        """Return the errors of classes: zeros and ones for each, of two for the second alone."""
        ones = (codes[:, None] == np.arange(int(codes.max()) + 1)).astype(np.float64)
        ones = ones[:, 1:] if ones.shape[1] == 2 else ones
        models = [self._model(each, steady=True) for each in columns]
        targets = Outputs(ones, (slice(0, ones.shape[1]),))
        return self._fit(models, targets, codes[:, None].astype(np.float64), classes=True)

    def _model(self, columns: _Inputs, *, steady: bool) -> Predictors:
        layout, values, levels = self.layout, columns.values, columns.levels
        if values.shape[1] == 1 and not levels.any() and _are_groups(values[:, 0]):
            return group_predictors(np.unique(values[:, 0], return_inverse=True)[1], layout.centred)
        rows = TRAINED * (layout.n if layout.within else layout.n_blocks)  # whole blocks count once
        found = predictors(values, columns.spread, levels, rows, steady=steady)
        if not layout.within:
            return found if layout.blocks is None else replace(found, clusters=layout.blocks)
        numbers = values[:, levels == 0]
        beside = layout.centred(np.where(np.isnan(numbers), np.nanmean(numbers, axis=0), numbers))
        return replace(
            found,
            values=np.concatenate([values, beside], axis=1),
            levels=np.append(levels, np.zeros(beside.shape[1], np.int64)),
            functions=layout.centred(found.functions),
            centred=layout.centred,
        )

    def _fit(self, models: list[Predictors], targets: Outputs, keys: Floats, *, classes: bool = False) -> list[HeldOut]:
        levels = all(model.all_functions for model in models)
        dealing = dealing_for(int(self.layout.units.max()) + 1, classes=classes, levels=levels)
        return cross_fit(models, targets, self.layout, keys, dealing, self.seed, self.n_jobs)


def _numbers(y: Floats) -> Outputs:
    """Return the ranks and the values of y, in two groups."""
    some = _some(y)
    ranks = np.column_stack([mid_ranks(column) for column in some.T]) / len(some)
    q = some.shape[1]
    return Outputs(np.concatenate([ranks, some - some.mean(axis=0)], axis=1), (slice(0, q), slice(q, 2 * q)))


def _some(y: Floats) -> Floats:
    """Return y, or some of its columns if they are many."""
    q = y.shape[1]
    return y if q <= MOST_OUTPUTS else y[:, np.linspace(0, q - 1, MOST_OUTPUTS).astype(int)]


def _columns(x: Features) -> _Inputs:
    keys = np.column_stack([x.column(j) for j in range(min(x.p, MOST_KEYS))])
    return _Inputs(x.values, x.levels, common_levels(x).values, keys)


def _number(values: Floats) -> _Inputs:
    return _Inputs(values[:, None], np.zeros(1, np.int64), values[:, None], values[:, None])


def _pair(sample: Sample) -> tuple[Floats, Ints] | None:
    """Return the numbers and the groups, where there is a column of each; else None."""
    x, y = sample.x, sample.y
    if x.p != 1 or y.kind == "censored" or any(x.missing):
        return None
    column = x.column(0)
    if y.codes is not None:
        is_number = x.kinds[0] == "numeric" and np.unique(column).size > 2
        return (column, y.codes) if is_number else None
    distinct, groups = np.unique(column, return_inverse=True)
    if y.q != 1 or not (_are_groups(column) if x.kinds[0] == "numeric" else distinct.size <= sample.n // 2):
        return None
    return y.values[:, 0], groups


def _are_groups(values: Floats) -> bool:
    """Return whether numbers have so few values, and so many rows of each, that they count as groups.

    The tail of a count does not: one or two rows say too little of a value to learn it apart from its neighbours.
    """
    if np.isnan(values).any():
        return False
    counts = np.unique(values, return_counts=True)[1]
    return bool(counts.size <= 2 or (counts.size <= MOST_LEVELS and counts.min() >= FEWEST_OF_LEVEL))


def _of_shares(values: Estimate, ranks: Estimate) -> dict[str, Any]:
    return {
        "measure": "R2",
        **dict(zip(("score", "score_low", "score_high"), values, strict=True)),
        **dict(zip(("rank_score", "rank_low", "rank_high"), ranks, strict=True)),
    }


def _of_times(sample: Sample, held: HeldOut, seed: int) -> dict[str, Any]:
    """Return the concordance of a censored y with what is predicted of its first score, that of the log-rank test.

    With blocks there is none: rows would have to be compared inside of them.
    """
    followed = sample.y.followed
    if followed is None or sample.blocks is not None:
        return {}
    rows = np.arange(sample.n)
    if sample.n > MOST_COMPARED:
        rows = np.sort(stream(seed, Purpose.HELD_OUT, 2).permutation(sample.n)[:MOST_COMPARED])
    score = _some(sample.y.values).shape[1]  # after the ranks
    part = slice(score, score + 1)
    mine = HeldOut(
        held.first[:, rows, part],
        held.second[:, rows, part],
        held.around_first[:, rows, part],
        held.around_second[:, rows, part],
        held.folds[:, rows],
        held.flat,
        None if held.levels is None else held.levels[rows],
    )
    found = concordance(mine, followed.take(rows))
    return {"concordance": found.value, "concordance_low": found.low, "concordance_high": found.high}


def _of_area(found: Estimate, codes: Ints) -> dict[str, Any]:
    several = np.unique(codes).size > 2
    names = ("score", "score_low", "score_high")
    return {"measure": "mean AUC" if several else "AUC", **dict(zip(names, found, strict=True))}
