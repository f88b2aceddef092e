"""A result is a value: it survives JSON, prints what matters, and old ones can be read."""

import dataclasses
import json

import numpy as np
import pytest

import kmerf
from cases import SMALL, related


def test_old_results_without_reasons_can_be_read():
    result = kmerf.independence(*related(30), method=SMALL, null=kmerf.ChiSquare(), rng=1)
    data = result.to_dict()
    for name in ("features", "feature_groups", "effect", "pairwise", "details"):
        del data[name]
    assert kmerf.Result.from_dict(data).pvalue == result.pvalue


def results():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 12))
    small = kmerf.KMERF(forest=kmerf.ForestSpec(n_trees=30))
    return [
        kmerf.independence(x, x[:, 0], method=small, null=kmerf.Permutation(19), rng=1),
        kmerf.independence(x, x[:, :2], method=small, null=kmerf.ChiSquare(), rng=1),
        kmerf.ksample(x[:10], x[10:], method=small, null=kmerf.Permutation(19), rng=2**53 - 1),
        kmerf.independence(x, [None, *x[1:, 0]], method=small, null=kmerf.ChiSquare(), rng=1, missing_y="drop"),
    ]


@pytest.mark.parametrize("result", results(), ids=lambda r: f"{r.question} {r.null.name}")
def test_a_result_survives_json_without_loss(result):
    again = kmerf.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again == result
    assert again.to_dict() == result.to_dict()
    assert str(again) == str(result)


def test_a_result_is_frozen_and_unpacks():
    result = results()[0]
    statistic, pvalue = result
    assert (statistic, pvalue) == (result.statistic, result.pvalue)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.pvalue = 0.0
    assert result != results()[1]
    assert len({result, results()[0]}) == 1


def test_a_result_prints_what_matters():
    numeric, several, groups, dropped = map(str, results())
    assert "<= 0.05   19 permutations, none as large" in numeric
    assert "30 rows   12 features; y numeric" in numeric
    assert "... and 2 more features" in numeric
    assert "x1 " in numeric
    assert "y numeric, 2 columns" in several
    assert "2 groups: 1 (10), 2 (20)" in groups
    assert "note: " in dropped
