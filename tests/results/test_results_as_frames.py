"""Results as dataframes."""

import numpy as np
import pytest

import kmerf

X = np.random.default_rng(0).normal(size=(30, 3))
SMALL = kmerf.Portfolio().with_trees(5)


@pytest.fixture(scope="module")
def result():
    groups = np.repeat(["a", "b", "c"], 10)
    return kmerf.ksample(X, groups=groups, method=SMALL, null=kmerf.Permutation(19), pairwise=True, rng=1)


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
