"""From columns with roles to a sample: the one way for files and containers alike.

`decide` rules on every column, once, and finds the rows that are used; `Decision.sample` reads y, spreads categories
over one-hot columns and checks that a test is possible.

Notes on rows that look ordered in time or repeated per subject: one rule for files and dataframes.

The signs are in `kmerf.reading.row_order`; here they are looked for in a table. Dates in text are read if
the year comes first. Nobody knows which number of 05/03/2021 is the day; such dates, columns where only some have a
zone, times of day and durations have no order.

When rows were observed: the column that `order` names, as numbers.

Weights of rows: how often each was seen, or how many others of a population each stands for.

**Frequencies** are exact: a row that was seen five times is five rows. Rows that are equal are then observations of
their own, and not looked at as possible copies.

**Sampling weights** belong to rows that were not drawn with equal probabilities. A row with probability p_i has weight
1 / p_i. Each row is kept with a probability proportional to its weight, by the seed. What is kept is a sample in which
all rows of the population had the same probability, so rows may be exchanged and every null holds as it is. That uses
fewer rows; how many, a note says. With blocks, whole blocks would have to be drawn, so the two are refused together.
Rows of a series were seen once each, and permutations of the user are of the rows as they are: both are refused with
weights of either kind. Given z, rows that share its values are compared with each other; copies of one row would share
them and be equal, so frequencies are refused where most rows have values of z of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, Message, Note, RowsBut, choose
from kmerf.data.sample import (
    FEW_LEVELS,
    FEWEST_ROWS,
    MOST_CELLS,
    Features,
    Kind,
    Response,
    Sample,
    log_rank_scores,
    take_rows,
)
from kmerf.reading import row_order, rulings
from kmerf.reading.containers import MAX_CLASSES, Coded, Column, as_numbers, encode, expand, find, read, width
from kmerf.reading.copied_rows import rows_once
from kmerf.reading.dates import instants_of
from kmerf.reading.named_columns import read_followed, read_y
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
    typed,
    usable,
)
from kmerf.reading.rulings import notes as ruling_notes

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
    z = sample.z
    if z is not None and total > values.size and 2 * len(np.unique(z.values, axis=0)) > values.size:
        finding = Message(
            "was passed together with ", Argument("given"), ", whose values differ between rows: copies of a row "
            "would count as rows that share one"
        )  # fmt: skip
        remedy = Message("leave one of them out, or pass ", Argument("weights_kind", "sampling"))
        raise InputError(finding, argument="weights", remedy=remedy)
    repeated = take_rows(sample, np.repeat(np.arange(values.size), values.astype(np.int64)))
    none = int((values == 0).sum())
    gone = f" {none} rows with a count of 0 are left out." if none else ""
    note = f"Each row counts as often as {weights.name!r} says: {total:,} rows from {values.size:,}.{gone}"
    return replace(repeated, notes=(note, *sample.notes))


MONTH = 365.2425 / 12 * 86400  # seconds


def split_order(table: list[Column], order: Any) -> tuple[list[Column], Column | None]:
    """Read the times of rows, and leave the column that they are named by out of the table.

    >>> rest, when = split_order(read("x", {"day": [3, 1, 2], "size": [1.0, 2, 3]}), "day")
    >>> [column.name for column in rest], when.values.tolist()
    (['size'], [3.0, 1.0, 2.0])
    """
    if order is None or order is False:
        return table, None
    if order is True:
        return table, Column("order", "row", "numeric", np.arange(table[0].n, dtype=np.float64))
    if isinstance(order, str):
        column = find("order", order, table)
        rest = [each for each in table if each.name != column.name]
        if not rest:
            raise InputError("names the only column of x", argument="order", remedy="pass columns to be tested")
        return rest, typed(replace(column, argument="order"))
    columns = read("order", order, "order", strict=False)
    if len(columns) > 1:
        raise InputError(f"has {len(columns)} columns", argument="order", remedy="pass one time per row")
    return table, typed(columns[0])


def times_of(column: Column) -> NDArray[np.float64]:
    """Return times as numbers: dates in seconds, those of months, quarters and years in months.

    >>> times_of(Column("order", "day", "date", np.array(["2024-01-01", "2024-02-01", "2024-03-01"], object))).tolist()
    [648.0, 649.0, 650.0]
    """
    if column.missing.any():
        count = int(column.missing.sum())
        remedy = "fill in, or leave such rows out"
        raise InputError(f": {column.name!r} is missing in {count} rows", argument="order", remedy=remedy)
    if column.kind == "numeric":
        return np.asarray(column.values, dtype=np.float64)
    seconds = moments(column) if column.kind == "date" else None
    if seconds is None:
        finding = (
            f": {column.name!r} holds {column.values[0]!r}, which is neither a number nor a date such as 2024-01-31"
        )
        raise InputError(finding, argument="order", remedy="pass numbers or dates")
    return _months(seconds)


def _months(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count months if all dates have the same day and time of the month, or the last day; else return seconds."""
    stamps = seconds.astype("datetime64[s]")
    months = stamps.astype("datetime64[M]")
    inside = (stamps - months.astype("datetime64[s]")).astype(np.int64)
    ends = ((months + 1).astype("datetime64[s]") - stamps).astype(np.int64)
    monthly = np.unique(inside).size == 1 or np.unique(ends).size == 1
    several = np.unique(months).size == seconds.size > 2
    return months.astype(np.int64).astype(np.float64) if monthly and several else seconds


