"""What a store says: the rows of a study's cells, and power with its Monte Carlo error.

Two rules say when a replicate counts as rejected.

- "published", that of the published tables: the permuted statistics of all R replicates are the null; the cutoff is
  entry ceil((1 - level) R), counted from 0, of them in order, and a statistic at or above it rejects. Fewer than
  1 / level replicates have no such entry, and reject nothing.
- "pvalue": the test's own p-value is at most the level.

Either way power = (1 + rejections) / (1 + R), as published. On data without dependence it is the type-I error.

Under the second rule rejections are binomial, and the score interval (Wilson 1927) is enough. Under the first the
cutoff is an estimate too, which at the null doubles the variance: replicates are drawn again, observed and permuted
statistic together, and each sample has its own cutoff. The interval is the wider of that and Wilson's on each side,
for the bootstrap of a power of 1 has no width.

Do our powers agree with published ones? A test of each pair, and of all of them together.

Two estimates of one power, ours of R1 replicates and theirs of R2, differ by chance with variance

    p (1 - p) f (1 / R1 + 1 / R2),

where p is the pooled estimate and f >= 1 says how much the estimated cutoff adds to the binomial variance. The
bootstrap of our replicates measures f; theirs had the same kind of cutoff, so it serves both. Near a power of 1 the
pooled p hides what the cutoff does, so the variance is at least the bootstrap's own, scaled to theirs. With 500 normal
replicates of ours this rejects at most 5 % of equal powers at 0.05 (0 to 0.049); fewer than 100 are too few.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist, median
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import Argument, InputError, share, whole
from kmerf.core.settings import LEVEL
from kmerf.nulls.definitions import combine_many, holm
from kmerf.storage.provenance import canonical
from kmerf.study.sqlite_store import Store, open_store

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.study.design import Source, Study


Interval = tuple[float, float]
StorePath = str | os.PathLike[str]

_SECONDS = "SELECT seconds FROM timing WHERE cell = ?"
_COLUMNS = ("code", "test", "data", "seed", "replicate", "part", "weight", "statistic", "permuted", "pvalue")
_BLOCK = 2_000_000  # numbers drawn at a time


@dataclass(frozen=True, eq=False)
class Cell:
    """One test on one source, in the order of the replicates. NaN is a statistic that is not defined.

    The statistics of a test that combines several are combined here as by the test itself (`kmerf.nulls.definitions`),
    except that the permuted statistics of all replicates stand in for the permutations of one data set.
    """

    test: str
    data: Source
    replicate: NDArray[np.int64]
    statistic: Floats
    permuted: Floats
    pvalue: Floats | None
    """The test's own p-values; None where the study did not ask for them."""


def cells(study: Study, path: StorePath) -> list[Cell]:
    """Return the cells of a study, with as many replicates as the store holds of each; empty ones too."""
    with open_store(path) as store:
        return [
            _cell(label, source, store.rows(number, study.replicates), label in study.pvalue)
            for label, source, number in _numbered(study, store)
        ]


def _cell(label: str, source: Source, rows: list[tuple[Any, ...]], has_pvalue: bool) -> Cell:
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)  # NULL becomes NaN
    parts = int(table[:, 1].max()) + 1 if len(table) else 1
    weights, observed, permuted = (table[:, k].reshape(-1, parts) for k in (2, 3, 4))
    observed, permuted = _combined(observed, permuted, weights)
    first = table[::parts]
    return Cell(label, source, first[:, 0].astype(np.int64), observed, permuted, first[:, 5] if has_pvalue else None)


