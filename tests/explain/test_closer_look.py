"""A closer look at the observed forest."""

import json

import numpy as np
import pytest

import kmerf
from cases import SMALL, related


def test_forests_without_rows_out_of_bag_have_no_profiles():
    whole = kmerf.KMERF(kmerf.ForestSpec(n_trees=10, bootstrap=False), proximity="all")
    result = kmerf.independence(*related(30), method=whole, null=kmerf.Permutation(19), rng=1, details=True)
    assert result.effect.measure == "R2"  # which needs no rows out of bag
    assert result.details.importances is None
    assert result.details.profiles == ()
    assert result.details.rows.sum() == pytest.approx(result.statistic)


def test_details_survive_json_and_work_for_groups():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    x[0, 0] = np.nan
    result = kmerf.ksample(x[:20], x[20:], method=SMALL, null=kmerf.Permutation(19), rng=1, details=True, interval=0.9)
    again = kmerf.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again == result
    assert again.details.rows.sum() == pytest.approx(result.statistic)
