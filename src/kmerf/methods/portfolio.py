"""One test of several: forests that look for different things, and quick tests without one, judged together.

No single statistic is best for all relations. How well a forest predicts y tells if its mean moves with x; the kernels
of trees grown on the ranks' location and spread, or on their shape, see the rest. Four RV coefficients see what many
columns share, even if it is faint in each: the level or the spread of y moves along x, or away from its middle. For
groups a distance correlation and second moments do. Heller, Heller and Gorfine's test sees what happens near each row,
at every scale. Each member is fitted to the observed data and to the same permutations of y, and the largest of their
standardised statistics is the test's (`kmerf.nulls.combining`), so the price of looking for several things at once is
paid exactly. Members are given more of the level the more they lose by sharing it. docs/power.md has the figures that
chose all of this.

`MEMBERS` is the one table of the default. How many rows a member looks at and what it asks, its method says.
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
from kmerf.methods.protocol import Fit, Method, Problem, Wording, grows_forest, row_limit, wording
from kmerf.methods.second_moments import Moments
from kmerf.methods.trend import Trend

MOST_CELLS = 10**7  # of x that a member with a limit of rows looks at, 80 MB, unless 2000 rows have more

FEW_ROWS = 100  # up to which members have their parts of the level as they are set


@dataclass(frozen=True)
class PortfolioMember:
    """One of the tests of the default portfolio."""

    name: str
    """That results show."""
    method: Method
    level: float
    """Its part of the level of the test, relative to 1."""
    kinds: tuple[str, ...]
    """Of y that it is for."""


_NUMBERS, _GROUPS = ("numeric",), ("categorical",)

MEMBERS = (
    PortfolioMember(
        "mean",
        KMERF(ForestSpec(250, max_outputs=1), "either", statistic="prediction", target="location"),
        0.8,
        _NUMBERS,
    ),
    PortfolioMember(
        "spread",
        KMERF(
            ForestSpec(100, min_samples_leaf=3, bootstrap=False, max_samples="half", max_outputs=2),
            "either",
            "target",
            target="spread",
        ),
        0.3,
        _NUMBERS,
    ),
    PortfolioMember(
        "shape",
        KMERF(ForestSpec(100, min_samples_leaf=5, max_outputs=4), "oob", "target", target="shape"),
        0.15,
        _NUMBERS,
    ),
    PortfolioMember("trend", Trend(), 3.5, _NUMBERS),
    PortfolioMember("bend", Trend(x=2), 0.1, _NUMBERS),
    PortfolioMember("flare", Trend(y=2), 0.1, _NUMBERS),
    PortfolioMember("pinch", Trend(x=2, y=2), 0.3, _NUMBERS),
    PortfolioMember("fine", KMERF(ForestSpec(300), statistic="prediction"), 2.0, _GROUPS),
    PortfolioMember("coarse", KMERF(ForestSpec(200, "all", 5, bootstrap=False, max_samples="half")), 1.5, _GROUPS),
    PortfolioMember("distance", Dcorr(), 1.2, _GROUPS),
    PortfolioMember("moments", Moments(), 0.6, _GROUPS),
    PortfolioMember("local", HHG(), 0.2, _NUMBERS + _GROUPS),
)
"""The default portfolio. Its members have their random numbers by their order."""


def default_members(kind: str) -> dict[str, Method]:
    """Return the default members for a kind of y, by name.

    >>> list(default_members("categorical"))
    ['fine', 'coarse', 'distance', 'moments', 'local']
    """
    return {member.name: member.method for member in MEMBERS if kind in member.kinds}


def default_levels() -> dict[str, float]:
    """Return the parts of the level that the default members have, by name."""
    return {member.name: member.level for member in MEMBERS}


@dataclass(frozen=True)
class Portfolio:
    """Several tests as one: the default of `independence` and `ksample`.

    Members without a forest are given the median of the column in place of missing values of x. Where there are more
    rows than a member looks at (`most_rows`: 500 to 2000 where it compares all pairs, 10,000 for trends; of wide tables
    fewer), it is given a random part of them.

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

    numeric: Mapping[str, Method] = field(default_factory=lambda: default_members("numeric"))
    classes: Mapping[str, Method] = field(default_factory=lambda: default_members("categorical"))
    levels: Mapping[str, float] = field(default_factory=default_levels)

    @property
    def name(self) -> str:
        """The name that results and figures show."""
        return "KMERF portfolio"

    def __post_init__(self) -> None:
        for argument in ("numeric", "classes"):
            if not getattr(self, argument):
                raise InputError(f"{argument} is empty: a portfolio needs at least one member.")
        known = list(dict.fromkeys([*self.numeric, *self.classes, *default_levels()]))  # defaults may outnumber members
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
            {name: method.with_trees(n_trees) if grows_forest(method) else method for name, method in members.items()}
            for members in (self.numeric, self.classes)
        )
        return replace(self, numeric=numeric, classes=classes)

    def prepare(self, sample: Sample, seed: int) -> PortfolioProblem:
        """Make the sample ready for every member."""
        classes = sample.y.codes is not None
        chosen = self.classes if classes else self.numeric
        seeds = [member_seed(seed, k) for k in range(len(chosen))]
        columns = forest.presort(sample.x.values)  # once for all forests
        filled = _filled(sample)  # once for all others
        problems = [
            method.prepare(sample, own, columns) if grows_forest(method) else _prepare(method, filled, own)
            for method, own in zip(chosen.values(), seeds, strict=True)
        ]
        wordings = [wording(method, classes) for method in chosen.values()]
        return PortfolioProblem(tuple(chosen), tuple(problems), self._levels(chosen, sample.n), tuple(wordings))

    def _levels(self, chosen: Mapping[str, Method], n: int) -> tuple[float, ...]:
        shrunk = min(1.0, (FEW_ROWS / n) ** 0.5)
        return tuple(
            float(self.levels.get(name, 1.0)) * (1.0 if grows_forest(method) else shrunk)
            for name, method in chosen.items()
        )


def _prepare(method: Method, sample: Sample, seed: int) -> Problem:
    limit = row_limit(method)
    most = sample.n if limit is None else min(limit, max(2000, MOST_CELLS // sample.x.p))
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
    wordings: tuple[Wording, ...]

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
        known = zip(self.names, self.levels, self.wordings, fits, strict=True)
        return Fit(
            tuple(
                part._replace(name=name, level=level, wording=wording)
                for name, level, wording, fit in known
                for part in fit.parts
            )
        )

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
        problem = self.method.prepare(Sample(part, y.take(order[self.rows]), 0, ()), self.seed)
        return problem.fit(np.arange(self.rows.size), refit, n_jobs, reasons)

    def doubts(self) -> str | None:
        """Not asked: a member of a portfolio has no null of its own."""
        return None
