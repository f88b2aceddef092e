"""A table that was read from a file: columns of known kinds, and what was decided while reading."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kmerf.files import dates

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
    """The cells of a column, for comparisons.

    Numbers and true/false are floats with NaN, dates datetime64 with NaT; text, also that of dates without order, of
    times of day and of durations, is objects with None.
    """

    kind: str
    """As in `Table.kinds`, but dates are "date", "zoned date", "unordered date", "time" or "duration"."""
    array: NDArray[Any]

    @staticmethod
    def moment(text: str) -> tuple[str, np.datetime64] | None:
        """Return the kind and the value of a date in text; None if it is none."""
        import polars as pl

        found = dates.moments(pl.Series([text], dtype=pl.String))
        return None if found is None else (found.kind, found.series.to_numpy()[0])


@dataclass(frozen=True, eq=False)
class Table:
    """Columns, their kinds, and what is wrong with those that cannot be used."""

    frame: pl.DataFrame
    kinds: dict[str, str]
    """"numeric", "boolean", "text", "date", or "nested" and "binary", which cannot be used."""
    faults: dict[str, str]
    source: FileSource
    notes: tuple[str, ...] = ()
    row_numbers: tuple[str, ...] = ()
    """Columns without a name that count the rows."""

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
        if kind in ("numeric", "boolean"):
            return CellValues(kind, series.cast(pl.Float64).to_numpy())
        if kind == "date":
            found = self.moments(name)
            if found is not None:
                return CellValues(found.kind, found.series.to_numpy())
            kind = {pl.Time: "time", pl.Duration: "duration"}.get(series.dtype.base_type(), "unordered date")
        text = as_text(series) if self.kinds[name] in ("text", "date") else series.is_null().cast(pl.String)
        return CellValues(kind, np.fromiter(text, dtype=object, count=len(text)))

    def moments(self, name: str) -> dates.Instants | None:
        """Return when the dates of a column are; None where they have no order, or are none."""
        return dates.moments(self.frame[name]) if self.kinds[name] == "date" else None

    def codes(self, name: str) -> NDArray[np.float64]:
        """Return numbers as they are; of other cells the rank among the different ones, and 0 where it is missing."""
        import polars as pl

        series = self.frame[name]
        if self.kinds[name] == "text":
            series = as_text(series)
        if self.kinds[name] in ("numeric", "boolean"):
            return series.cast(pl.Float64).to_numpy()
        found = self.moments(name)
        series = series if found is None else found.series
        return series.rank("dense").fill_null(0).cast(pl.Float64).to_numpy()

    def missing(self, name: str) -> int:
        """Return how many cells of a column are missing."""
        series = self.frame[name]
        return series.null_count() + (int(series.is_nan().sum()) if series.dtype.is_float() else 0)

    def distinct(self, name: str) -> int | None:
        """Return how many different values a column has, missing cells apart; None where they cannot be compared."""
        if self.kinds[name] in ("nested", "binary"):
            return None
        series = self.frame[name].drop_nulls()
        return int((series.drop_nans() if series.dtype.is_float() else series).n_unique())

    def example(self, name: str) -> str:
        """Return the first cell of a column that is not missing."""
        held = self.frame[name].drop_nulls()
        return "" if held.is_empty() else str(held[0])

    def keep(self, rows: NDArray[np.bool_]) -> Table:
        """Return some of the rows."""
        import polars as pl

        return replace(self, frame=self.frame.filter(pl.Series(rows)))

    def present(self, names: list[str]) -> NDArray[np.bool_]:
        """Return which rows have a value in all of these columns."""
        ok = np.ones(self.rows, dtype=np.bool_)
        for name in names:
            series = self.frame[name]
            ok &= series.is_not_null().to_numpy()
            if series.dtype.is_float():
                ok &= ~series.is_nan().fill_null(False).to_numpy()
        return ok

    def select(self, names: list[str], labels: list[str]) -> pl.DataFrame:
        """Return some of the columns as a dataframe, some of them as text."""
        chosen = self.frame.select(names)
        return chosen.with_columns(as_text(chosen[name]) for name in labels)


def as_text(series: pl.Series) -> pl.Series:
    """Return cells as text; durations as their number of units, since polars has no text for them."""
    import polars as pl

    return (series.cast(pl.Int64) if series.dtype == pl.Duration else series).cast(pl.String)
