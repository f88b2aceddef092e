"""For pgmpy, whose `PC` calls a test with names of columns and asks whether they are independent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kmerf.adapters.cached import CachedTest
from kmerf.data.read_sample import read_features


def for_pgmpy(table: Any, *, categorical: Iterable[str | int] = (), seed: int = 0) -> Callable[..., bool]:
    """Return a test of the columns of a table: `PC(table).estimate(ci_test=for_pgmpy(table))`.

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

    def independent(X: Any, Y: Any, Z: Iterable[Any] = (), significance_level: float = 0.01, **_: Any) -> bool:
        x, y, *given = test.positions([X, Y, *Z])
        return test.pvalue(x, y, given) >= significance_level

    return independent
