"""How many rows do I need? The power of a test by the number of rows, from a pilot.

From a pilot to power with any number of rows: random parts of the pilot are tested, and their scores extrapolated.

**Scores of parts.** A part of m of the n rows, drawn without replacement, is what a study of m rows would have been: no
row is there twice, so nothing makes the relation look stronger than it is. (Rows drawn with replacement repeat, and a
forest recognises them.) In each part y is also permuted once; these statistics, of all parts of a size, are the null of
that size. From each statistic the null's mean is subtracted, and it is divided by the null's sd, so that all sizes have
one scale. The sd is taken to be a power of the size: that of a few skewed values alone is too small more often than
not, and then the relation looks stronger than it is. Scores (`kmerf.nulls.definitions`) use the null of all sizes
together, which says more about its skewness than one size can; a permuted statistic is left out of the null that it is
scored by.

**Growth.** Scores are on the scale of their null. With m rows, let d(m) be their mean under the relation. Two things
hold well on relations of many kinds, for tests with forests and without: the mean grows as a power of the rows,

    d(m) = a (m / M)^b,    b about 0.9,

with M the largest part, and the scores' variance grows with it, 1 + k d. Such scores are skewed, as sums of squares
are. Their root h has variance 1 for all d and is nearly normal, so the power is

    power(n) = Phi(h(d(n)) - k / (4 sqrt(1 + k d(n))) - h(c)),    h(s) = (2 / k) (sqrt(1 + k s) - 1),

with c the upper quantile of the null; the middle term is how much the mean of the root is below the root of the
mean. (Were scores taken to be normal, the power would come out too high where it is about one half.) a and b come
from the means of all sizes. b is held near what it was on other relations by a normal prior, as a pilot says little
about it. As scores are skewed, a pilot's is below d more often than above; k / 4 times the share of the pilot that the
largest parts have is added to a, so that the estimated power is too low as often as it is too high.

**Interval.** What is known of a is limited by the pilot, and not by how often it is cut into parts: the mean score of
all parts of m of n rows has at least m / n of the variance of one score. So h(a), whose variance does not depend on a,
has the standard error 1.2 sqrt(M / n + (1 - M / n) / R) with R parts. The ends of its interval, and those of b, are
carried to n rows, where their distances from h(d(n)) are added as squares. A pilot whose interval of a holds 0 could be
without any relation, and then no number of rows is known to be enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, explain_unknown, share, whole
from kmerf.core.settings import LEVEL, as_plain
from kmerf.core.streams import Purpose, seed_for, stream
from kmerf.data.sample import Sample, draw_rows, take_rows, untestable
from kmerf.execution import parallel
from kmerf.execution.parallel import Execution
from kmerf.explain.changes import names_of
from kmerf.methods.protocol import Method
from kmerf.methods.registry import choose_method
from kmerf.nulls.definitions import combine_many
from kmerf.questions.answer import Choice
from kmerf.reading import samples
from kmerf.reading.named_columns import several
from kmerf.results.power_curve import PowerCurve

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.core.streams import Seed
    from kmerf.execution.progress import Progress
    from kmerf.methods.protocol import Method
    from kmerf.nulls.judging import Run


_MAX_ATTEMPTS = 50  # to draw rows that can be tested
_MIN_SD = 1e-12


class PartStatistics(NamedTuple):
    """The statistics of one part, as observed and with y permuted, and what each counts."""

    observed: Floats
    permuted: Floats
    weights: Floats


class Scores(NamedTuple):
    """Scores of the parts of one size, on the scale of their null: mean 0 and sd 1 where there is no relation."""

    size: int
    observed: Floats
    permuted: Floats
    members: int = 1
    """How many statistics there are in a score."""


@dataclass(frozen=True, eq=False)
class PartTest:
    """The test of one part, by the number of the part; a value, so that it can be sent to a worker."""

    sample: Sample
    method: Method
    seed: int
    sizes: Sequence[int]

    def __call__(self, number: int) -> PartStatistics:
        """Draw the rows of a part, and fit the method to them as they are and with y permuted."""
        rng = stream(self.seed, Purpose.PART_OF_PILOT, number)
        part = self._draw(self.sizes[number % len(self.sizes)], rng)
        problem = self.method.prepare(part, seed_for(self.seed, Purpose.PART_OF_PILOT, number))
        fit = problem.fit(np.arange(part.n), 0)
        return PartStatistics(fit.statistics, problem.fit(rng.permutation(part.n), 1).statistics, fit.weights)

    def _draw(self, size: int, rng: np.random.Generator) -> Sample:
        for _ in range(_MAX_ATTEMPTS):
            part = take_rows(self.sample, draw_rows(self.sample, size, rng))
            lack = untestable(part)
            if lack is None:
                return part
        finding = f": nearly every part of {size} rows has {lack}"
        raise InputError(finding, argument="x", remedy="collect a larger pilot")


def score_parts(sample: Sample, method: Method, sizes: Sequence[int], parts: int, run: Run) -> list[Scores]:
    """Return the scores of so many random parts of each size."""
    job = PartTest(sample, method, run.seed, tuple(sizes))
    numbers = range(parts * len(sizes))
    done = parallel.run(job, numbers, n_jobs=run.n_jobs, backend=run.backend, progress=run.progress)
    return part_scores({size: done[k :: len(sizes)] for k, size in enumerate(sizes)})


def part_scores(parts: Mapping[int, Sequence[PartStatistics]]) -> list[Scores]:
    """Return the scores of parts, by their size, on the scale of the permuted statistics of all sizes together."""
    observed = [np.array([part.observed for part in each]) for each in parts.values()]
    permuted = [np.array([part.permuted for part in each]) for each in parts.values()]
    scales = null_scales(list(parts), permuted)
    centres = [each.mean(axis=0) for each in permuted]
    observed, permuted = (
        [(each - centre) / scale for each, centre, scale in zip(rows, centres, scales, strict=True)]
        for rows in (observed, permuted)
    )
    every_null = np.concatenate(permuted)
    ends = np.cumsum([len(each) for each in permuted])
    pairs = []
    for own, end, each in zip(observed, ends, parts.values(), strict=True):
        scores, null = combine_many(own, every_null, each[0].weights)
        pairs.append((scores, null[end - len(own) : end]))
    null = np.concatenate([own for _, own in pairs])
    centre, spread = float(null.mean()), max(float(null.std(ddof=1)), _MIN_SD)
    members = every_null.shape[1]
    return [
        Scores(size, (own - centre) / spread, (null - centre) / spread, members)
        for size, (own, null) in zip(parts, pairs, strict=True)
    ]


def null_scales(sizes: Sequence[int], permuted: Sequence[Floats]) -> Floats:
    """Return the sd (S, k) of permuted statistics, S arrays (R, k), as a power of the size of the parts.

    >>> two, four = np.array([[0.0], [2.0]]), np.array([[0.0], [4.0]])
    >>> null_scales([10, 20], [two, four]).ravel().round(3).tolist()
    [1.414, 2.828]
    """
    variances = np.array([np.maximum(each.var(axis=0, ddof=1), _MIN_SD**2) for each in permuted])
    away = np.log(sizes) - np.log(sizes).mean()
    slope = away @ np.log(variances) / max(float(away @ away), _MIN_SD)
    shape = np.exp(away[:, None] * slope)
    return np.asarray(np.sqrt((variances / shape).mean(axis=0) * shape))


USUAL_GROWTH, GROWTH_SPREAD = 0.9, 0.25  # of b over relations
USUAL_VARIANCE, VARIANCE_SPREAD = 0.8, 0.5  # of k over relations
_SE_INFLATION = 1.2  # for estimating k, c and the null's scale: without it intervals held the truth 0.91 of the time
_MODEL_ERROR = 0.15  # sd of means about the curve, beyond chance
_MIN_VARIANCE = 0.05  # of k
_COMBINED_LEVEL = 0.9  # of level 0.05: how often a test of several members rejects true nulls (docs/validity.md)
_GROWTHS = np.linspace(0.25, 2.0, 141)
_NORMAL = NormalDist()


class Growth(NamedTuple):
    """How the mean score grows with the rows."""

    at: int
    """M, the rows that `mean` is for."""
    mean: float
    """a: the mean score with M rows."""
    error: float
    """Standard error of the root h of a."""
    exponent: float
    """b."""
    exponent_error: float
    variance: float
    """k: by how much the variance of scores grows with their mean."""
    critical: float
    """c: the score from which the test rejects."""
    level: float
    """How often the test rejects where there is no relation."""

    def root(self, mean: Floats) -> Floats:
        """Return h of mean scores of at least 0."""
        return np.asarray(2.0 / self.variance * (np.sqrt(1.0 + self.variance * mean) - 1.0))

    def mean_of(self, root: float) -> float:
        """Return the mean score that has a root; 0 where that is below 0."""
        return ((1.0 + self.variance * max(root, 0.0) / 2.0) ** 2 - 1.0) / self.variance

    def roots(self, rows: Ints, z: float) -> tuple[Floats, Floats, Floats]:
        """Return h of the mean score with so many rows, and the ends of its interval, z standard errors away."""
        factor, mean = rows / self.at, max(self.mean, 0.0)
        middle = self.root(mean * factor**self.exponent)
        own = float(self.root(np.array(mean)))
        steeper = np.where(factor < 1.0, -z, z) * self.exponent_error  # such that there are more scores, not fewer
        ends = []
        for side in (-1.0, 1.0):
            by_height = self.root(self.mean_of(own + side * z * self.error) * factor**self.exponent)
            by_growth = self.root(mean * factor ** (self.exponent + side * steeper))
            ends.append(np.maximum(middle + side * np.hypot(by_height - middle, by_growth - middle), 0.0))
        return middle, ends[0], ends[1]

    def power(self, roots: Floats) -> Floats:
        """Return the power where the mean score has this root; no less than without a relation."""
        # the mean of roots is below the root of the mean
        z = roots - self.variance / (4.0 + 2.0 * self.variance * roots) - self.root(np.array(self.critical))
        return np.maximum([_NORMAL.cdf(float(each)) for each in z], self.level)


def fit_growth(scores: Sequence[Scores], n: int, level: float) -> Growth:
    """Fit the curve to the scores of parts of a pilot of n rows."""
    sizes = np.array([each.size for each in scores], dtype=np.float64)
    means = np.array([each.observed.mean() for each in scores])
    parts, share = scores[0].observed.size, sizes.max() / n
    level *= _COMBINED_LEVEL if scores[0].members > 1 else 1.0
    null = np.concatenate([each.permuted for each in scores])
    critical = float(np.quantile(null, 1.0 - level, method="weibull"))  # another one exceeds it as often
    largest = float(sizes.max())
    variance = _variance_growth(scores, n)
    # of a mean, apart from what all sizes have in common: chance of the parts, and that of the null's own mean
    chance = ((1.0 + variance * np.maximum(means, 0.0)) * (1.0 - sizes / n) + 1.0) / parts
    weight = 1.0 / (chance + _MODEL_ERROR**2)
    shapes = (sizes / largest) ** _GROWTHS[:, None]
    heights = np.maximum((weight * shapes * means).sum(axis=1) / (weight * shapes**2).sum(axis=1), 0.0)
    misfit = (weight * (means - heights[:, None] * shapes) ** 2).sum(axis=1)
    loss = misfit + ((_GROWTHS - USUAL_GROWTH) / GROWTH_SPREAD) ** 2
    belief = np.exp(-0.5 * (loss - loss.min()))
    belief /= belief.sum()
    exponent = float(belief @ _GROWTHS)
    spread = float(np.sqrt(belief @ (_GROWTHS - exponent) ** 2))
    shape = (sizes / largest) ** exponent
    mean = float((weight * shape * means).sum() / (weight * shape**2).sum()) + share * variance / 4.0
    error = _SE_INFLATION * np.sqrt(share + (1.0 - share) / parts)
    return Growth(int(largest), mean, float(error), exponent, spread, variance, critical, level)


def _variance_growth(scores: Sequence[Scores], n: int) -> float:
    """Return k, from the parts of at most half of the pilot.

    Parts of one pilot have rows in common, so their scores vary by only 1 - m / n of what those of other data would.
    """
    total, precision = USUAL_VARIANCE / VARIANCE_SPREAD**2, 1.0 / VARIANCE_SPREAD**2
    for each in scores:
        mean, share = max(0.0, float(each.observed.mean())), each.size / n
        if share <= 0.5:
            seen = float(each.observed.var(ddof=1)) / (1.0 - share)
            sure = each.observed.size / (2.0 * max(seen, 1.0) ** 2)  # one over the variance of a variance
            total += sure * mean * (seen - 1.0)
            precision += sure * mean**2
    return max(_MIN_VARIANCE, total / precision)


def interval(growth: Growth, rows: Ints, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Return the power with so many rows and the ends of its interval; all three never fall with more rows."""
    z = _NORMAL.inv_cdf(0.5 + confidence / 2.0)
    estimate, low, high = (growth.power(roots) for roots in growth.roots(rows, z))
    return estimate, np.maximum.accumulate(low), np.maximum.accumulate(high)


