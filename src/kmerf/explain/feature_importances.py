"""How important each feature is: for all forests together, and for each alone.

An importance is what is lost when the feature is shuffled (`kmerf.explain.shuffling`), or the feature's share of the
gain of splits (`kmerf.explain.gain_importances`) if that is asked for, or if a forest cannot be looked into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.explain import gain_importances, shuffling
from kmerf.explain.missingness import missing_notes
from kmerf.results.parts import Importances

if TYPE_CHECKING:
    from kmerf.data.sample_values import Sample
    from kmerf.methods.protocol import Fit


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
    shown = gain_importances.summarise(np.concatenate(list(gains.values())), names)
    by_part = {name: gain_importances.summarise(each, names) for name, each in gains.items()}
    return Found(shown, table, by_part, notes)
