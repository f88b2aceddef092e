"""What kind of change is it? Level, spread, shape, or how columns go together, each with a p-value of its own.

Numbers v are compared between parts of the rows: the columns of x between the groups, or y between the categories, or
four parts of about equal size, of each column of x. Each kind has a statistic that does not see the others:

- *level*: v itself. H0: the mean of v is the same in all parts, whatever its spread and shape.
- *spread*: |e - m|, with m the median of e in its part (Brown and Forsythe 1974). H0: v less its mean has the same mean
  absolute deviation in all parts.
- *shape*: r^3 and r^4, with r = (e - mean) / sd of the part, cut at 3. What estimating the mean and the sd does to such
  means is taken off: psi(r) - E[psi'(r)] r - E[r psi'(r)] (r^2 - 1) / 2. H0: v has the same form in all parts, but for
  its mean and sd.
- *joint*: for groups, r_i r_j - c (r_i^2 + r_j^2) / 2 with c the mean of r_i r_j, so that its mean differs between
  groups as correlations do; the same for several columns of y. H0: all correlations of two columns are the same. For a
  single numeric y, products of two columns of x beside what is left of y: sum(e z) / sqrt(sum(e^2 z^2)), with z the
  product less what curves of single columns explain of it. H0: y is a sum of curves of single columns of x.

For groups, e = v. For a numeric y, e is what is left of it after a regression on curves of all columns (third degree
and products of two columns; lines and squares if rows are few), over the root of 1 - leverage: else a part in which y
rises steeply would seem to have more spread. If there are too few rows for that, only the level is tested.
Correlations are compared if every part has 40 rows: with 30, true nulls were rejected in 8 %.

Means are compared by Welch's F, which allows parts to differ in spread. Its p-value is a rank among permutations of
rows, those that the test itself allows, and of all columns the largest normal score counts. Permuted studentised
statistics are valid for equal means whatever else differs, if parts have many rows (Janssen 1997; Pauly, Brunner and
Konietschke 2015). How many are many: docs/changes.md.

P-values are adjusted by Holm's method over the kinds, and are never below the p-value of the test itself. So if nothing
changes at all, a kind is called at the level only where the test rejects, which is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import Bools, Floats, Ints, mid_ranks
from kmerf.core.streams import Purpose, stream
from kmerf.nulls.definitions import holm, scores
from kmerf.results.parts import Kind

if TYPE_CHECKING:
    from kmerf.data.exchangeability import Exchange
    from kmerf.data.sample import Features, Sample

DRAWS = (999, 399, 199)  # permutations: the most for which the work is within the budget
BUDGET = 4e8  # multiplications
PARTS = 4  # of a column of numbers
FEWEST = 8  # rows of a part; smaller ones are left out
FEWEST_ROWS = 24
FEWEST_CORRELATED = 40  # rows of every part, from which correlations are compared
MOST_PARTS = 12
MOST_PAIRS = 300
ROWS_PER_TERM = 5  # of the regression of y
CUT = 3.0  # beyond which standardised values count as this
NAMES = ("level", "spread", "shape", "joint")
_TOLERANCE = 1e-9


class _Values(NamedTuple):
    """Values (n,) that are compared between parts of the rows."""

    column: str
    values: Floats
    parts: Ints
    """Of each row; -1 for rows that are left out."""


class _Products(NamedTuple):
    """What is left of y, and products of columns."""

    names: tuple[str, ...]
    left: Floats
    products: Floats


def find_kinds(sample: Sample, exchange: Exchange, pvalue: float, seed: int) -> tuple[Kind, ...]:
    """Return the kinds of change with their p-values; none if there are too few rows, or y is censored."""
    n = sample.n
    if sample.y.kind == "censored" or n < FEWEST_ROWS or not exchange.keeps_rows:
        return ()
    compared, products = (_of_groups(sample), None) if sample.y.codes is not None else _of_numbers(sample)
    work = n * 2.0 * PARTS * sum(len(each) for each in compared.values())
    work += 0.0 if products is None else 2.0 * n * products.products.shape[1]
    draws = next((each for each in DRAWS if each * work <= BUDGET), 0)
    if not draws:
        return ()
    rng = stream(seed, Purpose.KINDS)
    orders = np.stack([np.arange(n), *(exchange.order(n, rng) for _ in range(draws))])
    found = {}
    for name, some in compared.items():
        if some:
            table = np.column_stack([welch_f(each.values, each.parts, orders) for each in some])
            found[name] = _judged(table, [each.column for each in some])
    if products is not None:
        found["joint"] = _judged(_product_scores(products, orders), list(products.names))
    names = [name for name in NAMES if name in found]
    if names == ["level"] and sample.y.codes is not None and sample.x.p == 1:
        return ()  # categories can differ in nothing else, so that this is what the test itself asks
    pvalues = np.array([found[name][0] for name in names])
    adjusted = np.maximum(holm(pvalues), pvalue) if names else pvalues
    return tuple(
        Kind(name, found[name][0], float(a), found[name][1], bounded=found[name][0] <= 1.0 / (1 + draws))
        for name, a in zip(names, adjusted, strict=True)
    )


def _judged(table: Floats, columns: list[str]) -> tuple[float, str]:
    """Return the p-value of the largest score over columns (1 + B, columns), and the column that has it."""
    scored = scores(table)
    largest = scored.max(axis=1)
    rank = int((largest >= largest[0] - _TOLERANCE * abs(largest[0])).sum())
    return rank / len(table), columns[int(scored[0].argmax())]


def welch_f(values: Floats, parts: Ints, orders: Ints) -> Floats:
    """Return Welch's F of values in every order (B, n) between parts."""
    ones = (parts[:, None] == np.unique(parts[parts >= 0])).astype(np.float64)
    sizes = ones.sum(axis=0)
    moved = (values - values.mean())[orders]
    means = moved @ ones / sizes
    variances = np.maximum(moved**2 @ ones / sizes - means**2, 0.0) * sizes / (sizes - 1.0)
    floor = _TOLERANCE * float(values.var()) + 1e-300
    weights = sizes / np.maximum(variances, floor)
    total = weights.sum(axis=1, keepdims=True)
    away = (weights * (means - (weights * means).sum(axis=1, keepdims=True) / total) ** 2).sum(axis=1)
    k = sizes.size
    loss = ((1.0 - weights / total) ** 2 / (sizes - 1.0)).sum(axis=1)
    return np.asarray(away / (k - 1.0) / (1.0 + 2.0 * (k - 2.0) / (k**2 - 1.0) * loss))


