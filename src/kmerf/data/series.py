"""Rows in the order of time: what the past of a series predicts is removed, then rows can change places.

Let x and y be two series that are independent of each other, each with a memory of its own. Rows of y cannot change
places: the variance of whatever compares x and y contains the sum over lags k of r_x(k) r_y(k), the autocorrelations of
both, and a permuted y has none. But if y has no memory, the sum is 1, whatever x does: x may follow a trend or wander.
So y is replaced by its *innovations*, what its own past does not predict. They are a function of y alone, and so
independent of x if y is. Their rows are exchanged.

**The filter.** For every column, y_t less its mean is regressed on its p last values, in the form

    y_t - y_(t-1) = c + r y_(t-1) + sum a_k (y_(t-k) - y_(t-k-1)) + e_t,    k = 1, ..., p - 1,

with p chosen by Schwarz's criterion, up to 10 log10 n. If x has a memory too, the first value has a penalty of 1.5
only: to leave a weak memory in costs more than to estimate it. If x has none, y may keep a weak one, as r_x(k) is 0.
Least squares puts r too low, by about (1 + 3 (1 + r)) / n (Kendall 1954), with n the rows per mean that was removed;
near r = 0, where a series wanders, that would leave some memory in e. So r is raised by as much, to 0 at most, and the
a_k are fitted again. A cycle that repeats exactly (sines and cosines of a period) is subtracted first if it and the
last values predict y better, by Schwarz's criterion. If e resembles itself at one later lag beyond chance, a season,
that is removed likewise, by a weight that is raised as r is; at a season of x, a penalty of 1.5 is enough. What x
remembers does not say how x and y go together, so this choice does not make independent series look related. If a
moving variance, on a grid of decays, predicts the size of e, then e is divided by its root. Rows whose past is not
known are left out. Rows that repeat the value before them do not count for how many orders are tried: a few steps would
be fitted perfectly. If the few columns of x, at their lags, explain all the memory of y, nothing is removed: it would
take the relation with it.

**Numbers or classes.** If y is numeric, y is filtered. Classes cannot be: then the numeric columns of x are. If classes
are periods, as before and after a change, the filter is fitted to x less the mean of its class, so that a change
of level is not taken for a long memory. A difference of levels is multiplied by -r, and errors of r then reject too
often. So at least the last value is removed, r is at least -1, a season has no negative weight, and r is moved towards
zero: divided by 1 + 1.92 (s / r)^2 + 8 (s / r)^4, with s its standard error. That is, within 3 %, how much further
from zero the 5 % point of a difference of levels lies, a normal one divided by r, if r is normal around its estimate.

**Runs.** What memory is left (classes with lags of x, categories, several columns of y) is kept by exchanging whole
runs of rows. With g(k) the product of the largest autocorrelations of x and of y at lag k, of ranks and of their
distance from the middle, runs of length b lose the share (k / b) of each g(k). So b is the smallest length that loses
at most 10 % of the variance 1 + 2 sum g(k). The memory of each ends at the first two lags that are within chance of
zero; so with the innovations of y, b is 1 as a rule. The runs start at a random row, the last goes on at the first.

**Warnings.** Both a column of x and y drift (KPSS statistic above its 5 % point, or Dickey and Fuller's t not below its
2.5 % point, once what repeats with a period is removed), or the spread of both does (KPSS of the distance of ranks of e
from the middle), or both repeat with the same period, and what y repeats was not subtracted: then x and y may be
related through the calendar alone. If both drift, their differences are tested too (`kmerf.questions.answer`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints, mid_ranks, read_only
from kmerf.core.errors import Argument, InputError, Message, Note, listed
from kmerf.data.sample import FEWEST_ROWS, Features, Kind, Response, Sample, take_rows

FEWEST_TIMES = 20  # rows of a series
CYCLES = 3  # of a period, at least, that is removed
LOST = 0.1  # of the variance that exchanging runs may lose
FEWEST_RUNS = 10
FIRST_PENALTY = 1.5  # of the last value, below Schwarz's: leaving it out costs more than estimating it
WIDER = (1.92, 8.0)  # of limits of the ratio of two normals, per squared and fourth power of a relative error
MIN_PERIOD_ROWS = 24
ROWS_BESIDE = 10  # rows per column that may explain a memory of y
MOST_LAGS = 100  # at which memory is looked for
MOST_COLUMNS = 30  # of x in which it is looked for
SKIPPED = 10  # rows per step without a row, below which steps may be left out on purpose
UNEQUAL = 0.12  # of a step, by which steps may differ: months do by 0.08
KPSS_LIMIT = 0.463  # 5 % point for a constant level (Kwiatkowski et al. 1992)
SHORTEST_PERIOD, LONGEST_PERIOD = 4, 400
CALENDAR = {4: "quarter", 7: "weekday", 12: "month", 24: "hour", 52: "week of the year"}
USUAL_PERIODS = tuple(CALENDAR)
DECAYS = np.array([0.5, 0.7, 0.8, 0.9, 0.94, 0.97])  # of a moving variance
SHARES = (0.25, 0.5, 0.75, 0.95)  # of the variance that moves
Bools = NDArray[np.bool_]


class SeriesPart(NamedTuple):
    """A sample in time order, made ready to be tested."""

    sample: Sample
    notes: tuple[str, ...]
    settings: dict[str, Any]
    """What a result records."""
    drift: Note | None = None
    """The note that both sides drift."""


class Positions(NamedTuple):
    """Where rows stand in time: rows by series and time, and their whole-numbered places."""

    order: Ints
    places: Ints
    """Of the rows in that order; series are so far apart that no lag reaches from one into the next."""
    starts: Ints
    """The place of the first row of the series of each row."""
    missing: int
    """Steps without a row, inside of the series."""


def positions(times: Floats, series: Ints | None, reach: int) -> Positions:
    """Put rows in the order of time, and count steps between them; `reach` is the longest lag that may be asked for.

    >>> positions(np.array([3.0, 1, 2, 5]), None, 1).places.tolist()
    [0, 1, 2, 4]
    """
    labels = np.zeros(times.size, np.int64) if series is None else series
    order = np.lexsort((times, labels))
    moved, of = np.diff(times[order]), labels[order]
    inside = of[1:] == of[:-1]
    if (moved[inside] == 0).any():
        k = int(np.flatnonzero(inside & (moved == 0))[0])
        raise InputError(
            f"has the same time in two rows (rows {order[k] + 1} and {order[k + 1] + 1})",
            argument="order",
            remedy=Message("name what the rows belong to as ", Argument("blocks"), ", or leave one row per time"),
        )
    step = float(np.median(moved[inside])) if inside.any() else 1.0
    counts = np.rint(moved / step)
    off = np.abs(moved / step - counts)[inside]
    if (off.size and (off > UNEQUAL * np.maximum(counts[inside], 1.0)).any()) or (counts[inside] < 1).any():
        raise InputError(
            f"is not equally spaced (steps from {moved[inside].min() / step:.2g} to {moved[inside].max() / step:.2g} "
            "times the median step)",
            argument="order",
            remedy=Message(
                "average over equal steps, for example table.resample('D').mean(), or pass ",
                Argument("order", True),
                " to take rows, sorted by time, as equally spaced",
            ),
        )
    steps = np.where(inside, counts, 0.0).astype(np.int64)
    jumps = np.where(inside, steps, reach + 1)
    places = np.concatenate(([0], np.cumsum(jumps)))
    first = np.concatenate(([True], ~inside))
    starts = places[np.maximum.accumulate(np.where(first, np.arange(places.size), 0))]
    return Positions(order, places, starts, int((steps[inside] - 1).sum()))


def before(places: Ints, lag: int) -> Ints:
    """Return the row that stands `lag` places before each row, -1 where there is none.

    >>> before(np.array([0, 1, 2, 4]), 1).tolist()
    [-1, 0, 1, -1]
    """
    at = np.searchsorted(places, places - lag)
    at = np.minimum(at, places.size - 1)
    return np.where(places[at] == places - lag, at, -1)


def lagged(values: Floats, places: Ints, lag: int) -> Floats:
    """Return the values (n, p) that stand `lag` places before each row, NaN where there is none."""
    rows = before(places, lag)
    found = values[rows].astype(np.float64)
    found[rows < 0] = np.nan
    return found


class Memory(NamedTuple):
    """What a side that y is compared with remembers."""

    last: bool
    """Whether some of its columns depend on their last values."""
    seasons: tuple[int, ...]
    """Steps after which some of its columns resemble themselves."""


class Waves(NamedTuple):
    """What repeats exactly: sines and cosines of a period and its first harmonics."""

    period: int
    harmonics: int
    weights: Floats

    def values(self, places: Ints) -> Floats:
        """Return the cycle at each place."""
        return np.asarray(_waves(places, self.period, self.harmonics) @ self.weights)


class Filter(NamedTuple):
    """How the past of a column predicts it: by its last values and one a season ago, and its spread by the last."""

    p: int
    weights: Floats
    """Of the p last values of the column less its centre."""
    centre: float
    t: float
    """Dickey and Fuller's t: how far the coefficient r is below zero, in standard errors."""
    season: int = 0
    """Steps to the innovation of a season ago; 0 if it predicts nothing."""
    season_weight: float = 0.0
    spread: tuple[float, float] | None = None
    """Decay and share of the moving variance; None if the spread does not change with the last innovations."""
    cycle: Waves | None = None
    """What repeats exactly, and is subtracted first."""

    @property
    def plain(self) -> bool:
        """Whether the past predicts nothing."""
        return not self.p and not self.season and self.spread is None and self.cycle is None

    def innovations(self, values: Floats, places: Ints) -> Floats:
        """Return what the past does not predict; NaN where some of it is not known."""
        values = values if self.cycle is None else values - self.cycle.values(places)
        left = values - self.centre
        for k, weight in enumerate(self.weights, 1):
            left = left - weight * (lagged(values[:, None], places, k)[:, 0] - self.centre)
        if self.season:
            left = left - self.season_weight * lagged(left[:, None], places, self.season)[:, 0]
        if self.spread is not None:
            decay, part = self.spread
            size = float(np.nanmean(left**2))
            moving = _moving_variances(left, places, np.array([decay]))[:, 0]
            left = left / np.sqrt(1.0 - part + part * moving / size)
        return left


