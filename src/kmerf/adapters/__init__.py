"""kmerf's tests as callables for other libraries: causal discovery, drift reports, tests of data.

    from kmerf.adapters import assert_same_distribution, for_causal_learn, for_dowhy, for_evidently, for_pgmpy

    causal-learn   pc(data, alpha, indep_test=for_causal_learn())
    pgmpy          PC(ci_test=for_pgmpy(table)).fit(table)
    dowhy          falsify_graph(graph, table, conditional_independence_test=for_dowhy())
    evidently      DataDriftPreset(method=for_evidently())
    pytest         assert_same_distribution(old, new)

You can import this module without these libraries. A search for a graph tests each variable given the same z many
times, so kmerf removes what z explains of a variable once per z, and stores the residuals. Without z, it tests
independence of levels and shapes.

causal-learn creates a test by a registered name, and calls it with positions of columns. dowhy calls tests with arrays
without names, so stored residuals are identified by the contents of the columns. pgmpy calls a test with names of
columns; from version 1.1 on, the test inherits from the base class of pgmpy's tests, with `statistic_` (None),
`p_value_` and a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.adjustment.comparison import Given, judge
from kmerf.adjustment.products import of_features
from kmerf.comparing.comparing import column_pvalue, compare
from kmerf.core.errors import Argument, InputError
from kmerf.data.sample import column_part
from kmerf.nulls.definitions import BesagClifford, Permutation
from kmerf.reading.samples import read_features

if TYPE_CHECKING:
    from kmerf.adjustment.products import Coordinates, Residuals
    from kmerf.data.sample import Features

__all__ = ["assert_same_distribution", "for_causal_learn", "for_dowhy", "for_evidently", "for_pgmpy"]

TREES = 50  # of each forest: a search asks thousands of questions
NULL = BesagClifford(Permutation(999))  # if y is permuted inside strata


class CachedTest:
    """Tests of the columns of one table against each other, given others.

    >>> import numpy as np
    >>> from kmerf.reading.samples import read_features
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=200)
    >>> b, c = a + rng.normal(size=200), a + rng.normal(size=200)
    >>> test = CachedTest(read_features(np.column_stack([b, c, a])), seed=1)
    >>> test.pvalue(0, 1) < 0.001, test.pvalue(0, 1, [2]) > 0.05
    (True, True)
    """

    def __init__(self, table: Features, *, seed: int = 0, n_jobs: int = 1) -> None:
        self.table, self.seed, self.n_jobs = table, seed, n_jobs
        self._coordinates: dict[int, Coordinates] = {}
        self._given: dict[frozenset[int], Given] = {}
        self._left: dict[tuple[int, frozenset[int]], Residuals] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.table.names

    def pvalue(self, x: int, y: int, z: Iterable[int] = ()) -> float:
        """Return the p-value of columns x and y given the columns z, all by position."""
        known = frozenset(z)
        if x == y or {x, y} & known:
            finding = f"must be another column than y={y}, and neither may be in z={sorted(known)}"
            raise InputError(finding, argument=Argument("x", x))
        first, second = sorted((x, y))  # the order must not matter
        left, right = self._remainder(first, known), self._remainder(second, known)
        return judge(self._given[known], left, right, NULL).pvalue

    def positions(self, names: Sequence[object]) -> list[int]:
        """Return where columns of these names stand."""
        return [self.names.index(str(name)) for name in names]

    def _remainder(self, variable: int, z: frozenset[int]) -> Residuals:
        key = variable, z
        if key not in self._left:
            self._left[key] = self._prepared(z).remove_from(self._of(variable), variable)
        return self._left[key]

    def _prepared(self, z: frozenset[int]) -> Given:
        if z not in self._given:
            columns = column_part(self.table, sorted(z)) if z else None
            self._given[z] = Given(columns, self.seed, self.n_jobs, trees=TREES)
        return self._given[z]

    def _of(self, variable: int) -> Coordinates:
        if variable not in self._coordinates:
            self._coordinates[variable] = of_features(column_part(self.table, [variable]))
        return self._coordinates[variable]


NAME = "kmerf"


class CausalLearnTest:
    """A test that causal-learn makes of its data: called with the positions of two columns and of those given."""

    def __init__(self, data: Any, categorical: Iterable[str | int] = (), seed: int = 0, **_: Any) -> None:
        self.method = NAME
        self.test = CachedTest(read_features(data, categorical=categorical, argument="data"), seed=seed)

    def __call__(self, X: int, Y: int, condition_set: Iterable[int] | None = None, *_: Any) -> float:
        """Return the p-value."""
        return self.test.pvalue(int(X), int(Y), [int(k) for k in condition_set or ()])


def for_causal_learn() -> str:
    """Register the test with causal-learn, and return its name: `pc(data, alpha, indep_test=for_causal_learn())`."""
    from causallearn.utils.cit import CIT_Base, register_ci_test  # type: ignore[import-not-found, unused-ignore]

    # It registers heirs of a class of its own only, and must not be needed to import this module.
    register_ci_test(NAME, type("RegisteredTest", (CausalLearnTest, CIT_Base), {}))
    return NAME


def for_dowhy(*, seed: int = 0) -> Callable[..., float]:
    """Return a test of arrays, for `independence_test=` and `conditional_independence_test=`.

    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(size=(200, 1))
    >>> a, b = age + rng.normal(size=(200, 1)), age + rng.normal(size=(200, 1))
    >>> test = for_dowhy()
    >>> test(a, b) < 0.001, test(a, b, age) > 0.05
    (True, True)
    """
    given: dict[bytes, Given] = {}
    left: dict[tuple[bytes, bytes], Residuals] = {}

    def remainder(values: Any, key: bytes) -> Residuals:
        own = _contents(values)
        if (own, key) not in left:
            number = int.from_bytes(own[:4], "little")
            left[own, key] = given[key].remove_from(of_features(read_features(values)), number)
        return left[own, key]

    def pvalue(X: Any, Y: Any, Z: Any = None, **_: Any) -> float:
        key = b"" if Z is None else _contents(Z)
        if key not in given:
            given[key] = Given(None if Z is None else read_features(Z, argument="Z"), seed, trees=TREES)
        return judge(given[key], remainder(X, key), remainder(Y, key), NULL).pvalue

    return pvalue


def _contents(values: Any) -> bytes:
    """Return a digest of the contents of an array."""
    import hashlib

    array = np.asarray(values)
    text = array.tobytes() if array.dtype.kind in "fiub" else repr(array.tolist()).encode()
    return hashlib.blake2b(text, digest_size=16).digest()


def for_pgmpy(table: Any, *, categorical: Iterable[str | int] = (), seed: int = 0) -> Callable[..., bool]:
    """Return a test of the columns of a table: `PC(ci_test=for_pgmpy(table)).fit(table)`.

    >>> import pandas as pd
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(size=200)
    >>> table = pd.DataFrame({"a": age + rng.normal(size=200), "b": age + rng.normal(size=200), "age": age})
    >>> test = for_pgmpy(table)
    >>> test("a", "b", ()), test("a", "b", ["age"])
    (False, True)
    """
    test = CachedTest(read_features(table, categorical=categorical, argument="table"), seed=seed)

    def pvalue(X: Any, Y: Any, Z: Iterable[Any] = ()) -> float:
        x, y, *given = test.positions([X, Y, *Z])
        return test.pvalue(x, y, given)

    def independent(X: Any, Y: Any, Z: Iterable[Any] = (), significance_level: float = 0.01, **_: Any) -> bool:
        return pvalue(X, Y, Z) >= significance_level

    return _pgmpy_test(pvalue) or independent


def _pgmpy_test(pvalue: Callable[..., float]) -> Callable[..., bool] | None:
    """Return the test as an heir of pgmpy's base class of tests; None if pgmpy has none."""
    try:
        from pgmpy.ci_tests import _base  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None

    def compute(self: Any, X: Any, Y: Any, Z: Any) -> Any:
        return _base._CITestResult(statistic=None, p_value=pvalue(X, Y, Z))

    def call(self: Any, X: Any, Y: Any, Z: Any = (), significance_level: float = 0.01, **_: Any) -> bool:
        return bool(self.is_independent(X, Y, Z, significance_level))

    tags = {"name": NAME, "data_types": ("continuous", "discrete", "mixed"), "requires_data": False}
    heir: Any = type("PgmpyTest", (_base._BaseCITest,), {"_tags": tags, "_compute_result": compute, "__call__": call})
    return heir()  # type: ignore[no-any-return]


