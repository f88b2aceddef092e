"""The test of x against y given z: remove z from both, look at the products of what is left, and judge them.

Two nulls. If z has strata (`kmerf.adjustment.stratification`), what is left of y is permuted inside them: exact if all
of z is strata, and otherwise as good as the regressions on the rest of z. These make the residuals of x and y a little
more alike, and those of permuted rows not, so the observed statistic alone is multiplied by the share of the rows that
they have not spent. Without strata the p-value is that of a normal limit (`kmerf.adjustment.products`), and as good as
the regressions on z: no test of conditional independence is valid for every distribution (Shah and Peters 2020), so
what z explains and whether anything is left of it are part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.adjustment.covariates import FOREST, Covariates, Leftover, stacked
from kmerf.adjustment.lack_of_fit import lack_of_fit, named_levels
from kmerf.adjustment.products import WEIGHTS, Look, Residuals, combine, looks, modifiers, tail
from kmerf.adjustment.rank_coordinates import shapes_of
from kmerf.adjustment.stratification import (
    SPARSE,
    Stratification,
    means_of_others,
    permuted_orders,
    strata_of,
    varies_inside,
    within,
)
from kmerf.core.arrays import mid_ranks
from kmerf.core.basis import complete
from kmerf.core.streams import Purpose, seed_for
from kmerf.data.levels import all_levels, as_categories
from kmerf.data.sample import column_part
from kmerf.execution import parallel
from kmerf.execution.resources import one_thread

if TYPE_CHECKING:
    from kmerf.adjustment.rank_coordinates import Coordinates
    from kmerf.core.arrays import Bools, Floats
    from kmerf.data.sample import Features

PERMUTATIONS = 499
STOP = 20  # permuted statistics at or above the observed one, after which many permutations need not go on

_TOLERANCE = 1e-9


class Compared(NamedTuple):
    """The p-value of x and y given z."""

    pvalue: float
    overall: float  # the p-value of the normal limit, which is what ranks permuted data
    looks: list[Seen]
    permuted: Floats | None = None  # the same of y permuted inside strata
    shrinking: float = 1.0  # p-value of whether what x and y share shrinks as regressions on z get finer


class Seen(NamedTuple):
    """What one look found."""

    name: str
    statistic: float
    pvalue: float


@dataclass(frozen=True, eq=False)
class Remainder:
    """What is left of one variable when z is removed."""

    left: Residuals
    explained: float  # share of the variance of its levels that z explains, for rows not seen
    lack_of_fit: float  # p-value of whether the residuals still depend on z
    unpredicted: Floats  # what the best prediction from z leaves of its levels (n, levels)


@dataclass(frozen=True, eq=False)
class Given:
    """z, ready to be removed from any number of variables; None explains nothing."""

    z: Features | None
    seed: int
    n_jobs: int = 1
    trees: int = 200
    tried: str | float = "all"  # columns of z that a split tries

    @cached_property
    def strata(self) -> Stratification | None:
        """The strata, if rows share z or its sparse columns."""
        return None if self.z is None else strata_of(self.z)

    @cached_property
    def covariates(self) -> Covariates:
        """Z for regressions: all of it, or what varies inside strata."""
        assert self.z is not None
        spec = replace(FOREST, n_trees=self.trees, max_features=self.tried)
        if self.strata is None:
            return Covariates.of(all_levels(self.z, "given").values, spec)
        some = all_levels(column_part(self.z, self.strata.rest), "given")
        levels = np.array([kind == "categorical" for kind in some.kinds])[some.column_of]
        return Covariates.of(some.values, spec, self.strata, levels)

    @cached_property
    def modifiers(self) -> Floats:
        """What relations may vary with: numbers, and levels that enough rows have."""
        if self.z is None:
            return np.empty((0, 0))
        if self.strata is None:
            columns = all_levels(self.z, "given").values
        else:
            columns = np.column_stack([_common(self.z.column(j), self.z.kinds[j]) for j in range(self.z.p)])
        with one_thread():
            return modifiers(complete(columns))

    def with_names(self, *variables: Remainder) -> Given | None:
        """Return the same with those numbers read as categories that turn out to be names; None if there are none."""
        if self.z is None or self.strata is not None:
            return None
        levels = [each.left.some(each.left.degrees == 1).values for each in variables]
        names = named_levels(self.z, levels)
        return replace(self, z=as_categories(self.z, names)) if names else None

    def remove_from(self, coordinates: Coordinates, number: int) -> Remainder:
        """Return what is left of a variable; its number keeps its forests apart from those of others."""
        values, levels = coordinates.values, coordinates.degrees == 1
        if self.z is None:
            none = np.zeros(levels.size)
            centred = values - values.mean(axis=0)
            return Remainder(Residuals(centred, coordinates.degrees, none), 0.0, 1.0, centred[:, levels])
        if self.strata is not None and not self.strata.rest:
            means = float(self.strata.count)
            scored = values.copy()
            scored[:, levels] = _scores(values[:, levels])
            residuals = np.where(varies_inside(values, self.strata.codes), within(scored, self.strata.codes), 0.0)
            left = Residuals(residuals, coordinates.degrees, np.full(levels.size, means), means=means)
            explained, unpredicted = _predicted(self.strata, values[:, levels])
            return Remainder(left, explained, 1.0, unpredicted)
        seed = seed_for(self.seed, Purpose.ADJUSTED_VARIABLE, number)
        if self.strata is not None:
            return self._inside(self.strata, coordinates, seed)
        rest = self.covariates.remove(values, coordinates.levels, seed=seed, n_jobs=self.n_jobs)
        left = Residuals(rest.residuals, coordinates.degrees, rest.freedom, rest.coarse)
        explained = float(rest.explained[levels].mean())
        return Remainder(left, explained, self._misfit(values, rest), rest.stacked[:, levels])

    def _inside(self, strata: Stratification, coordinates: Coordinates, seed: int) -> Remainder:
        """Remove strata and the rest of z: of levels first, and of shapes of what is left of these.

        The effects of a stratum and of the rest of z are taken to add up. Levels may do so, best as normal scores;
        their squares do not, as these have products of the two.
        """
        levels = coordinates.degrees == 1
        scores = _scores(coordinates.values[:, levels])
        rest = self.covariates.remove(scores, np.ones(scores.shape[1]), seed=seed, n_jobs=self.n_jobs)
        inside = within(scores, strata.codes)
        parts = {True: rest}
        if not levels.all():
            shapes = shapes_of(coordinates, rest.residuals)
            parts[False] = self.covariates.remove(
                shapes, np.zeros(shapes.shape[1]), seed=seed_for(seed, Purpose.ADJUSTED_VARIABLE, 0), n_jobs=self.n_jobs
            )
        residuals, coarse, freedom = (
            _merged(levels, {kind: getattr(part, name) for kind, part in parts.items()})
            for name in ("residuals", "coarse", "freedom")
        )
        varies = varies_inside(coordinates.values, strata.codes) & (residuals.std(axis=0) > _TOLERANCE)
        left = Residuals(
            np.where(varies, residuals, 0.0),
            coordinates.degrees,
            freedom,
            np.where(varies, coarse, 0.0),
            float(strata.count),
        )
        explained, unpredicted = _predicted(strata, coordinates.values[:, levels], inside - rest.stacked)
        return Remainder(left, explained, self._misfit(inside, rest), unpredicted)

    def _misfit(self, values: Floats, rest: Leftover) -> float:
        return lack_of_fit(self.covariates.filled, rest.residuals, rest.stacked, values)


def _predicted(strata: Stratification, values: Floats, inside: Floats | None = None) -> tuple[float, Floats]:
    """Return the share that the other rows of a stratum explain, with predictions inside strata, and what is left."""
    centred = values - values.mean(axis=0)
    others = means_of_others(centred, strata.codes)
    left, _ = stacked(centred, (others,) if inside is None else (others, inside))
    around = np.maximum(centred.var(axis=0), np.finfo(np.float64).tiny)
    return float(1.0 - (left.var(axis=0) / around).mean()), left


def _scores(levels: Floats) -> Floats:
    """Return the normal scores of levels (n, q), which effects of strata are added to more often than to ranks."""
    from scipy.special import ndtri

    scores = np.column_stack([ndtri((mid_ranks(column) - 0.5) / column.size) for column in levels.T])
    return np.asarray((scores - scores.mean(axis=0)) / scores.std(axis=0))


def _merged(chosen: Bools, parts: dict[bool, Floats]) -> Floats:
    """Return columns in their order: those chosen and the others (..., q)."""
    merged = np.empty((*parts[True].shape[:-1], chosen.size))
    for kind, values in parts.items():
        merged[..., chosen == kind] = values
    return merged


def _common(column: Floats, kind: str) -> Floats:
    """Return a number, or a column of zeros and ones for each level that is not sparse (n, k)."""
    labels, sizes = np.unique(column[~np.isnan(column)], return_counts=True)
    if kind != "categorical":
        return column[:, None] if labels.size > 2 or sizes.min() >= SPARSE else np.empty((column.size, 0))
    return np.asarray(column[:, None] == labels[sizes >= SPARSE], dtype=np.float64)


def compare(
    given: Given, x: Remainder, y: Remainder, *, draws: int = PERMUTATIONS, stop: int | None = None
) -> Compared:
    """Return the p-value of x and y given z, and what each look found.

    With strata, y is permuted inside them so many times, or until `stop` statistics reach the observed one (Besag and
    Clifford 1991).
    """
    with one_thread():
        every = looks(x.left, y.left, given.modifiers)
        if given.strata is not None and not given.strata.rest:
            every = [replace(look, exact=True) for look in every]
        moments = [look.cumulants() if given.strata is None else look.invariants() for look in every]
        found = [(look, each) for look, each in zip(every, moments, strict=True) if each is not None]
        if not found:
            return Compared(1.0, 1.0, [])
        shrinking = _shrinking([look for look, _ in found])
        statistics = np.array([[look.statistic() for look, _ in found]])
        alone = _alone(found, statistics)
        overall = float(_overall(found, alone)[0])
        if given.strata is None:
            return Compared(overall, overall, _seen(found, statistics[0], alone[0]), shrinking=shrinking)
        permuted: list[Floats] = []
        singles: list[Floats] = []
        for orders in permuted_orders(given.strata.codes, given.seed, draws):
            parallel.checkpoint()
            singles.append(_alone(found, np.column_stack([look.permuted(orders) for look, _ in found])))
            permuted.append(_overall(found, singles[-1]))
            if stop is not None and sum(int((each <= overall * (1 + _TOLERANCE)).sum()) for each in permuted) >= stop:
                break
    drawn, each_look = np.concatenate(permuted), np.concatenate(singles)
    reached = drawn <= overall * (1.0 + _TOLERANCE)
    pvalue = float((1 + reached.sum()) / (1 + drawn.size))
    if stop is not None and reached.sum() >= stop:
        last = int(np.flatnonzero(reached)[stop - 1]) + 1
        drawn, each_look, pvalue = drawn[:last], each_look[:last], stop / last
    ranks = (1 + (each_look <= alone * (1.0 + _TOLERANCE)).sum(axis=0)) / (1 + drawn.size)
    return Compared(pvalue, overall, _seen(found, statistics[0], ranks), drawn, shrinking)


Found = list[tuple[Look, tuple[float, float, float]]]


def _alone(found: Found, statistics: Floats) -> Floats:
    """Return the p-value of each look, of statistics (b, looks)."""
    return np.column_stack([tail(each, *moments) for each, (_, moments) in zip(statistics.T, found, strict=True)])


def _overall(found: Found, pvalues: Floats) -> Floats:
    return combine(pvalues, np.array([WEIGHTS[look.name] for look, _ in found]))


def _seen(found: Found, statistics: Floats, pvalues: Floats) -> list[Seen]:
    known = zip(found, statistics.tolist(), pvalues.tolist(), strict=True)
    return [Seen(look.name, statistic, pvalue) for (look, _), statistic, pvalue in known]


def _shrinking(found: list[Look]) -> float:
    """Say whether what x and y share shrinks (p-value); remainders hardly show in products that vary with z."""
    some = [look for look in found if look.name != "varying"]
    if not some:
        return 1.0
    pvalues, weights = np.array([look.shrinking() for look in some]), np.array([WEIGHTS[look.name] for look in some])
    return float(combine(pvalues, weights))
