"""Weights of rows: how often each was seen, or how many others of a population each stands for.

**Frequencies** are exact: a row that was seen five times is five rows. Rows that are equal are then observations of
their own, and not looked at as possible copies.

**Sampling weights** belong to rows that were not drawn with equal probabilities. A row with probability p_i has weight
1 / p_i. Each row is kept with a probability proportional to its weight, by the seed. What is kept is a sample in which
all rows of the population had the same probability, so rows may be exchanged and every null holds as it is. That uses
fewer rows; how many, a note says. With blocks, whole blocks would have to be drawn, so the two are refused together.
Rows of a series were seen once each, and permutations of the user are of the rows as they are: both are refused with
weights of either kind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, Message, choose
from kmerf.data.sample import FEWEST_ROWS, Sample, take_rows
from kmerf.reading.containers import Column, find, read

KINDS = ("auto", "frequencies", "sampling")
MAX_ROWS = 5_000_000  # that frequencies may add up to
MAX_USUAL_COUNT = 1000  # of a row; larger whole numbers may be sampling weights


def split_weights(table: list[Column], weights: Any) -> tuple[list[Column], Column | None]:
    """Read weights, and leave the column that they name, if they name one, out of the table."""
    if weights is None:
        return table, None
    if isinstance(weights, str):
        column = replace(find("weights", weights, table), argument="weights")
        return [each for each in table if each.name != column.name], column
    columns = read("weights", weights, "weight")
    if len(columns) > 1:
        raise InputError(f"has {len(columns)} columns", argument="weights", remedy="pass one number per row")
    return table, columns[0]


def weight_kind(weights: Column, rows: NDArray[np.bool_], kind: str) -> str:
    """Return "frequencies" or "sampling" for the weights of the rows that are used, or raise."""
    choose("weights_kind", kind, KINDS)
    if weights.kind not in ("numeric", "boolean"):
        raise weights.error(f"is {weights.kind}, and weights are numbers", "name a column of numbers")
    values = weights.values[rows]
    if not np.isfinite(values).all():
        raise weights.error(f"is missing in {int((~np.isfinite(values)).sum())} rows", "give every row a weight")
    if values.min(initial=0.0) < 0 or not values.any():
        raise weights.error(f"holds {values.min():g}, and weights are 0 or more", "check how they were computed")
    whole = bool((values == np.round(values)).all())
    if kind == "frequencies" and not whole:
        odd = values[values != np.round(values)][0]
        remedy = Message("pass ", Argument("weights_kind", "sampling"), " if they are sampling weights")
        raise weights.error(f"holds {odd:g}, and a row is seen a whole number of times", remedy)
    if kind != "auto":
        return kind
    if (
        whole
        and values.max() > MAX_USUAL_COUNT
        and values[values > 0].min() > 1
        and np.unique(values).size > values.size / 2
    ):
        finding = f"holds whole numbers up to {values.max():g}, which may be counts of equal rows or sampling weights"
        options = (Argument("weights_kind", "frequencies"), " or ", Argument("weights_kind", "sampling"))
        raise weights.error(finding, Message("pass ", *options))
    return "frequencies" if whole else "sampling"


def weighted(sample: Sample, weights: Column, rows: NDArray[np.bool_], kind: str) -> Sample:
    """Return a sample with each row as often as it was seen, or with its sampling weights."""
    kind = weight_kind(weights, rows, kind)
    values = weights.values[rows]
    if sample.times is not None:
        finding = Message("was passed together with ", Argument("order"), ", and rows of a series are seen once each")
        raise InputError(finding, argument="weights", remedy="leave one of them out")
    if kind == "sampling":
        if sample.blocks is not None:
            finding = Message(
                "are sampling weights, and with ", Argument("blocks"), " whole blocks would have to be drawn"
            )
            raise InputError(finding, argument="weights", remedy="leave one of them out")
        return replace(sample, sampling_weights=values)
    total = int(values.sum())
    if total > MAX_ROWS:
        much = f"adds up to {total:,} rows, more than {MAX_ROWS:,}"
        remedy = Message("pass ", Argument("weights_kind", "sampling"), " if they are sampling weights, or divide them")
        raise weights.error(much, remedy)
    if total < FEWEST_ROWS:
        raise weights.error(f"adds up to {total} rows", f"a test needs at least {FEWEST_ROWS}")
    repeated = take_rows(sample, np.repeat(np.arange(values.size), values.astype(np.int64)))
    none = int((values == 0).sum())
    gone = f" {none} rows with a count of 0 are left out." if none else ""
    note = f"Each row counts as often as {weights.name!r} says: {total:,} rows from {values.size:,}.{gone}"
    return replace(repeated, notes=(note, *sample.notes))
