"""A result is a value: it survives JSON, prints what matters, and becomes dataframes."""

import dataclasses
import json
from functools import cache

import numpy as np
import pytest

import kmerf
from cases import SMALL, related


def test_results_without_reasons_can_be_read():
    result = kmerf.independence(*related(30), method=SMALL, null=kmerf.ChiSquare(), rng=1)
    data = result.to_dict()
    for name in ("features", "feature_groups", "effect", "pairwise", "details"):
        del data[name]
    assert kmerf.Result.from_dict(data).pvalue == result.pvalue


@cache
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
    numeric, several, groups, dropped = (result.in_full() for result in results())
    assert "<= 0.05   19 permutations, none as large" in numeric
    assert "30 rows   12 features; y numeric" in numeric
    assert "... and 2 more features" in numeric
    assert "x1 " in numeric
    assert "y numeric, 2 columns" in several
    assert "2 groups: 1 (10), 2 (20)" in groups
    assert "note: " in dropped


X = np.random.default_rng(0).normal(size=(30, 3))
FEW_TREES = kmerf.Portfolio().with_trees(5)


@pytest.fixture(scope="module")
def result():
    groups = np.repeat(["a", "b", "c"], 10)
    return kmerf.ksample(X, groups=groups, method=FEW_TREES, null=kmerf.Permutation(19), pairwise=True, rng=1)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_every_part_in_every_library(result, library):
    for part, rows in {"answer": 1, "features": 3, "members": len(result.members), "pairs": 3}.items():
        table = result.to_frame(part, library=library)
        assert type(table).__module__.split(".")[0] == library
        assert table.shape[0] == rows


def test_values_are_those_of_the_result(result):
    answer = result.to_frame()
    assert answer["pvalue"].tolist() == [result.pvalue]
    assert answer["statistic"].tolist() == [result.statistic]
    features = result.to_frame("features")
    assert tuple(features["feature"]) == result.importances.ranking
    first = result.features.names.index(features["feature"][0])
    assert features["pvalue"][0] == result.features.pvalues[first]
    assert result.to_frame("members")["name"].tolist() == [member.name for member in result.members]
    assert result.to_frame("pairs")["adjusted"].tolist() == [pair.adjusted for pair in result.pairwise]


def test_screens_have_a_row_a_column():
    screen = kmerf.screen(X, X[:, 0], method="dcorr", null=kmerf.Permutation(19), rng=1)
    table = screen.to_frame()
    assert table["column"].tolist() == ["x1", "x2", "x3"]
    assert table["pvalue"].tolist() == screen.pvalues.tolist()


def test_what_cannot_be_had(result):
    with pytest.raises(kmerf.InputError, match="part='feature' is not an option; did you mean 'features'"):
        result.to_frame("feature")
    with pytest.raises(kmerf.InputError, match="library='panda' is not an option"):
        result.to_frame(library="panda")
    plain = kmerf.independence(X, X[:, 0], method="dcorr", null=kmerf.Permutation(19), rng=1)
    with pytest.raises(kmerf.InputError, match="Dcorr has no forest"):
        plain.to_frame("features")
