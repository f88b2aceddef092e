"""For dowhy, whose refuters of graphs call tests with arrays: `test(X, Y)` and `test(X, Y, Z)` return p-values.

Arrays do not say which columns of which table they are, so what was removed is kept by the contents of the columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kmerf.adapters.cached import DRAWS, TREES
from kmerf.adjustment.rank_coordinates import of_features
from kmerf.adjustment.testing import STOP, Given, Remainder, compare
from kmerf.data.read_sample import read_features


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
    left: dict[tuple[bytes, bytes], Remainder] = {}

    def remainder(values: Any, key: bytes) -> Remainder:
        own = _contents(values)
        if (own, key) not in left:
            number = int.from_bytes(own[:4], "little")
            left[own, key] = given[key].remove_from(of_features(read_features(values)), number)
        return left[own, key]

    def pvalue(X: Any, Y: Any, Z: Any = None, **_: Any) -> float:
        key = b"" if Z is None else _contents(Z)
        if key not in given:
            given[key] = Given(None if Z is None else read_features(Z, argument="Z"), seed, trees=TREES)
        return compare(given[key], remainder(X, key), remainder(Y, key), draws=DRAWS, stop=STOP).pvalue

    return pvalue


def _contents(values: Any) -> bytes:
    """Return a digest of the contents of an array."""
    import hashlib

    array = np.asarray(values)
    text = array.tobytes() if array.dtype.kind in "fiub" else repr(array.tolist()).encode()
    return hashlib.blake2b(text, digest_size=16).digest()
