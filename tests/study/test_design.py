"""Studies are values: what cannot be is refused, and each cell has its key."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from kmerf import KMERF, ChiSquare, InputError, study
from studies import LINEAR, PLAN, Slope


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tests": {}}, "at least one entry in tests"),
        ({"data": []}, "one in data"),
        ({"tests": {"KMERF": KMERF}}, r"tests\['KMERF'\]=<class .*> cannot be used: pass a value such as kmerf.KMERF"),
        ({"tests": {"KMERF": KMERF(y_kernel=np.eye(20)), "slope": Slope()}}, "cannot be told from others"),
        ({"data": [LINEAR, replace(LINEAR, kappa=1)]}, "the same source twice"),
        ({"data": ["linear"]}, "data='linear' cannot be used"),
        ({"replicates": 0}, "replicates=0 must be a whole number of at least 1"),
        ({"seed": -1}, "seed=-1 must be a whole number of at least 0"),
        ({"pvalue": {"slop": ChiSquare()}}, "pvalue='slop' is not an option; did you mean 'slope'"),
        ({"pvalue": {"slope": "chi2"}}, r"pvalue\['slope'\]='chi2' cannot be used"),
    ],
)
def test_a_study_that_cannot_be_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(PLAN, **changes)


def test_a_study_can_be_sent_and_kept():
    assert pickle.loads(pickle.dumps(PLAN)) == PLAN


def test_the_public_names_are_sorted():
    assert study.__all__ == sorted(study.__all__)
    assert all(hasattr(study, name) for name in study.__all__)