# --- groups ---


def _of_groups(sample: Sample) -> dict[str, list[_Values]]:
    x, codes = sample.x, sample.y.codes
    assert codes is not None
    parts = _large(codes)
    found: dict[str, list[_Values]] = {name: [] for name in NAMES}
    if np.unique(parts[parts >= 0]).size < 2:
        return found
    standard = {}
    for j, values in _numeric(x):
        found["level"].append(_Values(x.names[j], values, parts))
        if np.unique(values).size > PARTS:
            standard[j] = _standardised(values, parts)
            found["spread"].append(_Values(x.names[j], _deviations(values, parts), parts))
            found["shape"] += [_Values(x.names[j], each, parts) for each in _forms(standard[j])]
    for j in range(x.p):
        found["level"] += [_Values(x.names[j], column, parts) for column in _indicators(x, j)]
    found["joint"] = _correlations({x.names[j]: values for j, values in standard.items()}, parts)
    return found


def _correlations(standard: dict[str, Floats], parts: Ints) -> list[_Values]:
    pairs = list(combinations(standard, 2))
    smallest = int(np.unique(parts[parts >= 0], return_counts=True)[1].min())
    if len(pairs) > MOST_PAIRS or smallest < FEWEST_CORRELATED:
        return []
    found = []
    for a, b in pairs:
        product = standard[a] * standard[b]
        c = float(product[parts >= 0].mean())
        influence = product - c * (standard[a] ** 2 + standard[b] ** 2) / 2.0
        found.append(_Values(f"{a} and {b}", influence, parts))
    return found


