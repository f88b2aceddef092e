"""A table that was read from a file: columns of known kinds, and what was decided while reading."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.data.text_cells import Fault
from kmerf.files import dates
from kmerf.files.missing_cells import without_nan

if TYPE_CHECKING:
    import polars as pl


class FileSource(NamedTuple):
    """Where a table came from, and how it was written there."""

    name: str
    form: str
    packed: str | None
    separator: str | None
    encoding: str | None
    rows: int

    @property
    def spoken(self) -> str:
        """All of it, for people."""
        parts = [self.form if self.packed is None else f"{self.form}, {self.packed}"]
        if self.separator is not None:
            parts.append(f"separator: {self.separator}")
        if self.encoding is not None and not self.encoding.startswith("utf-8"):
            parts.append(f"encoding: {self.encoding}")
        return ", ".join(parts)


class CellValues(NamedTuple):
    """The cells of a column, for comparisons, with null where one is missing.

    Numbers are floats, dates microseconds since 1970; text, also that of dates without order, of times of day and of
    durations, is text.
    """

    kind: str
    """As in `Table.kinds`, but dates are "date", "zoned date", "unordered date", "time" or "duration"."""
    series: pl.Series


@dataclass(frozen=True, eq=False)
class Table:
    """Columns, their kinds, and what is wrong with those that cannot be used."""

    frame: pl.DataFrame
    """The cells; a missing one is null, never NaN."""
    kinds: dict[str, str]
    """"numeric", "boolean", "text", "date", or "nested" and "binary", which cannot be used."""
    faults: dict[str, Fault]
    source: FileSource
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.frame.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.frame.height

    def values(self, name: str) -> CellValues:
        """Return the cells of a column."""
        import polars as pl

        kind, series = self.kinds[name], self.frame[name]
        if kind == "numeric":
            return CellValues(kind, series.cast(pl.Float64))
        if kind == "text":
            return CellValues(kind, as_text(series))
        if kind != "date":
            return CellValues(kind, series)
        instants = self.moments(name)
        if instants is not None:
            return CellValues(instants.kind, instants.series.to_physical())
        kind = {pl.Time: "time", pl.Duration: "duration"}.get(series.dtype.base_type(), "unordered date")
        return CellValues(kind, as_text(series))

    def moments(self, name: str) -> dates.Instants | None:
        """Return when the dates of a column are; None where they have no order, or are none."""
        return dates.moments(self.frame[name]) if self.kinds[name] == "date" else None

    def missing(self, name: str) -> int:
        """Return how many cells of a column are missing."""
        return self.frame[name].null_count()

    def distinct(self, name: str) -> int | None:
        """Return how many different values a column has, missing cells apart; None where they cannot be compared."""
        if self.kinds[name] in ("nested", "binary"):
            return None
        return self.frame[name].drop_nulls().n_unique()

    def keep(self, rows: NDArray[np.bool_]) -> Table:
        """Return some of the rows."""
        import polars as pl

        return replace(self, frame=self.frame.filter(pl.Series(rows)))

    def present(self, names: list[str]) -> NDArray[np.bool_]:
        """Return which rows have a value in all of these columns."""
        present = np.ones(self.rows, dtype=np.bool_)
        for name in names:
            present &= self.frame[name].is_not_null().to_numpy()
        return present

    def select(self, names: list[str], labels: list[str]) -> pl.DataFrame:
        """Return some of the columns as a dataframe, some of them as text."""
        import polars as pl

        # by series: polars takes names such as "*" or "^a$" for patterns
        return pl.DataFrame([as_text(self.frame[name]) if name in labels else self.frame[name] for name in names])


def table_of_frame(frame: pl.DataFrame, source: FileSource) -> Table:
    """Return the table of a dataframe whose columns have types.

    >>> import polars as pl
    >>> source = FileSource("a.parquet", "parquet", None, None, None, 2)
    >>> table = table_of_frame(pl.DataFrame({"a": [1.0, float("nan")]}), source)
    >>> table.kinds, table.missing("a")
    ({'a': 'numeric'}, 1)
    """
    import polars as pl

    kinds = {name: kind_of(dtype) for name, dtype in frame.schema.items()}
    faults = {
        name: Fault(f"holds {frame.schema[name]} values", "make columns of numbers or text of it")
        for name, kind in kinds.items()
        if kind in ("nested", "binary")
    }
    columns = [series.cast(pl.Float64) if series.dtype == pl.Null else without_nan(series) for series in frame]
    return Table(pl.DataFrame(columns), kinds, faults, source)


def kind_of(dtype: pl.DataType) -> str:
    """Return what a column of a type holds, as in `Table.kinds`.

    >>> import polars as pl
    >>> kind_of(pl.Int8()), kind_of(pl.Categorical()), kind_of(pl.List(pl.Int8()))
    ('numeric', 'text', 'nested')
    """
    import polars as pl

    if dtype.is_numeric() or dtype == pl.Null:
        return "numeric"
    if dtype.is_temporal():
        return "date"
    if dtype == pl.Boolean:
        return "boolean"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    return "binary" if dtype == pl.Binary else "nested"


def as_text(series: pl.Series) -> pl.Series:
    """Return cells as text; durations as their number of units, since polars has no text for them."""
    import polars as pl

    return (series.cast(pl.Int64) if series.dtype == pl.Duration else series).cast(pl.String)