def most_orders(n: int) -> int:
    """Return how many last values a filter may have."""
    return max(1, min(int(10 * math.log10(n)), n // 5))


def fit_filter(
    values: Floats,
    places: Ints,
    centre: Floats | float | None = None,
    *,
    means: int = 1,
    spread: bool = False,
    beside: Floats | None = None,
    other: Memory | None = None,
) -> Filter:
    """Fit the filter of a column; `centre` is subtracted before, by default its mean.

    `means` is how many means were, and `spread` whether a changing spread is looked for as well. Columns `beside`
    (n, m) may explain all that the past would: then nothing is removed. `other` is the memory of the side with which
    the column is compared, by default one of its last value.

    >>> rng = np.random.default_rng(0)
    >>> wave = np.zeros(400)
    >>> for t in range(1, 400):
    ...     wave[t] = 0.8 * wave[t - 1] + rng.normal()
    >>> fitted = fit_filter(wave, np.arange(400))
    >>> fitted.p, bool(0.7 < fitted.weights[0] < 0.9)
    (1, True)
    """
    mean = float(np.nanmean(values))
    left = values - (mean if centre is None else centre)
    seen = values[~np.isnan(values)]
    most = most_orders(1 + int((seen[1:] != seen[:-1]).sum()))  # rows that repeat the last value say less
    past = np.column_stack([lagged(left[:, None], places, k)[:, 0] for k in range(most + 1)])
    followers = int((~np.isnan(past[:, :2]).any(axis=1)).sum())
    while most and (~np.isnan(past[:, : most + 1]).any(axis=1)).sum() < 0.7 * followers:  # gaps leave few windows
        most -= 1
    rows = ~np.isnan(past[:, : most + 1]).any(axis=1)
    known = past[rows, : most + 1]
    if most == 0 or len(known) < FEWEST_TIMES or np.ptp(known[:, 0]) == 0.0:
        return Filter(0, np.empty(0), mean, -math.inf)
    first = FIRST_PENALTY if other is None or other.last else math.log(len(known))
    p = _chosen_order(known, first)
    if p and beside is not None and not _chosen_order(known, first, beside[rows]):
        p = 0
    p = max(p, 1) if centre is not None else p
    windows = past[~np.isnan(past[:, : max(p, 1) + 1]).any(axis=1), : max(p, 1) + 1]
    t, weights = _regressed(windows, len(values) / means, careful=centre is not None)
    found = Filter(p, weights if p else np.empty(0), mean, t)
    rest = found._replace(centre=0.0).innovations(left, places)
    season, weight = _season(rest, places, other)
    weight = min(weight + (1.0 + 3.0 * weight) * means / len(values), max(weight, 1.0)) if season else 0.0
    if centre is not None and weight < 0.0:
        season, weight = 0, 0.0
    found = found._replace(season=season, season_weight=weight)
    if not spread:
        return found
    return found._replace(spread=_spread(found._replace(centre=0.0).innovations(left, places), places))


def with_cycle(values: Floats, places: Ints, fitted: Filter, **options: Any) -> Filter:
    """Return the filter of a column, less a cycle if one and the last values predict better than the filter alone.

    By Schwarz's criterion, among the usual periods, that of the periodogram and that of the season of the filter, with
    any number of harmonics. The largest of m improvements by chance is about 2 log m above a typical one; m is the
    number of usual periods, or of frequencies of the periodogram.
    """
    left = fitted._replace(spread=None).innovations(values, places)
    past = np.column_stack([lagged(values[:, None], places, k)[:, 0] for k in range(most_orders(len(values)) // 2 + 1)])
    rows = ~np.isnan(past).any(axis=1) & ~np.isnan(left)
    known, many = past[rows], int(rows.sum())
    if many < 2 * FEWEST_TIMES or np.ptp(left[rows]) == 0.0:
        return fitted
    best = many * math.log(max(float(left[rows].var()), 1e-300)) + math.log(many) * (fitted.p + (fitted.season > 0))
    chosen = (0, 0)
    asked = {*USUAL_PERIODS, period(values, places), fitted.season} - {0}
    for every in sorted(each for each in asked if CYCLES * each <= many):
        waves = _waves(places[rows], every, every // 2)
        searched = 2.0 * math.log(len(USUAL_PERIODS) if every in USUAL_PERIODS else many // 2)
        for harmonics in range(1, min(every // 2, many // 20) + 1):
            width = min(2 * harmonics, waves.shape[1])
            base = np.column_stack([np.ones(many), waves[:, :width]])
            rest = known - base @ np.linalg.lstsq(base, known, rcond=None)[0]
            found = _criteria(rest).min() + math.log(many) * width + searched
            if found < best:
                best, chosen = found, (every, harmonics)
    if not chosen[0]:
        return fitted
    whole = ~np.isnan(values)
    waves = np.column_stack([np.ones(len(places)), _waves(places, *chosen)])
    weights = np.linalg.lstsq(waves[whole], values[whole], rcond=None)[0][1:]
    cycle = Waves(*chosen, np.asarray(weights, np.float64))
    return fit_filter(values - cycle.values(places), places, **options)._replace(cycle=cycle)


def _waves(places: Ints, every: int, harmonics: int) -> Floats:
    """Return cosines and sines of a period and its first harmonics."""
    angles = 2.0 * math.pi * np.outer(places % every, np.arange(1, harmonics + 1)) / every
    both = np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(len(places), -1)
    return both[:, :-1] if 2 * harmonics == every else both


def _season(left: Floats, places: Ints, other: Memory | None = None) -> tuple[int, float]:
    """Return the lag at which innovations resemble themselves beyond chance, and the weight; zeros if there is none.

    At a season of the other side, less than that is enough.
    """
    left = left - np.nanmean(left)
    there = ~np.isnan(left)
    known = int(there.sum())
    longest = min(known // 3, LONGEST_PERIOD)
    if longest < SHORTEST_PERIOD or np.nanmax(np.abs(left)) == 0.0:
        return 0, 0.0
    filled = np.where(np.isnan(left), 0.0, left)
    best, season, weight, total = 0.0, 0, 0.0, float(filled @ filled)
    for lag in range(SHORTEST_PERIOD, longest + 1):
        rows = before(places, lag)
        then = np.where(rows >= 0, filled[rows], 0.0)
        both, size = float(filled @ then), float(then @ then)
        if size <= 0.0 or int((there & (rows >= 0) & there[rows]).sum()) < FEWEST_TIMES:
            continue
        score = abs(both) / total * known / math.sqrt(max(int((rows >= 0).sum()), 0.3 * known))
        limit = math.sqrt(2 * math.log(len(USUAL_PERIODS) if lag in USUAL_PERIODS else longest) + 3)
        if other is not None:
            limit = math.sqrt(FIRST_PENALTY) if lag in other.seasons else limit
        if score / limit > max(best, 1.0):
            best, season, weight = score / limit, lag, both / size
    return season, weight


def _moving_variances(left: Floats, places: Ints, decays: Floats) -> Floats:
    """Return the variance that the last innovations predict, one column per decay; that of all at the first of them."""
    size = float(np.nanmean(left**2))
    found = np.full((left.size, decays.size), size)
    squares = np.where(np.isnan(left), size, left**2)
    follows = before(places, 1) >= 0
    for i in range(1, left.size):
        if follows[i]:
            found[i] = decays * found[i - 1] + (1.0 - decays) * squares[i - 1]
    return found


def _spread(left: Floats, places: Ints) -> tuple[float, float] | None:
    """Return decay and share of the moving variance by likelihood on a grid; None unless Schwarz's criterion agrees."""
    known = ~np.isnan(left)
    left = left - left[known].mean()
    squares = left[known] ** 2
    size = float(squares.mean())
    if size == 0.0:
        return None
    moving = _moving_variances(left, places, DECAYS)[known] / size
    best, chosen = math.log(squares.size), None  # half of Schwarz's penalty for two numbers
    for j, decay in enumerate(DECAYS):
        for part in SHARES:
            variance = 1.0 - part + part * moving[:, j]
            gain = -0.5 * float((np.log(variance) + squares / size / variance - squares / size).sum())
            if gain > best:
                best, chosen = gain, (float(decay), float(part))
    return chosen


def _chosen_order(known: Floats, first: float, beside: Floats | None = None) -> int:
    """Return the order with the least value of Schwarz's criterion, by one pass of Gram and Schmidt.

    `first` is the penalty of the last value.
    """
    if beside is not None:
        whole = ~np.isnan(beside).any(axis=1)
        known, base = known[whole], np.column_stack([np.ones(int(whole.sum())), beside[whole]])
        known = known - base @ np.linalg.lstsq(base, known, rcond=None)[0]
    criteria = _criteria(known)
    criteria[1:] += first - math.log(len(known))
    return int(np.argmin(criteria))


def _criteria(known: Floats) -> Floats:
    """Return Schwarz's criterion of each number of last values."""
    m, left = len(known), known[:, 0] - known[:, 0].mean()
    columns = known[:, 1:] - known[:, 1:].mean(axis=0)
    q, _ = np.linalg.qr(columns)
    explained = np.concatenate(([0.0], np.cumsum((q.T @ left) ** 2)))
    rest = np.maximum(float(left @ left) - explained, 1e-12 * float(left @ left))
    return np.asarray(m * np.log(rest / m) + math.log(m) * np.arange(rest.size))


def _regressed(known: Floats, n: float, *, careful: bool = False) -> tuple[float, Floats]:
    """Return Dickey and Fuller's t, and the weights of the p last values with r less biased.

    If `careful`, r is not too far from zero either, as levels are compared.
    """
    m, p = len(known), known.shape[1] - 1
    target = known[:, 0] - known[:, 1]
    design = np.column_stack([np.ones(m), known[:, 1], *(known[:, k] - known[:, k + 1] for k in range(1, p))])
    fitted = np.linalg.lstsq(design, target, rcond=None)[0]
    left = target - design @ fitted
    inverse = np.linalg.pinv(design.T @ design)
    spread = math.sqrt(max(float(left @ left) / max(m - p - 1, 1) * inverse[1, 1], 1e-300))
    r = min(float(fitted[1]) + (1.0 + 3.0 * (1.0 + float(fitted[1]))) / n, 0.0)
    if careful and r < 0.0:
        r, squared = max(r, -1.0), (spread / r) ** 2
        r /= 1.0 + WIDER[0] * squared + WIDER[1] * squared**2
    others = np.delete(design, 1, axis=1)
    steps = np.linalg.lstsq(others, target - r * design[:, 1], rcond=None)[0][1:]
    weights = np.zeros(p + 1)
    weights[0] = 1.0 + r
    for k, step in enumerate(steps, 1):
        weights[k - 1] += step
        weights[k] -= step
    return float(fitted[1]) / spread, weights[:p]


def kpss(values: Floats) -> float:
    """Return the statistic of Kwiatkowski, Phillips, Schmidt and Shin for a constant level, missing values left out.

    >>> bool(kpss(np.arange(100.0)) > KPSS_LIMIT), bool(kpss(np.arange(100.0) % 2) > KPSS_LIMIT)
    (True, False)
    """
    left = values[~np.isnan(values)]
    left = left - left.mean()
    n = left.size
    width = int(4 * (n / 100) ** 0.25)
    long_run = float(left @ left) / n
    for k in range(1, width + 1):
        long_run += 2 * (1 - k / (width + 1)) * float(left[k:] @ left[:-k]) / n
    return float((np.cumsum(left) ** 2).sum() / n**2 / long_run) if long_run > 0.0 else 0.0


def dickey_fuller_limit(n: int) -> float:
    """Return the 2.5 % point of Dickey and Fuller's t with a constant (Fuller 1976, table 8.5.2, within 0.01).

    If two series wander, one of them is then missed in at most 5 %.
    """
    return -3.12 - 5.0 / n


def drifts(values: Floats, places: Ints) -> bool:
    """Return whether a series seems to follow a trend, or to wander; what repeats with a period is removed first."""
    every = period(values, places)
    if every:
        values = _inside(np.where(np.isnan(values), np.nanmean(values), values), places % every)
    if np.ptp(values[~np.isnan(values)]) <= 0.0:
        return False
    if kpss(values) > KPSS_LIMIT:
        return True
    fitted = fit_filter(values, places)
    return math.isfinite(fitted.t) and fitted.t > dickey_fuller_limit(len(values))


def spread_drifts(values: Floats, places: Ints) -> bool:
    """Return whether the spread of what the past of a series does not predict follows a trend.

    >>> noise = np.random.default_rng(0).normal(size=200)
    >>> spread_drifts(noise, np.arange(200)), spread_drifts(noise * np.linspace(0.3, 3.0, 200), np.arange(200))
    (False, True)
    """
    left = fit_filter(values, places).innovations(values, places)
    ranks = mid_ranks(left[~np.isnan(left)])
    return ranks.size >= FEWEST_TIMES and kpss(np.abs(ranks - ranks.mean())) > KPSS_LIMIT


def period(values: Floats, places: Ints | None = None) -> int:
    """Return the period with which a series repeats, in rows, 0 if it does not seem to.

    Each frequency of the periodogram of the series less its line is compared with those around it: without a season,
    their ratio is above r with probability (1 + r / k)^-k, for the mean of k others. Steps without a row (`places`)
    lie on the line.

    >>> period(np.sin(np.arange(240) * 2 * np.pi / 12))
    12
    """
    known = ~np.isnan(values)
    left = values[known]
    if left.size < MIN_PERIOD_ROWS or np.ptp(left) == 0.0:
        return 0
    steps = np.arange(values.size)[known] if places is None else places[known] - places[0]
    at = steps - steps.mean()
    n = int(steps[-1]) + 1
    line = np.zeros(n)
    line[steps] = left - left.mean() - at * float(at @ left) / float(at @ at)
    if np.ptp(line) <= 1e-9 * np.ptp(left):  # nothing but the line
        return 0
    left = line
    power = np.abs(np.fft.rfft(left)) ** 2
    last = power.size - 1
    for j in range(3, last):  # three cycles or more, the longest period first
        around = [k for k in range(max(1, j - 8), min(last, j + 8) + 1) if abs(k - j) > 1]
        ratio = float(power[j] / max(float(power[around].mean()), 1e-12 * float(power.max())))
        if (1.0 + ratio / len(around)) ** -len(around) < 0.005 / last and power[j] >= max(power[j - 1], power[j + 1]):
            return max(2, round(n / j))
    return 0


def run_length(x: Floats, y: Floats, series: Ints | None = None) -> tuple[int, int]:
    """Return how many rows in time order are to be exchanged together, and how many would be if there were enough.

    >>> rng = np.random.default_rng(0)
    >>> run_length(rng.normal(size=(200, 2)), rng.normal(size=(200, 1)))
    (1, 1)
    """
    labels = np.zeros(len(x), np.int64) if series is None else series
    shortest = int(np.bincount(labels).max())
    most = min(shortest // 4, MOST_LAGS)
    if most < 1:
        return 1, 1
    both = _memory(x, labels, most) * _memory(y, labels, most)
    lags = np.arange(1, most + 1)
    wanted = max(1, math.ceil(2 * float(lags @ both) / (LOST * (1 + 2 * float(both.sum())))))
    return min(wanted, max(1, shortest // FEWEST_RUNS)), wanted


def _memory(values: Floats, labels: Ints, most: int) -> Floats:
    """Return the largest autocorrelation at each lag, between any two functions of columns; 0 if within chance."""
    columns = values.shape[1]
    some = np.unique(np.linspace(0, columns - 1, min(columns, MOST_COLUMNS)).astype(int))
    parts: list[Floats] = []
    for j in some:
        column = values[:, j]
        ranks = mid_ranks(np.where(np.isnan(column), np.nanmedian(column), column))
        ranks = _inside(ranks, labels)
        parts += [ranks] if np.unique(column).size <= 2 else [ranks, _inside(np.abs(ranks), labels)]
    kept = [part / math.sqrt(float(part @ part)) for part in parts if float(part @ part) > 0.0]
    if not kept:
        return np.zeros(most)
    series = np.column_stack(kept)
    limit = math.sqrt((9 + 2 * math.log(len(kept) ** 2)) / len(series))
    found = np.zeros(most)
    for k in range(1, most + 1):
        same = (labels[k:] == labels[:-k])[:, None]
        found[k - 1] = np.abs((series[k:] * same).T @ series[:-k]).max()
    beyond = found > limit
    ends = np.flatnonzero(~beyond[:-1] & ~beyond[1:])  # memory ends at the first two lags within chance
    beyond[ends[0] if ends.size else most :] = False
    return np.where(beyond, np.minimum(found, 1.0), 0.0)


def _inside(values: Floats, labels: Ints) -> Floats:
    means = np.bincount(labels, values) / np.maximum(np.bincount(labels), 1)
    return np.asarray(values - means[labels])


def read_lags(lags: Any) -> tuple[int, ...]:
    """Return the lags that a number or a list asks for.

    >>> read_lags(2), read_lags([0, 7]), read_lags(None)
    ((0, 1, 2), (0, 7), (0,))
    """
    if lags is None:
        return (0,)
    several = not hasattr(lags, "__index__") and hasattr(lags, "__iter__")
    asked = list(lags) if several else [lags]
    for lag in asked:
        if isinstance(lag, bool) or not hasattr(lag, "__index__") or int(lag) < 0:
            finding = "must be a whole number of at least 0, or a list of such"
            raise InputError(finding, argument=Argument("lags", lags), remedy="2 is now and up to two steps ago")
    if not asked or len(set(asked)) < len(asked):
        raise InputError("names a lag twice, or none", argument=Argument("lags", lags), remedy="name each once")
    return tuple(sorted(int(lag) for lag in asked)) if several else tuple(range(int(asked[0]) + 1))


def with_lags(x: Features, places: Ints, lags: Sequence[int]) -> Features:
    """Put the columns as they were some steps ago beside each other, named after their lag."""
    if tuple(lags) == (0,):
        return x
    parts = [x.values if lag == 0 else lagged(x.values, places, lag) for lag in lags]
    many, width = len(lags), x.values.shape[1]
    names = tuple(name if lag == 0 else f"{name} (lag {lag})" for lag in lags for name in x.names)
    if len(set(names)) < len(names):
        raise InputError(": a column is named like the lag of another", argument="x", remedy="rename it")
    values = read_only(np.concatenate(parts, axis=1))
    holes = np.isnan(values).sum(axis=0)
    column_of = np.concatenate([x.column_of + k * x.p for k in range(many)])
    first = np.searchsorted(column_of, np.arange(many * x.p))
    assert values.shape[1] == many * width
    return replace(
        x,
        values=values,
        names=names,
        kinds=x.kinds * many,
        column_of=read_only(column_of),
        missing=tuple(holes[first].tolist()),
        categories=x.categories * many,
        shown=None,
        units=x.units * many,
        cycles=x.cycles * many,
    )


def series_part(sample: Sample, lags: Any = None, *, past: bool = False) -> SeriesPart:
    """Put a sample with times into their order, add lags of x, and remove what the past predicts.

    With `past`, y stays as it is, and its last values are what x and y are compared given.
    """
    asked = read_lags(lags)
    if sample.times is None:
        argument = Argument("lags", lags) if lags is not None else Argument("given", "past")
        if lags is not None or past:
            advice = Message("name the column of time, or pass ", Argument("order", True), " if rows are in its order")
            raise InputError(Message("needs ", Argument("order")), argument=argument, remedy=advice)
        return SeriesPart(sample, (), {})
    _check(sample, past)
    series = sample.blocks
    reach = max(*asked, most_orders(sample.n)) + 1
    found = positions(sample.times, series, reach)
    follow = int((before(found.places, 1) >= 0).sum())
    if found.missing and follow < FEWEST_TIMES:
        finding = f"has many gaps: of {sample.n} rows, {follow} stand one step after another, too few to see a memory"
        raise InputError(
            finding, argument="order", remedy="average over longer steps, for example table.resample('W').mean()"
        )
    sample = replace(take_rows(sample, found.order), times=None)
    plain = sample
    notes: list[str] = list(_gap_notes(found))
    removed: set[int] = set()
    if past:
        sample, p = _given_past(sample, found.places, asked)
        notes.append(f"y is compared with x given its own last {'value' if p == 1 else f'{p} values'}.")
    else:
        sample, told, removed = _whitened(sample, found.places, asked)
        notes += told
    sample = replace(sample, x=with_lags(sample.x, found.places, asked))
    whole = ~np.isnan(sample.y.values).any(axis=1) & (found.places - found.starts >= asked[-1])
    whole &= ~np.isnan(sample.x.values).all(axis=1)
    if sample.z is not None:
        whole &= ~np.isnan(sample.z.values).any(axis=1)
    rows = np.flatnonzero(whole)
    if rows.size < max(FEWEST_TIMES, FEWEST_ROWS):
        some = f" with the past that is needed, of {sample.n}" if rows.size < sample.n else ""
        remedy = f"a series needs {FEWEST_TIMES} rows{'; shorter lags leave more' if some else ''}"
        raise InputError(f"leaves {rows.size} rows{some}", argument="order", remedy=remedy)
    kept = take_rows(sample, rows)
    length, wanted = (1, 1) if past else run_length(kept.x.values, kept.y.values, kept.blocks)
    notes += _memory_notes(length, wanted)
    drift, more = _warnings(plain, found.places, removed)
    notes += more
    settings: dict[str, Any] = {"order": {"lags": list(asked), "run": length, "rows": int(rows.size)}}
    if past:
        settings["order"]["past"] = True
    return SeriesPart(replace(kept, run=length, same_rows=False, units=kept.n), tuple(notes), settings, drift)


def differences(sample: Sample) -> Sample:
    """Return a sample with times as what numeric columns and y changed by since the row one step before.

    >>> x = Features(np.arange(4.0)[:, None] ** 2, ("x",), ("numeric",), np.zeros(1, int), (0,), ((),))
    >>> y = Response(np.arange(4.0)[:, None], ("y",), "numeric", None, ())
    >>> differences(Sample(x, y, 0, (), times=np.arange(4.0))).x.values.ravel().tolist()
    [1.0, 3.0, 5.0]
    """
    assert sample.times is not None
    found = positions(sample.times, sample.blocks, 1)
    sample = take_rows(sample, found.order)
    numeric = [sample.x.kinds[j] == "numeric" for j in sample.x.column_of]
    values = sample.x.values.copy()
    values[:, numeric] -= lagged(values[:, numeric], found.places, 1)
    y = sample.y.values - lagged(sample.y.values, found.places, 1)
    rows = np.flatnonzero(~np.isnan(y).any(axis=1))
    x = replace(sample.x, values=read_only(values), shown=None)
    return take_rows(replace(sample, x=x, y=replace(sample.y, values=read_only(y))), rows)


def _check(sample: Sample, past: bool) -> None:
    if sample.y.kind == "censored":
        finding = "takes numbers or classes, and y is censored"
        raise InputError(finding, argument="order", remedy="leave it out")
    if past and sample.y.kind != "numeric":
        finding = "needs a numeric y, and y holds classes"
        raise InputError(finding, argument=Argument("given", "past"), remedy="leave it out")
    if sample.inside is not None:
        finding = Message("takes one level of ", Argument("blocks"), ", and there are blocks inside others")
        raise InputError(finding, argument="order", remedy="name the series that each row belongs to")
    if sample.blocks is not None and bool((np.bincount(sample.blocks) < 3).any()):
        raise InputError(
            "has series of fewer than 3 rows", argument="blocks", remedy="leave such series out, or name fewer blocks"
        )


def _gap_notes(found: Positions) -> list[str]:
    if not found.missing:
        return []
    steps = f"{found.missing} step{'s' * (found.missing > 1)} of time"
    note = f"{steps} without a row: rows whose past is not known are left out."
    if SKIPPED * found.missing < found.places.size:
        return [note]
    ask = "If rows follow each other all the same, as trading days do, pass "
    return [Note(f"{note} {ask}", Argument("order", True), ".")]


def _given_past(sample: Sample, places: Ints, lags: Sequence[int]) -> tuple[Sample, int]:
    """Return the sample with the last values of y as what is given."""
    filters = [fit_filter(column, places).p for column in sample.y.values.T]
    p = max(1, lags[-1], *filters)
    values = np.concatenate([lagged(sample.y.values, places, k) for k in range(1, p + 1)], axis=1)
    names = tuple(f"{name} (lag {k})" for k in range(1, p + 1) for name in sample.y.names)
    many = len(names)
    kinds = tuple[Kind, ...]("numeric" for _ in names)
    z = Features(read_only(values), names, kinds, np.arange(many), (0,) * many, ((),) * many)
    return replace(sample, z=z), p


def _whitened(sample: Sample, places: Ints, lags: Sequence[int]) -> tuple[Sample, list[str], set[int]]:
    """Return the sample with the innovations of y, or of x if y holds classes; and the periods that y has lost."""
    labels = np.zeros(sample.n, np.int64) if sample.blocks is None else sample.blocks
    y = sample.y
    if y.kind == "numeric":
        beside, other = _beside(sample.x, places, lags), _memory_of(sample.x, places)
        filters, values = _innovations(y.values, labels, places, spread=True, beside=beside, other=other)
        if all(f.plain for f in filters):
            return sample, ["y does not depend on its past: its rows are permuted as they are."], set()
        new = replace(y, values=read_only(values))
        cycles = {f.cycle.period for f in filters if f.cycle is not None}
        return replace(sample, y=new), [_past_note("y", filters)], cycles
    numeric = [j for j in range(sample.x.values.shape[1]) if sample.x.kinds[sample.x.column_of[j]] == "numeric"]
    if not numeric:
        return sample, [], set()
    groups = _periods(y)
    filters, found = _innovations(sample.x.values[:, numeric], labels, places, groups)
    values = sample.x.values.copy()
    values[:, numeric] = found
    if all(f.plain for f in filters):
        return sample, [], set()
    rows = np.ones(sample.n, bool)
    for k in range(1, max(f.p + f.season for f in filters) + 1):
        rows &= before(places, k) >= 0
    values[~rows] = np.nan  # so that all rows have the same past
    new_x = replace(sample.x, values=read_only(values), shown=None)
    return replace(sample, x=new_x), [_past_note("x", filters)], set()


def _memory_of(x: Features, places: Ints) -> Memory:
    """Return what the columns of x remember; some of them, if they are many."""
    width = x.values.shape[1]
    some = np.unique(np.linspace(0, width - 1, min(width, MOST_COLUMNS)).astype(int))
    filters = [fit_filter(column, places) for column in x.values[:, some].T if not np.isnan(column).all()]
    return Memory(any(f.p for f in filters), tuple(sorted({f.season for f in filters} - {0})))


def _innovations(
    values: Floats,
    labels: Ints,
    places: Ints,
    groups: Ints | None = None,
    *,
    spread: bool = False,
    beside: Floats | None = None,
    other: Memory | None = None,
) -> tuple[list[Filter], Floats]:
    """Return the filters and innovations of columns, less the mean of their series."""
    filters, columns = [], []
    for column in values.T:
        known = ~np.isnan(column)
        filled = np.where(known, column, 0.0)
        means = np.bincount(labels, filled) / np.maximum(np.bincount(labels, known), 1)
        inner = column - (means[labels] if labels.any() else 0.0)
        centre, removed = None, 1 + int(labels.max())
        if groups is not None:
            removed *= 1 + int(groups.max())
            sums = np.bincount(groups, np.where(known, inner, 0.0)) / np.maximum(np.bincount(groups, known), 1)
            centre = sums[groups]
        fitted = fit_filter(inner, places, centre, means=removed, spread=spread, beside=beside, other=other)
        if groups is None and not labels.any():
            fitted = with_cycle(inner, places, fitted, spread=spread, beside=beside, other=other)
        filters.append(fitted)
        columns.append(column if fitted.plain else fitted.innovations(inner, places))
    return filters, np.column_stack(columns)


def _beside(x: Features, places: Ints, lags: Sequence[int]) -> Floats | None:
    """Return x and its lags if they are few: a memory of y that x explains is not to be removed with what x does."""
    if x.values.shape[1] * len(lags) > x.n // ROWS_BESIDE:
        return None
    if lags[-1] > x.n // 2:
        return None
    values = np.concatenate([x.values if lag == 0 else lagged(x.values, places, lag) for lag in lags], axis=1)
    return values if np.isnan(values).any(axis=1).sum() <= len(values) // ROWS_BESIDE + lags[-1] else None


def _periods(y: Response) -> Ints | None:
    """Return the class of each row if classes are periods: each in one stretch of rows, or nearly so."""
    assert y.codes is not None
    runs = 1 + int((y.codes[1:] != y.codes[:-1]).sum())
    return np.asarray(y.codes) if runs <= max(2 * len(y.labels), y.n // 20) else None


def _past_note(what: str, filters: Sequence[Filter]) -> str:
    """Say what was removed from y or x."""
    p, season = max(f.p for f in filters), max(f.season for f in filters)
    steps = [] if not p else ["its last value" if p == 1 else f"its last {p} values"]
    steps += [f"the one {season} steps ago"] if season else []
    past = [f"what {' and '.join(steps)} predict{'s' * (len(steps) == 1 and (p <= 1))}"] if steps else []
    cycles = sorted({f.cycle.period for f in filters if f.cycle is not None})
    less = " and ".join([*(f"a cycle of {every} rows" for every in cycles), *past])
    scaled = "relative to the spread that its past predicts" if any(f.spread is not None for f in filters) else ""
    taken = " and ".join(filter(None, [less and f"less {less}", scaled]))
    return f"In time order: {what} is taken {taken}, so that rows can be permuted."


def _memory_notes(length: int, wanted: int) -> list[str]:
    notes: list[str] = []
    if length > 1:
        notes.append(f"Rows are permuted in runs of {length}, since x and y both still depend on their past.")
    if wanted > 1.5 * length:
        notes.append(
            Note(
                f"The rows are too few for their memory: runs of {wanted} would be needed. The p-value may be too "
                "small.",
                rank="doubt",
            )
        )
    return notes


def _warnings(sample: Sample, places: Ints, removed: set[int]) -> tuple[Note | None, list[str | Message]]:
    """Return the warning that a column of x and y both drift, and all warnings: also of spreads and of periods.

    Periods that were `removed` from y are not shared.
    """
    drift, notes = None, list[str | Message]()
    if sample.blocks is not None:
        return drift, notes
    y = sample.y.values
    columns = {name: sample.x.column(j) for j, name in enumerate(sample.x.names) if sample.x.kinds[j] == "numeric"}
    whole = {name: np.where(np.isnan(c), np.nanmean(c), c) for name, c in columns.items() if not np.isnan(c).all()}
    periods_of_time = sample.y.codes is not None and _periods(sample.y) is not None  # which drift by design
    wandering: list[str] = []
    if not periods_of_time and any(drifts(each, places) for each in y.T):
        wandering = [name for name, each in whole.items() if drifts(each, places)]
    if wandering:
        names = listed(wandering, 4)
        text = f"Both y and {names} drift (trend or random walk), which alone can relate them."
        drift = Note(text, rank="doubt")
        notes.append(drift)
    elif not periods_of_time and any(spread_drifts(each, places) for each in y.T):
        wild = [name for name, each in whole.items() if spread_drifts(each, places)]
        text = f"The spread of both y and {listed(wild, 4)} changes with time, which alone can relate them: "
        notes += [Note(text, "take logarithms, or divide by the spread.", rank="doubt")] if wild else []
    periods = {k for each in y.T if (k := period(each, places))} if sample.z is None else set()
    periods -= {k + step for k in removed for step in (-1, 0, 1)}
    rows = whole.items() if periods else ()
    same = [name for name, each in rows if (k := period(each, places)) and any(abs(k - j) <= 1 for j in periods)]
    if same:
        every = min(periods)
        text = f"Both y and {listed(same, 4)} repeat every {every} rows: "
        text += "the calendar may be all that they share. " if every in CALENDAR else "a cycle alone may be shared. "
        place = CALENDAR.get(every, "place in the cycle")
        notes.append(Note(f"{text}Pass the {place} as ", Argument("given"), ".", rank="doubt"))
    return drift, notes