def _large(codes: Ints) -> Ints:
    """Return parts with rows enough, the largest if they are many; -1 elsewhere."""
    labels, sizes = np.unique(codes, return_counts=True)
    kept = labels[sizes >= FEWEST]
    if kept.size > MOST_PARTS:
        kept = labels[np.argsort(-sizes, kind="stable")[:MOST_PARTS]]
    return np.where(np.isin(codes, kept), codes, -1)


def _numeric(x: Features) -> Iterator[tuple[int, Floats]]:
    """Yield columns of numbers; a missing value counts as the median."""
    for j in range(x.p):
        if not x.categories[j]:
            values = x.column(j)
            if np.isnan(values).all() or np.nanmin(values) == np.nanmax(values):
                continue
            yield j, _scaled(np.where(np.isnan(values), np.nanmedian(values), values))


def _scaled(values: Floats) -> Floats:
    """Return numbers times a power of two, the largest about 1: their squares neither overflow nor vanish."""
    return np.asarray(np.ldexp(values, -np.frexp(np.abs(values).max(initial=0.0))[1]))


def _indicators(x: Features, j: int) -> list[Floats]:
    labels = x.categories[j]
    if not labels:
        return []
    codes = x.column(j)
    chosen = [1] if len(labels) == 2 else range(len(labels))
    ones = [(codes == k).astype(np.float64) for k in chosen]
    return [each for each in ones if FEWEST <= each.sum() <= each.size - FEWEST]


def _each_part(values: Floats, parts: Ints, change: Callable[[Floats], Floats]) -> Floats:
    out = np.zeros(values.size)
    for part in np.unique(parts[parts >= 0]):
        rows = parts == part
        out[rows] = change(values[rows])
    return out


def _deviations(values: Floats, parts: Ints) -> Floats:
    return _each_part(values, parts, lambda mine: np.abs(mine - np.median(mine)))


def _standardised(values: Floats, parts: Ints) -> Floats:
    def change(mine: Floats) -> Floats:
        spread = float(mine.std())
        return (mine - mine.mean()) / spread if spread > 0.0 else np.zeros(mine.size)

    return _each_part(values, parts, change)


def _forms(r: Floats) -> list[Floats]:
    """Return what the means of skewed and of heavy-tailed values differ in, and those of mean and sd do not."""
    cut, inside = np.clip(r, -CUT, CUT), np.abs(r) < CUT
    found = []
    for power in (3, 4):
        slope = np.where(inside, power * cut ** (power - 1), 0.0)
        found.append(cut**power - slope.mean() * r - (slope * r).mean() * (r**2 - 1.0) / 2.0)
    return found


# --- numbers ---


def _of_numbers(sample: Sample) -> tuple[dict[str, list[_Values]], _Products | None]:
    x, y = sample.x, _scaled(sample.y.values)
    found: dict[str, list[_Values]] = {name: [] for name in NAMES}
    curves, simple, products, names = _curves(x)
    base = _fitted_base(x.n, (np.column_stack([curves, products]), curves, simple))
    left = None if base is None else np.column_stack([_left(values, base) for values in y.T])
    for j in range(x.p):
        parts = _parts(x, j)
        if np.unique(parts[parts >= 0]).size < 2:
            continue
        name, standard = x.names[j], {}
        for k in range(min(y.shape[1], MOST_PARTS)):
            found["level"].append(_Values(name, y[:, k], parts))
            if left is not None and np.unique(y[:, k]).size > PARTS:
                found["spread"].append(_Values(name, _deviations(left[:, k], parts), parts))
                standard[sample.y.names[k]] = _standardised(left[:, k], parts)
                found["shape"] += [_Values(name, each, parts) for each in _forms(standard[sample.y.names[k]])]
        found["joint"] += _correlations(standard, parts)
    if y.shape[1] > 1 or not names or products.shape[1] == 0:
        return found, None
    base = _basis(curves)
    if base.shape[1] * ROWS_PER_TERM > x.n:
        return found, None
    e = y[:, 0] - base @ (base.T @ y[:, 0])
    z = products - base @ (base.T @ products)
    telling = (z**2).sum(axis=0) > 1e-6 * (products**2).sum(axis=0)
    if not telling.any() or (e**2).sum() <= 1e-12 * ((y[:, 0] - y[:, 0].mean()) ** 2).sum():
        return found, None
    kept = tuple(name for name, keep in zip(names, telling, strict=True) if keep)
    return found, _Products(kept, e, z[:, telling])


