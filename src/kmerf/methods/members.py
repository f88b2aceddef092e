"""The members of the default test, one row each: the method, and how much its score counts.

The weights w are those of `kmerf.nulls.combining`; only their ratios matter. They were fitted on a library of relations
and real tables (`benchmarks/studies/fit_weights.py --write` rewrites weights and exponents below; nothing else does).

Where columns of x are correlated, what they say together is not what each says alone: a weighted sum of them may matter
though no single one does, and a regression on all columns sees it best. So each weight is multiplied by r^exponent,
with r the redundancy of the columns. A relation that many rows do not show to all members is a faint line, so `linear`
counts more with many rows: by (n / 100)^rows_exponent. With blocks, few rows vary independently of each other, and
forests see little in few rows: if these are u < 200, such a member counts 200 / u times as much, but at most 3 times.
Weights may depend on n, x and blocks in any way: they stay as they are when y is permuted, so the p-value stays exact.

What a member asks, in words, is its method's `wording`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import centred, mid_ranks
from kmerf.forests.spec import ForestSpec
from kmerf.methods.column_tests import EachColumn, HazardColumn, PairsOfColumns
from kmerf.methods.covariance_tests import Trend
from kmerf.methods.kmerf import KMERF
from kmerf.methods.protocol import Method
from kmerf.methods.ridge import Hazard, Mahalanobis, Ridge

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

FEW_ROWS = 100  # up to which weights are as they were learnt
FEW_UNITS = 200  # with blocks: below, lines count more
MAX_UNITS_FACTOR = 3.0  # benchmarks/studies/blocks.py
MAX_REDUNDANCY = 10.0  # that columns are taken to have: the library has no more
REDUNDANCY_CELLS = 10**6  # of x that are looked at, unless REDUNDANCY_ROWS have more
REDUNDANCY_ROWS = 200


class WeightedTest(NamedTuple):
    """A test of the default, and how much it counts."""

    method: Method
    weight: float
    exponent: float = 0.0
    """The power of the redundancy of x by which the weight is multiplied."""
    rows_exponent: float = 0.0
    """The power of n / 100 by which it is multiplied, for the n rows it looks at, if these are more than 100."""


_PLAIN = ForestSpec(100, max_outputs=1, grow_leaves=True)  # of one column of y each: more is seen where they differ
_JOINT = ForestSpec(67, min_samples_leaf=5, max_outputs=3, grow_leaves=True)
_COARSE = ForestSpec(100, "all", 5, bootstrap=False, max_samples="half", grow_leaves=True)

NUMERIC: Mapping[str, WeightedTest] = {
    "proximity": WeightedTest(KMERF(_PLAIN), 1.13, -0.22),
    "prediction": WeightedTest(KMERF(_PLAIN, statistic="prediction"), 1.12, 0.34),
    "distribution": WeightedTest(KMERF(_JOINT, statistic="strongest", target="joint"), 0.89, -0.40),
    "linear": WeightedTest(Ridge(), 1.28, 1.08, rows_exponent=0.25),
    "marginal": WeightedTest(EachColumn(2, "spread"), 0.99, -0.04),
    "monotone": WeightedTest(EachColumn(1, "joint"), 0.87, 0.16),
    "trend": WeightedTest(Trend(), 0.99, -0.22),
    "spread": WeightedTest(Trend(x=2, y=2), 0.93, -0.19),
    "interaction": WeightedTest(PairsOfColumns(), 0.87, -0.50),
}
CLASSES: Mapping[str, WeightedTest] = {
    "prediction": WeightedTest(KMERF(_COARSE, statistic="prediction"), 1.28, 0.46),
    "proximity": WeightedTest(KMERF(_COARSE), 0.82, -0.44),
    "linear": WeightedTest(Ridge(), 0.83, -0.06, rows_exponent=0.25),
    "mahalanobis": WeightedTest(Mahalanobis(), 1.00, 0.80),
    "quadratic": WeightedTest(Ridge(2), 1.02, -0.25),
    "marginal": WeightedTest(EachColumn(), 1.18, -0.39),
    "interaction": WeightedTest(PairsOfColumns(), 0.97, -0.13),
}
# Chosen on other relations than those of benchmarks/studies/censored.py, and not fitted on real tables.
CENSORED: Mapping[str, WeightedTest] = {
    "hazard": WeightedTest(Hazard(), 6.0),
    "crossing": WeightedTest(Hazard(crossing=True), 1.0),
    "marginal_hazard": WeightedTest(HazardColumn(), 2.0),
    "marginal": WeightedTest(EachColumn(2, "spread"), 2.0),
    "interaction": WeightedTest(PairsOfColumns(), 1.0),
    "distribution": WeightedTest(KMERF(_JOINT, statistic="strongest", target="joint"), 1.0),
    "proximity": WeightedTest(KMERF(_PLAIN), 0.5),
}
MEMBERS: Mapping[str, Mapping[str, WeightedTest]] = {"numeric": NUMERIC, "categorical": CLASSES, "censored": CENSORED}

FITTED_ON = "7296 data sets, 656 of them draws of real tables; sha256 ec0fc21fdaedfd84"


def learnt_weight(kind: str, name: str, redundancy: float) -> float:
    """Return the weight of a member by name, for a kind of y; a name that is not in the table has the mean weight."""
    table = MEMBERS[kind]
    if name in table:
        member = table[name]
        return float(member.weight * min(redundancy, MAX_REDUNDANCY) ** member.exponent)
    return float(sum(member.weight for member in table.values()) / len(table))


def rows_factor(method: Method, n: int) -> float:
    """Return by what the weight of a method is multiplied if there are n rows, of which it looks at some."""
    return float(max(1.0, (min(n, method.most_rows or n) / FEW_ROWS) ** _rows_exponent(method)))


def units_factor(method: Method, units: int | None) -> float:
    """Return the factor for so many rows that vary independently of each other; None without blocks.

    >>> [round(units_factor(Ridge(), units), 2) for units in (30, 90, 500, None)]
    [3.0, 2.22, 1.0, 1.0]
    """
    return min(MAX_UNITS_FACTOR, max(1.0, FEW_UNITS / units)) if units and _rows_exponent(method) else 1.0


def _rows_exponent(method: Method) -> float:
    rows = (member for table in MEMBERS.values() for member in table.values())
    return next((member.rows_exponent for member in rows if member.method == method), 0.0)


def redundancy(x: Floats) -> float:
    """Return 1 if the columns of x (n, p), without missing values, are not correlated, and p if all are the same.

    It is 1 + (p - 1) r, with r the mean squared rank correlation of two columns, less what chance gives. Of many rows,
    some are looked at, equally far apart.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 4))
    >>> round(redundancy(x), 1), round(redundancy(np.hstack([x, x])), 1)
    (1.0, 2.0)
    """
    n, p = x.shape
    most = max(REDUNDANCY_ROWS, REDUNDANCY_CELLS // p)
    rows = x if n <= most else x[np.linspace(0, n - 1, most).astype(np.int64)]
    ranks = centred(np.column_stack([mid_ranks(column) for column in rows.T]))
    length = np.sqrt((ranks**2).sum(axis=0))
    ranks = ranks[:, length > 0.0] / length[length > 0.0]
    n, p = ranks.shape
    if p < 2 or n < 3:
        return 1.0
    products = ranks.T @ ranks if p <= n else ranks @ ranks.T  # both have the same sum of squares
    squared = ((products**2).sum() - p) / (p * (p - 1))
    return float(1.0 + (p - 1) * max(0.0, squared - 1.0 / (n - 1)))
