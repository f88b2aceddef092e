"""MGC, against scipy."""

import warnings

import pytest
from scipy.stats import multiscale_graphcorr

import kmerf
from kmerf.rivals import MGC

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated

from rival_cases import make, make_tied, statistic


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2)])
@pytest.mark.parametrize("make", [make, make_tied])
def test_mgc_equals_scipy(make, p, q):
    x, y = make(p, q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of few permutations
        wanted = multiscale_graphcorr(x, y, reps=0).statistic
    assert statistic(MGC(), x, y) == pytest.approx(wanted, rel=1e-12)


def test_mgc_has_the_same_bits_in_threads():
    found = [
        kmerf.independence(*make(2, 1), method=MGC(), null=kmerf.Permutation(60), rng=0, n_jobs=jobs).null
        for jobs in (1, 4)
    ]
    assert (found[0].distribution == found[1].distribution).all()