def for_evidently(*, seed: int = 0) -> Any:
    """Register our test of a column with evidently, and return it: `DataDriftPreset(method=for_evidently())`.

    It sees level, spread, shape, rounding, missing values and levels, for numbers and labels alike, and its p-value is
    exact. The score is the p-value.
    """
    from evidently.legacy.calculations.stattests.registry import (  # type: ignore[import-not-found, unused-ignore]
        StatTest,
        register_stattest,
    )
    from evidently.legacy.core import ColumnType  # type: ignore[import-not-found, unused-ignore]

    def column_test(reference_data: Any, current_data: Any, feature_type: Any, threshold: float) -> tuple[float, bool]:
        labels = feature_type != ColumnType.Numerical
        p = column_pvalue(reference_data, current_data, categorical=labels, seed=seed)
        return p, p <= threshold

    test = StatTest(NAME, "kmerf p_value", [ColumnType.Numerical, ColumnType.Categorical], 0.05)
    register_stattest(test, column_test)
    return NAME


def assert_same_distribution(reference: Any, current: Any, *, on: str = "different", **options: Any) -> None:
    """Raise an AssertionError that shows the comparison if two tables are different; for tests of data.

    `on` is as in `Comparison.fails`, `options` are those of `kmerf.compare`.

    >>> old = {"age": list(range(20, 60)), "arm": ["a", "b"] * 20}
    >>> assert_same_distribution(old, old)
    """
    compare(reference, current, **options).assert_same(on)
