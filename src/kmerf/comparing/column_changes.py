"""What changed in a column, by how much, and between which columns relations changed.

The kind of change is the one for which there is most evidence (`kmerf.comparing.evidence`), with these exceptions.
Numbers whose deciles are all about the same multiple of what they were have another *unit*, and categories whose change
is mostly levels that were not there before have *new levels*. Other decimals are *rounding* only if the mean and the
spread hardly change. If the interval of a level or a spread holds no change, the kind is *shape*. Each kind has its own
effect with a 95 % interval:

- *level*: the difference of the means, in standard deviations of the old values;
- *spread*: the ratio of the mean absolute deviations from the median;
- *shape*: the difference of the cumulative shares, or of the shares of one value, where it is clearest, in standard
  errors (the interval is that of the difference at this place, and does not allow for the search for it);
- *unit*: the ratio of the geometric means; of the mean sizes, if some numbers are 0 or negative;
- *rounding*: the difference of the shares of numbers with so few decimals;
- *missingness*, *shares*, *new levels*: the difference of shares of rows, of shares that of the level with the clearest
  difference.

**Pairs.** With normal scores s taken inside the old and inside the new rows, so that what happened to single columns
does not matter, and r their correlation, the mean of s_a s_b - r (s_a^2 + s_b^2) / 2 has the variance of r. The
difference of both correlations over its standard error is compared with that of the same quantities permuted between
old and new rows, of all pairs together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.comparing.evidence import decimals, scores_of
from kmerf.comparing.telling import TWO_SIDED, newcombe
from kmerf.core.settings import LEVEL
from kmerf.core.streams import Purpose, stream
from kmerf.nulls.definitions import benjamini_hochberg
from kmerf.results.comparison_result import ColumnChange, PairChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.core.arrays import Bools, Floats
    from kmerf.data.sample import Features

BINS = 14  # of the small picture
MAX_LEVELS = 8
MOST_PAIRS = 10
PAIR_DRAWS = 199
UNIT_RATIO, UNIT_TOLERANCE = 1.3, 0.04
CLEAR_RATIO, MOST_TOLERANCE = 4.0, 0.12  # below this ratio, deciles may not differ more than that
DECILES = np.arange(0.1, 0.95, 0.1)
SMALL_SHIFT, SMALL_RATIO = (
    0.1,
    1.1,
)  # of the mean in sd, and of the spread, up to which a change of decimals is rounding
ONE_VALUE = 0.9  # of a change of decimals that is the share of one value
CLEARER = 1.1  # times the standard errors of cumulative shares, from which one value is named
MOST_SWAPPED, FEWEST_SWAPPED = 20, 20  # columns that are looked at, and rows
SAME = 1.63  # times the standard error: the 1 % limit of the distance of Kolmogorov and Smirnov


class _SizedChange(NamedTuple):
    kind: str
    measure: str
    value: float
    low: float
    high: float
    before: str
    after: str


def describe_column(
    x: Features, j: int, current: Bools, kind: str, pvalue: float, adjusted: float, new_levels: tuple[str, ...]
) -> ColumnChange:
    """Return what changed in a column."""
    values = x.column(j)
    old, new = values[~current], values[current]
    gaps = float(np.isnan(old).mean()), float(np.isnan(new).mean())
    numeric = not x.categories[j]
    if numeric:
        effect = _number_effect(old, new, kind, sure=pvalue <= LEVEL)
        edges, shares = _histogram(old, new)
        levels: tuple[str, ...] = ()
    else:
        effect = _level_effect(old, new, x.categories[j], kind, new_levels)
        edges, (levels, shares) = np.empty(0), _bars(old, new, x.categories[j])
    return ColumnChange(
        name=x.names[j],
        numeric=numeric,
        pvalue=float(pvalue),
        adjusted=float(adjusted),
        kind=effect.kind,
        measure=effect.measure,
        effect=effect.value,
        low=effect.low,
        high=effect.high,
        before=effect.before,
        after=effect.after,
        missing_before=gaps[0],
        missing_after=gaps[1],
        edges=edges,
        levels=levels,
        shares_before=shares[0],
        shares_after=shares[1],
    )


def _share_effect(kind: str, measure: str, old: Bools, new: Bools, word: str) -> _SizedChange:
    a, b = float(new.mean()), float(old.mean())
    low, high = newcombe(a, new.size, b, old.size, TWO_SIDED)
    digits = max(_needs_digit(b), _needs_digit(a))  # both alike, so that their difference can be checked
    return _SizedChange(kind, measure, a - b, low, high, *(f"{word} {_percent(share, digits)}" for share in (b, a)))


def _needs_digit(share: float) -> int:
    """Return 1 for a share so near to nothing or all that a whole number of percent does not show it, else 0."""
    return int(not 0.095 <= share <= 0.905 and share not in (0.0, 1.0))


def _percent(share: float, digits: int = 0) -> str:
    """Write a share with so many decimals, and one near to nothing or all with those that show it.

    >>> [_percent(share) for share in (0.0, 0.00123, 0.0123, 0.5, 0.9987, 0.99999, 1.0)]
    ['0 %', '0.12 %', '1.2 %', '50 %', '99.9 %', 'over 99.9 %', '100 %']
    >>> _percent(0.153, 1), _percent(0.0803), _percent(1.0, 1)
    ('15.3 %', '8.0 %', '100 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    if share < 0.0095:
        return f"{100 * share:.2g} %"
    return f"{100 * share:.{max(digits, _needs_digit(share))}f} %" if share < 0.9995 else "over 99.9 %"


def _number_effect(old: Floats, new: Floats, kind: str, *, sure: bool = True) -> _SizedChange:
    gaps = np.isnan(old), np.isnan(new)
    known = old[~gaps[0]], new[~gaps[1]]
    if kind == "missingness" or min(each.size for each in known) < 2 or np.ptp(np.concatenate(known)) == 0.0:
        return _share_effect("missingness", "difference of the shares missing", *gaps, "missing")
    ratio = _unit_ratio(*known)
    if ratio is not None:
        return ratio
    if kind == "rounding":
        return next(filter(_is_large, (_level(*known), _spread(*known))), None) or _rounding(*known)
    found = {"spread": _spread, "shape": _shape}.get(kind, _level)(*known)
    none = 1.0 if found.kind == "spread" else 0.0
    return _shape(*known) if sure and found.kind in ("level", "spread") and found.low <= none <= found.high else found


def _is_large(found: _SizedChange) -> bool:
    """Return whether a change of level or spread is surely more than a small one."""
    if found.kind == "spread":
        return found.low > SMALL_RATIO or found.high < 1.0 / SMALL_RATIO
    return found.kind == "level" and (found.low > SMALL_SHIFT or found.high < -SMALL_SHIFT)


def written_number(value: float) -> str:
    """Write a number with three to four digits, or those before the point.

    >>> [written_number(value) for value in (0.12345, 2006.4, 113144.3, 1.5e9)]
    ['0.123', '2006', '113144', '1.500e9']
    """
    if abs(value) < 1e3:
        return f"{value:.3g}"
    if abs(value) < 1e7:
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return f"{value:.3e}".replace("e+0", "e").replace("e+", "e")


def _level(old: Floats, new: Floats) -> _SizedChange:
    sd = float(old.std(ddof=1)) or float(np.concatenate([old, new]).std(ddof=1))
    effect = float(new.mean() - old.mean()) / sd
    variance = (old.var(ddof=1) / old.size + new.var(ddof=1) / new.size) / sd**2 + effect**2 / (2.0 * old.size)
    half = TWO_SIDED * float(np.sqrt(variance))
    shown = f"mean {written_number(float(old.mean()))}", f"mean {written_number(float(new.mean()))}"
    return _SizedChange("level", "difference of means in sd", effect, effect - half, effect + half, *shown)


def _spread(old: Floats, new: Floats) -> _SizedChange:
    away = [np.abs(each - np.median(each)) for each in (old, new)]
    means = [float(each.mean()) for each in away]
    if min(means) <= 0.0:
        return _shape(old, new)
    ratio = means[1] / means[0]
    half = TWO_SIDED * float(np.sqrt(sum(e.var(ddof=1) / e.size / m**2 for e, m in zip(away, means, strict=True))))
    shown = (f"mean deviation {written_number(mean)}" for mean in means)
    return _SizedChange("spread", "ratio of spreads", ratio, ratio * np.exp(-half), ratio * np.exp(half), *shown)


def _value_shares(old: Floats, new: Floats) -> tuple[Floats, list[Floats]]:
    """Return the distinct numbers, and the shares of each among the old and among the new ones."""
    at, place = np.unique(np.concatenate([old, new]), return_inverse=True)
    places = place.reshape(-1)[: old.size], place.reshape(-1)[old.size :]
    return at, [np.bincount(each, minlength=at.size) / each.size for each in places]


def _shape(old: Floats, new: Floats) -> _SizedChange:
    """Return the share up to a number, or of one value, that differs most clearly."""
    at, single = _value_shares(old, new)
    up_to = [np.cumsum(each) for each in single]
    weight = new.size / (old.size + new.size)
    clear = []
    for b, a in (up_to, single):
        pooled = np.clip(weight * a + (1.0 - weight) * b, 0.0, 1.0)
        clear.append(np.abs(a - b) / np.sqrt(pooled * (1.0 - pooled) + 1.0 / (new.size + old.size)))
    if clear[1].max() > CLEARER * clear[0].max():
        return _at_one_value(old, new, float(at[int(clear[1].argmax())]))
    cut = float(at[int(clear[0].argmax())])
    measure = "clearest difference of cumulative shares"
    return _share_effect("shape", measure, old <= cut, new <= cut, f"up to {written_number(cut)}:")


def _at_one_value(old: Floats, new: Floats, value: float) -> _SizedChange:
    measure, word = "difference of the shares of one value", f"equal to {written_number(value)}:"
    return _share_effect("shape", measure, old == value, new == value, word)


def _rounding(old: Floats, new: Floats) -> _SizedChange:
    places = decimals(old), decimals(new)
    tried = range(int(min(each.min() for each in places)), int(max(each.max() for each in places)))
    gaps = [abs(float((places[0] <= k).mean() - (places[1] <= k).mean())) for k in tried]
    k = tried[int(np.argmax(gaps))] if gaps else 0
    at, (before, after) = _value_shares(old, new)
    most = int(np.argmax(np.abs(after - before)))
    if abs(after[most] - before[most]) >= ONE_VALUE * max(gaps, default=0.0):  # as where values were cut off
        return _at_one_value(old, new, float(at[most]))
    words = f"{k} decimals" if k > 1 else "1 decimal" if k == 1 else "whole" if k == 0 else f"multiples of {10**-k}"
    few = places[0] <= k, places[1] <= k
    return _share_effect("rounding", f"difference of the shares of numbers with {words} or fewer", *few, f"{words}:")


def _unit_ratio(old: Floats, new: Floats) -> _SizedChange | None:
    """Return by what all deciles are multiplied, if they are multiplied by one number."""
    a, b = np.quantile(old, DECILES), np.quantile(new, DECILES)
    few = min(np.unique(a).size, np.unique(b).size) < 5  # or hardly any, as one that is constant now
    if few or min(old.size, new.size) < 20 or (a == 0.0).any() or (b * a <= 0.0).any():
        return None
    ratios = b / a
    ratio = float(np.median(ratios))
    times = max(ratio, 1.0 / ratio)
    tolerance = _tolerance(old, new) if times >= CLEAR_RATIO else min(_tolerance(old, new), MOST_TOLERANCE)
    if not times > UNIT_RATIO or np.abs(ratios / ratio - 1.0).max() > tolerance:
        return None
    if (old > 0.0).all() and (new > 0.0).all():
        logs, measure = (np.log(old), np.log(new)), "ratio of geometric means"
        middle = [float(each.mean()) for each in logs]
        variance = sum(float(each.var(ddof=1)) / each.size for each in logs)
    else:
        sizes, measure = (np.abs(old), np.abs(new)), "ratio of mean sizes"
        middle = [float(np.log(each.mean())) for each in sizes]
        variance = sum(float(each.var(ddof=1)) / each.size / float(each.mean()) ** 2 for each in sizes)
    value, half = middle[1] - middle[0], TWO_SIDED * float(np.sqrt(variance))
    ends = [float(np.exp(value + part)) for part in (0.0, -half, half)]
    return _SizedChange("unit", measure, ends[0], ends[1], ends[2], *_medians(old, new))


def _tolerance(old: Floats, new: Floats) -> float:
    """Return by how much ratios of deciles may differ: more, where they vary by chance."""
    relative = float(old.std() / max(abs(float(np.median(old))), 1e-300))
    return UNIT_TOLERANCE + 4.0 * relative * float(np.sqrt(1.0 / old.size + 1.0 / new.size))


def _medians(old: Floats, new: Floats) -> tuple[str, str]:
    return f"median {written_number(float(np.median(old)))}", f"median {written_number(float(np.median(new)))}"


def _level_effect(
    old: Floats, new: Floats, labels: tuple[str, ...], kind: str, new_levels: tuple[str, ...]
) -> _SizedChange:
    if kind == "missingness":
        return _share_effect(kind, "difference of the shares missing", np.isnan(old), np.isnan(new), "missing")
    fresh = [k for k, label in enumerate(labels) if label in new_levels]
    counts = [np.bincount(v[~np.isnan(v)].astype(np.int64), minlength=len(labels)) / v.size for v in (old, new)]
    moved = float(np.abs(counts[1] - counts[0]).sum()) / 2.0
    if fresh and counts[1][fresh].sum() >= 0.5 * moved:
        word = labels[fresh[0]] if len(fresh) == 1 else f"{len(fresh)} new levels"
        of_new = np.isin(old, fresh), np.isin(new, fresh)
        return _share_effect("new levels", "share of rows in new levels", *of_new, f"{word}:")
    pooled = (counts[0] * old.size + counts[1] * new.size) / (old.size + new.size)
    z = np.abs(counts[1] - counts[0]) / np.sqrt(np.maximum(pooled * (1.0 - pooled), 1e-12))
    k = int(np.argmax(z))
    return _share_effect("shares", "difference of the shares of a level", old == k, new == k, f"{labels[k]}:")


def _histogram(old: Floats, new: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
    pooled = np.concatenate([old, new])
    pooled = pooled[~np.isnan(pooled)]
    if not pooled.size:
        return np.array([0.0, 1.0]), (np.zeros(1), np.zeros(1))
    distinct = np.unique(pooled)
    if distinct.size <= BINS:
        middle = (distinct[1:] + distinct[:-1]) / 2.0
        ends = (2 * distinct[0] - middle[0], 2 * distinct[-1] - middle[-1]) if middle.size else (distinct[0] - 0.5,) * 2
        edges = np.array([ends[0], *middle, ends[1] if middle.size else distinct[0] + 0.5])
    else:
        low, high = np.quantile(pooled, (0.005, 0.995))
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    shares = []
    for side in (old, new):
        known = np.clip(side[~np.isnan(side)], edges[0], edges[-1])
        counts = np.histogram(known, edges)[0]
        shares.append(counts / max(known.size, 1))
    return edges, (shares[0], shares[1])


def _bars(old: Floats, new: Floats, labels: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Floats, Floats]]:
    shares = []
    for side in (old, new):
        known = side[~np.isnan(side)].astype(np.int64)
        shares.append(np.bincount(known, minlength=len(labels)) / max(known.size, 1))
    order = np.argsort(-(shares[0] + shares[1]), kind="stable")
    top, rest = order[:MAX_LEVELS], order[MAX_LEVELS:]
    names = tuple(labels[k] for k in top) + (("(other)",) if rest.size else ())
    found = [np.append(each[top], each[rest].sum()) if rest.size else each[top] for each in shares]
    return names, (found[0], found[1])


def changed_places(x: Features, current: Bools, names: Sequence[str]) -> str:
    """Say which of the changed columns of numbers may have changed places; empty if none."""
    sides = {}
    for name in names[:MOST_SWAPPED]:
        values = x.column(x.names.index(name))
        parts = values[~current], values[current]
        known = [np.sort(each[~np.isnan(each)]) for each in parts]
        if not x.categories[x.names.index(name)] and min(each.size for each in known) >= FEWEST_SWAPPED:
            sides[name] = known
    found = {}
    for name, (_, new) in sides.items():
        apart = {other: _distance(old, new) for other, (old, _) in sides.items() if other != name}
        if apart and min(apart.values()) <= SAME:
            found[name] = min(apart, key=lambda other: apart[other])
    moved = [name for name in found if name in found.values() and found[name] in found]
    if len(moved) < 2:
        return ""
    words = ", ".join(f"{name!r} is like the old {found[name]!r}" for name in moved)
    return f"Columns may have changed places: {words}."


def _distance(old: Floats, new: Floats) -> float:
    """Return the distance of Kolmogorov and Smirnov of sorted numbers, in units of its standard error."""
    at = np.concatenate([old, new])
    a, b = (np.searchsorted(each, at, side="right") / each.size for each in (new, old))
    return float(np.abs(a - b).max() * np.sqrt(new.size * old.size / (new.size + old.size)))


def _permuted_z(values: Any, current: Bools, rng: np.random.Generator) -> Floats:
    """Return |z| of the difference of means between rows that are called new at random (draws, pairs)."""
    n, new = current.size, int(current.sum())
    masks = np.zeros((PAIR_DRAWS, n), np.float32)
    for mask in masks:
        mask[rng.permutation(n)[:new]] = 1.0
    squares = values**2
    out: Floats = np.zeros((PAIR_DRAWS, values.shape[1]))
    variance: Floats = np.zeros_like(out)
    for side, size, sign in ((masks, new, 1.0), (1.0 - masks, n - new, -1.0)):
        means = side @ values / size
        out += sign * means
        variance += (side @ squares / size - means**2) / max(size - 1, 1)
    return np.asarray(np.abs(out) / np.sqrt(np.maximum(variance, 1e-18)))


def changed_pairs(x: Features, current: Bools, pvalue: float, seed: int) -> tuple[PairChange, ...]:
    """Return the pairs of columns whose relation changed most clearly; no adjusted p-value is below the joint one."""
    scores = scores_of(x, current.astype(np.int64))
    pairs = scores.pairs
    if not pairs:
        return ()
    s = scores.values
    found = []
    for side in (False, True):
        mine, known = s[current == side], scores.known[current == side]
        found.append((mine, mine**2, known))
    small = 1.0 + 5.0 / min(len(mine) for mine, _, _ in found)  # a standard error from few rows is too small
    z, before, after = (np.empty(len(pairs)) for _ in range(3))
    influence = np.empty((len(s), len(pairs)), np.float32)
    for k, (a, b) in enumerate(pairs):
        variance, r = 0.0, np.zeros(2)
        for number, (mine, squares, known) in enumerate(found):
            both = known[:, a] & known[:, b]  # a missing value says nothing of how columns go together
            size = max(int(both.sum()), 2)
            product, square = mine[:, a] * mine[:, b], (squares[:, a] + squares[:, b]) / 2.0
            r[number] = product[both].sum() / max(square[both].sum(), 1e-12)
            each = np.where(both, product - r[number] * square, 0.0)
            influence[current == bool(number), k] = each * len(mine) / size
            variance += float((each**2).sum()) / (size - 1) / size
        before[k], after[k] = r
        z[k] = (after[k] - before[k]) / np.sqrt(variance) / small if variance > 1e-18 else 0.0
    permuted = np.sort(_permuted_z(influence, current, stream(seed, Purpose.COMPARED_ROWS, 0)).ravel())
    pvalues = np.asarray(
        (1.0 + permuted.size - np.searchsorted(permuted, np.abs(z))) / (1.0 + permuted.size), np.float64
    )
    adjusted = np.maximum(benjamini_hochberg(pvalues), pvalue)
    order = np.argsort(-np.abs(z), kind="stable")
    seen: set[tuple[int, int]] = set()
    out = []
    for k in order.tolist():
        a, b = pairs[k]
        columns = scores.owners[a], scores.owners[b]
        if columns in seen:
            continue
        seen.add(columns)
        names = scores.names[a], scores.names[b]
        out.append(PairChange(*names, *(float(each[k]) for each in (before, after, pvalues, adjusted))))
        if len(out) == MOST_PAIRS:
            break
    return tuple(out)
