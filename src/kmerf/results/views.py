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
    """Of the bins: categories, or "missing"; empty for a bin of numbers."""
    at: Floats
    """Median of the feature in each bin; NaN for categories and missing values."""
    size: Ints
    """Rows of each bin."""
    observed: Floats
    """Mean of y, or share of each class (bins, q)."""
    predicted: Floats
    """Mean out-of-bag prediction (bins, q)."""
    error: Floats | None = None
    """Standard error of the bin's mean (bins, q), from what the predictions miss by; NaN in a bin of one row."""
    kind: str = "predicted"
    """What `predicted` holds: out-of-bag predictions, "means" of y, or "adjusted" means, with z or what blocks differ
    by removed."""
    spread: Floats | None = None
    """Standard deviation of y in each bin (bins, q); NaN in a bin of one row."""
    by_class: Floats | None = None
    """Of classes and a feature of numbers: rows with a value, mean and standard deviation in each class (q, 3)."""


@dataclass(frozen=True, eq=False)
class RowMap(Record):
    """A map of the rows."""

    KEYS: ClassVar = ("rows", "points", "y", "shares")

    rows: Ints
    """Which rows are on it, counted from 0 among those used."""
    points: Floats
    """Where they are (rows, 2), the largest coordinate 1."""
    shares: tuple[float, float]
    """What each of the two directions has of the whole, the sum of the positive eigenvalues."""
    y: Floats
    """What to colour them by: y, or its first column; for classes, the number of the class."""


@dataclass(frozen=True, eq=False)
class DataPoints(Record):
    """Some of the rows as they are: the most important features, and y."""

    rows: Ints
    """Which rows, counted from 0 among those used."""
    features: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    """The categories of each feature; empty for numbers."""
    x: Floats
    """Values (rows, features), of categories their number; NaN where one is missing."""
    y_names: tuple[str, ...]
    """The columns of y."""
    y: Floats
    """Y, or its first column; for classes, the number of the class."""
    more_y: Floats | None = None
    """The other columns of a numeric y (rows, q - 1); None if it has one."""
    blocks: Ints | None = None
    """The block of each row, where rows belong together; None without blocks."""
    adjusted: Floats | None = None
    """Given z, a numeric y beside each feature with z removed (rows, features); None where nothing was given."""


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
    """Rows that are followed until each time or longer."""


@dataclass(frozen=True, eq=False)
class SurvivalCurves(Record):
    """How long rows last without an event, by one column of x."""

    feature: str
    time: str
    """The column that holds the times."""
    curves: tuple[SurvivalCurve, ...]
    event: str = ""
    """The column that holds the events."""
    left_out: int = 0
    """Categories that have no curve, those with fewest rows."""
    soonest: str = ""
    """The curve whose rows have events clearly sooner than the others; empty where none has."""
    cut: bool = False
    """Whether a column of numbers was cut where its two sides differ most."""
    adjusted: tuple[str, ...] = ()
    """The columns of z for which rows are weighted; empty if rows count alike."""


@dataclass(frozen=True, eq=False)
class Details(Record):
    """What `details=True` adds to a result."""

    importances: Importances | None
    """What is lost when a feature is permuted, also if the importances of the result are gains."""
    rows: Floats | None
    """The share of each row in the kernel correlation, to which they add up, in the order of the rows that were used;
    with several forests, the mean over those whose kernel of y can be taken apart."""
    profiles: tuple[Profile, ...]
    """How y moves with each of the most important features."""
    embedding: RowMap | None = None
    """A map of the rows, or of 500 of them, by how alike the forests find them."""
    points: DataPoints | None = None
    """The most important features and y in some 500 rows, for pictures."""
    survival: SurvivalCurves | None = None
    """Of a censored outcome, Kaplan-Meier curves by the most important feature."""


Sketch = tuple[tuple[float, ...], ...]
"""Points (x, mean of y) along a column; for classes, (lower quartile, median, upper quartile) of the column in each.
Categories have (place, lower end, mean, upper end) of y or, of two classes, (place, share of the second)."""


@dataclass(frozen=True, eq=False)
class ColumnEffects(Record):
    """How strong the relation of y with each column of a screen is, and which way it goes."""

    sizes: Floats
    """Share of the variance of ranks that the other side explains, adjusted for chance; 0 is none, 1 is all of it."""
    directions: tuple[str, ...]
    """"rises", "falls", "neither" or "highest in ...": y along the column, or the column among classes. Of a censored y
    "sooner", "later", "neither" or "soonest in ...": when events come as the column rises."""
    sketches: dict[str, Sketch] = field(default_factory=dict)
    """Small pictures of the columns selected, by name."""


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
    """What it holds, in short."""
    picture: str = ""
    """The histogram in one line."""


@dataclass(frozen=True, repr=False)
class Description(Paged, Record):
    """What `kmerf.describe` returns; it prints as a table."""

    rows: int
    columns: tuple[DescribedColumn, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What has to be decided before the table can be tested, each with its remedy."""

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
