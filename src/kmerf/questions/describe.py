"""How is a table read? Nothing is tested."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kmerf.core.errors import choose, explain_unknown, message_of
from kmerf.reading import rulings
from kmerf.reading.containers import Column, find, is_table
from kmerf.reading.dates import DATES
from kmerf.reading.named_columns import declared_names, read_marks, several
from kmerf.reading.rulings import ColumnFacts, facts_of
from kmerf.reading.sample_building import order_notes
from kmerf.reading.samples import columns_of
from kmerf.reading.summaries import ColumnSummary, summarise
from kmerf.results.views import DescribedColumn, Description


@explain_unknown
def describe(
    table: Any,
    y: str | Iterable[str] = (),
    *,
    categorical: Iterable[str] = (),
    keep: Iterable[str] = (),
    na: Any = (),
    dates: str = "auto",
) -> Description:
    """Show how every column of a table is read, and what you have to decide before you can test it.

    Parameters
    ----------
    table
        A dataframe or a dictionary of columns.
    y
        The column, or columns, that would be y.
    categorical, keep, na, dates
        As in `independence`.

    Returns
    -------
    Description
        All columns with roles and kinds; it prints as a table.

    Examples
    --------
    >>> import kmerf
    >>> print(kmerf.describe({"id": [1, 2, 3], "dose": [0.5, 1.5, 0.7], "out": [1.2, 2.5, 1.1]}, "out"))
    3 rows, 3 columns
      column  used as   read as  missing  distinct  values
      id      left out  numeric                  3  1 to 3, median 2        █   █   █  counts the rows
      dose    x         numeric                  3  0.5 to 1.5, median 0.7  ██      █
      out     y         numeric                  3  1.1 to 2.5, median 1.2  █      ▄
    note: Left out of x: 'id' (counts the rows); pass keep=['id'] to use it.
    """
    choose("dates", dates, DATES)
    columns = [rulings.trimmed(column) for column in columns_of("table", table, strict=False, na=read_marks(na))]
    columns = rulings.typed_columns(columns, numbers_as_text=not is_table(table))
    y_names = {find("y", name, columns).name for name in several(y)}
    declared = declared_names(categorical, columns)
    to_keep = declared_names(keep, columns, argument="keep")
    y_columns = [column for column in columns if column.name in y_names]
    others = [column for column in columns if column.name not in y_names]
    ruled = rulings.judge(others, to_keep, declared, dates)
    by_name = {ruling.column.name: ruling for ruling in ruled}
    facts = [facts_of(c, "y" if c.name in y_names else "x", by_name.get(c.name)) for c in columns]
    errors = [*rulings.refuse(ruled), *rulings.copies_of_y(others, y_columns, to_keep)]
    errors += [c.refused(c.fault) for c in y_columns if c.fault is not None]
    used = [
        c if c.name in y_names else by_name[c.name].column for c in columns if c.name in y_names or by_name[c.name].use
    ]
    return Description(
        rows=columns[0].n,
        columns=tuple(described(fact, summarise(column)) for column, fact in zip(columns, facts, strict=True)),
        notes=(
            *rulings.notes(ruled, y_columns),
            *rulings.count_notes(ruled, y_columns),
            *rulings.code_notes(used),
            *rulings.case_notes(used),
            *_order(others, y_columns),
        ),
        problems=tuple(message_of(error) for error in errors),
    )


def described(fact: ColumnFacts, summary: ColumnSummary) -> DescribedColumn:
    """Return a column with its role and what it holds."""
    return DescribedColumn(
        *fact,
        quantiles=summary.quantiles,
        levels=summary.levels,
        counts=summary.rows,
        bars=summary.bars,
        values=summary.words,
        picture=summary.picture,
    )


def _order(columns: list[Column], y: list[Column]) -> list[str]:
    """Say where rows look as if they were not exchangeable, if it is by_name what would be y."""
    if not y:
        return []
    present = ~np.any([column.missing for column in y], axis=0)
    return order_notes(columns, y, present)