def _product_scores(products: _Products, orders: Ints) -> Floats:
    moved = products.left[orders]
    return np.asarray(np.abs(moved @ products.products) / np.sqrt(moved**2 @ products.products**2 + 1e-300))


def _parts(x: Features, j: int) -> Ints:
    """Return the categories of a column, or four parts of about equal size; a missing value is in none."""
    values = x.column(j)
    known = ~np.isnan(values)
    if x.categories[j]:
        return _large(np.where(known, values, -1).astype(np.int64)) if known.all() else _known(values, known)
    distinct = np.unique(values[known])
    if distinct.size <= PARTS:
        edges = distinct[1:]
    else:
        edges = np.unique(np.quantile(values[known], np.arange(1, PARTS) / PARTS, method="inverted_cdf"))
    codes = np.searchsorted(edges, values, side="left" if distinct.size > PARTS else "right")
    return np.where(known, _large(codes), -1)


def _known(values: Floats, known: Bools) -> Ints:
    codes = np.full(values.size, -1)
    codes[known] = _large(values[known].astype(np.int64))
    return codes


def _curves(x: Features) -> tuple[Floats, Floats, Floats, tuple[str, ...]]:
    """Return curves of single columns, simpler ones, products of two columns, and the names of these."""
    lines, curves, simple, owners = [], [], [], []
    for j, values in _numeric(x):
        r = mid_ranks(values)
        u = (r - r.mean()) / max(float(r.std()), 1e-12)
        v = (values - values.mean()) / max(float(values.std()), 1e-12)
        lines.append(v)
        owners.append(j)
        many = np.unique(values).size > PARTS
        curves += [v, u, u**2, u**3] if many else [v, v**2]
        simple += [v, u**2] if many else [v, v**2]
    for j in range(x.p):
        for column in _indicators(x, j):
            lines.append(column - column.mean())
            owners.append(j)
            curves.append(column - column.mean())
            simple.append(column - column.mean())
    pairs = [(a, b) for a, b in combinations(range(len(lines)), 2) if owners[a] != owners[b]]
    pairs = pairs if len(pairs) <= MOST_PAIRS else []
    products = np.column_stack([lines[a] * lines[b] for a, b in pairs]) if pairs else np.empty((x.n, 0))
    names = tuple(f"{x.names[owners[a]]} and {x.names[owners[b]]}" for a, b in pairs)
    none = np.empty((x.n, 0))
    stacked = (np.column_stack(some) if some else none for some in (curves, simple))
    return next(stacked), next(stacked), products, names


def _basis(columns: Floats) -> Floats:
    """Return orthonormal columns with the same span, and a constant."""
    full = np.column_stack([np.full(len(columns), 1.0), columns])
    u, s, _ = np.linalg.svd(full, full_matrices=False)
    return np.asarray(u[:, s > 1e-9 * s[0]])


def _fitted_base(n: int, richest_first: Sequence[Floats]) -> Floats | None:
    """Return the richest columns for which n rows are enough; None if they are for none."""
    return next((_basis(some) for some in richest_first if (some.shape[1] + 1) * ROWS_PER_TERM <= n), None)


def _left(y: Floats, base: Floats) -> Floats:
    """Return what is left of y after a regression."""
    leverage = np.minimum((base**2).sum(axis=1), 1.0 - 1e-6)
    return np.asarray((y - base @ (base.T @ y)) / np.sqrt(1.0 - leverage))