FEWEST_ROWS = 20  # of a pilot
SMALLEST_PART = 10
LARGEST_PART = 1000  # rows; of larger pilots there are many such parts
PARTS = 60
_FRACTIONS = (0.25, 0.35, 0.5, 0.7, 1.0)  # of the pilot, or of the largest part
_FURTHEST = 16  # times the pilot: beyond, no number of rows is given
_GRID = 200  # sizes from the fewest rows to the most
_LEADING = (10, 15, 20, 30, 50, 70)  # and ten times each, and so on


@explain_unknown
def power_curve(
    x: Any,
    y: Any,
    *,
    sizes: int | Iterable[int] | None = None,
    target: float = 0.8,
    level: float = LEVEL,
    confidence: float = 0.95,
    method: Method | str | None = None,
    parts: int = PARTS,
    categorical: Iterable[str | int] = (),
    keep: Iterable[str | int] = (),
    na: Any = (),
    dates: str = "auto",
    y_kind: str = "auto",
    missing_y: str = "auto",
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
) -> PowerCurve:
    """Estimate how many rows a test needs to detect a relation, from a pilot.

    Parameters
    ----------
    x, y
        The pilot, as in `independence`; for groups, y holds the labels. At least 20 rows.
    sizes
        Numbers of rows to give the power for; by default round numbers from a quarter of the pilot, or fewer if
        they may be enough, to 16 times it. The rows needed do not depend on them.
    target
        The power to reach.
    level
        Significance level of the test.
    confidence
        Confidence level of the interval. The interval accounts for the sampling variation of the pilot, not only for
        chance in the computation.
    method
        The test, as in `independence`.
    parts
        How many random subsamples of each of five sizes to test; each takes two fits.
    categorical, keep, na, dates, y_kind, missing_y, rng, n_jobs, backend, progress
        As in `independence`.

    Returns
    -------
    PowerCurve
        The rows needed (`needed`), the power by the number of rows with its interval, and whether the pilot is large
        enough to rely on (`conclusive`).

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(80, 3))
    >>> y = 0.7 * x[:, 0] + rng.normal(size=80)
    >>> curve = kmerf.power_curve(x, y, method="dcorr", rng=1)
    >>> curve.conclusive, 20 <= curve.needed.rows <= 60
    (True, True)
    """
    target, level, confidence = share("target", target), share("level", level), share("confidence", confidence)
    if target <= level:
        raise InputError("must be above the level", argument=Argument("target", target), remedy="0.8, for example")
    parts = whole("parts", parts, at_least=20)
    sample = samples.read_independence(
        x,
        y,
        categorical=categorical,
        keep=keep,
        na=na,
        dates=dates,
        y_kind=y_kind,
        missing_y=missing_y,
        takes_blocks=False,
    )
    if sample.n < FEWEST_ROWS:
        finding = f"has {sample.n} usable rows, and a pilot needs {FEWEST_ROWS}"
        raise InputError(finding, argument="x", remedy="collect more before planning")
    given = None if sizes is None else _sizes(sizes)
    choice = Choice(choose_method(method), None, "within", Execution(rng, n_jobs, backend, progress))
    run = choice.run_on(sample, all_rows=True)
    scores = score_parts(sample, choice.method, part_sizes(sample.n), parts, run)
    growth = fit_growth(scores, sample.n, level)
    grid = np.unique(np.geomspace(SMALLEST_PART, _FURTHEST * sample.n, _GRID).round()).astype(np.int64)
    fine = np.vstack([grid, *interval(growth, grid, confidence)])
    enough = fine[0, fine[3] >= target]  # perhaps
    rows = _sizes(round_sizes(sample.n, int(enough.min(initial=grid[-1])))) if given is None else given
    power, low, high = interval(growth, rows, confidence)
    return PowerCurve(
        method=choice.method.name,
        n=sample.n,
        sizes=rows,
        power=read_only(power),
        low=read_only(low),
        high=read_only(high),
        level=level,
        confidence=confidence,
        target=target,
        tried_sizes=read_only(np.array([each.size for each in scores])),
        tried_power=read_only(_rejected(scores, growth.critical)),
        subsamples=parts,
        fine=read_only(fine),
        settings={"method": as_plain(choice.method)},
        seed=run.seed,
        notes=sample.notes,
        events=sample.y.events,
        y_names=names_of(sample).y,
    )


