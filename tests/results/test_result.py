"""Results: frozen, printable, lossless in JSON."""

import dataclasses
import json

import numpy as np
import pytest

import kmerf


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
    assert "19 permutations; standard error" in numeric
    assert "30 rows   12 features; y numeric" in numeric
    assert "... and 2 more features" in numeric
    assert "x1 " in numeric
    assert "y numeric, 2 columns" in several
    assert "2 groups: 1 (10), 2 (20)" in groups
    assert "note: " in dropped


def test_importances_are_shares_with_their_spread():
    table = results()[0].importances
    assert table.mean.sum() == pytest.approx(1.0)
    assert (table.low <= table.mean).all()
    assert (table.mean <= table.high).all()
    assert table.scaled.min() == 0.0
    assert table.scaled.max() == 1.0
    assert table.names[int(np.argmax(table.mean))] == table.ranking[0]


def test_importances_are_scikit_learns():
    from sklearn.ensemble import RandomForestRegressor

    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 4))
    y = x @ [2.0, 1.0, 0.5, 0.0] + rng.normal(size=80)
    ours = [kmerf.independence(x, y, null=kmerf.ChiSquare(), rng=s).importances.mean for s in range(5)]
    theirs = [RandomForestRegressor(500, random_state=s).fit(x, y).feature_importances_ for s in range(5)]
    error = np.sqrt((np.var(ours, axis=0, ddof=1) + np.var(theirs, axis=0, ddof=1)) / 5)
    assert (np.abs(np.mean(ours, axis=0) - np.mean(theirs, axis=0)) < 5 * error + 1e-3).all()
