"""What a column holds, in short: quantiles and a histogram of numbers, the most frequent levels of labels."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kmerf.reading.containers import Column
from kmerf.reading.dates import instants_of

BINS = 8  # bars of a histogram
LEVELS = 4  # most frequent levels that are named
_BARS = "▁▂▃▄▅▆▇█"


class ColumnSummary(NamedTuple):
    """Quantiles and a histogram, or the most frequent levels."""

    quantiles: tuple[float, ...] = ()
    """Minimum, lower quartile, median, upper quartile and maximum; empty for labels."""
    levels: tuple[str, ...] = ()
    """The most frequent ones."""
    rows: tuple[int, ...] = ()
    """Of these levels."""
    bars: tuple[int, ...] = ()
    """Rows in parts of the range, all of the same width; for labels, of the most frequent eight."""
    dates: tuple[str, ...] = ()
    """The first and the last, of dates."""

    @property
    def words(self) -> str:
        """All but the histogram, for people."""
        if self.dates:
            return " to ".join(self.dates)
        if self.quantiles:
            low, _, middle, _, high = self.quantiles
            return f"{_written(low)} to {_written(high)}, median {_written(middle)}"
        return ", ".join(f"{level[:16]} {count}" for level, count in zip(self.levels, self.rows, strict=True))

    @property
    def brief(self) -> str:
        """The same with fewer letters.

        >>> ColumnSummary((3.07, 13.3, 17.795, 24.1, 50.81)).brief
        '3.07 to 50.8 (17.8)'
        """
        if not self.quantiles:
            return self.words
        low, _, middle, _, high = self.quantiles
        return f"{_written(low, 3)} to {_written(high, 3)} ({_written(middle, 3)})"

    @property
    def picture(self) -> str:
        """The histogram in one line.

        >>> ColumnSummary(bars=(1, 4, 8, 2)).picture
        '▁▄█▂'
        """
        peak = max(self.bars, default=0)
        return "".join(_BARS[max(0, -(-8 * bar // peak) - 1)] if bar else " " for bar in self.bars) if peak else ""


def _written(value: float, digits: int = 4) -> str:
    """Write a number with so many digits, or all those before its point.

    >>> _written(1982), _written(0.00123456), _written(5e5), _written(2e13)
    ('1982', '0.001235', '500,000', '2e+13')
    """
    if 1e3 <= abs(value) < 1e12:
        return f"{value:.0f}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:.{digits}g}"


_summaries: WeakKeyDictionary[Column, ColumnSummary] = WeakKeyDictionary()


def summarise(column: Column) -> ColumnSummary:
    """Say what a column holds; what was found is kept as long as the column is.

    >>> from kmerf.reading.containers import read
    >>> summarise(read("x", {"a": [1.0, 2.0, 4.0]})[0]).words
    '1 to 4, median 2'
    >>> summarise(read("x", {"a": ["u", "v", "u"]})[0]).words
    'u 2, v 1'
    """
    if column not in _summaries:
        _summaries[column] = _summary(column)
    return _summaries[column]


def _summary(column: Column) -> ColumnSummary:
    if column.kind == "numeric":
        values = column.values[np.isfinite(column.values)]
        if not values.size:
            return ColumnSummary()
        low, high = float(values.min()), float(values.max())
        bars = np.histogram(values, BINS, (low, high))[0].tolist() if high > low else [values.size]
        quantiles = np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
        return ColumnSummary(tuple(quantiles), bars=tuple(bars))
    if column.kind == "date":
        return _of_dates(column)
    if column.kind == "boolean":
        counts = Counter({"true": int((column.values == 1).sum()), "false": int((column.values == 0).sum())})
    elif column.kind == "other":
        return ColumnSummary()
    else:
        counts = Counter()
        for entry, rows in column.tally.items():
            counts[str(entry)] += rows
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:BINS]
    first = top[:LEVELS]
    bars = tuple(count for _, count in top)
    return ColumnSummary((), tuple(level for level, _ in first), tuple(count for _, count in first), bars)


def _of_dates(column: Column) -> ColumnSummary:
    instants = instants_of(column)
    entries = column.values[~column.missing]
    if instants is None or not entries.size:
        return ColumnSummary()
    seconds = instants.seconds
    present = seconds[np.isfinite(seconds)]
    ends = (str(column.values[int(np.nanargmin(seconds))]), str(column.values[int(np.nanargmax(seconds))]))
    bars = np.histogram(present, BINS)[0].tolist() if np.ptp(present) > 0 else [present.size]
    return ColumnSummary(bars=tuple(bars), dates=ends)
