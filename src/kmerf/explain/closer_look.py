"""A closer look at the observed forest: what shuffling a feature costs it, which rows drive it, how y moves with x.

**Points** are a random part of the rows as they are: the most important features and y.

**Profiles** show y, and what the forest predicts of it out of bag, along the values of a feature. Rows are put into
bins of about equal size by the feature's value, or by its category; in each bin the mean of y and the mean prediction
are taken (for classes: the share of each). The prediction is from leaves that the row had no part in, so where it is
flat and y is not, y's ups and downs are noise to the forest. What predictions miss by gives the standard error of a
bin's mean. A profile looks along one feature at a time and is not its effect: it includes what other features do along
with this one.

**The map** has rows as points in the plane, close if the forest finds them alike. Likeness is the out-of-bag proximity,
the share of trees that put two rows into one leaf among those that have seen neither: in-bag rows share leaves because
their y agree, and a map of those would show groups where there are none. With several forests it is the mean of theirs.
The map is classical scaling: K is centred to H K H, H = I - 1/n, and the coordinates are its two leading eigenvectors
times the roots of their eigenvalues.

**Kaplan-Meier curves** picture a censored outcome on both sides of one column. Categories have a curve each, those with
most rows, and so have numbers with few different values. Other numbers are cut once, where a tree would: where the mean
scores of the two sides (`kmerf.data.sample`) differ most, weighted by their rows, with a tenth of them or more on
each side. The cut point was optimised, so the gap between the curves is not a test; use the p-value. Given z, rows are
weighted so that z is spread alike in all curves (`kmerf.explain.adjusted_means`).

**Given z, and within blocks,** profiles and points show y with z, or what blocks differ by, removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.core.streams import Purpose, stream
from kmerf.data.sample import life_table
from kmerf.explain import adjusted_means, row_shares
from kmerf.explain.adjusted_means import Covariate
from kmerf.forests.growing import Leaves
from kmerf.forests.proximity import proximity
from kmerf.results.views import DataPoints, Details, Profile, RowMap, SurvivalCurve, SurvivalCurves

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features, Followed, Response, Sample
    from kmerf.forests.fitted import FittedForest
    from kmerf.results.parts import Change, Importances

PICTURED_ROWS = 500  # rows; of more, a random part
_FEW = 20  # rows of a class that are kept where there are so many, however rare it is


def thin(sample: Sample, top: Sequence[int], seed: int) -> DataPoints:
    """Return some rows of the features in `top` and of y."""
    x, y = sample.x, sample.y
    rows = some_rows(y, seed) if sample.blocks is None else _whole_blocks(sample.blocks, seed)
    values = np.column_stack([x.column(j)[rows] for j in top]) if len(top) else np.empty((rows.size, 0))
    return DataPoints(
        rows,
        tuple(x.names[j] for j in top),
        tuple(x.categories[j] for j in top),
        values,
        y.names,
        (y.values[:, 0] if y.codes is None else y.codes.astype(np.float64))[rows],
        y.values[rows, 1:] if y.kind == "numeric" and y.q > 1 else None,
        None if sample.blocks is None else sample.blocks[rows],
    )


def _whole_blocks(blocks: Ints, seed: int) -> Ints:
    """Draw blocks until they have about `PICTURED_ROWS` rows."""
    if blocks.size <= PICTURED_ROWS:
        return np.arange(blocks.size)
    order = stream(seed, Purpose.DATA_POINTS).permutation(np.unique(blocks))
    sizes = np.bincount(blocks)[order].cumsum()
    return np.flatnonzero(np.isin(blocks, order[: max(1, int(np.searchsorted(sizes, PICTURED_ROWS)))]))


def some_rows(y: Response, seed: int) -> Ints:
    """Draw at most about `PICTURED_ROWS` rows; of classes each its part, but a few rows of rare ones too."""
    if y.n <= PICTURED_ROWS:
        return np.arange(y.n)
    rng = stream(seed, Purpose.DATA_POINTS)
    if y.codes is None:
        return np.sort(rng.choice(y.n, PICTURED_ROWS, replace=False))
    few = min(_FEW, max(1, PICTURED_ROWS // y.q))
    kept = []
    for code in range(y.q):
        members = np.flatnonzero(y.codes == code)
        size = min(members.size, max(few, PICTURED_ROWS * members.size // y.n))
        kept.append(rng.choice(members, size, replace=False))
    return np.sort(np.concatenate(kept))


BINS = 12
_FEWEST = 5  # rows of a bin, where there are enough


def profile(x: Features, y: Response, predicted: Floats, feature: int) -> Profile:
    """Return how y moves with one feature."""
    labels, at, bins = _bins(x, feature)
    rows = [bins == b for b in range(len(at))]
    return Profile(
        feature=x.names[feature],
        labels=labels,
        at=at,
        size=np.array([row.sum() for row in rows], dtype=np.int64),
        observed=np.array([y.values[row].mean(axis=0) for row in rows]),
        predicted=np.array([_mean(predicted[row]) for row in rows]),
        error=np.array([_error(y.values[row] - predicted[row]) for row in rows]),
        spread=np.array([_deviation(y.values[row]) for row in rows]),
        by_class=None if y.codes is None or x.categories[feature] else _by_class(x.column(feature), y),
    )


def _deviation(values: Floats) -> Floats:
    return values.std(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1], np.nan)


def _by_class(values: Floats, y: Response) -> Floats:
    """Return how many rows of each class have a value, the mean of the values and their standard deviation."""
    known = ~np.isnan(values)
    parts = [values[known & (y.codes == k)] for k in range(y.q)]
    return np.array([(part.size, part.mean() if part.size else np.nan, *_deviation(part[:, None])) for part in parts])


def plain_profile(x: Features, y: Response, feature: int) -> Profile:
    """Return how y moves with one feature where there is no forest: its mean in each bin takes the forest's place."""
    bins = _bins(x, feature)[2]
    means = np.array([y.values[bins == b].mean(axis=0) for b in range(int(bins.max()) + 1)])
    return replace(profile(x, y, means[bins], feature), kind="means")


