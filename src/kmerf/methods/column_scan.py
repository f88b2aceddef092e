"""One column against y: how much more likely are the data under some relation than under none?

The test of single columns in screens. It fits nothing, so a permutation takes one pass over the rows.

A numeric column is cut at quantiles into up to 32 bins; a category has a bin per level; missing values have a bin of
their own. *Directions* are functions f_d of the bins, and two lines through the ranks and the normal scores of the
column. *Functions* g_k of y are its ranks, their normal scores, and higher polynomials, which see the spread and the
form; of classes, their shares. All have mean 0 and length 1, so that if y does not depend on the column

    Z_dk = sqrt(n - 1) sum_i f_d(x_i) g_k(y_i)

has mean 0 and variance 1, whatever the ties. A *relation* r says how large each Z_dk is expected to be: normal with
variance t_rdk besides that of chance. The logarithm of its likelihood ratio against no relation is

    L_r = sum_dk ( t_rdk / (1 + t_rdk) Z_dk^2 - log(1 + t_rdk) ) / 2,

and the statistic is log sum_r w_r exp(L_r): the likelihood ratio if relation r has the prior probability w_r. Relations
are a line (of ranks, and of normal scores), one step, one interval, one level, values that are missing, a smooth curve,
a rough one, a spread that changes along the column, and a form that does. Most of the prior is on lines, as they are
most common: at the small levels that screens need, weak lines are found as often as by Spearman's test, while other
relations still are (docs/performance.md).

The null distribution is that of permuted y, so the p-value is exact whatever the weights. Of several columns of x or
of y, the statistic is the logarithm of the mean likelihood ratio.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import mid_ranks, read_only
from kmerf.methods.protocol import Method, PermutableProblem, Wording, unit_columns

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features, Response, Sample

MAX_BINS = 32  # of a numeric column
MIN_ROWS = 4  # of a bin, if nothing is tied
MAX_LEVELS = 128  # of a category; rarer ones share a bin
WAVES = 16  # half waves along the column, at most
STEPS = 15  # places of a step, at most
FORMS = 4  # polynomials of the ranks of y

_CLEAR = 10.0  # variance of Z if there is a relation of one direction: most are just about found
_CLEAR_SLOPE = 0.5 * _CLEAR / (1.0 + _CLEAR)
_WEIGHTS = {
    "line": 0.65,
    "wave": 0.115,
    "step": 0.02,
    "interval": 0.04,
    "smooth": 0.07,
    "rough": 0.025,
    "spread": 0.045,
    "form": 0.015,
    "missing": 0.03,
}


@dataclass(frozen=True)
class ColumnScan(Method):
    """The test of single columns: lines, steps, curves, changes of spread and form, levels, missing values.

    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=80)
    >>> y = x**2 + rng.normal(size=80)
    >>> kmerf.independence(x, y, method=ColumnScan(), null=kmerf.Permutation(99), rng=1).pvalue
    0.01
    """

    name: ClassVar[str] = "Column scan"
    ranks_only: ClassVar[bool] = True

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        measures = "the logarithm of a mean likelihood ratio"
        if classes:
            return Wording("Is there a column along which the shares of the classes change?", measures=measures)
        return Wording("Does the level, the spread or the shape of y change along some column?", measures=measures)

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Cut the columns of x into bins, and find the functions of y."""
        target = target_of(sample.y)
        scans = tuple(Scan.of(column, target) for column in columns_of(sample.x))
        return PermutableProblem(self.name, MeanScan(scans), sample.n)


class BinnedColumn(NamedTuple):
    """A column of x, in bins."""

    bins: NDArray[np.int32]
    smooth: Floats
    """Lines (n, 0 or 2): the ranks and their normal scores."""
    directions: Floats
    """Functions of the bins (m, bins)."""
    kinds: tuple[str, ...]
    """Of each direction: "wave", "step", "interval", "level" or "missing"."""


