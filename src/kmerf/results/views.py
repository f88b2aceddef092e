"""What a result holds beyond its numbers: views of the data, effects of the columns of a screen, a table as it is read.

`Details` is what `details=True` adds to a test: profiles of y along features, a map of the rows, some rows as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from kmerf.core.arrays import Floats, Ints
from kmerf.core.errors import needs
from kmerf.results.parts import Importances
from kmerf.results.records import Paged, Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Profile(Record):
    """Means of y along one feature, bin by bin."""

    feature: str
    labels: tuple[str, ...]
    """The label of each bin: a category, or "missing"; empty for a range of numbers."""
    at: Floats
    """Median of the feature in each bin; NaN for categories and missing values."""
    size: Ints
    """The number of rows in each bin."""
    observed: Floats
    """The mean of y, or the share of each class (bins, q)."""
    predicted: Floats
    """The mean out-of-bag prediction (bins, q)."""
    error: Floats | None = None
    """Standard error of the mean of each bin (bins, q), from prediction errors; NaN for a bin with one row."""
    kind: str = "predicted"
    """What `predicted` contains: "predicted" for out-of-bag predictions, "means" of y, or "adjusted" means, after z or
    block means are removed."""
    spread: Floats | None = None
    """Standard deviation of y in each bin (bins, q); NaN for a bin with one row."""
    by_class: Floats | None = None
    """For classes and a numeric feature: number of rows, mean and standard deviation of the feature in each class (q,
    3)."""


@dataclass(frozen=True, eq=False)
class RowMap(Record):
    """A map of the rows."""

    KEYS: ClassVar = ("rows", "points", "y", "shares")

    rows: Ints
    """The rows on the map, counted from 0 among the rows used."""
    points: Floats
    """Their coordinates (rows, 2), scaled so that the largest is 1."""
    shares: tuple[float, float]
    """The share of each of the two directions in the sum of the positive eigenvalues."""
    y: Floats
    """Values for the colours: y, or its first column; for classes, the number of the class."""


@dataclass(frozen=True, eq=False)
class DataPoints(Record):
    """Values of the most important features and of y, for some of the rows."""

    rows: Ints
    """The rows, counted from 0 among the rows used."""
    features: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    """The categories of each feature; empty for numeric features."""
    x: Floats
    """The values (rows, features), with numbers for categories and NaN for missing values."""
    y_names: tuple[str, ...]
    """The columns of y."""
    y: Floats
    """Y, or its first column; for classes, the number of the class."""
    more_y: Floats | None = None
    """The other columns of a numeric y (rows, q - 1); None if y has one column."""
    blocks: Ints | None = None
    """The block of each row; None without blocks."""
    adjusted: Floats | None = None
    """Given z, a numeric y with z removed, for each feature (rows, features); None without z."""


@dataclass(frozen=True, eq=False)
class SurvivalCurve(Record):
    """The Kaplan-Meier estimate for some of the rows."""

    label: str
    size: int
    events: int
    times: Floats
    surviving: Floats
    """The share without an event just after each time."""
    low: Floats | None = None
    """The lower end of its 95 % interval (Greenwood's variance, on the scale of log(-log S))."""
    high: Floats | None = None
    at_risk: Floats | None = None
    """The number of rows at risk at each time."""


@dataclass(frozen=True, eq=False)
class SurvivalCurves(Record):
    """Kaplan-Meier curves of a censored outcome, by one column of x."""

    feature: str
    time: str
    """The column that holds the times."""
    curves: tuple[SurvivalCurve, ...]
    event: str = ""
    """The column that holds the events."""
    left_out: int = 0
    """The number of categories without a curve: those with the fewest rows."""
    soonest: str = ""
    """The curve whose rows clearly have events sooner than the others; empty if there is none."""
    cut: bool = False
    """Whether a numeric column was cut at the value where the two sides differ most."""
    adjusted: tuple[str, ...] = ()
    """The columns of z for which rows are weighted; empty if all rows have the same weight."""


@dataclass(frozen=True, eq=False)
class Details(Record):
    """What `details=True` adds to a result."""

    importances: Importances | None
    """Permutation importances, even if the importances of the result are gains."""
    rows: Floats | None
    """The contribution of each row to the kernel correlation, in the order of the rows used. The contributions add up
    to the correlation. With several forests, the mean over those for which it can be computed."""
    profiles: tuple[Profile, ...]
    """How y changes with each of the most important features."""
    embedding: RowMap | None = None
    """A map of the rows, or of 500 of them, by their similarity in the forests."""
    points: DataPoints | None = None
    """The most important features and y for about 500 rows, for pictures."""
    survival: SurvivalCurves | None = None
    """Kaplan-Meier curves by the most important feature, for a censored outcome."""


Sketch = tuple[tuple[float, ...], ...]
"""Points (x, mean of y) along a column; for classes, (lower quartile, median, upper quartile) of the column in each.
Categories have (place, lower end, mean, upper end) of y or, of two classes, (place, share of the second)."""


@dataclass(frozen=True, eq=False)
class ColumnEffects(Record):
    """Strength and direction of the relation of y with each column of a screen."""

    sizes: Floats
    """The share of the variance of ranks that is explained, adjusted for chance, from 0 to 1."""
    directions: tuple[str, ...]
    """"rises", "falls", "neither" or "highest in ...": how y changes with the column, or the column between classes.
    For a censored y "sooner", "later", "neither" or "soonest in ...": when events occur as the column rises."""
    sketches: dict[str, Sketch] = field(default_factory=dict)
    """Small pictures of the selected columns, by name."""


@dataclass(frozen=True)
class DescribedColumn(Record):
    """One column of a table."""

    name: str
    role: str
    """"x", "y" or "left out"."""
    kind: str
    """"numeric", "boolean", "categorical", "text", "date" or "other"."""
    missing: int
    distinct: int | None
    """Number of distinct values, without missing ones; None if they cannot be compared."""
    remark: str
    unit: str = ""
    quantiles: tuple[float, ...] = ()
    """Minimum, lower quartile, median, upper quartile and maximum of numbers."""
    levels: tuple[str, ...] = ()
    """The most frequent labels."""
    counts: tuple[int, ...] = ()
    """Rows of these labels."""
    bars: tuple[int, ...] = ()
    """A histogram: rows in parts of the range, or of the most frequent labels."""
    values: str = ""
    """A short description of its values."""
    picture: str = ""
    """The histogram in one line."""


@dataclass(frozen=True, repr=False)
class Description(Paged, Record):
    """What `kmerf.describe` returns; it prints as a table."""

    rows: int
    columns: tuple[DescribedColumn, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What you have to decide before you can test the table, each with a remedy."""

    def __str__(self) -> str:
        from kmerf.show.text import lines

        return "\n".join(lines(self))

    def __repr__(self) -> str:
        return str(self)

    def plot(self, *, columns: int = 4) -> Figure:
        """Draw what each column holds: a histogram of numbers, or rows of the most frequent labels."""
        with needs("plot"):
            from kmerf.figures import plot_description

            return plot_description(self, columns=columns)

    def _repr_html_(self) -> str:
        """Return the table of columns, for notebooks."""
        from kmerf.show.notebook import html

        return html(self)
