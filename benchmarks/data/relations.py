"""Relations of our own, beside the paper's: what a test meets in practice and the 20 simulations do not have.

`Related` draws a numeric y, `Grouped` groups. The store knows a source by its settings and not by its formula: give a
changed formula a new name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kmerf.data.sample import Sample
from kmerf.methods.protocol import Method, Problem
from kmerf.reading import samples as tables

Array = np.ndarray
Pair = tuple[Array, Array]
Stream = np.random.Generator


def interaction(n: int, rng: Stream) -> Pair:
    """Take y from the sign of a product: neither feature says anything alone."""
    x = rng.normal(size=(n, 6))
    return x, np.sign(x[:, 0] * x[:, 1]) + 0.8 * rng.normal(size=n)


def product(n: int, rng: Stream) -> Pair:
    """Take the product of two features among five."""
    x = rng.uniform(-1, 1, size=(n, 5))
    return x, x[:, 0] * x[:, 1] + 0.25 * rng.normal(size=n)


def one_in_fifty(n: int, rng: Stream) -> Pair:
    """Let one feature of fifty move the mean."""
    x = rng.normal(size=(n, 50))
    return x, 0.5 * x[:, 17] + rng.normal(size=n)


def bump_in_fifty(n: int, rng: Stream) -> Pair:
    """Let one feature of fifty raise y in its middle."""
    x = rng.normal(size=(n, 50))
    return x, 1.5 * np.exp(-2 * x[:, 17] ** 2) + 0.6 * rng.normal(size=n)


def heavy_tailed_y(n: int, rng: Stream) -> Pair:
    """Add noise that has no variance."""
    x = rng.normal(size=(n, 5))
    return x, 0.7 * x[:, 0] + rng.standard_t(1.5, size=n)


def heavy_tailed_x(n: int, rng: Stream) -> Pair:
    """Take Cauchy features, of which one moves y."""
    x = rng.standard_t(1.0, size=(n, 5))
    return x, 0.8 * np.tanh(x[:, 0]) + rng.normal(size=n)


def poisson_y(n: int, rng: Stream) -> Pair:
    """Count, with a rate that a feature moves."""
    x = rng.normal(size=(n, 5))
    return x, rng.poisson(np.exp(0.35 * x[:, 0] - 0.3)).astype(float)


def binary_y(n: int, rng: Stream) -> Pair:
    """Take zeros and ones, read as numbers: ones at both ends of a feature."""
    x = rng.normal(size=(n, 5))
    return x, (rng.uniform(size=n) < 1 / (1 + np.exp(1.6 - 2 * np.abs(x[:, 0])))).astype(float)


def tail_dependence(n: int, rng: Stream) -> Pair:
    """Let y move only where a feature is in its upper tenth."""
    x = rng.normal(size=(n, 4))
    return x, rng.normal(size=n) + 2.2 * (x[:, 0] > 1.3)


def heteroscedastic(n: int, rng: Stream) -> Pair:
    """Let a feature move the spread of y and not its mean."""
    x = rng.normal(size=(n, 5))
    return x, np.exp(0.45 * x[:, 0]) * rng.normal(size=n)


def missing_values(n: int, rng: Stream) -> Pair:
    """Lose a fifth of the cells of x."""
    x = rng.normal(size=(n, 5))
    y = x[:, 0] ** 2 + 0.8 * rng.normal(size=n)
    return np.where(rng.uniform(size=x.shape) < 0.2, np.nan, x), y


def skewness_only(n: int, rng: Stream) -> Pair:
    """Turn the skewness of y around, with mean and variance as they were."""
    x = rng.uniform(-1, 1, size=(n, 5))
    e = rng.exponential(size=n) - 1
    return x, np.where(x[:, 0] > 0, e, -e)


def several_y(n: int, rng: Stream) -> Pair:
    """Let the spread of one of four outputs move, and the mean of another."""
    x, y = rng.normal(size=(n, 5)), rng.normal(size=(n, 4))
    y[:, 0] *= 0.6 + 0.8 * np.abs(x[:, 0])
    y[:, 1] += 0.3 * x[:, 1]
    return x, y


def additive(n: int, rng: Stream) -> Pair:
    """Add up a little from each of ten features of twenty."""
    x = rng.normal(size=(n, 20))
    return x, 0.28 * x[:, :10].sum(axis=1) + rng.normal(size=n)


def weak_linear(n: int, rng: Stream) -> Pair:
    """Take a faint line: the home ground of correlation."""
    x = rng.normal(size=(n, 3))
    return x, 0.35 * x[:, 0] + rng.normal(size=n)


def faint_line(n: int, rng: Stream) -> Pair:
    """Take a line that needs many rows."""
    x = rng.normal(size=(n, 5))
    return x, 0.1 * x[:, 0] + rng.normal(size=n)


def faint_product(n: int, rng: Stream) -> Pair:
    """Take a product that needs many rows."""
    x = rng.normal(size=(n, 5))
    return x, 0.22 * x[:, 0] * x[:, 1] + rng.normal(size=n)


def faint_wave(n: int, rng: Stream) -> Pair:
    """Take a wave that needs many rows."""
    x = rng.normal(size=(n, 5))
    return x, 0.35 * np.sin(6 * x[:, 0]) + rng.normal(size=n)


def faint_bump(n: int, rng: Stream) -> Pair:
    """Raise y in a narrow band of a feature."""
    x = rng.normal(size=(n, 5))
    return x, 0.6 * (np.abs(x[:, 1]) < 0.15) + rng.normal(size=n)


def faint_spread(n: int, rng: Stream) -> Pair:
    """Let a feature move the spread of y a little."""
    x = rng.normal(size=(n, 5))
    return x, np.exp(0.12 * x[:, 0]) * rng.normal(size=n)


def faint_step(n: int, rng: Stream) -> Pair:
    """Lift y a little beyond one value of one feature of five."""
    x = rng.uniform(-1.0, 1.0, size=(n, 5))
    return x, 0.3 * (x[:, 1] > 0.5) + rng.normal(size=n)


def faint_contrast(n: int, rng: Stream) -> Pair:
    """Move y with what two of six correlated features do not share."""
    x = 0.9 * rng.normal(size=(n, 1)) + 0.45 * rng.normal(size=(n, 6))
    return x, 0.17 * (x[:, 0] - x[:, 1]) + rng.normal(size=n)


def faint_quantile(n: int, rng: Stream) -> Pair:
    """Stretch only what is above the median of y, along one feature of five."""
    x, e = rng.normal(size=(n, 5)), rng.normal(size=n)
    return x, np.where(e > 0.0, e * np.exp(0.2 * x[:, 0]), e)


def faint_correlation(n: int, rng: Stream) -> Pair:
    """Let the correlation of two columns of y move with one feature of five."""
    x, y = rng.normal(size=(n, 5)), rng.normal(size=(n, 2))
    r = 0.22 * np.tanh(x[:, 0])
    y[:, 1] = r * y[:, 0] + np.sqrt(1.0 - r**2) * y[:, 1]
    return x, y


def faint_signs(n: int, rng: Stream) -> Pair:
    """Let the signs of two features of six decide together."""
    x = rng.uniform(-1.0, 1.0, size=(n, 6))
    return x, 0.2 * np.sign(x[:, 0] * x[:, 1]) + rng.normal(size=n)


def _two(n: int, p: int, rng: Stream) -> tuple[Array, Array, Array]:
    groups = np.repeat([0, 1], [n - n // 2, n // 2])
    return rng.normal(size=(n, p)), groups, groups == 1


def shift(n: int, rng: Stream) -> Pair:
    """Move the mean of one feature of four."""
    x, groups, second = _two(n, 4, rng)
    x[second, 0] += 0.45
    return x, groups


def spread(n: int, rng: Stream) -> Pair:
    """Widen one feature of four."""
    x, groups, second = _two(n, 4, rng)
    x[second, 0] *= 1.7
    return x, groups


def correlation(n: int, rng: Stream) -> Pair:
    """Correlate two features in one group; every feature alone stays as it was."""
    x, groups, second = _two(n, 4, rng)
    x[second, 1] = 0.75 * x[second, 0] + np.sqrt(1 - 0.75**2) * x[second, 1]
    return x, groups


def many_small_shifts(n: int, rng: Stream) -> Pair:
    """Move all of twenty features a little."""
    x, groups, second = _two(n, 20, rng)
    x[second] += 0.15
    return x, groups


def three_groups(n: int, rng: Stream) -> Pair:
    """Move the mean from group to group of three."""
    groups = np.arange(n) % 3
    x = rng.normal(size=(n, 5))
    x[:, 0] += 0.45 * (groups - 1)
    return x, groups


def rare_group(n: int, rng: Stream) -> Pair:
    """Move the mean in a group that has a sixth of the rows."""
    groups = (np.arange(n) < n // 6).astype(int)
    x = rng.normal(size=(n, 5))
    x[groups == 1, 0] += 0.9
    return x, groups


def tails(n: int, rng: Stream) -> Pair:
    """Give one feature of one group heavy tails."""
    x, groups, second = _two(n, 4, rng)
    x[second, 0] = rng.standard_t(1.5, size=int(second.sum()))
    return x, groups


Relation = Callable[[int, Stream], Pair]

NUMERIC: Mapping[str, Relation] = {
    relation.__name__: relation
    for relation in (
        interaction,
        product,
        one_in_fifty,
        bump_in_fifty,
        heavy_tailed_y,
        heavy_tailed_x,
        poisson_y,
        binary_y,
        tail_dependence,
        heteroscedastic,
        missing_values,
        skewness_only,
        several_y,
        additive,
        weak_linear,
    )
}
FAINT: Mapping[str, Relation] = {
    relation.__name__: relation for relation in (faint_line, faint_product, faint_wave, faint_bump, faint_spread)
}
"""For a thousand rows, where the others are found by every test that can see them."""
FAINT_TOO: Mapping[str, Relation] = {
    relation.__name__: relation
    for relation in (faint_step, faint_contrast, faint_quantile, faint_correlation, faint_signs)
}
"""More of them, written after it was settled how weights depend on the number of rows."""

RELATIONS = {**NUMERIC, **FAINT, **FAINT_TOO}

GROUPS: Mapping[str, Relation] = {
    relation.__name__: relation
    for relation in (shift, spread, correlation, many_small_shifts, three_groups, rare_group, tails)
}


@dataclass(frozen=True)
class Related:
    """A relation of ours between x and a numeric y."""

    name: str
    n: int = 100

    @property
    def p(self) -> int:
        return RELATIONS[self.name](4, np.random.default_rng(0))[0].shape[1]

    def draw(self, rng: Stream) -> Sample:
        return tables.read_independence(*RELATIONS[self.name](self.n, rng), y_kind="numeric")


@dataclass(frozen=True)
class Grouped:
    """Groups that differ in a way of ours; n rows in all."""

    name: str
    n: int = 100

    @property
    def p(self) -> int:
        return GROUPS[self.name](6, np.random.default_rng(0))[0].shape[1]

    def draw(self, rng: Stream) -> Sample:
        x, groups = GROUPS[self.name](self.n, rng)
        return tables.read_ksample(x, groups=groups)


@dataclass(frozen=True)
class Filled(Method):
    """A test that cannot use missing values of x, given the median of the column in their place."""

    method: Method

    @property
    def name(self) -> str:
        return self.method.name

    def prepare(self, sample: Sample, seed: int) -> Problem:
        x = sample.x
        if any(x.missing):
            values = np.where(np.isnan(x.values), np.nanmedian(x.values, axis=0), x.values)
            sample = replace(sample, x=replace(x, values=values, missing=(0,) * x.p))
        return self.method.prepare(sample, seed)
