"""The null that is used where none is asked for."""

from kmerf.nulls.defaults import default_null
from kmerf.nulls.extrapolated import Extrapolated
from kmerf.nulls.permutation import Permutation
from null_problems import problem


def test_tiny_samples_get_the_exact_test():
    assert default_null(problem(n=19)) == Permutation(999)
    assert default_null(problem(n=20)) == Extrapolated(99)
