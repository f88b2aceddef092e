"""What a test returns: a frozen value that prints as a small table, unpacks as (statistic, p-value), and goes to JSON.

A result holds everything that is needed to repeat it on the same data: the settings and the seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf._version import __version__
from kmerf.core.errors import Argument, InputError, choose, needs
from kmerf.results.parts import (
    Adjustment,
    Change,
    Effect,
    FeatureTests,
    Importances,
    Kind,
    Margin,
    Member,
    Members,
    Names,
    NullResult,
    Pair,
)
from kmerf.results.records import Reported, frame
from kmerf.results.views import Details

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Result(Reported):
    """The result of `independence`, `ksample` or `conditional`."""

    question: str
    """"independence", "ksample" or "conditional"."""
    method: str
    statistic: float
    pvalue: float
    null: NullResult
    importances: Importances | None
    n: int
    p: int
    q: int
    y_kind: str
    """"numeric", "categorical" or "censored": how y was read."""
    groups: dict[str, int]
    """Rows in each class or group; empty for a numeric y."""
    settings: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()
    """What kmerf did to the data, and warnings."""
    version: str = __version__
    features: FeatureTests | None = None
    """P-values of the features, if forests were refitted to permuted y."""
    feature_groups: FeatureTests | None = None
    """P-values of the groups of features, if you passed `feature_groups=`."""
    effect: Effect | None = None
    """How strong the relation is."""
    pairwise: tuple[Pair, ...] = ()
    """Comparisons of each pair of groups, if you passed `pairwise=True`."""
    statistic_error: float = 0.0
    """Standard error of the statistic: 0 unless the variance of the kernel is estimated from a sample of rows."""
    members: tuple[Member, ...] = ()
    """The members of a combined test; empty for a single test."""
    details: Details | None = None
    """Views of the data and the forest, if you passed `details=True`."""
    adjustment: Adjustment | None = None
    """The covariates that the test adjusts for, if any."""
    events: int | None = None
    """Number of events of a censored y; all other rows are censored."""
    untested: dict[str, str] = field(default_factory=dict)
    """Columns that cannot be tested with these blocks, with the reason. They have no p-value."""
    units: dict[str, str] = field(default_factory=dict)
    """The units of columns that have one, such as "kg" or "%"."""
    names: Names | None = None
    """The names of the columns of x and y."""
    changes: tuple[Change, ...] = ()
    """What changes with the ten most informative columns: direction and size in the units of the data."""
    kinds: tuple[Kind, ...] = ()
    """Tests of the kinds of change: level, spread, shape and joint. Empty if the test does not reject."""
    margin: Margin | None = None
    """Whether the effect is below or above the margin, if you passed `margin=`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", Members(self.members))

    @property
    def words(self) -> dict[str, Any]:
        """The first lines of the printed result: question, headline, p-value, effect, changes and others."""
        from kmerf.show.head import head

        return head(self).to_dict()

    def paragraph(self) -> str:
        """Return a paragraph for a paper, with methods, result, software, version, seed and citations."""
        from kmerf.show.head import paragraph

        return paragraph(self)

    def in_full(self) -> str:
        """Return the complete result as text: what `print` shows, and members, features, seed and settings."""
        from kmerf.show.text import full_lines

        return "\n".join(full_lines(self))

    def __iter__(self) -> Iterator[float]:
        """Unpack as `statistic, pvalue`."""
        return iter((self.statistic, self.pvalue))

    def to_frame(self, part: str = "answer", library: str | None = None) -> Any:
        """Return a part of the result as a dataframe: "answer" (one row), "features", "members" or "pairs".

        `library` is "pandas", "polars" or "pyarrow"; by default the first of these that is installed.

        >>> import kmerf
        >>> result = kmerf.independence([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], method="dcorr", rng=1)
        >>> result.to_frame(library="polars")["n"].to_list()
        [5]
        """
        choose("part", part, ("answer", "features", "members", "pairs"))
        if part == "features":
            return self._features_frame(part, library)
        if part == "answer":
            rows: list[dict[str, Any]] = [self._summary()]
        else:
            rows = [{**vars(each)} for each in (self.members if part == "members" else self.pairwise)]
            for row in rows:
                row.pop("importances", None)
                if part == "pairs":
                    change = row.pop("change")
                    names = {"column": "column", "difference": "estimate", "low": "low", "high": "high"}
                    row |= {name: None if change is None else getattr(change, key) for name, key in names.items()}
        return frame({name: [row[name] for row in rows] for name in (rows[0] if rows else ())}, library)

    def _summary(self) -> dict[str, Any]:
        plain = ("question", "method", "statistic", "pvalue", "n", "p", "y_kind", "seed", "version")
        effect = self.effect
        return {name: getattr(self, name) for name in plain} | {
            "null": self.null.name,
            "extrapolated": self.null.extrapolated,
            "effect_measure": "" if effect is None else effect.measure,
            "effect": None if effect is None else effect.score,
        }

    def _features_frame(self, part: str, library: str | None) -> Any:
        table, tests = self.importances, self.features
        if table is not None:
            names, numbers = table.names, {f"importance_{key}": getattr(table, key) for key in ("mean", "low", "high")}
        elif tests is not None:  # given z: what each column shares with y
            names, numbers = tests.names, {"importance_mean": tests.importance}
        else:
            why = f"{self.method} has no forest that shows what features do"
            if self.adjustment is not None:
                why = "given z, a single feature has the p-value of the whole answer"
            raise InputError(f": {why}", argument=Argument("part", part), remedy="use another part")
        order = np.argsort(-numbers["importance_mean"], kind="stable")
        columns: dict[str, Any] = {"feature": [names[i] for i in order]}
        columns |= {key: values[order].tolist() for key, values in numbers.items()}
        for key in ("pvalues", "adjusted_fwer", "adjusted_fdr") if tests is not None else ():
            columns[key.removesuffix("s")] = getattr(tests, key)[order].tolist()
        if self.untested:
            columns = {name: [*values, *[None] * len(self.untested)] for name, values in columns.items()}
            columns["feature"][order.size :] = self.untested
            columns["remark"] = [""] * order.size + list(self.untested.values())
        return frame(columns, library)

    def plot(self, *, most: int = 15, ax: Axes | None = None) -> Figure:
        """Draw the statistic among the permuted ones, and the `most` important features with their p-values.

        The figure is matplotlib's (`figure.savefig("out.pdf")`), and shows itself in a notebook. With `ax`, the first
        of the two is drawn there. `kmerf.figures` draws each part by itself, and how y changes with the features.
        """
        with needs("plot"):
            from kmerf.figures import plot_result

            return plot_result(self, most=most, ax=ax)


Result.KEYS = (*(each.name for each in fields(Result)), "words")
