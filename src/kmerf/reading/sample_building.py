"""From columns to a sample: rows without y are dropped, categories become one-hot, and a test must be possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, Message
from kmerf.data.censoring import log_rank_scores
from kmerf.data.levels import FEW_LEVELS, MOST_CELLS
from kmerf.data.sample import FEWEST_ROWS, Features, Kind, Response, Sample
from kmerf.reading.containers import MOST_CLASSES, Coded, Column, encode, expand, width
from kmerf.reading.named_columns import SampleParts
from kmerf.reading.rulings import code_notes, lost_groups
from kmerf.reading.y_columns import read_followed

FEW_CODES = 10  # a whole-number y with no more values than this may hold class codes


def build_sample(parts: SampleParts) -> Sample:
    """Pair the rows, drop those without y if allowed, and check that a test is possible."""
    x, y, z = parts.x, parts.y, parts.given
    argument = y[0].argument
    if not x:
        raise InputError("is empty", argument="x", remedy=Message("it has no columns besides ", Argument(argument)))
    if x[0].n != y[0].n:
        sizes = Message(f"has {x[0].n} rows but ", Argument(argument), f" has {y[0].n}")
        raise InputError(sizes, argument="x", remedy="pass one a row")
    if z and z[0].n != x[0].n:
        sizes = Message(f"has {z[0].n} rows but ", Argument("x"), f" has {x[0].n}")
        raise InputError(sizes, argument="given", remedy="pass one a row")
    lost = np.any([c.missing for c in y], axis=0)
    levels = _block_codes(parts.blocks, x[0].n)[:, ~lost]
    dropped, notes = int(lost.sum()), []
    if dropped:
        rows, were = ("1 row", "was") if dropped == 1 else (f"{dropped} rows", "were")
        if not parts.drop:
            remedy = Message("fill in, or pass ", Argument("missing_y", "drop"), " to drop them")
            raise InputError(f"is missing in {rows}", argument=argument, remedy=remedy)
        gone = lost_groups(x, lost)
        x, y, z = ([replace(c, values=c.values[~lost]) for c in columns] for columns in (x, y, z))
        notes.append(f"{rows} with a missing {argument.removesuffix('s')} {were} dropped{gone}.")
    if x[0].n < FEWEST_ROWS:
        finding = f"has only {x[0].n} usable rows ({dropped} dropped for a missing {argument.removesuffix('s')})"
        raise InputError(finding, argument="x", remedy=f"a test needs at least {FEWEST_ROWS}")
    if not any(c.varies for c in x):
        finding = "is constant in every column, so nothing can depend on it"
        raise InputError(finding, argument="x", remedy="pass one that varies")
    if z and not any(c.varies for c in z):
        finding = "is constant in every column, so it explains nothing"
        raise InputError(finding, argument="given", remedy="leave it out")
    response = _censored(y) if parts.censored else _response(y, argument)
    codes = code_notes([*x, *y]) if parts.tabular else []
    ranked = y[0].kind == "numeric" and bool(y[0].order)  # of which another note tells
    every_note = (*notes, *parts.notes, *codes, *([] if ranked else _whole_number_notes(response)))
    features = build_features(z) if z else None
    blocks, inside = (_numbered(levels[: len(levels) - skip]) for skip in (0, 1))
    return Sample(build_features(x), response, dropped, every_note, blocks, features, parts.tabular, inside)


def _block_codes(columns: Sequence[Column], n: int) -> NDArray[np.int64]:
    """Number the labels of each column of blocks (columns, n)."""
    for block in columns:
        if block.n != n:
            raise InputError(f"has {block.n} rows but x has {n}", argument="blocks", remedy="pass one label a row")
        if block.missing.any():
            finding = f"is missing in {block.missing.sum()} rows"
            raise InputError(finding, argument="blocks", remedy="give every row a block")
    codes = [np.unique(block.values.astype(str), return_inverse=True)[1].reshape(-1) for block in columns]
    return np.array(codes, dtype=np.int64).reshape(len(codes), n)


def _numbered(levels: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Number the rows that agree in all columns (columns, n) of blocks: a label means its block inside the others."""
    if not len(levels):
        return None
    return np.asarray(np.unique(levels, axis=1, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _whole_number_notes(y: Response) -> list[str]:
    """Tell of a numeric y that looks like class codes."""
    if y.kind != "numeric" or y.q > 1:
        return []
    values = np.unique(y.values)
    if not 2 < len(values) <= FEW_CODES or np.any(values != np.round(values)):
        return []
    reading = f"y has {len(values)} distinct whole numbers and is read as numeric; pass "
    return [Message(reading, Argument("y_kind", "categorical"), " if they are class codes.")]


def build_features(columns: Sequence[Column], known: Iterable[tuple[str, ...] | None] | None = None) -> Features:
    """Expand x, with the categories that are known from before if any are."""
    levels = [None] * len(columns) if known is None else known
    coded = [encode(column, level) for column, level in zip(columns, levels, strict=True)]
    return Features(
        values=read_only(_expanded(columns, coded, FEW_LEVELS)),
        names=tuple(c.name for c in columns),
        kinds=tuple(cast("Kind", c.kind) for c in columns),  # none is text: usable or judged saw to that
        column_of=read_only(np.repeat(np.arange(len(coded), dtype=np.int64), [width(c, FEW_LEVELS) for c in coded])),
        missing=tuple(int(c.missing.sum()) for c in columns),
        categories=tuple(labels for _, labels in coded),
    )


def _expanded(columns: Sequence[Column], coded: Sequence[Coded], most: int) -> NDArray[np.float64]:
    """Put all columns side by side, each written once, as with a million rows there is no room for copies."""
    n, widths = columns[0].n, [width(c, most) for c in coded]
    spread = sum(cells for cells, (_, levels) in zip(widths, coded, strict=True) if levels)
    if n * spread > MOST_CELLS:
        size = f"{spread} categories in {n} rows are {8e-9 * n * spread:.0f} GB of numbers"
        remedy = "merge rare categories, or leave out such columns"
        raise InputError(f": {size}", argument=columns[0].argument, remedy=remedy)
    ends = np.cumsum(widths)
    out = np.empty((n, ends[-1]))
    for column, each, end, cells in zip(columns, coded, ends, widths, strict=True):
        expand(column, each, out[:, end - cells : end])
    return out


def _response(columns: Sequence[Column], argument: str) -> Response:
    """Expand y, or the groups, and check that there is something to tell apart."""
    if not any(c.varies for c in columns):
        wrong = "is constant" if argument == "y" else ": there is only one group"
        finding = f"{wrong}, {columns[0].values[0]!s} in every row"
        raise InputError(finding, argument=argument, remedy="a test needs at least two values")
    parts = [encode(c, most=MOST_CLASSES) for c in columns]
    for column, (codes, labels) in zip(columns, parts, strict=True):
        sizes = np.array([2]) if codes is None else np.bincount(codes)
        if argument == "y" and sizes.max() < 2:
            raise column.error("has another class in every row", "pass numbers, or classes that repeat")
        if argument != "y" and sizes.min() < 2:
            label = labels[int(sizes.argmin())]
            finding = f": group {label!r} has one row"
            raise InputError(finding, argument=argument, remedy="give it two or more, or leave it out")
    values = read_only(_expanded(columns, parts, MOST_CLASSES))
    _check_size(values)
    names = tuple(c.name for c in columns)
    codes, labels = parts[0]
    if codes is not None and len(parts) == 1:
        return Response(values, names, "categorical", read_only(codes), labels)
    return Response(values, names, "numeric", None, ())


def _censored(columns: Sequence[Column]) -> Response:
    """Return the scores of times and events."""
    followed = read_followed(columns)
    names = tuple(f"{columns[0].name}, {score}" for score in ("log-rank score", "early-late score"))
    scores = read_only(log_rank_scores(followed))
    return Response(scores, names, "censored", None, (), followed, tuple(column.name for column in columns))


def _check_size(y: NDArray[np.float64]) -> None:
    """Refuse a y whose squares would overflow, or vanish."""
    middle = y.mean(axis=0)
    size = float(np.abs(y - middle).max()) if np.isfinite(middle).all() else np.inf
    if not 1e-140 < size < 1e140:
        finding = f"varies by about {size:.0e}, too much or too little to be squared"
        raise InputError(finding, argument="y", remedy="change its unit")
