"""Which groups differ: the test of every two of them."""

import json

import numpy as np
import pytest

import kmerf
from cases import SMALL
from kmerf.core.errors import InputError


def test_a_precomputed_kernel_is_of_all_rows_and_of_no_pair():
    x = np.random.default_rng(0).normal(size=(30, 2))
    method = kmerf.KMERF(y_kernel=np.eye(30))
    for each in (method, kmerf.Portfolio(classes={"own": method})):
        with pytest.raises(InputError, match="pairwise=True cannot be computed with a precomputed y_kernel"):
            kmerf.independence(x, np.repeat(["a", "b", "c"], 10), method=each, pairwise=True)


def test_pairs_say_which_group_differs():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 2))
    x[60:, 0] += 2.0
    groups = np.repeat(["a", "b", "c"], 30)
    result = kmerf.ksample(x, groups=groups, method=SMALL, pairwise=True, rng=1)
    found = {(pair.first, pair.second): pair for pair in result.pairwise}
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found["a", "c"].adjusted < 0.01
    assert found["b", "c"].adjusted < 0.01
    assert found["a", "b"].adjusted > 0.05
    assert "2 of 3 pairs differ (Holm's method): " in result.in_full()
    text = result.in_full()
    assert "p, Holm" in text
    assert "a - c" in text
    again = kmerf.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again == result
    assert again.pairwise == result.pairwise


def test_a_pair_is_tested_on_its_own_rows_as_if_alone():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    groups = np.repeat(["a", "b", "c"], 20)
    dcorr = kmerf.baselines.Dcorr()
    pairs = kmerf.ksample(x, groups=groups, method=dcorr, null=kmerf.ChiSquare(), pairwise=True, rng=1).pairwise
    alone = kmerf.ksample(x[20:], groups=groups[20:], method=dcorr, null=kmerf.ChiSquare(), rng=1)
    assert pairs[2].statistic == alone.statistic
    assert pairs[2].pvalue == alone.pvalue


def test_pairs_keep_blocks():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    groups, subjects = np.tile(["a", "b", "c"], 20), np.repeat(np.arange(20), 3)
    x += 3.0 * rng.normal(size=(20, 1))[subjects]
    x[groups == "c"] += 1.0
    result = kmerf.ksample(
        x, groups=groups, blocks=subjects, method=SMALL, null=kmerf.Permutation(39), pairwise=True, rng=1
    )
    assert len(result.pairwise) == 3
    assert all(0 < pair.pvalue <= 1 for pair in result.pairwise)
