"""More relations, with a strength each: sparse, correlated, several y, quantiles, SNP-like columns, groups that shift.

Each takes n, a generator and a strength, 1 for one that is found about half of the time in 100 rows. `Varied` draws the
strength anew for every data set, around 10 / sqrt(n), so that a family holds easy and hard data alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from kmerf.data.sample import Sample
from kmerf.reading import samples as tables

Array = np.ndarray
Pair = tuple[Array, Array]
Stream = np.random.Generator


def _factor(n: int, p: int, rng: Stream, share: float = 0.8) -> Array:
    """Columns that share a factor."""
    return np.sqrt(share) * rng.normal(size=(n, 1)) + np.sqrt(1 - share) * rng.normal(size=(n, p))


def _neighbours(n: int, p: int, rng: Stream, rho: float = 0.9) -> Array:
    """Columns of which each goes with the last."""
    x = rng.normal(size=(n, p))
    for j in range(1, p):
        x[:, j] = rho * x[:, j - 1] + np.sqrt(1 - rho**2) * x[:, j]
    return x


def _snps(n: int, p: int, rng: Stream) -> Array:
    """Counts of a rarer allele, 0, 1 or 2."""
    share = rng.uniform(0.1, 0.5, size=p)
    return rng.binomial(2, share, size=(n, p)).astype(float)


# --- numbers ---------------------------------------------------------------------------------------------------------


def sparse_line(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, int(rng.choice([20, 50, 100]))))
    return x, 0.4 * s * x[:, 3] + rng.normal(size=n)


def sparse_step(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, int(rng.choice([20, 50]))))
    return x, 1.2 * s * (x[:, 3] > 0.8) + rng.normal(size=n)


def sparse_bump(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, int(rng.choice([10, 30]))))
    return x, 1.5 * s * np.exp(-2 * x[:, 3] ** 2) + rng.normal(size=n)


def sparse_interaction(n: int, rng: Stream, s: float) -> Pair:
    x = rng.uniform(-1, 1, size=(n, int(rng.choice([8, 16]))))
    return x, 2.2 * s * x[:, 0] * x[:, 3] + 0.5 * rng.normal(size=n)


def sparse_spread(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, int(rng.choice([10, 30]))))
    return x, np.exp(0.45 * s * x[:, 2]) * rng.normal(size=n)


def two_of_many(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, 40))
    return x, 0.33 * s * (x[:, 0] - x[:, 7]) + rng.normal(size=n)


def contrast(n: int, rng: Stream, s: float) -> Pair:
    """What correlated columns do not share moves y."""
    x = _factor(n, int(rng.choice([4, 8])), rng)
    return x, 0.6 * s * (x[:, 0] - x[:, 1]) + rng.normal(size=n)


def combination(n: int, rng: Stream, s: float) -> Pair:
    p = int(rng.choice([5, 10]))
    x = _neighbours(n, p, rng)
    w = rng.normal(size=p)
    z = x @ (w - w.mean())
    return x, 0.4 * s * z / z.std() + rng.normal(size=n)


def shared_factor(n: int, rng: Stream, s: float) -> Pair:
    x = _factor(n, 10, rng, 0.4)
    return x, 0.3 * s * x.mean(axis=1) / 0.65 + rng.normal(size=n)


def correlated_bend(n: int, rng: Stream, s: float) -> Pair:
    x = _neighbours(n, 6, rng, 0.7)
    return x, 0.4 * s * x[:, 2] ** 2 + rng.normal(size=n)


def moving_correlation(n: int, rng: Stream, s: float) -> Pair:
    """Two columns of y whose correlation moves with x; each alone stays as it is."""
    x, y = rng.normal(size=(n, int(rng.choice([2, 5])))), rng.normal(size=(n, 2))
    r = np.clip(0.75 * s * np.tanh(1.5 * x[:, 0]), -0.98, 0.98)
    y[:, 1] = r * y[:, 0] + np.sqrt(1 - r**2) * y[:, 1]
    return x, y


def correlation_of_three(n: int, rng: Stream, s: float) -> Pair:
    x, y = rng.uniform(-1, 1, size=(n, 4)), rng.normal(size=(n, 3))
    r = np.clip(0.8 * s * np.sign(x[:, 0]), -0.98, 0.98)
    y[:, 2] = r * y[:, 0] + np.sqrt(1 - r**2) * y[:, 2]
    return x, y


def angle_on_circle(n: int, rng: Stream, s: float) -> Pair:
    """Both columns of y together say where x is; each alone says half."""
    x = rng.normal(size=(n, 3))
    turn = 1.5 * x[:, 0] + rng.normal(size=n) / s + rng.uniform(0, 0.3, size=n)
    return x, np.column_stack([np.cos(2 * turn), np.sin(2 * turn)]) + 0.3 * rng.normal(size=(n, 2))


def radius_of_ring(n: int, rng: Stream, s: float) -> Pair:
    x, turn = rng.normal(size=(n, 4)), rng.uniform(0, 2 * np.pi, n)
    r = np.exp(0.25 * s * x[:, 0] + 0.3 * rng.normal(size=n))
    return x, r[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])


def many_y(n: int, rng: Stream, s: float) -> Pair:
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(n, 8))
    return x, y + 0.2 * s * x[:, :1]


def one_of_many_y(n: int, rng: Stream, s: float) -> Pair:
    x, y = rng.normal(size=(n, 4)), rng.normal(size=(n, 8))
    y[:, 2] += 0.6 * s * np.sin(2 * x[:, 1])
    return x, y


def upper_quantile(n: int, rng: Stream, s: float) -> Pair:
    """Only what is above the median of y moves."""
    x, e = rng.normal(size=(n, int(rng.choice([2, 5])))), rng.normal(size=n)
    return x, np.where(e > 0, e * np.exp(0.55 * s * x[:, 0]), e)


def lower_quantile(n: int, rng: Stream, s: float) -> Pair:
    x, e = rng.uniform(-1, 1, size=(n, 3)), rng.exponential(size=n)
    return x, np.where(e < np.log(2), e * (1 - 0.8 * min(s, 1.2) * (x[:, 0] > 0)), e)


def upper_tail_shift(n: int, rng: Stream, s: float) -> Pair:
    x = rng.uniform(-1, 1, size=(n, 4))
    up = rng.uniform(size=n) < 0.2
    return x, rng.normal(size=n) + np.where(up, 2.0 * s * (x[:, 0] + 0.5), 0.0)


def two_humps(n: int, rng: Stream, s: float) -> Pair:
    """Give y two humps on one side of a feature and one on the other; mean and variance are the same."""
    x = rng.uniform(-1, 1, size=(n, 3))
    side = rng.choice([-1.0, 1.0], size=n)
    d = min(0.95, 0.85 * s)
    apart = d * side + np.sqrt(1 - d**2) * rng.normal(size=n)
    return x, np.where(x[:, 0] > 0, apart, rng.normal(size=n))


def snp_additive(n: int, rng: Stream, s: float) -> Pair:
    x = _snps(n, int(rng.choice([10, 40])), rng)
    return x, 0.6 * s * x[:, 0] + rng.normal(size=n)


def snp_recessive(n: int, rng: Stream, s: float) -> Pair:
    x = rng.binomial(2, 0.4, size=(n, int(rng.choice([5, 20])))).astype(float)
    return x, 1.2 * s * (x[:, 1] == 2) + rng.normal(size=n)


def snp_overdominant(n: int, rng: Stream, s: float) -> Pair:
    x = rng.binomial(2, 0.5, size=(n, 8)).astype(float)
    return x, 0.8 * s * (x[:, 0] == 1) + rng.normal(size=n)


def snp_epistasis(n: int, rng: Stream, s: float) -> Pair:
    x = rng.binomial(2, 0.4, size=(n, 6)).astype(float)
    return x, 1.1 * s * ((x[:, 0] > 0) == (x[:, 1] > 0)) + rng.normal(size=n)


def xor(n: int, rng: Stream, s: float) -> Pair:
    x = rng.integers(0, 2, size=(n, 5)).astype(float)
    return x, 0.9 * s * (x[:, 0] != x[:, 1]) + rng.normal(size=n)


def categories(n: int, rng: Stream, s: float) -> Pair:
    level = rng.integers(0, 6, size=n)
    x = np.column_stack([*(level == k for k in range(1, 6)), rng.normal(size=n)]).astype(float)
    return x, (rng.normal(size=6) * 0.45 * s)[level] + rng.normal(size=n)


def wave(n: int, rng: Stream, s: float) -> Pair:
    x = rng.uniform(-1, 1, size=(n, int(rng.choice([1, 4]))))
    return x, 1.0 * s * np.sin(rng.uniform(4, 12) * x[:, 0]) + rng.normal(size=n)


def wiggly_trend(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, 3))
    return x, 0.25 * s * x[:, 0] + 0.4 * s * np.sin(4 * x[:, 1]) + rng.normal(size=n)


def middle_spread(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, 4))
    return x, np.exp(0.6 * s * (np.abs(x[:, 0]) - 0.8)) * rng.normal(size=n)


def shared_spread(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, 10))
    return x, np.exp(0.18 * s * x.sum(axis=1)) * rng.normal(size=n)


def line(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, int(rng.choice([1, 3, 6]))))
    return x, 0.28 * s * x[:, 0] + rng.normal(size=n)


def curve(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, int(rng.choice([1, 3, 6]))))
    return x, 0.35 * s * x[:, 0] ** 2 + rng.normal(size=n)


def saturating(n: int, rng: Stream, s: float) -> Pair:
    x = rng.exponential(size=(n, 4))
    return x, 1.0 * s * np.tanh(2 * x[:, 0]) + rng.normal(size=n)


def additive_curves(n: int, rng: Stream, s: float) -> Pair:
    x = rng.uniform(-1, 1, size=(n, 10))
    return x, s * (0.5 * x[:, 0] + 0.6 * x[:, 1] ** 2 + 0.4 * np.sin(4 * x[:, 2]) + 0.4 * x[:, 3]) + rng.normal(size=n)


def outlying(n: int, rng: Stream, s: float) -> Pair:
    x = rng.standard_t(2, size=(n, 4))
    return x, 0.45 * s * np.clip(x[:, 0], -2, 2) + rng.standard_t(2, size=n)


def zeros_and_counts(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, 5))
    zero = rng.uniform(size=n) < 1 / (1 + np.exp(-0.9 * s * x[:, 0]))
    return x, np.where(zero, 0, rng.poisson(3, n)).astype(float)


def ordinal(n: int, rng: Stream, s: float) -> Pair:
    x = np.round(rng.normal(size=(n, 6)))
    return x, np.clip(np.round(1.5 + 0.35 * s * x[:, 0] + rng.normal(size=n)), 0, 3)


def local(n: int, rng: Stream, s: float) -> Pair:
    x = rng.uniform(-1, 1, size=(n, 3))
    return x, 1.6 * s * (np.abs(x[:, 0] - 0.3) < 0.15) + rng.normal(size=n)


def ball(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, 4))
    return x, 0.28 * s * np.sqrt((x**2).sum(axis=1)) * 2 + rng.normal(size=n)


NUMERIC: Mapping[str, Callable[[int, Stream, float], Pair]] = {
    f.__name__: f
    for f in (
        sparse_line,
        sparse_step,
        sparse_bump,
        sparse_interaction,
        sparse_spread,
        two_of_many,
        contrast,
        combination,
        shared_factor,
        correlated_bend,
        moving_correlation,
        correlation_of_three,
        angle_on_circle,
        radius_of_ring,
        many_y,
        one_of_many_y,
        upper_quantile,
        lower_quantile,
        upper_tail_shift,
        two_humps,
        snp_additive,
        snp_recessive,
        snp_overdominant,
        snp_epistasis,
        xor,
        categories,
        wave,
        wiggly_trend,
        middle_spread,
        shared_spread,
        line,
        curve,
        saturating,
        additive_curves,
        outlying,
        zeros_and_counts,
        ordinal,
        local,
        ball,
    )
}

# --- classes and groups ---------------------------------------------------------------------------------------------


def _coded(n: int, shares: tuple[float, ...], rng: Stream) -> Array:
    """Groups of fixed sizes, at least three rows each."""
    sizes = np.maximum(3, np.round(n * np.array(shares)).astype(int))
    sizes[int(np.argmax(sizes))] += n - sizes.sum()
    return rng.permutation(np.repeat(np.arange(sizes.size), sizes))


def _two(n: int, rng: Stream) -> tuple[Array, Array]:
    g = _coded(n, (0.5, 0.5), rng)
    return g, g == 1


def g_shift(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, int(rng.choice([1, 3, 6]))))
    x[b, 0] += 0.55 * s
    return x, g


def g_shift_sparse(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, int(rng.choice([20, 50, 100]))))
    x[b, 4] += 0.8 * s
    return x, g


def g_shift_contrast(n: int, rng: Stream, s: float) -> Pair:
    """Groups differ across what correlated columns share."""
    g, b = _two(n, rng)
    x = _factor(n, int(rng.choice([3, 6])), rng)
    x[b, 0] += 0.4 * s
    return x, g


def g_shift_correlated(n: int, rng: Stream, s: float) -> Pair:
    g = _coded(n, (0.4, 0.3, 0.3), rng)
    p = 6
    x = _neighbours(n, p, rng, 0.8)
    x += 0.33 * s * rng.normal(size=(3, p))[g]
    return x, g


def g_many_shifts(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, int(rng.choice([10, 30]))))
    x[b] += 0.14 * s
    return x, g


def g_one_of_five_shifts(n: int, rng: Stream, s: float) -> Pair:
    g = _coded(n, (0.2,) * 5, rng)
    x = rng.normal(size=(n, 4))
    x[g == 2, 1] += 0.8 * s
    return x, g


def g_one_of_five_spreads(n: int, rng: Stream, s: float) -> Pair:
    g = _coded(n, (0.2,) * 5, rng)
    x = rng.normal(size=(n, int(rng.choice([2, 4]))))
    x[g == 2, 1] *= 1 + 1.2 * s
    return x, g


def g_spread(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, int(rng.choice([1, 4]))))
    x[b, 0] *= 1 + 0.65 * s
    return x, g


def g_all_spreads(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, 6))
    x[b] *= 1 + 0.25 * s
    return x, g


def g_correlation(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, int(rng.choice([2, 5]))))
    r = min(0.95, 0.65 * s)
    x[b, 1] = r * x[b, 0] + np.sqrt(1 - r**2) * x[b, 1]
    return x, g


def g_rare_shift(n: int, rng: Stream, s: float) -> Pair:
    g = _coded(n, (0.9, 0.1), rng)
    x = rng.normal(size=(n, 4))
    x[g == 1, 0] += 1.0 * s
    return x, g


def g_rare_local(n: int, rng: Stream, s: float) -> Pair:
    """A rare class lives in a corner of x."""
    x = rng.normal(size=(n, 5))
    odds = np.where((x[:, 0] > 0.5) & (x[:, 1] > 0), 0.1 + 0.3 * s, 0.05)
    g = (rng.uniform(size=n) < odds).astype(int)
    g[:2] = [0, 1]
    return x, g


def g_tails(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, 3))
    x[b, 0] = rng.standard_t(max(0.8, 2.0 / s), size=int(b.sum()))
    return x, g


def g_skewness(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, 3))
    mix = min(1.0, 0.9 * s)
    x[b, 0] = mix * (rng.exponential(size=int(b.sum())) - 1) + np.sqrt(1 - mix**2) * x[b, 0]
    return x, g


def g_two_humps(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, 2))
    d = min(0.95, 0.85 * s)
    side = rng.choice([-1.0, 1.0], size=int(b.sum()))
    x[b, 0] = d * side + np.sqrt(1 - d**2) * x[b, 0]
    return x, g


def g_xor(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, 4))
    odds = 1 / (1 + np.exp(-1.6 * s * np.sign(x[:, 0] * x[:, 1])))
    g = (rng.uniform(size=n) < odds).astype(int)
    g[:2] = [0, 1]
    return x, g


def g_ring(n: int, rng: Stream, s: float) -> Pair:
    g, b = _two(n, rng)
    x = rng.normal(size=(n, 3))
    length = np.sqrt((x[b, :2] ** 2).sum(axis=1, keepdims=True))
    x[b, :2] *= 1 + min(1.0, 0.7 * s) * (1.3 / length - 1)
    return x, g


def g_cases(n: int, rng: Stream, s: float) -> Pair:
    x = _snps(n, int(rng.choice([8, 30])), rng)
    x[:, 0] = rng.binomial(2, 0.4, n)
    odds = 1 / (1 + np.exp(-1.1 * s * (x[:, 0] - 0.8)))
    g = (rng.uniform(size=n) < odds).astype(int)
    g[:2] = [0, 1]
    return x, g


def g_recessive_cases(n: int, rng: Stream, s: float) -> Pair:
    x = rng.binomial(2, 0.5, size=(n, 8)).astype(float)
    odds = 1 / (1 + np.exp(0.5 - 1.8 * s * (x[:, 1] == 2)))
    g = (rng.uniform(size=n) < odds).astype(int)
    g[:2] = [0, 1]
    return x, g


def g_logistic(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, 8))
    odds = 1 / (1 + np.exp(-0.45 * s * x[:, :4].sum(axis=1)))
    g = (rng.uniform(size=n) < odds).astype(int)
    g[:2] = [0, 1]
    return x, g


def g_middle(n: int, rng: Stream, s: float) -> Pair:
    x = rng.normal(size=(n, int(rng.choice([2, 6]))))
    odds = 1 / (1 + np.exp(1.4 * s * (np.abs(x[:, 0]) - 0.7)))
    g = (rng.uniform(size=n) < odds).astype(int)
    g[:2] = [0, 1]
    return x, g


def g_categories(n: int, rng: Stream, s: float) -> Pair:
    g = _coded(n, (0.4, 0.3, 0.3), rng)
    keep = rng.uniform(size=n) < 0.33 * s
    level = np.where(keep, g, rng.integers(0, 4, n))
    x = np.column_stack([*(level == k for k in range(1, 4)), rng.normal(size=(n, 2))]).astype(float)
    return x, g


def g_four_groups(n: int, rng: Stream, s: float) -> Pair:
    g = _coded(n, (0.25,) * 4, rng)
    x = rng.normal(size=(n, 5))
    x[:, :2] += 0.42 * s * rng.normal(size=(4, 2))[g]
    return x, g


GROUPS: Mapping[str, Callable[[int, Stream, float], Pair]] = {
    f.__name__: f
    for f in (
        g_shift,
        g_shift_sparse,
        g_shift_contrast,
        g_shift_correlated,
        g_many_shifts,
        g_one_of_five_shifts,
        g_one_of_five_spreads,
        g_spread,
        g_all_spreads,
        g_correlation,
        g_rare_shift,
        g_rare_local,
        g_tails,
        g_skewness,
        g_two_humps,
        g_xor,
        g_ring,
        g_cases,
        g_recessive_cases,
        g_logistic,
        g_middle,
        g_categories,
        g_four_groups,
    )
}


@dataclass(frozen=True)
class Varied:
    """A relation with a strength that is drawn anew for each data set."""

    name: str
    n: int = 100

    def draw(self, rng: Stream) -> Sample:
        strength = 10 / np.sqrt(self.n) * rng.uniform(0.6, 1.4)
        if self.name in NUMERIC:
            return tables.read_independence(*NUMERIC[self.name](self.n, rng, strength), y_kind="numeric")
        x, groups = GROUPS[self.name](self.n, rng, strength)
        while np.bincount(groups).min() < 2:  # a group of one row cannot be compared
            x, groups = GROUPS[self.name](self.n, rng, strength)
        return tables.read_ksample(x, groups=groups)