def adjusted_profile(x: Features, y: Response, feature: int, z: Covariate) -> tuple[Profile, Floats]:
    """Return how y moves with one feature if z is removed, and each row of y with z removed (n, q)."""
    plain = plain_profile(x, y, feature)
    found = adjusted_means.adjust(y.values, _bins(x, feature)[2], z)
    return replace(plain, predicted=found.means, error=found.errors, kind="adjusted"), found.rows


def _mean(predicted: Floats) -> Floats:
    known = predicted[~np.isnan(predicted[:, 0])]
    return known.mean(axis=0) if len(known) else np.full(predicted.shape[1], np.nan)


def _error(missed: Floats) -> Floats:
    """Return the standard error of the mean of a bin, from what its predictions miss by."""
    known = missed[~np.isnan(missed[:, 0])]
    if len(known) < 2:
        return np.full(missed.shape[1], np.nan)
    return np.asarray(known.std(axis=0, ddof=1) / np.sqrt(len(known)))


def _bins(x: Features, feature: int) -> tuple[tuple[str, ...], Floats, NDArray[np.int64]]:
    """Return labels, places, and the bin of each row; bins without rows are left out, missing values come last."""
    values = x.column(feature)
    missing = np.isnan(values)
    categories = x.categories[feature]
    if categories:
        raw = np.where(missing, len(categories), np.nan_to_num(values)).astype(np.int64)
        names = [*categories, "missing"]
        places = np.full(len(names), np.nan)
    else:
        raw, places = _numeric_bins(values, missing)
        names = [*[""] * (len(places) - 1), "missing"]
    present, bins = np.unique(raw, return_inverse=True)
    return tuple(names[b] for b in present), places[present], bins.reshape(-1)


