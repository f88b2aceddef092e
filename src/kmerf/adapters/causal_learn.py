"""For causal-learn, whose searches make a test of the data by a registered name and call it with positions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kmerf.adapters.cached import CachedTest
from kmerf.data.read_sample import read_features

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
