"""How y moves with a feature."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from cases import SMALL, related
from kmerf.explain.closer_look import plain_profile, profile
from kmerf.reading.samples import read_ksample


def test_profiles_follow_y():
    x, y = related(200)
    details = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, details=True).details
    first = details.profiles[0]
    assert first.feature == "x2"
    assert first.size.sum() == 200
    assert (np.diff(first.at) > 0).all()
    assert first.observed[:, 0] == pytest.approx(first.at**2, abs=0.6)
    assert np.corrcoef(first.observed[:, 0], first.predicted[:, 0])[0, 1] > 0.9


def test_profiles_of_categories_ties_and_missing_values():
    rng = np.random.default_rng(0)
    table = {
        "few": rng.integers(0, 3, 60).astype(float),
        "kind": rng.choice(["a", "b"], 60),
        "some": rng.normal(size=60),
    }
    table["some"][:7] = np.nan
    sample = read_ksample(pd.DataFrame(table), categorical="kind", groups=np.repeat(["u", "v", "w"], 20))
    predicted = np.full((60, 3), 1 / 3)
    few, kind, some = (profile(sample.x, sample.y, predicted, j) for j in range(3))
    assert few.at.tolist() == [0.0, 1.0, 2.0]
    assert kind.labels == ("a", "b")
    assert np.isnan(kind.at).all()
    assert some.labels[-1] == "missing"
    assert some.size[-1] == 7
    assert some.size.sum() == 60
    for each in (few, kind, some):
        assert each.observed.sum(axis=1) == pytest.approx(1.0)
    mask = table["kind"] == "b"
    assert kind.observed[1, 0] == pytest.approx(np.mean(np.arange(60)[mask] < 20))


def test_errors_are_those_of_the_mean_of_what_predictions_miss_by():
    sample = read_ksample([[1.0], [1.0], [1.0], [2.0]], [[2.0], [3.0]])
    predicted = np.column_stack([[0.5, 0.7, 1.0, 0.2, 0.4, np.nan], [0.5, 0.3, 0.0, 0.8, 0.6, np.nan]])
    found = profile(sample.x, sample.y, predicted, 0)
    missed = np.array([0.5, 0.3, 0.0])
    assert found.error[0, 0] == pytest.approx(missed.std(ddof=1) / np.sqrt(3))
    assert np.isnan(found.error[2]).all()  # one row, never out of bag


def test_without_a_forest_means_take_its_place():
    from kmerf.reading.samples import read_independence

    rng = np.random.default_rng(0)
    sample = read_independence(rng.normal(size=(60, 2)), rng.normal(size=60))
    plain = plain_profile(sample.x, sample.y, 0)
    np.testing.assert_allclose(plain.predicted, plain.observed)
    values = sample.x.values[:, 0]
    first = values <= np.sort(values)[plain.size[0] - 1]
    inside = sample.y.values[first, 0]
    assert plain.predicted[0, 0] == pytest.approx(inside.mean())
    assert plain.error[0, 0] == pytest.approx(inside.std(ddof=1) / np.sqrt(inside.size))
