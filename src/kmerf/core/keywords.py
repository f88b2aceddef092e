"""Options that people know by another name, from scipy, scikit-learn, hyppo or R: the error says what they are here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from kmerf.core.errors import nearest

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")

_SEED = "rng= takes the seed or a numpy Generator"
_PERMUTATIONS = "null=kmerf.Permutation(999) says how many permutations"
_WORKERS = "n_jobs= is the number of workers"
_TREES = "method=kmerf.KMERF(kmerf.ForestSpec(n_trees=500)) says how to grow the forest"
KNOWN_ELSEWHERE = {
    "random_state": _SEED,
    "seed": _SEED,
    "n_resamples": _PERMUTATIONS,
    "n_permutations": _PERMUTATIONS,
    "num_permutations": _PERMUTATIONS,
    "permutations": _PERMUTATIONS,
    "reps": _PERMUTATIONS,
    "workers": _WORKERS,
    "n_workers": _WORKERS,
    "num_threads": _WORKERS,
    "n_estimators": _TREES,
    "n_trees": _TREES,
    "forest": _TREES,
    "auto": "null=kmerf.ChiSquare() is the fast p-value",
    "alpha": "compare the p-value of the result with your level",
    "alternative": "the tests look for any dependence, and have no side to choose",
    "verbose": "progress=True shows a bar",
}
_OF_FUNCTIONS = {
    ("power_curve", "alpha"): "level= is the level",
    ("power_curve", "power"): "target= is the power to reach",
    ("ksample", "y_kind"): "groups are always classes; for times until an event, ask "
    'kmerf.independence(table[["group"]], table[["time", "event"]], y_kind="censored")',
}


def explain_unknown(function: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
    """Make a function name all of its unknown options at once, with what they are called here.

    >>> @explain_unknown
    ... def test(x, *, rng=None): ...
    >>> test([1], random_state=1)
    Traceback (most recent call last):
    TypeError: test() has no option random_state=: rng= takes the seed or a numpy Generator.
    """
    accepted = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args: Parameters.args, **options: Parameters.kwargs) -> Value:
        unknown = [name for name in options if name not in accepted]
        if unknown:
            raise TypeError(" ".join(_explained(function.__name__, name, list(accepted)) for name in unknown))
        return function(*args, **options)

    return call


def _explained(function: str, name: str, accepted: list[str]) -> str:
    remedy = _OF_FUNCTIONS.get((function, name)) or KNOWN_ELSEWHERE.get(name)
    if remedy is None:
        near = nearest(name, accepted, 0.6)
        remedy = f"did you mean {near}=?" if near else f"its options are {', '.join(accepted)}"
    end = "" if remedy.endswith("?") else "."
    return f"{function}() has no option {name}=: {remedy}{end}"