def _numeric_bins(values: Floats, missing: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Floats]:
    """Cut numbers at their quantiles, equal ones never apart; one more bin for missing values."""
    known = values[~missing]
    distinct = np.unique(known)
    if distinct.size <= BINS:
        edges = distinct[1:]
    else:
        n_bins = max(2, min(BINS, known.size // _FEWEST))
        edges = np.unique(np.quantile(known, np.arange(1, n_bins) / n_bins, method="inverted_cdf"))
    raw = np.where(missing, edges.size + 1, np.searchsorted(edges, values, side="right"))
    places = [float(np.median(values[raw == b])) if (raw == b).any() else np.nan for b in range(edges.size + 1)]
    return raw, np.array([*places, np.nan])


MAP_ROWS = 500  # rows on the map; of more, a random sample


def embed(forests: Sequence[FittedForest], y: Response, seed: int, n_jobs: int = 1) -> RowMap | None:
    """Return the map of the rows; None where no forest has rows out of bag."""
    chosen = np.arange(y.n)
    if y.n > MAP_ROWS:
        chosen = np.sort(stream(seed, Purpose.ROW_MAP).choice(y.n, MAP_ROWS, replace=False))
    some = [_leaves(forest, chosen, n_jobs) for forest in forests]
    known = [proximity(leaves, "oob", normalise=True) for leaves in some if leaves is not None]
    if not known:
        return None
    points, shares = scale(np.mean(known, axis=0))
    values = y.values[:, 0] if y.codes is None else y.codes.astype(np.float64)
    return RowMap(chosen, points, shares, values[chosen])


def _leaves(forest: FittedForest, chosen: Ints, n_jobs: int) -> Leaves | None:
    """Return where the forest puts some of the rows; None if it does not report which rows a tree has seen."""
    parts = forest.each(lambda leaves: _columns(leaves, chosen), n_jobs)
    codes, sizes = (np.concatenate([part[k] for part in parts]) for k in (0, 2))
    counts = [part[1] for part in parts if part[1] is not None]
    return Leaves(codes, np.concatenate(counts), sizes) if len(counts) == len(parts) else None


def _columns(leaves: Leaves, chosen: Ints) -> tuple[Any, Any, Any]:
    counts = None if leaves.counts is None else np.ascontiguousarray(leaves.counts[:, chosen])
    return np.ascontiguousarray(leaves.codes[:, chosen]), counts, leaves.n_leaves.copy()


def scale(K: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return the classical scaling of a kernel in two dimensions, and the share of each.

    Coordinates are rounded and their signs settled, so that they are the same wherever they are computed.

    >>> scale(np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]))[1]
    (1.0, 0.0)
    """
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh((centred + centred.T) / 2.0)
    top = np.maximum(values[:-3:-1], 0.0)
    points = vectors[:, :-3:-1] * np.sqrt(top)
    largest = points[np.abs(points).argmax(axis=0), [0, 1]]
    points = points * np.where(largest < 0.0, -1.0, 1.0) / (np.abs(largest).max() or 1.0)
    shares = np.round(top / (np.maximum(values, 0.0).sum() or 1.0), 6).tolist()
    return np.round(points, 4) + 0.0, (shares[0], shares[1])


MOST_CURVES = 5
_SMALLEST_SIDE = 0.1
_CUTS = 81  # between the smallest side and the largest
_CLEARLY = 3.0  # standard errors, as the cut, or the category, was looked for


class RowGroup(NamedTuple):
    """The rows of one curve."""

    label: str
    rows: Ints


def survival_curves(x: Features, y: Response, feature: int, z: Features | None = None) -> SurvivalCurves | None:
    """Return the curves of the rows by one column of x, with z spread alike in all; None where y has no times."""
    if y.followed is None:
        return None
    values = x.column(feature)
    few = np.unique(values[~np.isnan(values)]).size <= MOST_CURVES
    groups = _categories(values, x.categories[feature]) if few or x.categories[feature] else _sides(values, y)
    ranked = sorted(groups, key=lambda group: -group.rows.size)
    drawn = [group for group in groups if any(group is each for each in ranked[:MOST_CURVES])]
    weights = _row_weights([rows for _, rows in drawn], x.n, z)
    curves = tuple(_curve(y.followed, *group, weights) for group in drawn)
    time, event = y.columns
    return SurvivalCurves(
        x.names[feature],
        time,
        curves,
        event,
        len(groups) - len(drawn),
        soonest(drawn, y.values[:, 0]) if z is None else "",  # which does not know of weights
        cut=not few and not x.categories[feature],
        adjusted=() if z is None else z.names,
    )


def _row_weights(groups: Sequence[Ints], n: int, z: Features | None) -> Floats | None:
    """Return the weight of each row with which z is spread alike in all groups; None without z."""
    if z is None or len(groups) < 2:
        return None
    rows = np.concatenate(groups)
    known = Covariate(*(None if part is None else part[rows] for part in adjusted_means.covariate(z)))  # type: ignore[arg-type]
    weights = np.ones(n)
    weights[rows] = adjusted_means.weights(np.repeat(np.arange(len(groups)), [g.size for g in groups]), known)
    return weights


def _curve(followed: Followed, label: str, rows: Ints, weights: Floats | None) -> SurvivalCurve:
    """Return the curve of some rows, its interval, and how many rows are at risk."""
    mine = followed.take(rows)
    plain = life_table(mine)
    table, effective = plain, None
    if weights is not None:
        table = life_table(mine, weights[rows])
        effective = table.at_risk**2 / life_table(mine, weights[rows] ** 2).at_risk
    low, high = table.interval(effective)
    return SurvivalCurve(
        label, rows.size, int(mine.event.sum()), table.times, table.surviving, low, high, plain.at_risk
    )


def soonest(groups: Sequence[RowGroup], scores: Floats) -> str:
    """Return the label of the rows with events clearly sooner than the other rows, by their log-rank scores.

    >>> groups = [RowGroup("a", np.arange(20)), RowGroup("b", np.arange(20, 40))]
    >>> soonest(groups, np.repeat([1.0, -1.0], 20)), soonest(groups, np.tile([1.0, -1.0], 20))
    ('a', '')
    """
    if len(groups) < 2:
        return ""
    best = max(groups, key=lambda group: float(scores[group.rows].mean()))
    others = np.concatenate([group.rows for group in groups if group is not best])
    mine, theirs = scores[best.rows], scores[others]
    error = np.sqrt(mine.var() / mine.size + theirs.var() / theirs.size)
    return best.label if mine.mean() - theirs.mean() > _CLEARLY * error else ""


def _categories(values: Floats, levels: Sequence[str]) -> list[RowGroup]:
    """Return the rows of each category, or of each of a few numbers."""
    places = list(enumerate(levels)) or [(each, f"{each:g}") for each in np.unique(values[~np.isnan(values)])]
    groups = [RowGroup(label, np.flatnonzero(values == place)) for place, label in places]
    return _with_rows([*groups, RowGroup("missing", np.flatnonzero(np.isnan(values)))])


def _sides(values: Floats, y: Response) -> list[RowGroup]:
    rows = np.flatnonzero(~np.isnan(values))
    cut = best_cut(values[rows], y.values[rows])
    low, high = rows[values[rows] <= cut], rows[values[rows] > cut]
    missing = RowGroup("missing", np.flatnonzero(np.isnan(values)))
    return _with_rows([RowGroup(f"up to {cut:.4g}", low), RowGroup(f"above {cut:.4g}", high), missing])


def _with_rows(groups: Sequence[RowGroup]) -> list[RowGroup]:
    return [group for group in groups if group.rows.size]


def best_cut(values: Floats, scores: Floats) -> float:
    """Return the value up to which rows are on the lower side.

    >>> best_cut(np.arange(10.0), np.array([[0.0]] * 6 + [[1.0]] * 4))
    5.0
    """
    cuts = np.unique(np.quantile(values, np.linspace(_SMALLEST_SIDE, 1 - _SMALLEST_SIDE, _CUTS), method="lower"))
    gains = []
    for cut in cuts:
        low = values <= cut
        count = int(low.sum())
        apart = scores[low].mean(axis=0) - scores[~low].mean(axis=0) if count < values.size else np.zeros(1)
        gains.append(float(count * (values.size - count) * (apart**2).sum()))
    return float(cuts[int(np.argmax(gains))])


PROFILED = 6  # features, the most important ones


def look_at_data(sample: Sample, top: Sequence[int], seed: int) -> Details:
    """Return the features in `top` beside y where no forest was grown, with z removed from y."""
    assert sample.z is not None
    points, profiles = _adjusted(sample, top, seed, adjusted_means.covariate(sample.z))
    curves = survival_curves(sample.x, sample.y, top[0], sample.z) if len(top) else None
    return Details(None, None, profiles, None, points, curves)


def look_at_blocks(details: Details, sample: Sample, exchange: str, seed: int) -> Details:
    """Show the rows as they are and the blocks they belong to, where the test saw them less the mean of their block.

    Within blocks, what blocks differ by is removed from numbers of y. Blocks that are compared whole keep it.
    """
    if details.points is None or sample.blocks is None:
        return details
    top = [sample.x.names.index(name) for name in details.points.features]
    if sample.y.kind != "numeric":
        return replace(details, points=thin(sample, top, seed))
    if exchange != "within":
        profiles = tuple(plain_profile(sample.x, sample.y, j) for j in top)
        return replace(details, points=thin(sample, top, seed), profiles=profiles)
    z = Covariate(np.empty((sample.n, 0)), np.unique(sample.blocks, return_inverse=True)[1].reshape(-1))
    points, profiles = _adjusted(sample, top, seed, z)
    return replace(details, points=points, profiles=profiles)


def led_by(changes: Sequence[Change], details: Details, sample: Sample, *, evident: bool) -> Details:
    """Show first the column of x whose change is told first: with evidence, the first that is clear."""
    lead = next((each.column for each in changes if evident and each.clear), None)
    if lead is None or lead not in sample.x.names:
        return details
    profiles = tuple(sorted(details.profiles, key=lambda each: each.feature != lead))
    curves = details.survival
    if curves is not None and curves.feature != lead:
        curves = survival_curves(sample.x, sample.y, sample.x.names.index(lead))
    return replace(details, profiles=profiles, survival=curves)


def _adjusted(sample: Sample, top: Sequence[int], seed: int, z: Covariate) -> tuple[DataPoints, tuple[Profile, ...]]:
    """Return points and profiles of the features in `top` with z removed from y."""
    found = [adjusted_profile(sample.x, sample.y, j, z) for j in top]
    points = thin(sample, top, seed)
    if found and sample.z is not None and sample.y.codes is None:
        points = replace(points, adjusted=np.column_stack([rows[points.rows, 0] for _, rows in found]))
    return points, tuple(profile for profile, _ in found)


def look_into(
    forests: Sequence[FittedForest],
    sample: Sample,
    predicted: Floats | None,
    losses: Importances | None,
    top: Sequence[int],
    seed: int,
    n_jobs: int,
) -> Details:
    """Return the details of the forests, with profiles and raw values of the features in `top`.

    `losses` are those of shuffled features.
    """
    scores = [each for forest in forests if (each := row_shares.row_scores(forest, n_jobs)) is not None]
    return Details(
        losses,
        np.mean(scores, axis=0) if scores else None,
        () if predicted is None else tuple(profile(sample.x, sample.y, predicted, j) for j in top),
        embed(forests, sample.y, seed, n_jobs),
        thin(sample, top, seed),
        survival_curves(sample.x, sample.y, top[0]) if len(top) else None,
    )
