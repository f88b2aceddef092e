"""Reading a store: the rows of a study's cells, or all there is."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kmerf.nulls.combining import combine_many
from kmerf.storage.provenance import canonical
from kmerf.study.design import Study
from kmerf.study.sqlite_store import Store, open_store

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.study.sources import Source

_SECONDS = "SELECT seconds FROM timing WHERE cell = ?"
_COLUMNS = ("code", "test", "data", "seed", "replicate", "part", "weight", "statistic", "permuted", "pvalue")


@dataclass(frozen=True, eq=False)
class Cell:
    """One test on one source, in the order of the replicates. NaN is a statistic that is not defined.

    The statistics of a test that combines several are combined here as by the test itself (`kmerf.nulls.combining`),
    except that the permuted statistics of all replicates stand in for the permutations of one data set.
    """

    test: str
    data: Source
    replicate: NDArray[np.int64]
    statistic: Floats
    permuted: Floats
    pvalue: Floats | None
    """The test's own p-values; None where the study did not ask for them."""


def cells(study: Study, path: str | os.PathLike[str]) -> list[Cell]:
    """Return the cells of a study, with as many replicates as the store holds of each; empty ones too."""
    found = []
    with open_store(path) as store:
        for label, source, number in _numbered(study, store):
            rows = store.rows(number, study.replicates)
            table = np.array(rows, dtype=np.float64).reshape(-1, 6)  # NULL becomes NaN
            parts = int(table[:, 1].max()) + 1 if len(table) else 1
            weights, observed, permuted = (table[:, k].reshape(-1, parts) for k in (2, 3, 4))
            observed, permuted = _combined(observed, permuted, weights)
            first = table[::parts]
            pvalue = first[:, 5] if label in study.pvalue else None
            found.append(Cell(label, source, first[:, 0].astype(np.int64), observed, permuted, pvalue))
    return found


def _combined(observed: Floats, permuted: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Combine the statistics (R, k) of each replicate; one with a statistic that is not defined has none."""
    known = np.isfinite(observed).all(axis=1) & np.isfinite(permuted).all(axis=1)
    if observed.shape[1] == 1 or not known.any():
        return observed[:, 0], permuted[:, 0]
    found = np.full((2, len(observed)), np.nan)
    found[:, known] = combine_many(observed[known], permuted[known], weights[0])
    return found[0], found[1]


def timings(study: Study, path: str | os.PathLike[str]) -> dict[tuple[str, Source], float]:
    """Return the median seconds that a replicate took, for each cell that has any."""
    with open_store(path) as store:
        found = {
            (label, source): [seconds for (seconds,) in store.query(_SECONDS, (k,)) if _is_time(seconds)]
            for label, source, k in _numbered(study, store)
        }
    return {cell: median(seconds) for cell, seconds in found.items() if seconds}


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, float) and 0.0 <= seconds < math.inf


def load(path: str | os.PathLike[str]) -> dict[str, list[Any]]:
    """Return all rows of a store as columns, sorted; two stores of the same work are equal.

    The columns are code, test, data, seed (which make up a cell), replicate, part, weight, statistic, permuted and
    pvalue.
    """
    with open_store(path) as store:
        cells = sorted((key, number) for number, key in store.cells().items())
        rows = [(*key, *row) for key, number in cells for row in store.rows(number)]
    return {name: [row[k] for row in rows] for k, name in enumerate(_COLUMNS)}


def _numbered(study: Study, store: Store) -> Iterator[tuple[str, Source, int]]:
    keys = study.keys()
    numbers = store.known(keys.values())
    for label, source in study.cells:
        yield label, source, numbers.get(keys[label, canonical(source)], -1)
