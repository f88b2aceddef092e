"""Predictions of y from x with little bias: a regression on smooth functions, or a forest where that is clearly better.

The regression has a line for every column (zeros and ones for categories), cosine waves of numbers and, of few columns,
their products; of up to 40 columns, those products that the rows that train seem to call for. With several columns, the
functions of each are scaled by how much of y the column explains by itself. What the rows can bear is fitted without a
penalty, because `kmerf.explain.held_out` takes off what the noise of predictions costs, and nothing takes off a bias.
The rest has a ridge penalty, chosen by leaving out one row. The forest mixes in where that clearly lowers the error,
leave-one-out and out of bag.

Functions do not look at y, so they are made once, from all rows. Which products count, the rows that train decide: the
two models of `kmerf.explain.held_out` decide independently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import Floats, Ints, winsorise
from kmerf.core.arrays import cosine_basis as waves
from kmerf.core.arrays import impute_median as complete
from kmerf.forests.growing import Forest, presort, route
from kmerf.forests.spec import ForestSpec

if TYPE_CHECKING:
    from kmerf.engine.workspace import Trees
    from kmerf.forests.growing import Leaves

N_TREES = 50
MOST_WAVES = 8
MOST_CURVED = 40  # columns that have waves
MOST_PAIRED = 6  # columns that have products
PENALTIES = (1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 10.0)
MIXES = (0.0, 0.25, 0.5, 0.75)  # of the regression with the forest

_FREE = 30.0  # a scale on which no penalty matters
_LINE = 3.0
_ROWS_PER_LINE, _ROWS_PER_WAVE, _ROWS_PER_STEADY = 1.7, 5.0, 10.0  # that a function needs to be free
_ROWS_PER_SCALED = 3.0  # the same of waves of several columns, which are scaled by relevance
_AS_GOOD = 2.0  # over the number of rows: by what share of the least error a penalty is as good as the best
_LOWER = 4.0  # the penalty than the best one, by this factor
_BETTER = 4.0  # over the number of rows: by what share of the regression's error a mix must be better
_BEYOND = 0.3  # of the range of y: how far outside it a prediction may lie
_MANY_ROWS = 60  # from which leaves are larger
_SMALL = 1e-10  # an eigenvalue that is rounding, as a share of the largest
_MOST_LEVERAGE = 0.999
_AT_ONCE = 64  # clusters that are left out in one go
_NOBODY = -1  # who owns a product
_ROWS_PER_PRODUCT = 5.0  # that rows choose
_LENIENT = 3.0  # by how much less than that of the largest of as many is enough for the square of a product
_ALONE = 0.1  # the penalty of a regression on one column
_LEAST_RELEVANT = 0.01  # of a column, where 1 is the best
_FENCE = 3.0  # interquartile ranges beyond the quartiles
_TOGETHER = 10_000  # numbers that are regressed with all penalties at once
_FLAT = 1e-9  # a standard deviation that is none


def _unchanged(values: Floats) -> Floats:
    return values


@dataclass(frozen=True, eq=False)
class Predictors:
    """The columns of x, made ready to predict from."""

    values: Floats
    """What trees split (n, p), NaN where missing."""
    levels: Ints
    """Of how many levels a column has the codes; 0 for numbers."""
    functions: Floats
    """What is regressed on (n, k), complete."""
    owners: Ints
    """The column that each function is of (k,); that of nobody for a product."""
    all_functions: bool = False
    """Whether these are all that there are, as with the levels of one category: then no forest is needed."""
    steady: bool = False
    """Whether predictions are to have little noise, rather than little bias."""
    clusters: Ints | None = None
    """The block of each row, where they are left out whole."""
    lines: Floats | None = None
    """The columns (n, s), if their products are functions only where the rows that train say so."""
    centred: Callable[[Floats], Floats] = _unchanged
    """What is done to functions, as taking them from their means in blocks."""

    @property
    def scaled(self) -> bool:
        """Whether functions are scaled by the relevance of their column, of several."""
        return not self.all_functions and np.unique(self.owners[self.owners != _NOBODY]).size > 1

    @property
    def only_levels(self) -> Ints | None:
        """The level of each row, of a single category; else None."""
        return self.values[:, 0].astype(np.int64) if self.all_functions else None

    def predict(self, train: Ints, test: Ints, values: Floats, groups: tuple[slice, ...], seed: int) -> Floats:
        """Return what is predicted of values (n, q) for the rows of `test` from those of `train`.

        Columns of a group share a penalty and a mix, and the forest is grown on the first group.
        """
        y = values[train]
        scales = self._relevances(train, y[:, groups[0]])
        smooth, left_out = self._regress(train, test, y, groups, self.functions * scales)
        products = None if self.lines is None else self._products(train, y - left_out, groups)
        if products is not None:
            functions = np.concatenate([self.functions * scales, products], axis=1)
            smooth, left_out = self._regress(train, test, y, groups, functions)
        if self.all_functions or self.clusters is not None:  # out of bag, rows would know of others of their block
            return smooth
        forest, out_of_bag = self._grow(train, test, y, groups[0], seed)
        found = np.empty_like(smooth)
        for group in groups:
            weight = _mix(y[:, group], left_out[:, group], out_of_bag[:, group])
            found[:, group] = weight * smooth[:, group] + (1.0 - weight) * forest[:, group]
        low, high = y.min(axis=0), y.max(axis=0)
        reach = _BEYOND * (high - low)
        return np.clip(found, low - reach, high + reach)

    def _products(self, train: Ints, left: Floats, groups: tuple[slice, ...]) -> Floats | None:
        """Return products of two columns that seem to explain what the regression leaves of the rows that train.

        With P a product and r what is left, P'r / (|P| sd r) is about standard normal if the product does not matter,
        and the largest square of k of these is about 2 log k.
        """
        assert self.lines is not None
        m, known = train.size, self.lines[train]
        first, second = np.triu_indices(known.shape[1], 1)
        means = (known.T @ known / m)[first, second]
        squares = ((known**2).T @ known**2)[first, second] - m * means**2
        clear = np.zeros(first.size)
        for group in groups:
            rest = left[:, group] - left[:, group].mean(axis=0)
            along = np.array([((known * each[:, None]).T @ known)[first, second] for each in rest.T])
            size = np.maximum(squares * float((rest**2).sum()) / m, np.finfo(np.float64).tiny)
            clear = np.maximum(clear, (along**2).sum(axis=0) / size)
        order = np.argsort(-clear, kind="stable")[: int(m / _ROWS_PER_PRODUCT)]
        best = order[clear[order] > 2.0 * np.log(first.size) - (0.0 if self.steady else _LENIENT)]
        if not best.size:
            return None
        return _FREE * self.centred(self.lines[:, first[best]] * self.lines[:, second[best]])

    def _regress(
        self, train: Ints, test: Ints, y: Floats, groups: tuple[slice, ...], functions: Floats
    ) -> tuple[Floats, Floats]:
        """Return predictions for the test rows, and for each training row without itself."""
        m = train.size
        known = functions[train]
        middle, mean = known.mean(axis=0), y.mean(axis=0)
        known, rest = known - middle, y - mean
        if known.shape[1] <= m:
            squares, vectors = np.linalg.eigh(known.T @ known)
            kept = squares > _SMALL * max(float(squares.max(initial=0.0)), np.finfo(np.float64).tiny)
            lengths, vectors = np.sqrt(squares[kept]), vectors[:, kept]
            directions = known @ vectors / lengths
        else:
            squares, directions = np.linalg.eigh(known @ known.T)
            kept = squares > _SMALL * max(float(squares.max(initial=0.0)), np.finfo(np.float64).tiny)
            lengths, directions = np.sqrt(squares[kept]), directions[:, kept]
            vectors = known.T @ directions / lengths
        along = directions.T @ rest
        new = (functions[test] - middle) @ vectors
        own = np.zeros(0, np.int64) if self.clusters is None else self.clusters[train]
        together = [np.flatnonzero(own == cluster) for cluster in np.unique(own)]

        def left(columns: slice, penalties: Sequence[float]) -> Floats:
            """Return what is left of each row without itself, or without its cluster (penalties, m, q)."""
            shrunk = lengths**2 / (lengths**2 + m * np.array(penalties)[:, None])
            rests = rest[:, columns] - directions @ (shrunk[:, :, None] * along[:, columns])
            if self.clusters is not None:
                hats = [np.column_stack([directions * np.sqrt(each), np.full(m, 1.0 / np.sqrt(m))]) for each in shrunk]
                pairs = zip(rests, hats, strict=True)
                return np.array([_without_cluster(one, hat, together) for one, hat in pairs])
            leverage = np.minimum(1.0 / m + shrunk @ (directions**2).T, _MOST_LEVERAGE)
            return np.asarray(rests / (1.0 - leverage)[:, :, None])

        predicted, alone = np.empty((test.size, y.shape[1])), np.empty_like(y)
        for columns in groups:
            step = len(PENALTIES) if rest[:, columns].size <= _TOGETHER else 1
            parts = [PENALTIES[k : k + step] for k in range(0, len(PENALTIES), step)]
            errors = np.concatenate([(left(columns, part) ** 2).sum(axis=(1, 2)) for part in parts])
            if self.steady:  # the largest that is about as good
                penalty = PENALTIES[int(np.flatnonzero(errors <= (1.0 + _AS_GOOD / m) * errors.min())[-1])]
            else:
                penalty = PENALTIES[int(np.argmin(errors))] / _LOWER
            weights = lengths / (lengths**2 + m * penalty)
            predicted[:, columns] = mean[columns] + new @ (weights[:, None] * along[:, columns])
            alone[:, columns] = y[:, columns] - left(columns, [penalty])[0]
        return predicted, alone

    def _relevances(self, train: Ints, y: Floats) -> Floats:
        """Return a scale for each function: how much of y its column explains by itself, as a share of the best one."""
        columns, scales = np.unique(self.owners[self.owners != _NOBODY]), np.ones(self.owners.size)
        if not self.scaled:
            return scales
        rest = y - y.mean(axis=0)
        if columns.size > MOST_CURVED:  # lines alone
            return self._line_relevances(train, rest)
        total, gains = float((rest**2).sum()), np.zeros(columns.size)
        places = [np.flatnonzero(self.owners == column) for column in columns]
        counts = np.array([each.size for each in places])
        known = self.functions[train] - self.functions[train].mean(axis=0)
        for count in np.unique(counts):  # columns with as many functions together
            some = np.flatnonzero(counts == count)
            own = known[:, np.array([places[k] for k in some])].transpose(1, 0, 2)
            squares, vectors = np.linalg.eigh(own.transpose(0, 2, 1) @ own)
            squares = np.where(squares > _SMALL * squares[:, -1:], squares, 0.0)
            shrunk = squares / (squares + train.size * _ALONE)
            along = vectors.transpose(0, 2, 1) @ (own.transpose(0, 2, 1) @ rest)  # times lengths
            weights = (2.0 * shrunk - shrunk**2) / np.where(squares > 0.0, squares, 1.0)
            explained = (along**2 * weights[:, :, None]).sum(axis=(1, 2))
            spent = shrunk.sum(axis=1)
            gains[some] = explained - spent * (total - explained) / np.maximum(1.0, train.size - 1.0 - spent)
        best = float(gains.max())
        if best <= 0.0:
            return scales
        each = np.sqrt(np.clip(gains / best, _LEAST_RELEVANT, 1.0))
        owned = self.owners != _NOBODY
        scales[owned] = each[np.searchsorted(columns, self.owners[owned])]
        return scales

    def _line_relevances(self, train: Ints, rest: Floats) -> Floats:
        """Return the same where columns are many: the share of y that each line explains, less what noise would."""
        known = self.functions[train]
        known = known - known.mean(axis=0)
        squares = np.maximum((known**2).sum(axis=0) * (rest**2).sum(), np.finfo(np.float64).tiny)
        gains = ((known.T @ rest) ** 2).sum(axis=1) / squares - 1.0 / train.size
        best = float(gains.max())
        return np.clip(gains / best, _LEAST_RELEVANT, 1.0) if best > 0.0 else np.ones(gains.size)

    def _grow(self, train: Ints, test: Ints, y: Floats, first: slice, seed: int) -> tuple[Floats, Floats]:
        """Return what a forest predicts for the test rows, and for the training rows out of bag."""
        n, p = train.size, self.values.shape[1]
        leaf = 2 if n < _MANY_ROWS else 5
        spec = ForestSpec(N_TREES, 0.5 if p > 1 else "all", leaf, grow_leaves=True)
        columns = presort(self.values[train], self.levels)
        new = np.ascontiguousarray(self.values[test])

        def read(_: slice, leaves: Leaves, trees: Trees) -> tuple[Floats, Floats, Floats]:
            assert leaves.counts is not None
            start = (np.arange(leaves.n_trees) * int(leaves.n_leaves.max()))[:, None]
            codes, size = leaves.codes + start, int(start[-1, 0]) + int(leaves.n_leaves.max())
            drawn = leaves.counts.astype(np.float64)
            rows = np.bincount(codes.ravel(), drawn.ravel(), size)
            sums = [np.bincount(codes.ravel(), (drawn * column).ravel(), size) for column in y.T]
            means = np.column_stack(sums) / np.maximum(rows, 1.0)[:, None]
            free = leaves.counts == 0
            alone = np.einsum("tn,tnq->nq", free, means[codes])
            return means[route(trees, new) + start].sum(axis=0), alone, free.sum(axis=0)

        parts = Forest(spec, columns, y[:, first], False, seed).look(read)
        total, alone, times = (sum(each) for each in zip(*parts, strict=True))
        mean = y.mean(axis=0)
        known = np.maximum(times, 1)[:, None]
        return total / N_TREES, np.where(times[:, None] > 0, alone / known, mean)


def _without_cluster(left: Floats, hat: Floats, clusters: Sequence[Ints]) -> Floats:
    """Return what regressions leave of each row without its cluster; `hat` times its transpose is the hat matrix.

    For the rows C of a cluster it is (I - H_CC)^-1 times what they leave, with H_CC = U U', which is the same as
    1 + U (I - U'U)^-1 U' times that.
    """
    found, identity = np.empty_like(left), np.eye(hat.shape[1]) * (2.0 - _MOST_LEVERAGE)
    for start in range(0, len(clusters), _AT_ONCE):
        some = clusters[start : start + _AT_ONCE]
        own = [hat[rows] for rows in some]
        inner = np.stack([identity - each.T @ each for each in own])
        sides = np.stack([each.T @ left[rows] for rows, each in zip(some, own, strict=True)])
        for rows, each, solved in zip(some, own, np.linalg.solve(inner, sides), strict=True):
            found[rows] = left[rows] + each @ solved
    return found


def _mix(y: Floats, smooth: Floats, forest: Floats) -> float:
    """Return the weight of the regression: 1 unless a mix is clearly better."""
    errors = [float(((y - weight * smooth - (1.0 - weight) * forest) ** 2).sum()) for weight in MIXES]
    best = int(np.argmin(errors))
    return MIXES[best] if errors[best] < (1.0 - _BETTER / len(y)) * float(((y - smooth) ** 2).sum()) else 1.0


def group_predictors(codes: Ints, centred: Callable[[Floats], Floats]) -> Predictors:
    """Make a single category ready: its levels, centred, are all that can be predicted from."""
    ones = (codes[:, None] == np.unique(codes)).astype(np.float64)
    functions = centred(_FREE * _lines(ones)[0])
    owners = np.zeros(functions.shape[1], np.int64)
    return Predictors(codes[:, None].astype(np.float64), np.zeros(1, np.int64), functions, owners, all_functions=True)


def predictors(values: Floats, spread: Floats, levels: Ints, rows: float, *, steady: bool = False) -> Predictors:
    """Make columns ready; `spread` (n, s) has them with categories as zeros and ones, `rows` is how many train.

    With `steady`, predictions have little noise rather than little bias: nothing takes off what noise costs a ranking.
    """
    filled = complete(spread)
    straight, varying = _lines(filled)
    k = max(1, straight.shape[1])
    parts = [(_FREE if k <= rows / (_ROWS_PER_STEADY if steady else _ROWS_PER_LINE) else _LINE) * straight]
    n_waves = min(MOST_WAVES, int(rows / (6 * k)) if steady else max(2, int(rows / (2 * k)))) if k <= MOST_CURVED else 0
    free = 0 if steady else int(rows / ((_ROWS_PER_WAVE if k == 1 else _ROWS_PER_SCALED) * k))
    owners = varying.tolist()
    for number, column in enumerate(filled.T if n_waves else ()):
        if np.unique(column[:1000]).size > 2:
            square = _lines(_lines(column[:, None])[0] ** 2)[0]
            found = np.concatenate([square, waves(column, n_waves)[:, 1:]], axis=1)
            scale = np.ones(found.shape[1])
            scale[: max(0, free - 1)] = _FREE
            parts.append(scale * found)
            owners += [number] * found.shape[1]
    if 2 <= filled.shape[1] == straight.shape[1] <= MOST_PAIRED and (not steady or rows > _ROWS_PER_STEADY * k**2):
        parts += [straight[:, [a]] * straight[:, [b]] for a, b in combinations(range(k), 2)]
    lines = straight if MOST_PAIRED < k <= MOST_CURVED else None
    functions = np.concatenate(parts, axis=1)
    owners += [_NOBODY] * (functions.shape[1] - len(owners))
    return Predictors(values, levels, functions, np.array(owners, np.int64), steady=steady, lines=lines)


def _lines(columns: Floats) -> tuple[Floats, Ints]:
    """Return the columns that vary, with mean 0 and variance 1, values far outside drawn in; and which these are."""
    drawn = winsorise(columns, _FENCE)
    drawn = drawn - drawn.mean(axis=0)
    spread = drawn.std(axis=0)
    varying = np.flatnonzero(spread > _FLAT)
    return drawn[:, varying] / spread[varying], varying
