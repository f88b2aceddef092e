"""The null that is used where none is asked for."""

from dataclasses import dataclass

import pytest

from kmerf import Permutation, Sequential
from kmerf.nulls.registry import default_null


@dataclass(frozen=True)
class Sized:
    """All that the choice looks at."""

    n: int
    learns: bool


@pytest.mark.parametrize(
    ("problem", "null"),
    [
        (Sized(19, True), Permutation(999)),
        (Sized(20, True), Sequential(99)),
        (Sized(2000, False), Permutation(999)),
    ],
)
def test_few_rows_and_cheap_permutations_get_the_exact_test(problem, null):
    assert default_null(problem) == null
