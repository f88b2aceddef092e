"""How strong the relation of y with one column is, and which way it goes: plain measures of ranks, no forest.

The size is the share of the variance of ranks that lies between classes, adjusted for chance (epsilon squared),

    1 - (n - 1) / (n - k) W / T,

with W the sum of squares of ranks within k classes and T that of all. For a numeric y its ranks are taken, and the
classes are up to ten parts of the column, so that it need not rise or fall; for classes, the ranks of the column. Of
two categories it is the squared V of Cramér, adjusted by Bergsma (2013). Negative ones count as 0. A censored y has the
mean size of its two scores, and the direction of the first, that of the log-rank test: high where events come soon.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import mid_ranks
from kmerf.results.views import ColumnEffects, Sketch

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features, Response

PARTS = 10  # of a numeric column, at most
_FEWEST = 5  # rows of a part
SKETCHED = 200  # columns that get a picture


def column_effects(x: Features, y: Response, selected: Collection[str]) -> ColumnEffects:
    """Return sizes and directions for every column, and sketches of the `selected` ones."""
    ranks = np.column_stack([mid_ranks(values) for values in y.values.T]) if y.codes is None else None
    sizes, directions = np.full(x.p, np.nan), []
    sketches = {}
    wanted = set(list(selected)[:SKETCHED])
    for j, name in enumerate(x.names):
        values = x.column(j)
        rows = np.flatnonzero(~np.isnan(values))
        levels = x.categories[j]
        size, direction = np.nan, ""
        if np.unique(values[rows]).size > 1:
            if ranks is not None:
                size, direction = _numbers(values[rows], levels, ranks[rows])
                if y.kind == "censored":
                    direction = _sooner(values[rows], levels, y.values[rows, 0])
            elif y.codes is not None:
                size, direction = _classes(values[rows], levels, y.codes[rows], y.labels)
        sizes[j] = size
        directions.append(direction)
        if name in wanted and rows.size and (drawn := sketch(values[rows], bool(levels), y, rows)):
            sketches[name] = drawn
    return ColumnEffects(sizes, tuple(directions), sketches)


def _numbers(values: Floats, levels: tuple[str, ...], ranks: Floats) -> tuple[float, str]:
    """Measure a column beside the ranks of a numeric y."""
    classes = values.astype(np.int64) if levels else parts(values)
    size = float(np.mean([explained(each, classes) for each in ranks.T]))
    if ranks.shape[1] > 1:
        return size, ""
    if levels:
        return size, f"highest in {levels[_highest(ranks[:, 0], classes)]}" if size > 0.0 else "neither"
    return size, _way(values, ranks[:, 0], "rises", "falls")


def _sooner(values: Floats, levels: tuple[str, ...], scores: Floats) -> str:
    """Say where events come sooner. Scores, not ranks: theirs is the mean that censoring does not move."""
    if not levels:
        return _way(values, scores, "sooner", "later")
    classes = values.astype(np.int64)
    return f"soonest in {levels[_highest(scores, classes)]}" if explained(scores, classes) > 0.0 else "neither"


def _way(values: Floats, other: Floats, up: str, down: str) -> str:
    """Say which way something goes along the ranks of a column: a word of two, or "neither"."""
    rho = float(np.corrcoef(mid_ranks(values), other)[0, 1])
    if abs(rho) <= 1.96 / np.sqrt(max(1, values.size - 1)):
        return "neither"
    return up if rho > 0 else down


def _classes(values: Floats, levels: tuple[str, ...], codes: Ints, labels: tuple[str, ...]) -> tuple[float, str]:
    """Measure a column among the classes of y."""
    if levels:
        return cramer(values.astype(np.int64), codes), ""
    ranks = mid_ranks(values)
    size = explained(ranks, codes)
    return size, f"highest in {labels[_highest(ranks, codes)]}" if size > 0.0 else "neither"


def _highest(values: Floats, classes: Ints) -> int:
    known = np.unique(classes)
    return int(known[np.argmax([values[classes == k].mean() for k in known])])


def parts(values: Floats) -> Ints:
    """Cut a column at its quantiles into at most ten parts, equal values never apart.

    >>> parts(np.array([3.0, 1.0, 2.0, 1.0])).tolist()
    [2, 0, 1, 0]
    """
    distinct = np.unique(values)
    if distinct.size <= PARTS:
        return np.searchsorted(distinct, values)
    count = max(2, min(PARTS, values.size // _FEWEST))
    edges = np.unique(np.quantile(values, np.arange(1, count) / count, method="inverted_cdf"))
    return np.searchsorted(edges, values, side="right")


def explained(values: Floats, classes: Ints) -> float:
    """Return the share of the variance that lies between classes, adjusted for chance, and at least 0."""
    n, known = values.size, np.unique(classes)
    total = float(((values - values.mean()) ** 2).sum())
    if total == 0.0 or known.size < 2 or n <= known.size:
        return 0.0
    within = sum(float(((mine - mine.mean()) ** 2).sum()) for mine in (values[classes == k] for k in known))
    return max(0.0, 1.0 - (n - 1) / (n - known.size) * within / total)


def cramer(a: Ints, b: Ints) -> float:
    """Return the squared V of Cramér of two categories, adjusted for chance."""
    first, rows = np.unique(a, return_inverse=True)
    second, columns = np.unique(b, return_inverse=True)
    r, k, n = first.size, second.size, a.size
    if min(r, k) < 2 or n < 2:
        return 0.0
    counts = np.zeros((r, k))
    np.add.at(counts, (rows.reshape(-1), columns.reshape(-1)), 1.0)
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / n
    phi = float(((counts - expected) ** 2 / expected).sum()) / n
    phi = max(0.0, phi - (r - 1) * (k - 1) / (n - 1))
    smaller = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1.0
    return min(1.0, phi / smaller) if smaller > 0.0 else 0.0


def sketch(values: Floats, categories: bool, y: Response, rows: Ints) -> Sketch:
    """Return a small picture: the mean of y along a column, or the quartiles of the column in each class.

    Categories have no order, so theirs are single means with 95 % intervals or, of two classes, shares of the second.
    """
    if y.codes is None:
        classes = values.astype(np.int64) if categories else parts(values)
        some = [classes == k for k in np.unique(classes)]
        means = y.values[rows, 0]
        if categories:
            return tuple((float(k), *_mean_interval(means[mine])) for k, mine in enumerate(some))
        return tuple((_short(np.median(values[mine])), _short(means[mine].mean())) for mine in some)
    codes = y.codes[rows]
    if categories:
        levels = np.unique(values) if y.q == 2 else np.empty(0)
        return tuple((float(k), _short(codes[values == level].mean())) for k, level in enumerate(levels))
    quartiles = [np.quantile(values[codes == k], [0.25, 0.5, 0.75]) for k in range(y.q) if (codes == k).any()]
    return tuple(tuple(_short(value) for value in each) for each in quartiles)


def _mean_interval(values: Floats) -> tuple[float, float, float]:
    """Return the mean and the ends of about its 95 % interval."""
    half = 2.0 * float(values.std(ddof=1)) / np.sqrt(values.size) if values.size > 1 else 0.0
    mean = float(values.mean())
    return _short(mean - half), _short(mean), _short(mean + half)


def _short(value: float) -> float:
    return float(f"{value:.4g}")
