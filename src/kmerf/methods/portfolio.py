"""One test of several: forests that look for different things, and quick tests without one, judged together.

No single statistic is best for all relations. How well a forest predicts y tells if its mean moves with x; the kernels
of trees grown on the ranks' location and spread, or on their shape, see the rest. Four RV coefficients see what many
columns share, however faint in each: the level or the spread of y moving along x, or away from its middle; for groups
a distance correlation and second moments do. Heller, Heller and Gorfine's test sees what happens near each row, at
every scale. Each member is fitted to the observed data and to the same permutations of y, and the largest of their
standardised statistics is the test's (`kmerf.nulls.combining`): what it costs to look for several things at once is
paid exactly. Members are given more of the level the more they lose by sharing it.
docs/power.md has the figures that chose all of this.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from kmerf.core.arrays import Ints, read_only
from kmerf.core.errors import Argument, Call, InputError, Message, choose
from kmerf.core.streams import Purpose, member_seed, stream
from kmerf.data.sample_values import Sample
from kmerf.forests import growing as forest
from kmerf.forests.spec import ForestSpec
from kmerf.methods.dcorr import Dcorr
from kmerf.methods.hhg import HHG
from kmerf.methods.kmerf import KMERF
from kmerf.methods.protocol import Fit, Method, Problem
from kmerf.methods.second_moments import Moments
from kmerf.methods.trend import NAMES as TRENDS
from kmerf.methods.trend import Trend

MOST_ROWS = dict.fromkeys(TRENDS.values(), 10_000) | {
    "Moments": 1000,
    "Dcorr": 2000,
    "Hsic": 2000,
    "HHG": 500,
    "MGC": 500,
}
"""That a member looks at: all but trends compare, or sort, all pairs of rows."""

MOST_CELLS = 10**7  # of x that such a member looks at, 80 MB, unless 2000 rows have more

FEW_ROWS = 100  # up to which the parts of the level are as `LEVELS` has them

NUMERIC: Mapping[str, Method] = {
    "mean": KMERF(ForestSpec(250, max_outputs=1), "either", statistic="prediction", target="location"),
    "spread": KMERF(
        ForestSpec(100, min_samples_leaf=3, bootstrap=False, max_samples="half", max_outputs=2),
        "either",
        "target",
        target="spread",
    ),
    "shape": KMERF(ForestSpec(100, min_samples_leaf=5, max_outputs=4), "oob", "target", target="shape"),
    "trend": Trend(),
    "bend": Trend(x=2),
    "flare": Trend(y=2),
    "pinch": Trend(x=2, y=2),
    "local": HHG(),
}
CLASSES: Mapping[str, Method] = {
    "fine": KMERF(ForestSpec(300), statistic="prediction"),
    "coarse": KMERF(ForestSpec(200, "all", 5, bootstrap=False, max_samples="half")),
    "distance": Dcorr(),
    "moments": Moments(),
    "local": HHG(),
}
LEVELS: Mapping[str, float] = {
    "mean": 0.8,
    "spread": 0.3,
    "shape": 0.15,
    "trend": 3.5,
    "bend": 0.1,
    "flare": 0.1,
    "pinch": 0.3,
    "local": 0.2,  # of numbers and of classes
    "fine": 2.0,
    "coarse": 1.5,
    "distance": 1.2,
    "moments": 0.6,
}


@dataclass(frozen=True)
class Portfolio:
    """Several tests as one: the default of `independence` and `ksample`.

    Members that cannot use missing values of x are given the median of the column in their place, and members that
    compare all pairs of rows a random 2000 to 500 of them, trends 10,000 (of wide tables fewer).

    Parameters
    ----------
    numeric
        The members for a numeric y, by the names that results show.
    classes
        The members for classes and groups.
    levels
        How the level of the test is divided among members, by name: relative to 1, which is for those it does not name.
        This is for 100 rows or fewer. With n rows, those of members without a forest are less by the root of 100 / n:
        the more rows, the more can be found that only forests see, and the less a plain trend needs.

    >>> list(Portfolio().numeric)
    ['mean', 'spread', 'shape', 'trend', 'bend', 'flare', 'pinch', 'local']

    """

    numeric: Mapping[str, Method] = field(default_factory=lambda: dict(NUMERIC))
    classes: Mapping[str, Method] = field(default_factory=lambda: dict(CLASSES))
    levels: Mapping[str, float] = field(default_factory=lambda: dict(LEVELS))

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "KMERF portfolio"

    def __post_init__(self) -> None:
        for argument in ("numeric", "classes"):
            if not getattr(self, argument):
                raise InputError(f"{argument} is empty: a portfolio needs at least one member.")
        known = list(dict.fromkeys([*self.numeric, *self.classes, *LEVELS]))  # the defaults may outnumber the members
        for name, level in self.levels.items():
            choose("levels", name, known)
            if not (isinstance(level, numbers.Real) and 1e-6 <= float(level) <= 1e6):
                raise InputError(
                    f"levels[{name!r}]={level!r} must be a number between 1e-6 and 1e6: 1 is an equal share."
                )

    def with_trees(self, n_trees: int) -> Portfolio:
        """Return the same portfolio with another number of trees in each of its forests.

        >>> Portfolio().with_trees(50).numeric["spread"].forest.n_trees
        50
        """
        numeric, classes = (
            {
                name: replace(method, forest=replace(method.forest, n_trees=n_trees))
                if isinstance(method, KMERF) and isinstance(method.forest, ForestSpec)
                else method
                for name, method in members.items()
            }
            for members in (self.numeric, self.classes)
        )
        return replace(self, numeric=numeric, classes=classes)

    def prepare(self, sample: Sample, seed: int) -> PortfolioProblem:
        """Make the sample ready for every member."""
        chosen = self.numeric if sample.y.codes is None else self.classes
        seeds = [member_seed(seed, k) for k in range(len(chosen))]
        columns = forest.presort(sample.x.values)  # once for all forests
        filled = _filled(sample)  # once for all others
        members = [
            method.prepare(sample, each, columns) if isinstance(method, KMERF) else _prepare(method, filled, each)
            for method, each in zip(chosen.values(), seeds, strict=True)
        ]
        shrunk = min(1.0, (FEW_ROWS / sample.n) ** 0.5)
        levels = (
            float(self.levels.get(name, 1.0)) * (1.0 if isinstance(method, KMERF) else shrunk)
            for name, method in chosen.items()
        )
        return PortfolioProblem(tuple(chosen), tuple(members), tuple(levels))


def _prepare(method: Method, sample: Sample, seed: int) -> Problem:
    few = max(2000, MOST_CELLS // sample.x.p)
    most = min(MOST_ROWS[method.name], few) if method.name in MOST_ROWS else sample.n
    if sample.n <= most:
        return method.prepare(sample, seed)
    rows = stream(seed, Purpose.MEMBER_ROWS).choice(sample.n, most, replace=False)
    return OnSomeRows(method, sample, seed, np.sort(rows))


def _filled(sample: Sample) -> Sample:
    """Put the median of a column in place of its missing values."""
    x = sample.x
    holes = np.isnan(x.values)
    if not holes.any():
        return sample
    known = ~holes.all(axis=0)  # a column with nothing in it says nothing: zeros
    medians = np.zeros(holes.shape[1])
    medians[known] = np.nanmedian(x.values[:, known], axis=0)
    values = read_only(np.where(holes, medians, x.values))
    return replace(sample, x=replace(x, values=values, missing=(0,) * x.p))


@dataclass(frozen=True, eq=False)
class PortfolioProblem:
    """A sample made ready for every member of a portfolio."""

    names: tuple[str, ...]
    problems: tuple[Problem, ...]
    levels: tuple[float, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return max(problem.n for problem in self.problems)

    @property
    def learns(self) -> bool:
        """Whether something is fitted to y."""
        return any(problem.learns for problem in self.problems)

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, reasons: bool = False) -> Fit:
        """Return what every member finds with row i of x beside row `order[i]` of y."""
        fits = [problem.fit(order, refit, n_jobs, reasons) for problem in self.problems]
        named = zip(self.names, self.levels, fits, strict=True)
        return Fit(tuple(part._replace(name=name, level=level) for name, level, fit in named for part in fit.parts))

    def doubts(self) -> str | None:
        """Raise, unless there is one member, which may have a chi-square null."""
        if len(self.problems) == 1:
            return self.problems[0].doubts()
        raise InputError(
            "has no meaning for a portfolio of tests",
            argument=Argument("null", Call("ChiSquare")),
            remedy=Message("use another null, or ", Argument("method", Call("kmerf.KMERF"))),
        )


@dataclass(frozen=True, eq=False)
class OnSomeRows:
    """A problem of which a random part of the rows is looked at, the same part of x in every permutation of y."""

    method: Method
    sample: Sample
    seed: int
    rows: Ints

    @property
    def n(self) -> int:
        """Number of rows, of which only some are looked at."""
        return self.sample.n

    @property
    def learns(self) -> bool:
        """What is cheap on few rows is prepared again for each permutation."""
        return False

    def fit(self, order: Ints, refit: int, n_jobs: int = 1, reasons: bool = False) -> Fit:
        """Return what the method finds on the chosen rows of x, beside the rows of y that stand there."""
        x, y = self.sample.x, self.sample.y
        part = replace(x, values=np.ascontiguousarray(x.values[self.rows]))
        found = self.method.prepare(Sample(part, y.take(order[self.rows]), 0, ()), self.seed)
        return found.fit(np.arange(self.rows.size), refit, n_jobs, reasons)

    def doubts(self) -> str | None:
        """Not asked: a member of a portfolio has no null of its own."""
        return None