def part_sizes(n: int) -> list[int]:
    """Return the sizes of the parts of a pilot of n rows.

    >>> part_sizes(100), part_sizes(50_000)
    ([25, 35, 50, 70, 100], [250, 350, 500, 700, 1000])
    """
    most = min(n, LARGEST_PART)
    return sorted({max(SMALLEST_PART, round(fraction * most)) for fraction in _FRACTIONS})


def round_sizes(n: int, enough: int) -> list[int]:
    """Return round numbers of rows from about a quarter of a pilot's to many times it, and from before what is enough.

    >>> round_sizes(100, 250), round_sizes(40, 12)
    ([30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500], [10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500])
    """
    decades = [first * 10**k for k in range(12) for first in _LEADING]
    return [size for size in decades if max(SMALLEST_PART, min(n / 4, enough / 2)) <= size <= _FURTHEST * n]


def _sizes(sizes: int | Iterable[int]) -> Ints:
    rows = sorted({whole("sizes", size, SMALLEST_PART) for size in several(sizes)})
    if not rows:
        raise InputError("is empty", argument="sizes", remedy="name one or more numbers of rows")
    return read_only(np.array(rows, dtype=np.int64))


def _rejected(scores: Sequence[Scores], critical: float) -> Floats:
    return np.array([float(np.mean(each.observed >= critical)) for each in scores])
