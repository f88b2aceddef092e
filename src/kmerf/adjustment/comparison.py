"""The test of x against y given z: remove z from both, and judge the products of the residuals.

Two nulls (`kmerf.nulls.definitions`). If z has strata (`kmerf.adjustment.stratification`), the residuals of y are
permuted inside them: exact if all of z is strata, and otherwise as good as the regressions on the rest of z. These make
the residuals of x and y a little more alike, and those of permuted rows not, so the observed statistic alone is
multiplied by the share of the rows that they have not spent. Without strata the p-value is that of a normal limit
(`kmerf.adjustment.products`), and as good as the regressions on z: no test of conditional independence is valid for
every distribution (Shah and Peters 2020), so what z explains and whether the residuals still depend on it are part of
the answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.adjustment.covariates import FOREST, Covariates, RegressionResiduals, stack_predictions
from kmerf.adjustment.products import WEIGHTS, Component, Residuals, components, modifiers, shapes_of, tail
from kmerf.adjustment.stratification import (
    SPARSE_ROWS,
    Stratification,
    lack_of_fit,
    means_of_others,
    named_levels,
    strata_of,
    varies_inside,
    within,
)
from kmerf.core.arrays import impute_median, mid_ranks
from kmerf.core.streams import Purpose, seed_for
from kmerf.data.exchangeability import Exchange
from kmerf.data.sample import all_levels, as_categories, column_part
from kmerf.execution.parallel import one_thread
from kmerf.nulls.definitions import NormalLimit, Permutation, Stratified, combine_pvalues, rank_pvalue
from kmerf.nulls.judging import judge_combined, judge_draws

if TYPE_CHECKING:
    from kmerf.adjustment.products import Coordinates
    from kmerf.core.arrays import Bools, Floats
    from kmerf.data.sample import Features
    from kmerf.nulls.definitions import Null
    from kmerf.results.parts import NullResult

DEFAULT_NULL = Permutation(499)  # inside strata

_MIN_SD = 1e-9  # of residuals that vary


class ConditionalResult(NamedTuple):
    """The p-value of x and y given z."""

    null: NullResult
    limit: float  # the p-value of the normal limit, by which permuted data are ranked
    components: list[ComponentResult]
    shrinking: float = 1.0  # p-value of whether what x and y share shrinks as regressions on z get finer

    @property
    def pvalue(self) -> float:
        """The p-value."""
        return self.null.pvalue


class ComponentResult(NamedTuple):
    """One component statistic and its p-value."""

    name: str
    statistic: float
    pvalue: float


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
        """The covariates, prepared for regression: all of z, or what varies inside strata."""
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
            return modifiers(impute_median(columns))

    def with_names(self, *variables: Residuals) -> Given | None:
        """Return the same with those numbers read as categories that turn out to be names; None if there are none."""
        if self.z is None or self.strata is not None:
            return None
        names = named_levels(self.z, [each.levels.values for each in variables])
        return replace(self, z=as_categories(self.z, names)) if names else None

    def remove_from(self, coordinates: Coordinates, number: int) -> Residuals:
        """Return the residuals of a variable; its number keeps its forests apart from those of others."""
        values, degrees, levels = coordinates.values, coordinates.degrees, coordinates.degrees == 1
        if self.z is None:
            return Residuals(values - values.mean(axis=0), degrees, np.zeros(levels.size))
        if self.strata is not None and not self.strata.rest:
            means = float(self.strata.count)
            scored = values.copy()
            scored[:, levels] = _scores(values[:, levels])
            residuals = np.where(varies_inside(values, self.strata.codes), within(scored, self.strata.codes), 0.0)
            freedom, explained = np.full(levels.size, means), _explained(self.strata, values[:, levels])
            return Residuals(residuals, degrees, freedom, means=means, explained=explained)
        seed = seed_for(self.seed, Purpose.ADJUSTED_VARIABLE, number)
        if self.strata is not None:
            return self._inside(self.strata, coordinates, seed)
        fit = self.covariates.remove(values, coordinates.levels, seed=seed, n_jobs=self.n_jobs)
        explained, misfit = float(fit.explained[levels].mean()), self._misfit(values, fit)
        return Residuals(fit.values, degrees, fit.freedom, fit.coarse, explained=explained, lack_of_fit=misfit)

    def _inside(self, strata: Stratification, coordinates: Coordinates, seed: int) -> Residuals:
        """Remove strata and the rest of z: of levels first, and of shapes of their residuals.

        The effects of a stratum and of the rest of z are taken to add up. Levels may do so, best as normal scores;
        their squares do not, as these have products of the two.
        """
        levels = coordinates.degrees == 1
        scores = _scores(coordinates.values[:, levels])
        fit = self.covariates.remove(scores, np.ones(scores.shape[1]), seed=seed, n_jobs=self.n_jobs)
        inside = within(scores, strata.codes)
        parts = {True: fit}
        if not levels.all():
            shapes = shapes_of(coordinates, fit.values)
            parts[False] = self.covariates.remove(
                shapes, np.zeros(shapes.shape[1]), seed=seed_for(seed, Purpose.ADJUSTED_VARIABLE, 0), n_jobs=self.n_jobs
            )
        values, coarse, freedom = (
            _merged(levels, {kind: getattr(part, name) for kind, part in parts.items()})
            for name in ("values", "coarse", "freedom")
        )
        varies = varies_inside(coordinates.values, strata.codes) & (values.std(axis=0) > _MIN_SD)
        return Residuals(
            np.where(varies, values, 0.0),
            coordinates.degrees,
            freedom,
            np.where(varies, coarse, 0.0),
            float(strata.count),
            _explained(strata, coordinates.values[:, levels], inside - fit.prediction_errors),
            self._misfit(inside, fit),
        )

    def _misfit(self, values: Floats, fit: RegressionResiduals) -> float:
        return lack_of_fit(self.covariates.filled, fit.values, fit.prediction_errors, values, self.seed)

    def null(self, null: Null) -> Stratified | NormalLimit:
        """Return the null that permutes inside strata, and leaves the judgement to another; or the normal limit."""
        return NormalLimit() if self.strata is None else Stratified(null, self.strata.codes, self.seed)


def _explained(strata: Stratification, values: Floats, inside: Floats | None = None) -> float:
    """Return the share that the other rows of a stratum explain, with predictions inside strata."""
    centred = values - values.mean(axis=0)
    others = means_of_others(centred, strata.codes)
    errors, _ = stack_predictions(centred, (others,) if inside is None else (others, inside))
    around = np.maximum(centred.var(axis=0), np.finfo(np.float64).tiny)
    return float(1.0 - (errors.var(axis=0) / around).mean())


def _scores(levels: Floats) -> Floats:
    """Return the normal scores of levels (n, q), which effects of strata are added to more often than to ranks."""
    from scipy.special import ndtri

    scores = np.column_stack([ndtri((mid_ranks(column) - 0.5) / column.size) for column in levels.T])
    return np.asarray((scores - scores.mean(axis=0)) / scores.std(axis=0))


def _merged(columns: Bools, parts: dict[bool, Floats]) -> Floats:
    """Return columns in their order: those chosen and the others (..., q)."""
    merged = np.empty((*parts[True].shape[:-1], columns.size))
    for kind, values in parts.items():
        merged[..., columns == kind] = values
    return merged


def _common(column: Floats, kind: str) -> Floats:
    """Return a number, or a column of zeros and ones for each level that is not sparse (n, k)."""
    labels, sizes = np.unique(column[~np.isnan(column)], return_counts=True)
    if kind != "categorical":
        return column[:, None] if labels.size > 2 or sizes.min() >= SPARSE_ROWS else np.empty((column.size, 0))
    return np.asarray(column[:, None] == labels[sizes >= SPARSE_ROWS], dtype=np.float64)


def judge(
    given: Given, x: Residuals, y: Residuals, null: Null = DEFAULT_NULL, log_arrangements: float = math.inf
) -> ConditionalResult:
    """Return the p-value of x and y given z, and that of each component.

    With strata, y is permuted inside them as often as the null asks for. `log_arrangements` is the logarithm of one
    over the smallest p-value that such permutations can give.
    """
    n, used = x.values.shape[0], given.null(null)
    with one_thread():
        test = _Test.of(given, x, y)
        if not test.parts:
            return ConditionalResult(NormalLimit().judge(-1.0, np.empty(0), n), 1.0, [])
        statistics = np.array([[each.statistic() for each in test.parts]])
        alone = test.pvalues(statistics)
        limit = float(test.combined(alone)[0])
        permuted: list[Floats] = []
        if isinstance(used, Stratified):
            judgement = judge_draws(
                used, -limit, test.draws(used, permuted), n, Exchange(log_arrangements=log_arrangements)
            )
        else:
            judgement = judge_combined(used, -limit, np.empty(0), n, Exchange())
    pvalues = alone[0]
    if judgement.null.distribution is not None:
        pvalues = rank_pvalue(-pvalues, -np.concatenate(permuted)[: judgement.null.distribution.size])
    names = [each.name for each in test.parts]
    results = map(ComponentResult, names, statistics[0].tolist(), pvalues.tolist())
    return ConditionalResult(judgement.null, limit, list(results), test.shrinking())


class _Test(NamedTuple):
    """The components that vary, with the cumulants of their statistics under the null."""

    parts: list[Component]
    cumulants: list[tuple[float, float, float]]

    @classmethod
    def of(cls, given: Given, x: Residuals, y: Residuals) -> _Test:
        parts = components(x, y, given.modifiers)
        if given.strata is not None and not given.strata.rest:
            parts = [replace(each, exact=True) for each in parts]
        moments = [each.cumulants() if given.strata is None else each.invariants() for each in parts]
        usable = [(part, each) for part, each in zip(parts, moments, strict=True) if each is not None]
        return cls([part for part, _ in usable], [each for _, each in usable])

    def pvalues(self, statistics: Floats) -> Floats:
        """Return the p-value of each component, of statistics (b, components)."""
        return np.column_stack([tail(each, *own) for each, own in zip(statistics.T, self.cumulants, strict=True)])

    def combined(self, pvalues: Floats) -> Floats:
        """Return one p-value (b,) for those of the components (b, components)."""
        return combine_pvalues(pvalues, np.array([WEIGHTS[each.name] for each in self.parts]))

    def draws(self, null: Stratified, permuted: list[Floats]) -> Iterator[float]:
        """Yield the statistics of permuted rows; `permuted` collects the p-values of the components."""
        for orders in null.orders():
            permuted.append(self.pvalues(np.column_stack([each.permuted(orders) for each in self.parts])))
            yield from (-self.combined(permuted[-1])).tolist()

    def shrinking(self) -> float:
        """Return the p-value of whether what x and y share shrinks; components that vary with z hardly show it."""
        some = [each for each in self.parts if each.name != "varying"]
        if not some:
            return 1.0
        weights = np.array([WEIGHTS[each.name] for each in some])
        return float(combine_pvalues(np.array([each.shrinking() for each in some]), weights))
