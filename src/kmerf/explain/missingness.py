"""Do a feature's missing values tell y apart, rather than its values? Then a note says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample_values import Response, Sample
    from kmerf.explain.shuffling import ShuffledForest

MOST = 3  # features that are named
SHARE = 0.5  # of what is lost with a feature, from which on a note is due


def missing_notes(losses: ShuffledForest, sample: Sample) -> tuple[str, ...]:
    """Name the features of which what is lost comes mainly from where their values are missing."""
    table, x = losses.importances, sample.x
    missing = np.array(x.missing) > 0
    due = missing & (table.low > 0.0) & (np.nan_to_num(losses.by_missing) >= SHARE)
    order = [j for j in np.argsort(-table.mean, kind="stable").tolist() if due[j]]
    return tuple(_note(j, losses, sample) for j in order[:MOST])


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
