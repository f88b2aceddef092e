"""How much each feature did for the forest: the share of the impurity decrease that its splits brought.

In each tree the shares add up to one (a tree without a split gives zeros); the importance of a feature is the mean of
its shares over trees, and what one-hot columns of a category earned is added up. The spread that goes with it is
that of single trees, which differ in rows and choices; it is not a confidence interval for the importance.

Do a feature's missing values tell y apart, rather than its values? Then a note says so.

How important each feature is: for all forests together, and for each alone.

An importance is what is lost when the feature is shuffled (`kmerf.explain.shuffling`), or the feature's share of the
gain of splits (`kmerf.explain.feature_importances`) if that is asked for, or if a forest cannot be looked into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.explain import shuffling
from kmerf.forests.leaves import gain_shares
from kmerf.results.parts import Importances

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample import Response, Sample
    from kmerf.explain.shuffling import ShuffledForest
    from kmerf.methods.protocol import Fit


def summarise(gains: Floats, names: tuple[str, ...]) -> Importances:
    """Turn the gains of each feature in each tree (m, p) into importances.

    >>> summarise(np.array([[2.0, 2.0], [1.0, 3.0]]), ("colour", "size")).mean
    array([0.375, 0.625])
    """
    shares = gain_shares(gains)
    low, high = np.percentile(shares, [2.5, 97.5], axis=0)
    return Importances(names, shares.mean(axis=0), low, high, "gain")


NAMED_FEATURES = 3  # features that are named
SHARE = 0.5  # of what is lost with a feature, from which on a note is due


def missing_notes(losses: ShuffledForest, sample: Sample) -> tuple[str, ...]:
    """Name the features of which what is lost comes mainly from where their values are missing."""
    table, x = losses.importances, sample.x
    missing = np.array(x.missing) > 0
    due = missing & (table.low > 0.0) & (np.nan_to_num(losses.by_missing) >= SHARE)
    order = [j for j in np.argsort(-table.mean, kind="stable").tolist() if due[j]]
    return tuple(_note(j, losses, sample) for j in order[:NAMED_FEATURES])


def _note(j: int, losses: ShuffledForest, sample: Sample) -> str:
    name, holes = sample.x.names[j], np.isnan(sample.x.column(j))
    share = min(1.0, float(losses.by_missing[j]))
    return (
        f"What {name!r} says about y is mainly where it is missing, not its values: {_where(holes, sample.y)}. "
        f"Missing values are {100 * share:.0f} % of its importance."
    )


def _where(holes: np.ndarray[tuple[int], np.dtype[np.bool_]], y: Response) -> str:
    """Say how y differs where a feature is missing."""
    if y.codes is not None:
        counts, sizes = np.bincount(y.codes[holes], minlength=y.q), np.bincount(y.codes, minlength=y.q)
        most = int(np.argmax(counts / np.maximum(sizes, 1)))
        rest = int(counts.sum() - counts[most]), int(sizes.sum() - sizes[most])
        where = f"it is missing in {counts[most]} of {sizes[most]} rows of {y.labels[most]!r}"
        return f"{where} and in {rest[0]} of {rest[1]} others"
    if y.kind == "censored":
        return f"it is missing in {int(holes.sum())} of {holes.size} rows"
    values: Floats = y.values[:, 0]
    there, elsewhere = values[holes].mean(), values[~holes].mean()
    return f"the mean of {y.names[0]} is {there:.4g} where it is missing, and {elsewhere:.4g} elsewhere"


class Found(NamedTuple):
    """The importances of a fit."""

    shown: Importances | None
    """Over all forests."""
    losses: Importances | None
    """What is lost when features are shuffled, whether that is shown or not."""
    by_part: dict[str, Importances]
    """Of each forest alone, by the name of its part."""
    notes: tuple[str, ...] = ()


def find_importances(fit: Fit, sample: Sample, n_jobs: int, *, gain: bool = False) -> Found:
    """Return what each feature did for each forest; with `gain`, its share of the gain of splits."""
    names = sample.x.names
    parts = {part.name: part for part in fit.parts if part.gains is not None}
    if not parts:
        return Found(None, None, {})
    looked = {
        name: None if part.forest is None else shuffling.shuffled_importances(part.forest, sample, n_jobs)
        for name, part in parts.items()
    }
    known = {name: each for name, each in looked.items() if each is not None}
    losses = shuffling.largest(list(known.values())) if known else None
    table = None if losses is None else losses.importances
    notes = () if losses is None else missing_notes(losses, sample)
    if table is not None and not gain:
        return Found(table, table, {name: each.importances for name, each in known.items()}, notes)
    gains = {name: part.gains for name, part in parts.items() if part.gains is not None}
    shown = summarise(np.concatenate(list(gains.values())), names)
    by_part = {name: summarise(each, names) for name, each in gains.items()}
    return Found(shown, table, by_part, notes)