def _combined(observed: Floats, permuted: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Combine the statistics (R, k) of each replicate; one with a statistic that is not defined has none."""
    defined = np.isfinite(observed).all(axis=1) & np.isfinite(permuted).all(axis=1)
    if observed.shape[1] == 1 or not defined.any():
        return observed[:, 0], permuted[:, 0]
    both = np.full((2, len(observed)), np.nan)
    both[:, defined] = combine_many(observed[defined], permuted[defined], weights[0])
    return both[0], both[1]


def timings(study: Study, path: StorePath) -> dict[tuple[str, Source], float]:
    """Return the median seconds that a replicate took, for each cell that has any."""
    with open_store(path) as store:
        times = {
            (label, source): [seconds for (seconds,) in store.query(_SECONDS, (k,)) if _is_time(seconds)]
            for label, source, k in _numbered(study, store)
        }
    return {cell: median(seconds) for cell, seconds in times.items() if seconds}


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, float) and 0.0 <= seconds < math.inf


def load(path: StorePath) -> dict[str, list[Any]]:
    """Return all rows of a store as columns, sorted; two stores of the same work are equal.

    The columns are code, test, data, seed (which make up a cell), replicate, part, weight, statistic, permuted and
    pvalue.
    """
    with open_store(path) as store:
        numbered = sorted((key, number) for number, key in store.cells().items())
        rows = [(*key, *row) for key, number in numbered for row in store.rows(number)]
    return {name: [row[k] for row in rows] for k, name in enumerate(_COLUMNS)}


def _numbered(study: Study, store: Store) -> Iterator[tuple[str, Source, int]]:
    keys = study.keys()
    numbers = store.numbers(keys.values())
    for label, source in study.cells:
        yield label, source, numbers.get(keys[label, canonical(source)], -1)


@dataclass(frozen=True)
class Power:
    """How often one test rejects on one source of data, by one rule."""

    test: str
    data: Source
    rule: str
    """"published" or "pvalue"."""
    level: float
    replicates: int
    rejections: int
    standard_error: float
    interval: Interval
    """Of the power, with the error of the cutoff."""
    wilson: Interval
    """Of the power, were the cutoff known."""
    cutoff: float | None = None

    @property
    def power(self) -> float:
        """The estimate, as published."""
        return (1 + self.rejections) / (1 + self.replicates)

    @property
    def rate(self) -> float:
        """The plain share of rejections."""
        return self.rejections / self.replicates


def power(
    study: Study, path: StorePath, *, level: float = LEVEL, confidence: float = 0.95, n_bootstrap: int = 1000
) -> list[Power]:
    """Return the power of every test on every source, from what the store holds; cells without rows are left out.

    Every cell has an entry by the rule "published"; those with p-values have another, by "pvalue".
    """
    share("level", level)
    share("confidence", confidence)
    whole("n_bootstrap", n_bootstrap)
    filled = [cell for cell in cells(study, path) if cell.replicate.size]
    if not filled:
        finding = "has no rows of this study by this version of the code"
        raise InputError(finding, argument=Argument("path", str(path)), remedy="kmerf.study.run(study, path)")
    powers = []
    for cell in filled:
        powers.append(_by_cutoff(cell, level, confidence, n_bootstrap))
        if cell.pvalue is not None:
            powers.append(_by_pvalue(cell, cell.pvalue, level, confidence))
    return powers


def _by_cutoff(cell: Cell, level: float, confidence: float, n_bootstrap: int) -> Power:
    total = cell.statistic.size
    limit = cutoff(cell.permuted, level)
    rejections = int((cell.statistic >= limit).sum())
    exact = wilson(rejections, total, confidence)
    rates = bootstrap(cell.statistic, cell.permuted, level, n_bootstrap)
    low, high = np.quantile(rates, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    widest = min(low, exact[0]), max(high, exact[1])
    return Power(cell.test, cell.data, "published", level, total, rejections, float(rates.std()), widest, exact, limit)


def _by_pvalue(cell: Cell, pvalue: Floats, level: float, confidence: float) -> Power:
    total, rejections = pvalue.size, int((pvalue <= level).sum())
    exact = wilson(rejections, total, confidence)
    error = math.sqrt(rejections * (total - rejections) / total**3)
    return Power(cell.test, cell.data, "pvalue", level, total, rejections, error, exact, exact)


def wilson(successes: float, total: float, confidence: float = 0.95) -> Interval:
    """Return the Wilson score interval of a proportion.

    >>> [round(end, 4) for end in wilson(10, 10)]
    [0.7225, 1.0]
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    proportion, weight = successes / total, z * z / total
    middle = (proportion + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(proportion * (1 - proportion) / total + weight / (4 * total))
    return max(0.0, middle - half), min(1.0, middle + half)


def cutoff(permuted: Floats, level: float = LEVEL) -> float:
    """Return the published cutoff; infinite where there are too few replicates for one.

    >>> cutoff(np.arange(100.0)), cutoff(np.arange(10.0))
    (95.0, inf)
    """
    k = _rank(permuted.size, level)
    return float(np.sort(permuted)[k]) if k < permuted.size else math.inf


def bootstrap(statistic: Floats, permuted: Floats, level: float, n_bootstrap: int, seed: int = 0) -> Floats:
    """Return the share of rejections in bootstrap samples of the replicates, each with its own cutoff."""
    total = statistic.size
    k = _rank(total, level)
    if k >= total:
        return np.zeros(n_bootstrap)
    rng = np.random.default_rng(seed)
    rates = []
    for begin in range(0, n_bootstrap, max(1, _BLOCK // total)):
        size = min(n_bootstrap - begin, max(1, _BLOCK // total))
        rows = rng.integers(0, total, size=(size, total))
        limits = np.partition(permuted[rows], k, axis=1)[:, k : k + 1]
        rates.append((statistic[rows] >= limits).mean(axis=1))
    return np.concatenate(rates)


def _rank(total: int, level: float) -> int:
    return math.ceil(round((1 - level) * total, 9))  # rounded, so that 0.95 * 20 is not above 19


@dataclass(frozen=True)
class Published:
    """A power from a table, (1 + rejections) / (1 + replicates), and the replicates it was made of."""

    power: float
    replicates: int

    @property
    def rejections(self) -> float:
        """The rejections that give this power."""
        return min(max(self.power * (1 + self.replicates) - 1, 0.0), float(self.replicates))


@dataclass(frozen=True)
class Agreement:
    """One of our powers and the published one."""

    ours: Power
    published: Published
    z: float
    """Ours minus theirs, in standard errors."""
    pvalue: float
    """Two-sided, of this pair alone."""
    holm: float
    """The same, adjusted by Holm for all pairs: to list those at most 0.05 names no false exception 95 times in 100."""
    interval: Interval
    """The published power's own score interval."""

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours.power - self.published.power


def agreement(ours: Sequence[Power], published: Sequence[Published]) -> list[Agreement]:
    """Compare powers with published ones, pair by pair.

    >>> from kmerf.study import Power, Simulated
    >>> mine = Power("Dcorr", Simulated("linear"), "pvalue", 0.05, 500, 250, 0.0224, (0.46, 0.54), (0.46, 0.54))
    >>> [(round(a.z, 2), a.holm < 0.05) for a in agreement([mine, mine], [Published(0.52, 2305), Published(0.4, 2305)])]
    [(-0.8, False), (4.06, True)]
    """
    if len(ours) != len(published):
        finding = f"has {len(published)} entries for {len(ours)} powers"
        raise InputError(finding, argument="published", remedy="pass one for each")
    scores = [_score(mine, theirs) for mine, theirs in zip(ours, published, strict=True)]
    pvalues = [2 * NormalDist().cdf(-abs(z)) for z in scores]
    adjusted = holm(np.array(pvalues)).tolist()
    rows = zip(ours, published, scores, pvalues, adjusted, strict=True)
    return [Agreement(*row, wilson(row[1].rejections, row[1].replicates)) for row in rows]


def _score(mine: Power, theirs: Published) -> float:
    pooled = (mine.rejections + theirs.rejections) / (mine.replicates + theirs.replicates)
    spread = pooled * (1 - pooled) * (1 / mine.replicates + 1 / theirs.replicates)
    if spread <= 0:
        return 0.0
    binomial = mine.rate * (1 - mine.rate) / mine.replicates
    factor = max(1.0, mine.standard_error**2 / binomial) if binomial > 0 else 1.0
    variance = max(factor * spread, mine.standard_error**2 * (1 + mine.replicates / theirs.replicates))
    return (mine.rate - theirs.rejections / theirs.replicates) / math.sqrt(variance)
