"""The test of x against y given z: remove z from both, look at the products of what is left, and judge them.

Two nulls. Where z takes few different values, y is permuted among rows with the same z (`kmerf.adjustment.strata`).
Otherwise the p-value is that of a normal limit (`kmerf.adjustment.products`), and as good as the regressions on z:
no test of conditional independence is valid for every distribution (Shah and Peters 2020), so what z explains and
whether anything is left of it are part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.adjustment.basis import complete
from kmerf.adjustment.covariates import FOREST, Covariates, Leftover
from kmerf.adjustment.lack_of_fit import lack_of_fit
from kmerf.adjustment.products import WEIGHTS, Look, Residuals, combine, looks, modifiers, tail
from kmerf.adjustment.strata import permuted_orders, strata_of, within
from kmerf.core.linear_algebra import one_thread
from kmerf.core.streams import Purpose, seed_for

if TYPE_CHECKING:
    from kmerf.adjustment.rank_coordinates import Coordinates
    from kmerf.core.arrays import Floats, Ints

PERMUTATIONS = 499


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
    """z, ready to be removed from any number of variables; without columns, it explains nothing."""

    z: Floats  # (n, p), NaN where missing
    seed: int
    n_jobs: int = 1
    trees: int = 200
    tried: str | float = "all"  # columns of z that a split tries

    @cached_property
    def strata(self) -> Ints | None:
        """The stratum of each row, where z takes few different values."""
        return strata_of(self.z) if self.z.shape[1] else None

    @cached_property
    def covariates(self) -> Covariates:
        """Z for regressions."""
        return Covariates.of(self.z, replace(FOREST, n_trees=self.trees, max_features=self.tried))

    @cached_property
    def modifiers(self) -> Floats:
        """What relations may vary with."""
        with one_thread():
            return modifiers(complete(self.z))

    def remove_from(self, coordinates: Coordinates, number: int) -> Remainder:
        """Return what is left of a variable; its number keeps its forests apart from those of others."""
        values, levels = coordinates.values, coordinates.degrees == 1
        if not self.z.shape[1]:
            none = np.zeros(levels.size)
            centred = values - values.mean(axis=0)
            return Remainder(Residuals(centred, coordinates.degrees, none), 0.0, 1.0, centred[:, levels])
        if self.strata is not None:
            residuals = within(values, self.strata)
            spread = residuals.var(axis=0)[levels] * _freedom(self.strata)
            means = np.full(levels.size, float(self.strata.max() + 1))
            left = Residuals(residuals, coordinates.degrees, means)
            return Remainder(left, float(1.0 - np.mean(spread)), 1.0, residuals[:, levels])
        seed = seed_for(self.seed, Purpose.ADJUSTED_VARIABLE, number)
        rest = self.covariates.remove(values, coordinates.levels, seed=seed, n_jobs=self.n_jobs)
        left = Residuals(rest.residuals, coordinates.degrees, rest.freedom, rest.coarse)
        explained = float(rest.explained[levels].mean())
        return Remainder(left, explained, self._misfit(values, rest), rest.stacked[:, levels])

    def _misfit(self, values: Floats, rest: Leftover) -> float:
        return lack_of_fit(self.covariates.filled, rest.residuals, rest.stacked, values)


def compare(given: Given, x: Remainder, y: Remainder, *, permute: bool = True) -> Compared:
    """Return the p-value of x and y given z, and what each look found.

    Without `permute`, that of strata is the normal limit, too: then it may be as small as many tests need.
    """
    with one_thread():
        found = [
            (look, moments)
            for look in looks(x.left, y.left, given.modifiers)
            if (moments := look.cumulants()) is not None
        ]
        if not found:
            return Compared(1.0, 1.0, [])
        seen = [_judged(look, moments) for look, moments in found]
        overall = _overall(seen)
        if given.strata is None or not permute:
            return Compared(overall, overall, seen, shrinking=_shrinking([look for look, _ in found]))
        orders = permuted_orders(given.strata, given.seed, PERMUTATIONS)
        permuted = np.array([_overall([_judged(look, moments, order) for look, moments in found]) for order in orders])
    reached = int((permuted <= overall * (1.0 + 1e-9)).sum())
    return Compared((1 + reached) / (1 + PERMUTATIONS), overall, seen, permuted)


def _judged(look: Look, moments: tuple[float, float, float], order: Ints | None = None) -> Seen:
    statistic = look.statistic(order)
    return Seen(look.name, statistic, tail(statistic, *moments))


def _overall(seen: list[Seen]) -> float:
    return combine(np.array([each.pvalue for each in seen]), np.array([WEIGHTS[each.name] for each in seen]))


def _shrinking(found: list[Look]) -> float:
    """Say whether what x and y share shrinks (p-value); remainders hardly show in products that vary with z."""
    some = [look for look in found if look.name != "varying"]
    if not some:
        return 1.0
    return combine(np.array([look.shrinking() for look in some]), np.array([WEIGHTS[look.name] for look in some]))


def _freedom(strata: Ints) -> float:
    """Return what the variance within strata is multiplied by, as each has lost its mean."""
    return float(strata.size / (strata.size - strata.max() - 1.0))