def check_length(column: Column | None, columns: Sequence[Column]) -> None:
    """Raise unless there is one time per row."""
    if column is not None and column.n != columns[0].n:
        finding = f"has {column.n} rows but x has {columns[0].n}"
        raise InputError(finding, argument="order", remedy="pass one time per row")


def moments(column: Column) -> NDArray[np.float64] | None:
    """Return the seconds from 1970 to each date, NaN where it is missing; None where dates have no order.

    >>> from kmerf.reading.containers import read
    >>> moments(read("x", {"day": ["1970-1-2", None, "1970-01-03T00:00"]})[0]).tolist()
    [86400.0, nan, 172800.0]
    >>> moments(read("x", {"day": ["05/03/2021"]})[0]) is None
    True
    """
    instants = instants_of(column)
    return None if instants is None or instants.kind != "date" else instants.seconds


def order_notes(
    columns: Sequence[Column],
    y: Sequence[Column],
    rows: NDArray[np.bool_],
    *,
    takes_blocks: bool = True,
    blocks: NDArray[np.int64] | None = None,
) -> list[str]:
    """Say where `rows` look ordered in time or repeated per subject.

    `columns` are those of the whole table without y, each of them `typed`, so that a column that counts its rows is
    known for what it is.
    Blocks and an order are recommended to those whose question takes them. `blocks` numbers those of `rows`, if the
    user has named some.
    """
    if not columns or y[0].n != columns[0].n:
        return []
    if blocks is not None:
        return _notes_inside(columns, y, rows, blocks)
    others = [column.some(rows) for column in columns if not rulings.counts_rows(column)]
    codable = [column for column in others if column.kind not in ("date", "other")]
    codes = {c.name: c.codes for c in codable}
    labels = [c.name for c in codable if c.kind in ("text", "categorical")]
    subjects = row_order.subjects(codes, labels)
    notes: list[str] = []
    for name in subjects:
        notes.append(
            row_order.repeated_note(name, len(np.unique(codes[name])), int(rows.sum()), takes_blocks=takes_blocks)
        )
    dated = [c.name for c in others if c.kind == "date" and _in_order(c)]
    usable_y = len(y) == 1 and y[0].kind not in ("date", "other")
    y_codes = y[0].some(rows).codes if usable_y else None
    rank = "doubt" if y_codes is None or row_order.lag_is_strong(y_codes) else "detail"
    notes += [row_order.dates_note(name, takes_blocks=takes_blocks, rank=rank) for name in dated]
    together = any(row_order.is_grouped(codes[name]) for name in subjects)
    if not dated and not together and y_codes is not None:
        lag = row_order.serial(y_codes, codes.items())
        timed = any(row_order.is_time(name, values) for name, values in codes.items())
        few = np.unique(y_codes).size <= MAX_COARSE and not timed  # classes stand together in most files
        rank = "detail" if few else "doubt"
        notes += [] if lag is None else [row_order.serial_note(y[0].name, lag, takes_blocks=takes_blocks, rank=rank)]
    return notes


def _notes_inside(
    columns: Sequence[Column], y: Sequence[Column], rows: NDArray[np.bool_], blocks: NDArray[np.int64]
) -> list[str]:
    """Say where rows inside blocks are like their neighbours; a column of x that rises in all may be the reason.

    A column by which the rows of blocks are sorted cuts them into sections, and only what is left inside those counts.
    """
    if len(y) > 1 or y[0].kind in ("date", "other"):
        return []
    some = [column.some(rows) for column in columns if column.kind not in ("date", "other")]
    lag = row_order.serial_inside(y[0].some(rows).codes, blocks, [column.codes for column in some])
    if lag is None:
        return []
    numbers = [column for column in some if column.kind == "numeric"]
    rises = any(row_order.rises_inside(column.values, blocks) for column in numbers)
    return [row_order.inner_note(y[0].name, lag, "detail" if rises else "doubt")]


def noticed_order(notes: Sequence[str]) -> str | bool | None:
    """Return the order that a note on a doubt recommends: the name of a column, or True for that of the rows.

    >>> noticed_order([row_order.dates_note("day")]), noticed_order([row_order.dates_note("day", rank="detail")])
    ('day', None)
    """
    for note in notes:
        if isinstance(note, Note) and note.rank == "doubt":
            named = [part for part in note.parts if isinstance(part, Argument) and part.name == "order"]
            if len(named) == 1 and named[0].has_value:
                return cast("str | bool", named[0].value)
    return None


MAX_COARSE = 10  # different values of a y that a file may be sorted by without anybody noticing


def _in_order(column: Column) -> bool:
    """Return whether rows are in the order of more than two dates, if those have one; rows without a date apart."""
    instants = moments(column)
    if instants is None or np.unique(instants[np.isfinite(instants)]).size <= 2:
        return False
    return row_order.is_sorted(instants)


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
            raise column.error("has a different class in every row", "pass numbers, or classes that repeat")
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
