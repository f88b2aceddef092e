"""From columns with roles to a sample: the one way for files and containers alike.

`decide` rules on every column, once, and finds the rows that are used; `Decision.sample` reads y, spreads categories
over one-hot columns and checks that a test is possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, Message, RowsBut
from kmerf.data.censoring import log_rank_scores
from kmerf.data.sample import FEW_LEVELS, FEWEST_ROWS, MOST_CELLS, Features, Kind, Response, Sample
from kmerf.reading.containers import MAX_CLASSES, Coded, Column, as_numbers, encode, expand, width
from kmerf.reading.copied_rows import rows_once
from kmerf.reading.named_columns import read_followed, read_y
from kmerf.reading.order_notes import noticed_order, order_notes
from kmerf.reading.row_weights import weighted
from kmerf.reading.rulings import (
    ColumnRuling,
    case_notes,
    code_notes,
    copies_of_y,
    count_notes,
    judge,
    lost_groups,
    none_left,
    refuse,
    usable,
)
from kmerf.reading.rulings import notes as ruling_notes
from kmerf.reading.times import check_length, times_of

MAX_CODES = 10  # a whole-number y with no more values than this may hold class codes


@dataclass(frozen=True, eq=False)
class RoleColumns:
    """Columns by their roles, and what the user says about them; nothing is decided yet."""

    x: Sequence[Column]
    y: Sequence[Column]
    blocks: Sequence[Column] = ()
    """Outermost first; none if rows may be exchanged freely."""
    order: Column | None = None
    """When each row was observed, if rows are a series."""
    given: Sequence[Column] = ()
    declared: Collection[str] = ()
    """Names of the columns to be read as categories."""
    keep: Collection[str] = ()
    """Names of the columns to be used in any case."""
    ruled: bool = True
    """Whether x is a table, whose columns are ruled on; arrays are used as they are."""
    others: Sequence[Column] | None = None
    """Columns of the table besides y, which may show that rows are ordered; None where nobody looks."""
    takes_blocks: bool = True
    """Whether the question can be told which rows belong together."""
    rows: NDArray[np.bool_] | None = None
    """The rows that meet a condition."""
    drop: bool = True
    """Whether rows without y are dropped, or refused."""
    dates: str = "auto"
    """What becomes of dates (`kmerf.reading.dates`)."""
    weights: Column | None = None
    """Of rows: how often each was seen, or its sampling weight."""
    weights_kind: str = "auto"
    notes: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Decision:
    """What becomes of columns and rows, and what the user should know of it."""

    roles: RoleColumns
    x: list[Column]
    """As they are used, all rows of them."""
    given: list[Column]
    rulings: dict[str, ColumnRuling]
    errors: list[InputError]
    """What the user has to decide before this can be tested."""
    rows: NDArray[np.bool_]
    """The rows that are used."""
    dropped: int
    """Rows dropped for a missing y."""
    row_notes: list[str]
    column_notes: list[str]
    code_notes: list[str]
    order_notes: list[str]

    def sample(self, y_kind: str = "auto", *, once: bool = True, noted: bool = True) -> Sample:
        """Return the sample; `once` without copied rows, `noted` with notes on what was left out."""
        roles = self.roles
        parts = (self.x, self.given, roles.y, roles.blocks)
        x, given, raw, blocks = ([c.some(self.rows) for c in columns] for columns in parts)
        argument = raw[0].argument
        y, y_notes = read_y(raw, y_kind, set(roles.declared) - {c.name for c in roles.x})  # a name of both is x's
        if x[0].n < FEWEST_ROWS:
            finding = (
                f"has only {x[0].n} usable rows ({self.dropped} dropped for a missing {argument.removesuffix('s')})"
            )
            raise InputError(finding, argument="x", remedy=f"a test needs at least {FEWEST_ROWS}")
        if not any(c.varies for c in x):
            finding = "is constant in every column, so nothing can depend on it"
            raise InputError(finding, argument="x", remedy="pass one that varies")
        if given and not any(c.varies for c in given):
            finding = "is constant in every column, so it explains nothing"
            raise InputError(finding, argument="given", remedy="leave it out")
        response = _censored(y) if y_kind == "censored" else _response(y, argument, roles.weights)
        ranked = y[0].kind == "numeric" and bool(y[0].order)  # another note says so
        notes = [*self.row_notes, *roles.notes, *y_notes, *self.column_notes] if noted else y_notes
        notes += [*self.order_notes, *self.code_notes]
        notes += [] if ranked else _class_code_notes(response)
        levels = _block_codes(blocks)
        outer, inner = (_numbered(levels[: len(levels) - skip]) for skip in (0, 1))
        z = build_features(given) if given else None
        tabular = roles.others is not None
        sample = Sample(build_features(x), response, self.dropped, tuple(notes), outer, z, tabular, inner)
        if roles.order is not None:  # a series may have the same values twice
            if roles.weights is not None:
                finding = Message("was passed together with ", Argument("order"), ", and a series has one row per time")
                raise InputError(finding, argument="weights", remedy="leave one out")
            return replace(sample, times=times_of(roles.order.some(self.rows)))
        if roles.weights is not None:
            return weighted(sample, roles.weights, self.rows, roles.weights_kind)
        whole = rows_once(sample, grouped=argument != "y") if once else sample
        return replace(whole, noticed=self._noticed()) if whole.n == sample.n else whole

    def _noticed(self) -> tuple[str | bool, NDArray[np.float64]] | None:
        """Return the order of time that rows seem to have, and their times in it."""
        named = noticed_order(self.order_notes)
        if named is None:
            return None
        if named is True:
            return named, np.arange(float(self.rows.sum()))
        column = next(c for c in self.roles.others or () if c.name == named).some(self.rows)
        return None if column.missing.any() else (named, times_of(column))

    def without_y(self, *, noted: bool = True) -> Sample:
        """Return all columns as x; y repeats the first of them, so that rows that are equal in x are equal."""
        columns = [column.some(self.rows) for column in self.x]
        if columns[0].n < FEWEST_ROWS:
            finding = f"has only {columns[0].n} rows"
            raise InputError(finding, argument="table", remedy=f"a test needs at least {FEWEST_ROWS}")
        x = build_features(columns)
        notes = [*self.row_notes, *self.column_notes] if noted else []
        y = Response(np.nan_to_num(x.values[:, :1]), x.names[:1], "numeric", None, ())
        return rows_once(Sample(x, y, 0, (*notes, *self.code_notes), tabular=self.roles.ruled))


def decide(roles: RoleColumns, *, strict: bool = True) -> Decision:
    """Rule on every column and find the rows that are used; `strict` raises what the user has to decide."""
    of_x: list[ColumnRuling] = []
    of_given: list[ColumnRuling] = []
    errors: list[InputError] = []
    if roles.ruled:
        of_x = judge(roles.x, roles.keep, roles.declared, roles.dates)
        every = [c.name for c in roles.given]  # each was named, so each is used
        of_given = judge(roles.given, every, roles.declared, roles.dates)
        x, given = ([part for each in rulings if each.use for part in each.parts] for rulings in (of_x, of_given))
        tested = [c for c, ruling in zip(roles.x, of_x, strict=True) if ruling.use]
        errors = [*refuse([*of_x, *of_given]), *copies_of_y(tested, roles.y, roles.keep)] or none_left(of_x)
        if strict and errors:
            raise InputError.together(errors)
    else:
        x, given = usable(roles.x, roles.declared), usable(roles.given, roles.declared)
    _check_lengths(roles)
    rows, row_notes = _rows_with_y(roles, x)
    met = rows.size if roles.rows is None else int(roles.rows.sum())
    y = roles.y if roles.others is not None else ()
    looks = roles.others is not None and bool(y) and roles.order is None
    blocked = looks and bool(roles.blocks) and not any(c.missing.any() for c in roles.blocks)
    blocks = _numbered(_block_codes([c.some(rows) for c in roles.blocks])) if blocked else None
    looks = looks and (blocked or not roles.blocks)
    others = roles.others or ()
    takes_blocks = roles.takes_blocks and not given
    return Decision(
        roles=roles,
        x=x,
        given=given,
        rulings={ruling.column.name: ruling for ruling in (*of_x, *of_given)},
        errors=errors,
        rows=rows,
        dropped=met - int(rows.sum()),
        row_notes=row_notes,
        column_notes=ruling_notes([*of_x, *of_given], roles.y),
        code_notes=_label_notes([c.some(rows) for c in (*x, *y)], of_x, roles) if roles.ruled else [],
        order_notes=order_notes(others, y, rows, takes_blocks=takes_blocks, blocks=blocks) if looks else [],
    )


def _label_notes(columns: Sequence[Column], of_x: Sequence[ColumnRuling], roles: RoleColumns) -> list[str]:
    """Point out codes of missing values, labels that differ in case, and counts."""
    counts = count_notes(of_x, roles.y) if roles.weights is None and roles.rows is None else []
    return [*counts, *code_notes(columns), *case_notes(columns)]


def _check_lengths(roles: RoleColumns) -> None:
    """Refuse roles whose columns do not have one entry per row of x."""
    y = roles.y[0].argument if roles.y else "y"
    if not roles.x:
        raise InputError("is empty", argument="x", remedy=Message("it has no columns besides ", Argument(y)))
    n = roles.x[0].n
    if roles.y and roles.y[0].n != n:
        sizes = Message(f"has {n} rows but ", Argument(y), f" has {roles.y[0].n}")
        raise InputError(sizes, argument="x", remedy="pass one per row")
    check_length(roles.order, roles.x)
    weights = [] if roles.weights is None else [roles.weights]
    for argument, columns in {"given": roles.given, "blocks": roles.blocks, "weights": weights}.items():
        if columns and columns[0].n != n:
            sizes = Message(f"has {columns[0].n} rows but ", Argument("x"), f" has {n}")
            raise InputError(sizes, argument=argument, remedy="pass one per row")


def _rows_with_y(roles: RoleColumns, x: Sequence[Column]) -> tuple[NDArray[np.bool_], list[str]]:
    """Return the rows that meet the condition and have y, with a note on those that have none."""
    rows = np.ones(roles.x[0].n, dtype=np.bool_) if roles.rows is None else roles.rows
    holes = [c for c in roles.y if (c.missing & rows).any()]
    if not holes:
        return rows, []
    lost = rows & np.any([c.missing for c in holes], axis=0)
    count = "1 row" if lost.sum() == 1 else f"{lost.sum()} rows"
    if not roles.drop:
        remedy = Message("fill in, or pass ", Argument("missing_y", "drop"), " to drop them")
        raise InputError(f"is missing in {count}", argument=holes[0].argument, remedy=remedy)
    gone = lost_groups([c.some(rows) for c in x], lost[rows])
    names = " or ".join(repr(c.name) for c in holes)
    return rows & ~lost, [f"{count} without a value in {names} dropped{gone}."]


def _block_codes(columns: Sequence[Column]) -> NDArray[np.int64]:
    """Number the labels of each column of blocks (columns, n)."""
    for block in columns:
        if block.missing.any():
            finding = f"is missing in {block.missing.sum()} rows"
            raise InputError(finding, argument="blocks", remedy="give every row a block")
    codes = [np.unique(block.values.astype(str), return_inverse=True)[1].reshape(-1) for block in columns]
    return np.array(codes, dtype=np.int64)


def _numbered(levels: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Number the rows that agree in all columns (columns, n) of blocks: a label means its block inside the others."""
    if not len(levels):
        return None
    return np.asarray(np.unique(levels, axis=1, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _class_code_notes(y: Response) -> list[str]:
    """Point out a numeric y that looks like class codes."""
    if y.kind != "numeric" or y.q > 1:
        return []
    values = np.unique(y.values)
    if not 2 < len(values) <= MAX_CODES or np.any(values != np.round(values)):
        return []
    reading = f"y has {len(values)} distinct whole numbers and is read as numeric; pass "
    return [Message(reading, Argument("y_kind", "categorical"), " if they are class codes.")]


def build_features(columns: Sequence[Column], known: Iterable[tuple[str, ...] | None] | None = None) -> Features:
    """Expand x, with the categories that are known from before if any are."""
    levels = [None] * len(columns) if known is None else known
    coded = [encode(column, level) for column, level in zip(columns, levels, strict=True)]
    widths = [width(column, each, FEW_LEVELS) for column, each in zip(columns, coded, strict=True)]
    return Features(
        values=read_only(_expanded(columns, coded, FEW_LEVELS)),
        names=tuple(c.name for c in columns),
        kinds=tuple(cast("Kind", c.kind) for c in columns),  # none is text: usable or judged saw to that
        column_of=read_only(np.repeat(np.arange(len(coded), dtype=np.int64), widths)),
        missing=tuple(int(c.missing.sum()) for c in columns),
        categories=tuple(labels for _, labels in coded),
        units=units_of(columns),
        cycles=tuple(c.cycle for c in columns) if any(c.cycle for c in columns) else (),
    )


def units_of(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the unit of each column; nothing if none has one."""
    return tuple(c.unit for c in columns) if any(c.unit for c in columns) else ()


def _expanded(columns: Sequence[Column], coded: Sequence[Coded], most: int) -> NDArray[np.float64]:
    """Put all columns side by side, each written once, as copies of a million rows would not fit into memory."""
    n, widths = columns[0].n, [width(column, each, most) for column, each in zip(columns, coded, strict=True)]
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


def _response(columns: Sequence[Column], argument: str, weights: Column | None = None) -> Response:
    """Expand y, or the groups, and check that there is something to tell apart."""
    if not any(c.varies for c in columns):
        wrong = "is constant" if argument == "y" else ": there is only one group"
        finding = f"{wrong}, {columns[0].values[0]!s} in every row"
        raise InputError(finding, argument=argument, remedy="a test needs at least two values")
    parts = [encode(c, most=MAX_CLASSES) for c in columns]
    for column, (codes, labels) in zip(columns, parts, strict=True):
        sizes = np.array([2]) if codes is None or weights is not None else np.bincount(codes)
        if argument == "y" and sizes.max() < 2:
            raise column.error("has another class in every row", "pass numbers, or classes that repeat")
        if argument != "y" and sizes.min() < 2:
            raise _lone_group(column, labels, sizes)
    values = read_only(_expanded(columns, parts, MAX_CLASSES))
    _check_size(values)
    names = tuple(c.name for c in columns)
    codes, labels = parts[0]
    if codes is not None and len(parts) == 1:
        return Response(values, names, "categorical", read_only(codes), labels)
    return Response(values, names, "numeric", None, (), units=units_of(columns))


def _lone_group(groups: Column, labels: Sequence[str], sizes: NDArray[np.int64]) -> InputError:
    """Return why groups cannot be compared of which one has a single row."""
    if len(labels) > MAX_CODES and 4 * (sizes == 1).sum() > len(labels):
        numbers = as_numbers(labels) is not None
        what = "numbers" if numbers else "values"
        remedy = "name a column of groups" + ("; a number can be y of independence" if numbers else "")
        many = f"{groups.name!r} has {len(labels)} different {what} in {int(sizes.sum())} rows"
        finding = f": {many}, and is not a column of groups"
        return InputError(finding, argument=groups.argument, remedy=remedy)
    label = labels[int(sizes.argmin())]
    finding = f": group {label!r} has one row"
    return InputError(
        finding,
        argument=groups.argument,
        remedy=Message("give it two or more, or leave it out", RowsBut(groups.name, label)),
    )


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
