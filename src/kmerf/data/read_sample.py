"""The one door through which data come in: what makes a valid `Sample`, checked once and trusted below.

x and y, samples side by side, or one table with groups all become the same pair of features and a response
(`kmerf.data.sample_values`). The arrays that leave are read-only copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kmerf.core.errors import InputError, choose
from kmerf.data.containers import known_only, labelled, read
from kmerf.data.copied_rows import rows_once
from kmerf.data.paired_columns import paired
from kmerf.data.reading_rules import Declared, ReadingRules, declared_names, read_marks
from kmerf.data.sample_building import build_features, build_sample
from kmerf.data.sample_values import Features, Sample
from kmerf.data.stacked_samples import in_order_of, stacked
from kmerf.data.usable_columns import judged, usable


def read_independence(
    x: Any,
    y: Any,
    *,
    categorical: Declared = (),
    keep: Declared = (),
    na: Any = (),
    y_kind: str = "auto",
    missing_y: str = "auto",
    blocks: Any = None,
    given: Any = None,
    once: bool = True,
    takes_blocks: bool = True,
) -> Sample:
    """Check x and y and pair their rows; y may name one or more columns of the table x, x may be a formula of y.

    `categorical` names columns of x (or y) to be read as categories; a whole number is a position in x unless
    a column bears it as its name. `blocks` has a label for each row, or names the column of x that does, or there
    are several of either, the outermost first; `given` has columns with as many rows, or names columns of x. Tables go
    by the rules of `kmerf.data.table_rules`, where `keep` names columns to be used in any case; arrays and lists are
    used as they are. Rows are paired by their labels where both have an index, else by position. With `once`, rows that
    are copies of others are left out (`kmerf.data.copied_rows`). `takes_blocks` says whether to recommend blocks where
    rows seem to belong together.

    >>> s = read_independence([[1.0, 5], [2.5, 4], [3.0, None], [4.5, 2]], ["b", "a", "b", "a"])
    >>> s.y.labels, s.y.codes.tolist(), s.x.missing
    (('a', 'b'), [1, 0, 1, 0], (0, 1))
    """
    choose("y_kind", y_kind, ("auto", "numeric", "categorical", "censored"))
    choose("missing_y", missing_y, ("auto", "drop", "raise"))
    rules = ReadingRules(categorical, keep, read_marks(na), y_kind, missing_y, takes_blocks)
    sample = build_sample(paired("y", x, y, rules, blocks, given))
    return rows_once(sample) if once else sample


def read_ksample(
    *samples: Any,
    groups: Any = None,
    categorical: Declared = (),
    keep: Declared = (),
    na: Any = (),
    missing_y: str = "auto",
    blocks: Any = None,
    given: Any = None,
    once: bool = True,
    takes_blocks: bool = True,
) -> Sample:
    """Check and stack samples (several, or one dict of them), or one table with `groups`: a column or labels.

    `blocks` has a label for each row, the samples one below the other, or names the column that does; `given` likewise.
    With `once`, rows that are copies of others are left out (`kmerf.data.copied_rows`). `takes_blocks` is as in
    `read_independence`.

    >>> s = read_ksample([1.0, 2.0], [3.0, 4.0, 5.0])
    >>> s.x.values[:, 0].tolist(), s.y.codes.tolist(), s.y.labels
    ([1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1], ('1', '2'))
    """
    choose("missing_y", missing_y, ("auto", "drop", "raise"))
    reading = ReadingRules(categorical, keep, read_marks(na), "categorical", missing_y, takes_blocks)
    passed = samples[0] if len(samples) == 1 else dict(enumerate(samples, 1))
    if groups is None:
        parts = passed if isinstance(passed, Mapping) else {1: passed}
        sample = build_sample(stacked(parts, reading, blocks, given))
        return rows_once(sample, grouped=True) if once else sample
    if isinstance(passed, Mapping) and not isinstance(groups, str):
        finding = f"was given with {len(passed)} samples"
        raise InputError(finding, argument="groups", remedy="pass one table with groups, or samples")
    sample = build_sample(paired("groups", passed, groups, reading, blocks, given))
    return rows_once(sample, grouped=True) if once else sample


def read_features(
    x: Any, *, categorical: Declared = (), argument: str = "x", text_is_categories: bool = False
) -> Features:
    """Check x alone. Text that is not declared is refused, or with `text_is_categories` read as categories.

    >>> f = read_features([[1, "b"], [2, "a"], [3, None]], categorical="x2")
    >>> f.values.tolist(), f.column_of.tolist(), f.categories
    ([[1.0, 0.0, 1.0], [2.0, 1.0, 0.0], [3.0, nan, nan]], [0, 1, 1], ((), ('a', 'b')))
    """
    columns = read(argument, x, strict=not text_is_categories)
    declared = declared_names(categorical, columns)
    if text_is_categories:
        return build_features(judged(columns, {column.name for column in columns}, declared, ())[0])
    return build_features(usable(columns, declared))


def read_like(x: Any, like: Features, *, argument: str = "x", unknown: str = "error") -> Features:
    """Check x, and give it the columns and categories of features read before.

    A category that was not there before is an error, or with `unknown="missing"` a missing value.

    >>> f = read_features([[1, "b"], [2, "a"]], categorical="x2")
    >>> read_like([[4, "b"]], f).values.tolist()
    [[4.0, 0.0, 1.0]]
    >>> read_like([[4, "c"]], f, unknown="missing").values.tolist()
    [[4.0, nan, nan]]
    """
    before = dict(zip(like.names, like.kinds, strict=True))
    columns = in_order_of(read(argument, x), like.names, "the rows read before")
    columns = [labelled(column) if before[column.name] == "categorical" else column for column in columns]
    for column in columns:
        was = before[column.name]
        if was != "categorical" and column.kind in ("categorical", "text"):
            raise column.error(f"is {column.kind}, but was {was} before", "convert it to numbers")
    if unknown == "missing":
        columns = [known_only(column, levels) for column, levels in zip(columns, like.categories, strict=True)]
    return build_features(columns, like.categories)
