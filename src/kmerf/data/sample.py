"""A sample: features and a response whose rows belong together. What a test is given, checked and read-only.

`Features` are numeric columns that remember which original column each is a part of, and a `Response` is a numeric
matrix or one-hot classes. Rows pair by position, only x may have missing cells, and both vary.

`some_rows` draws a random sample of the rows with the seed, and a note names it.

**Levels.** Categories with many levels are codes, which only our trees can use: they order the levels by what they see
of y (`kmerf.engine.grow`). For other methods, `spread` makes columns of numbers. Nothing here looks at y, so nothing
has to be done again when it is permuted: a category has a column of zeros and ones for each of its commonest levels,
and one for all others together. That a category with few levels is spread so from the start, `kmerf.reading.samples`
sees to.

Times until an event, some of them censored: two scores for each row, which tests take in the place of y.

A row is followed for a time T, which ends in an event (D = 1) or is censored before one (D = 0). With d(t) events at
time t among the Y(t) rows that are still followed, the score of a row is

    D w(T) - sum over t <= T of w(t) d(t) / Y(t),

its events less those that were to be expected, weighted by w. With w = 1 these are the scores of the log-rank test, the
martingale residuals of a model without columns, and low for rows that last long. With w = 1 - 2 S(t), S the share that
is without an event just before t (Kaplan-Meier), early and late events count with opposite signs: that shows hazards
that cross, where neither side does better overall. Only the order of the times matters.

A test that permutes the scores permutes the pairs (T, D), so it is exact where x is independent of the pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import Floats, Ints, read_only
from kmerf.core.errors import Argument, InputError, whole
from kmerf.core.streams import Purpose, Seed, as_seed, stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kmerf.core.arrays import Floats
    from kmerf.data.exchangeability import UserPermutations


FEWEST_EVENTS = 2
_Z = 1.959963984540054  # the normal quantile of a 95 % interval


class Followed(NamedTuple):
    """How long each row was followed, and whether that ended in an event."""

    time: Floats
    event: Floats

    def take(self, order: NDArray[np.int64]) -> Followed:
        """Return the rows in another order."""
        return Followed(self.time[order], self.event[order])


class LifeTable(NamedTuple):
    """At each different time: how many are followed until then or longer, how many events, and S just after it."""

    times: Floats
    at_risk: Floats
    events: Floats
    surviving: Floats

    def interval(self, effective: Floats | None = None) -> tuple[Floats, Floats]:
        """Return the 95 % interval of S: Greenwood's variance on the scale of log(-log S), which stays inside 0 to 1.

        With weights, `effective` is the number of rows at risk that would say as much if they counted alike, for which
        Xie and Liu (2005) take (sum of weights)^2 / (sum of squared weights).
        """
        hazard = self.events / self.at_risk
        rows = self.at_risk if effective is None else effective
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(np.cumsum(hazard / (rows * (1.0 - hazard))))
            log = np.log(self.surviving)
            half = _Z * spread / log
            low, high = np.exp(-np.exp(np.log(-log) - half)), np.exp(-np.exp(np.log(-log) + half))
        inside = (self.surviving > 0.0) & (self.surviving < 1.0)
        return np.where(inside, low, self.surviving), np.where(inside, high, self.surviving)


def life_table(followed: Followed, weights: Floats | None = None) -> LifeTable:
    """Return the numbers at each time, and the Kaplan-Meier estimate of the share without an event; rows may weigh.

    >>> life_table(Followed(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 1.0, 0.0, 1.0]))).surviving.tolist()
    [0.75, 0.5, 0.0]
    """
    times, place = np.unique(followed.time, return_inverse=True)
    place = place.reshape(-1)
    each = np.ones(place.size) if weights is None else weights
    at_risk: Floats = np.asarray(np.bincount(place, each, minlength=times.size)[::-1].cumsum()[::-1], float)
    events: Floats = np.asarray(np.bincount(place, each * followed.event, minlength=times.size), float)
    return LifeTable(times, at_risk, events, np.asarray(np.cumprod(1.0 - events / at_risk)))


def log_rank_scores(followed: Followed) -> Floats:
    """Return the two scores of each row (n, 2), each with mean 0 and variance 1.

    >>> log_rank_scores(Followed(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 1.0, 0.0, 1.0])))[:, 0].round(2)
    array([ 1.26,  0.7 , -0.98, -0.98])
    """
    table = life_table(followed)
    place = np.searchsorted(table.times, followed.time)
    hazard = table.events / table.at_risk
    before = np.concatenate([[1.0], table.surviving[:-1]])
    scores = np.empty((followed.time.size, 2))
    for k, weight in enumerate((np.ones(before.size), 1.0 - 2.0 * before)):
        scores[:, k] = followed.event * weight[place] - np.cumsum(weight * hazard)[place]
    scores -= scores.mean(axis=0)
    spread = scores.std(axis=0)
    scaled: Floats = np.divide(scores, spread, out=np.zeros_like(scores), where=spread > 0.0)
    return scaled


Kind = Literal["numeric", "boolean", "categorical"]

FEWEST_ROWS = 4  # the unbiased statistic divides by n (n - 3)


class Cycle(NamedTuple):
    """What goes round, as the hour of the day does: two columns, cosine and sine, in which its ends are neighbours."""

    first: float
    period: float

    def points(self, values: Floats) -> Floats:
        """Return values as points on a circle (n, 2)."""
        angles = (values - self.first) * (2.0 * np.pi / self.period)
        return np.column_stack([np.cos(angles), np.sin(angles)])

    def values_at(self, points: Floats) -> Floats:
        """Return the values of points on the circle, or near it.

        >>> Cycle(1.0, 12.0).values_at(Cycle(1.0, 12.0).points(np.array([1.0, 12.0]))).tolist()
        [1.0, 12.0]
        """
        turns = np.round(np.arctan2(points[:, 1], points[:, 0]) / (2.0 * np.pi) * self.period, 9)
        return np.asarray(self.first + turns % self.period)


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of x: numbers, with each category spread over one-hot columns, or as codes if its levels are many."""

    values: NDArray[np.float64]  # (n, expanded columns), NaN = missing
    names: tuple[str, ...]  # original columns
    kinds: tuple[Kind, ...]
    column_of: NDArray[np.int64]  # expanded column -> its original column
    missing: tuple[int, ...]  # missing cells per original column
    categories: tuple[tuple[str, ...], ...]  # per original column, in one-hot order; () if not categorical
    shown: NDArray[np.float64] | None = None  # (n, p), what `column` returns where `values` are no longer one-hot
    units: tuple[str, ...] = ()  # per original column, "" where none is known; () if there are none
    cycles: tuple[Cycle | None, ...] = ()  # per original column that goes round, as the hour does; () if there are none

    def unit(self, j: int) -> str:
        """Return the unit of an original column; "" where none is known."""
        return self.units[j] if self.units else ""

    def cycle(self, j: int) -> Cycle | None:
        """Return the cycle of an original column; None for one that does not go round."""
        return self.cycles[j] if self.cycles else None

    @property
    def levels(self) -> Ints:
        """Of how many levels each expanded column has the codes; 0 for numbers, and for what is spread."""
        widths = np.bincount(self.column_of, minlength=self.p)
        counts = np.array([len(labels) for labels in self.categories], np.int64)
        return np.where((widths == 1) & (counts > 1), counts, 0)[self.column_of]

    def column(self, j: int) -> NDArray[np.float64]:
        """Return the values of an original column: numbers, or the number of the category."""
        if self.shown is not None:
            return np.asarray(self.shown[:, j])
        start, end = np.searchsorted(self.column_of, (j, j + 1))
        values = self.values[:, start:end]
        cycle = self.cycle(j)
        if cycle is not None:
            return cycle.values_at(values)
        if values.shape[1] == 1 and len(self.categories[j]) != 1:
            return values[:, 0]
        return np.where(np.isnan(values[:, 0]), np.nan, np.nan_to_num(values).argmax(axis=1))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def p(self) -> int:
        """Number of original columns."""
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Response:
    """What x is tested against: a numeric matrix, one column of classes, one-hot, or scores of times and events."""

    values: NDArray[np.float64]  # (n, q)
    names: tuple[str, ...]
    kind: Literal["numeric", "categorical", "censored"]
    codes: NDArray[np.int64] | None  # class of each row, if categorical
    labels: tuple[str, ...]  # of the classes, in the order of the codes
    followed: Followed | None = None  # times and events, if censored
    columns: tuple[str, ...] = ()  # those of the times and of the events, if censored; `names` are of the scores
    units: tuple[str, ...] = ()  # per name, "" where none is known; () if there are none

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def events(self) -> int | None:
        """Number of events; None if y is not censored."""
        return None if self.followed is None else int(self.followed.event.sum())

    @property
    def q(self) -> int:
        """Number of columns of `values`."""
        return int(self.values.shape[1])

    @property
    def class_sizes(self) -> dict[str, int]:
        """Rows of each class; empty if y is not categorical."""
        return {} if self.codes is None else dict(zip(self.labels, np.bincount(self.codes).tolist(), strict=True))

    def take(self, order: NDArray[np.int64]) -> Response:
        """Return the rows in another order."""
        codes = None if self.codes is None else self.codes[order]
        followed = None if self.followed is None else self.followed.take(order)
        return replace(self, values=self.values[order], codes=codes, followed=followed)


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of x and y that belong together, checked."""

    x: Features
    y: Response
    dropped: int  # rows dropped for a missing y
    notes: tuple[str, ...]  # what the user should know
    blocks: NDArray[np.int64] | None = None  # the block of each row, where rows may not be exchanged freely
    z: Features | None = None  # what x and y are compared given
    tabular: bool = False  # whether it comes from a table, whose columns nobody chose one by one
    inside: NDArray[np.int64] | None = None  # the outer block of each row, where blocks lie inside others
    same_rows: bool = False  # whether every group holds the same rows, each of which is a block
    units: int | None = None  # with blocks or times: how many of its rows vary independently of each other
    sampling_weights: NDArray[np.float64] | None = None  # of each row, where rows were not drawn equally often
    times: NDArray[np.float64] | None = None  # when each row was observed, if rows are a series
    noticed: tuple[str | bool, NDArray[np.float64]] | None = None  # an order that rows seem to have, and its times
    run: int = 1  # rows, in the order of time, that are exchanged together
    permutations: UserPermutations | None = None  # the orders of the rows that a user supplies

    @property
    def free(self) -> bool:
        """Whether any two rows may change places."""
        return self.blocks is None and self.run == 1 and self.permutations is None

    @property
    def column_units(self) -> dict[str, str]:
        """The units that are known, by the names of the columns of x, given and y."""
        parts: list[Features | Response] = [self.x, self.y] if self.z is None else [self.x, self.z, self.y]
        return {name: unit for part in parts for name, unit in zip(part.names, part.units, strict=False) if unit}

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.x.n


def take_rows(sample: Sample, rows: Ints) -> Sample:
    """Return some of the rows of a sample."""
    values = read_only(sample.x.values[rows])
    holes = np.isnan(values).sum(axis=0)
    first = np.searchsorted(sample.x.column_of, np.arange(sample.x.p))  # all parts of a column are missing together
    shown = None if sample.x.shown is None else sample.x.shown[rows]
    x = replace(sample.x, values=values, missing=tuple(holes[first].tolist()), shown=shown)
    z = None
    if sample.z is not None:
        z_shown = None if sample.z.shown is None else sample.z.shown[rows]
        z = replace(sample.z, values=read_only(sample.z.values[rows]), shown=z_shown)
    weights = None if sample.sampling_weights is None else sample.sampling_weights[rows]
    blocks = None if sample.blocks is None else np.unique(sample.blocks[rows], return_inverse=True)[1].reshape(-1)
    inside = None if sample.inside is None else sample.inside[rows]
    units = None if sample.units is None else max(1, round(sample.units * len(rows) / sample.n))
    times = None if sample.times is None else sample.times[rows]
    return replace(
        sample,
        noticed=None,
        x=x,
        y=sample.y.take(rows),
        blocks=blocks,
        z=z,
        inside=inside,
        units=units,
        sampling_weights=weights,
        times=times,
    )


def column_part(x: Features, columns: Sequence[int]) -> Features:
    """Return some of the original columns."""
    ends = np.searchsorted(x.column_of, [(j, j + 1) for j in columns])
    blocks = [x.values[:, start:end] for start, end in ends]
    return Features(
        values=read_only(np.concatenate(blocks, axis=1)),
        names=tuple(x.names[j] for j in columns),
        kinds=tuple(x.kinds[j] for j in columns),
        column_of=np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks]),
        missing=tuple(x.missing[j] for j in columns),
        categories=tuple(x.categories[j] for j in columns),
        shown=None if x.shown is None else x.shown[:, list(columns)],
        units=tuple(x.units[j] for j in columns) if x.units else (),
        cycles=tuple(x.cycles[j] for j in columns) if x.cycles else (),
    )


def fault(x: Features) -> str | None:
    """Say why a test is not possible, if it is not."""
    if np.isnan(x.values).all():
        return "missing in every row: fill it in, or leave it out."
    if np.array_equal(x.values[1:], x.values[:-1], equal_nan=True):
        return "constant, so nothing can depend on it: leave it out."
    return None


def some_rows(sample: Sample, rows: int | None, rng: Seed) -> tuple[Sample, Seed]:
    """Return a sample of so many rows, and the seed that drew it; the sample itself if it has no more.

    Classes keep their shares, and two rows each or more.

    >>> from kmerf.reading.samples import read_independence
    >>> part, _ = some_rows(read_independence(list(range(100)), list(range(100))), 10, 1)
    >>> part.n, part.notes
    (10, ('A random sample of 10 of 100 rows was tested.',))
    """
    if sample.sampling_weights is not None:
        rng = as_seed(rng)
        sample = equal_rows(sample, rng)
    if rows is None:
        return sample, rng
    size = whole("rows", rows, FEWEST_ROWS)
    if size >= sample.n:
        return sample, rng
    if sample.blocks is not None:
        remedy = "leave one of them out, or sample blocks yourself"
        raise InputError("would split blocks", argument=Argument("rows", rows), remedy=remedy)
    if sample.times is not None or sample.permutations is not None:
        what = "a series" if sample.times is not None else "what permutations belong to"
        remedy = "leave one of them out, or pass fewer rows yourself"
        raise InputError(f"would tear {what} apart", argument=Argument("rows", rows), remedy=remedy)
    seed = as_seed(rng)
    part = take_rows(sample, draw_rows(sample, size, stream(seed, Purpose.SAMPLED_ROWS)))
    lack = untestable(part)
    if lack is not None:
        raise InputError(f"drew {lack}", argument=Argument("rows", rows), remedy="ask for more rows")
    note = f"A random sample of {part.n} of {sample.n} rows was tested."
    return replace(part, notes=(*sample.notes, note)), seed


def equal_rows(sample: Sample, seed: int) -> Sample:
    """Keep rows with a probability proportional to their sampling weights, so that all count the same."""
    weights = sample.sampling_weights
    assert weights is not None
    draws = stream(seed, Purpose.SAMPLED_ROWS).random(sample.n)
    part = take_rows(replace(sample, sampling_weights=None), np.flatnonzero(draws * weights.max() < weights))
    lack = f"{part.n} rows" if part.n < FEWEST_ROWS else untestable(part)
    if part.y.codes is not None and lack is None and np.bincount(part.y.codes, minlength=len(part.y.labels)).min() < 2:
        lack = "fewer than two rows of a class"
    if lack is not None:
        finding = f"are so uneven that {lack} would be left to test"
        raise InputError(finding, argument="weights", remedy="trim the largest weights, or test without them")
    note = (
        f"Sampling weights: {part.n} of {sample.n} rows were kept, each with a probability proportional to its weight, "
        "so that rows can be permuted."
    )
    return replace(part, notes=(*sample.notes, note))


def untestable(part: Sample) -> str | None:
    """Say why some rows of a sample cannot be tested although the whole sample can, or return None if they can.

    These are the checks of `kmerf.reading.sample_building` that a part can fail: x, y and z vary, and there are events.
    """
    events = part.y.events
    if events is not None and events < FEWEST_EVENTS:
        return f"{events or 'no'} event{'s' * (events != 1)}, and a test needs {FEWEST_EVENTS}"
    if not _varies(part.y.values):
        return "a single value of y"
    if not _varies(part.x.values):
        return "a single value of every column of x"
    if part.z is not None and not _varies(part.z.values):
        return "a single value of every covariate"
    return None


def _varies(values: Floats) -> bool:
    """Return whether two rows differ; a missing cell differs from a number."""
    same = (values == values[0]) | (np.isnan(values) & np.isnan(values[0]))
    return not bool(same.all())


def draw_rows(sample: Sample, size: int, rng: np.random.Generator) -> Ints:
    """Return about so many rows at random; classes keep their shares, and two rows each or more."""
    codes = np.zeros(sample.n, np.int64) if sample.y.codes is None else sample.y.codes
    parts = []
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        share = max(round(size * rows.size / sample.n), min(2, rows.size))
        parts.append(rng.permutation(rows)[:share])
    return np.sort(np.concatenate(parts))


FEW_LEVELS = 32  # of a category that are spread over columns of their own; one with more is a column of codes
MOST_CELLS = 500_000_000  # that categories may be spread over; four gigabytes


def common_levels(x: Features) -> Features:
    """Spread each category that is still codes over its commonest levels, of equals the first, and the rest as one.

    >>> from kmerf.reading.samples import read_features
    >>> names = [f"town {i}" for i in range(40)]
    >>> x = common_levels(read_features({"town": [*names, *names[9:]]}, categorical="town"))
    >>> x.values.shape, x.values.sum(axis=0)[[0, 30, 31]].tolist()
    ((71, 32), [2.0, 2.0, 9.0])
    """
    return _spread(x, FEW_LEVELS - 1)


def all_levels(x: Features, argument: str = "x") -> Features:
    """Spread each category that is still codes over all of its levels.

    >>> from kmerf.reading.samples import read_features
    >>> x = all_levels(read_features({"town": [f"town {i}" for i in range(40)]}, categorical="town"))
    >>> x.values.shape
    (40, 40)
    """
    cells = x.n * int(x.levels.sum())
    if cells > MOST_CELLS:
        size = f"{int(x.levels.sum())} categories in {x.n} rows are {8e-9 * cells:.0f} GB of numbers here"
        raise InputError(f": {size}", argument=argument, remedy="merge rare categories, or leave out such columns")
    return _spread(x, None)


def as_categories(x: Features, columns: Sequence[int]) -> Features:
    """Read some numeric columns, by position, as categories: each value is a level.

    >>> from kmerf.reading.samples import read_features
    >>> x = as_categories(read_features([[7.0, 1.0], [9.0, 2.0], [7.0, 3.0]]), [0])
    >>> x.values.tolist(), x.kinds, x.categories[0]
    ([[1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 0.0, 3.0]], ('categorical', 'numeric'), ('7.0', '9.0'))
    """
    blocks, kinds, categories = [], list(x.kinds), list(x.categories)
    for j in range(x.p):
        block = x.values[:, x.column_of == j]
        if j in columns:
            values, codes = np.unique(block[:, 0], return_inverse=True)  # NaN is last, and there once
            known = values[~np.isnan(values)]
            whole = np.where(np.isnan(block[:, 0]), np.nan, codes.reshape(-1))
            block = whole[:, None] if known.size > FEW_LEVELS else _zeros_and_ones(whole, known.size, None)
            kinds[j], categories[j] = "categorical", tuple(map(str, known.tolist()))
        blocks.append(block)
    column_of = read_only(np.repeat(np.arange(x.p), [block.shape[1] for block in blocks]))
    values = read_only(np.concatenate(blocks, axis=1))
    return replace(x, values=values, column_of=column_of, kinds=tuple(kinds), categories=tuple(categories))


def _spread(x: Features, most: int | None) -> Features:
    if not x.levels.any():
        return x
    known = zip(x.values.T, x.levels.tolist(), strict=True)
    blocks = [_zeros_and_ones(column, levels, most) if levels else column[:, None] for column, levels in known]
    widths = [block.shape[1] for block in blocks]
    column_of = read_only(np.repeat(x.column_of, widths))
    return replace(x, values=read_only(np.concatenate(blocks, axis=1)), column_of=column_of)


def _zeros_and_ones(codes: Floats, levels: int, most: int | None) -> Floats:
    present = ~np.isnan(codes)
    whole = codes[present].astype(np.int64)
    commonest = np.argsort(-np.bincount(whole, minlength=levels), kind="stable")
    kept = np.arange(levels) if most is None else commonest[:most]
    place = np.full(levels, kept.size)
    place[kept] = np.arange(kept.size)
    out = np.full((codes.size, kept.size + (kept.size < levels)), np.nan)
    out[present] = place[whole, None] == np.arange(out.shape[1])
    return out