class ResponseFunctions(NamedTuple):
    """The functions of y."""

    values: Floats | None
    """Of numbers (n, q), centred and of length 1."""
    codes: NDArray[np.int32] | None
    scale: Floats
    """Of classes: what their columns have in their rows."""
    group: NDArray[np.int64]
    """The functions that count together."""
    roles: tuple[tuple[int, int, tuple[int, ...]], ...]
    """Of each column of y: the groups that stand for its level (by ranks, by scores), and for its spread and form."""

    @property
    def sizes(self) -> Ints:
        """How many functions vary freely in each group."""
        return np.maximum(np.bincount(self.group) - (self.codes is not None), 1)


def columns_of(x: Features) -> list[BinnedColumn]:
    """Return every column of x, in bins."""
    return [binned(x.column(j), categorical=bool(x.categories[j])) for j in range(x.p)]


def binned(values: Floats, *, categorical: bool) -> BinnedColumn:
    """Return a column of numbers, or of the codes of a category, in bins."""
    return _levels(values) if categorical else _numbers(values)


def _numbers(values: Floats) -> BinnedColumn:
    known = ~np.isnan(values)
    ranks = mid_ranks(values[known])
    size = ranks.size
    many = int(np.clip(size // MIN_ROWS, 2, MAX_BINS))
    raw = np.minimum(((ranks - 0.5) * many / size).astype(np.int64), many - 1)
    bins, place = np.full(values.size, -1), np.unique(raw, return_inverse=True)[1].reshape(-1)
    distinct = np.unique(ranks)
    if distinct.size <= MAX_BINS:
        place = np.searchsorted(distinct, ranks)
    bins[known] = place
    counts = np.bincount(place).astype(np.float64)
    middle = np.bincount(place, weights=ranks) / counts / size
    directions, kinds = _functions(counts, middle)
    smooth = np.zeros((values.size, 2))
    smooth[known] = unit_columns(np.column_stack([ranks, _normal_scores(ranks)]))
    if known.all():
        return BinnedColumn(read_only(bins.astype(np.int32)), read_only(smooth), read_only(directions), tuple(kinds))
    bins[~known] = counts.size
    lacking = np.concatenate([directions, np.zeros((len(directions), 1))], axis=1)
    gap = _unit(np.concatenate([np.zeros(counts.size), [1.0]]), np.concatenate([counts, [values.size - size]]))
    return BinnedColumn(
        read_only(bins.astype(np.int32)),
        read_only(smooth),
        read_only(np.concatenate([lacking, gap[None]])),
        (*kinds, "missing"),
    )


def _normal_scores(ranks: Floats) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri((ranks - 0.375) / (ranks.size + 0.25)))


def _levels(codes: Floats) -> BinnedColumn:
    known = ~np.isnan(codes)
    place = np.unique(np.where(known, codes, np.inf), return_inverse=True)[1].reshape(-1)
    counts = np.bincount(place)
    if counts.size > MAX_LEVELS:
        rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
        place = np.minimum(rank, MAX_LEVELS - 1)[place]
        counts = np.bincount(place)
    directions = np.diag(1.0 / np.sqrt(counts))
    return BinnedColumn(
        read_only(place.astype(np.int32)),
        read_only(np.zeros((codes.size, 0))),
        read_only(directions),
        ("level",) * counts.size,
    )


def _functions(counts: Floats, middle: Floats) -> tuple[Floats, list[str]]:
    """Return functions of bins with mean 0 and length 1, and what each is."""
    size = counts.size
    waves: list[Floats] = []
    for k in range(1, min(WAVES, size - 1) + 1):
        wave = _unit(middle if k == 1 else np.cos(np.pi * k * middle), counts)
        for _ in range(2):  # again, against what rounding left
            for other in waves:
                wave = wave - (counts * wave * other).sum() * other
        if (counts * wave**2).sum() > 1e-6:
            waves.append(_unit(wave, counts))
    kinds = ["wave"] * len(waves)
    places = np.unique(np.linspace(0, size, min(STEPS, size - 1) + 2)[1:-1].round().astype(int))
    found = [*waves, *(_unit((np.arange(size) >= place).astype(float), counts) for place in places)]
    kinds += ["step"] * len(places)
    for width in sorted({max(1, size // part) for part in (4, 8, 16)}):
        for start in range(0, size - width + 1, max(1, width // 2)):
            if size > 3 and 0 < start + width // 2 < size - 1:
                inside = (np.arange(size) >= start) & (np.arange(size) < start + width)
                found.append(_unit(inside.astype(float), counts))
                kinds.append("interval")
    return np.array(found).reshape(len(found), size), kinds


def _unit(values: Floats, counts: Floats) -> Floats:
    """Centre a function of bins and give it length 1; one that does not vary becomes 0."""
    away = values - (counts * values).sum() / counts.sum()
    length = np.sqrt((counts * away**2).sum())
    return np.asarray(away / length) if length > 1e-9 else np.zeros(values.size)


def target_of(y: Response) -> ResponseFunctions:
    """Return the functions of y."""
    if y.codes is not None:
        return class_functions(y.codes, y.q)
    if y.kind == "censored":
        return _target([unit_columns(y.values)], censored=True)
    return number_functions(y.values)


def class_functions(codes: Ints, q: int) -> ResponseFunctions:
    """Return the functions of q classes."""
    sizes = np.bincount(codes, minlength=q)
    scale = np.divide(1.0, np.sqrt(sizes), out=np.zeros(sizes.size), where=sizes > 0)
    return ResponseFunctions(
        None, read_only(codes.astype(np.int32)), scale, np.zeros(sizes.size, np.int64), ((0, 0, ()),)
    )


def number_functions(values: Floats) -> ResponseFunctions:
    """Return the functions of columns of numbers (n, q)."""
    return _target([_forms(column) for column in values.T])


def _forms(values: Floats) -> Floats:
    """Return the ranks of y, their normal scores, and polynomials of the ranks from the second degree on."""
    from kmerf.forests.growing import rank_polynomials

    polynomials = rank_polynomials(values)
    scores = _normal_scores(mid_ranks(values))
    return unit_columns(np.column_stack([polynomials[:, 0], scores, polynomials[:, 1:FORMS]]))


def _target(blocks: list[Floats], censored: bool = False) -> ResponseFunctions:
    roles, start = [], 0
    for block in blocks:
        places = range(start, start + block.shape[1])
        first, second = (places[0], places[0]) if censored else (places[0], places[1])
        roles.append((first, second, tuple(places[1 if censored else 2 :])))
        start += block.shape[1]
    return ResponseFunctions(
        read_only(np.concatenate(blocks, axis=1)), None, np.empty(0), np.arange(start), tuple(roles)
    )


@dataclass(frozen=True, eq=False)
class Scan:
    """The statistic of one column."""

    column: BinnedColumn
    target: ResponseFunctions
    expected: Floats
    profiles: Floats
    constants: Floats
    weights: Floats
    varies: bool
    """Whether the column does; one that does not says nothing, and has a likelihood ratio of 1."""

    @classmethod
    def of(cls, column: BinnedColumn, target: ResponseFunctions) -> Scan:
        """Find what each direction has by chance, and the terms of the soft maximum."""
        if target.values is not None:
            expected = np.zeros((len(column.directions), target.group.size))
        else:
            counts = np.bincount(column.bins, minlength=column.directions.shape[1])
            sizes = np.divide(1.0, target.scale, out=np.zeros(target.scale.size), where=target.scale > 0.0)
            expected = np.outer((column.directions * counts).sum(axis=1), sizes) / column.bins.size
        profiles, constants, weights = _terms(column, target)
        varies = bool(column.smooth.any() or column.directions.any())
        return cls(column, target, expected, profiles, constants, weights, varies)

    def __call__(self, order: Ints) -> float:  # noqa: D102
        return float(self.of_orders(order[None])[0])

    def of_orders(self, orders: Ints) -> Floats:
        """Return the statistics of many orders of y (B, n), at once: workers wait for each other between calls."""
        from kmerf.engine.scan_sums import scan_classes, scan_numbers

        out = np.zeros(len(orders))
        if not self.varies:
            return out
        column, target = self.column, self.target
        parts = (column.bins, column.smooth, column.directions, self.expected)
        terms = (self.profiles, self.constants, self.weights, _CLEAR_SLOPE, out)
        if target.values is not None:
            scan_numbers(*parts, target.values, target.group, orders, *terms)
        else:
            scan_classes(*parts, target.codes, target.scale, target.group, orders, *terms)
        return out


@dataclass(frozen=True, eq=False)
class MeanScan:
    """The logarithm of the mean likelihood ratio of some columns."""

    scans: tuple[Scan, ...]

    def __call__(self, order: Ints) -> float:  # noqa: D102
        if len(self.scans) == 1:
            return self.scans[0](order)
        ratios = np.array([scan(order) for scan in self.scans])
        most = ratios.max()
        return float(most + np.log(np.exp(ratios - most).mean()))


def _slopes(variances: Floats) -> Floats:
    """Return by what the squares are multiplied, for each variance beyond that of chance."""
    return np.asarray(0.5 * variances / (1.0 + variances))


def _terms(column: BinnedColumn, target: ResponseFunctions) -> tuple[Floats, Floats, Floats]:
    """Return profiles (P, directions, groups) with constants (P,), and log weights of single directions."""
    lines, kinds, sizes = column.smooth.shape[1], np.array(column.kinds), target.sizes
    shape = (lines + kinds.size, sizes.size)
    single = np.full(shape, -np.inf)
    profiles, constants = [], []
    share = 1.0 / len(target.roles)

    def alone(rows: Ints, group: int, weight: float) -> None:
        log_weight = np.log(share * weight / rows.size) - 0.5 * sizes[group] * np.log1p(_CLEAR)
        single[rows, group] = np.logaddexp(single[rows, group], log_weight)

    def profile(variances: Floats, weight: float) -> None:
        profiles.append(_slopes(variances))
        constants.append(np.log(share * weight) - 0.5 * (sizes * np.log1p(variances)).sum())

    def spectrum(rows: Ints, groups: tuple[int, ...], energy: Floats, fall: float = 1.0) -> Floats:
        variances = np.zeros(shape)
        for k, group in enumerate(groups):
            variances[rows, group] = energy * fall**k
        return variances

    waves, levels = (lines + np.flatnonzero(kinds == kind) for kind in ("wave", "level"))
    gaps = lines + np.flatnonzero(kinds == "missing")
    for ranks, scores, forms in target.roles:
        if lines:
            alone(np.array([0]), ranks, 0.6 * _WEIGHTS["line"])
            alone(np.array([1]), scores, 0.4 * _WEIGHTS["line"])
            for kind in ("step", "interval"):
                rows = lines + np.flatnonzero(kinds == kind)
                if rows.size:
                    alone(rows, ranks, _WEIGHTS[kind])
            number = np.arange(1, waves.size + 1)
            for k, row in enumerate(waves[1:6]):
                alone(np.array([row]), ranks, _WEIGHTS["wave"] * 0.55 * 0.5**k)
            profile(spectrum(waves, (ranks,), _CLEAR / number**1.5), _WEIGHTS["smooth"])
            profile(spectrum(waves, (ranks,), np.full(waves.size, 1.5)), _WEIGHTS["rough"])
            if forms:
                profile(spectrum(waves, forms[:1], _CLEAR / number**1.5), _WEIGHTS["spread"])
                profile(spectrum(waves, (ranks, *forms), 3.0 / number**1.5, 0.7), _WEIGHTS["form"])
        if levels.size:
            energy = np.full(levels.size, max(1.0, _CLEAR / levels.size))
            profile(spectrum(levels, (ranks,), energy), 0.4)
            profile(spectrum(levels, (scores,), energy), 0.2)
            alone(levels, ranks, 0.2)
            if forms:
                profile(spectrum(levels, forms[:1], energy), 0.1)
        if gaps.size:
            for group in (ranks, *forms[:1]):
                alone(gaps, group, _WEIGHTS["missing"] / (1 + bool(forms)))
    return np.array(profiles), np.array(constants), single
