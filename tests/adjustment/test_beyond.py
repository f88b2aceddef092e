"""How well y is predicted beyond z."""

from __future__ import annotations

import numpy as np

from kmerf.adjustment.beyond import predict_beyond
from kmerf.adjustment.rank_coordinates import of_response
from kmerf.adjustment.testing import Given
from kmerf.data.read_sample import read_independence


def beyond(x, y, z):
    sample = read_independence(x, y, given=z)
    given = Given(sample.z, 1)
    return predict_beyond(sample, given, given.remove_from(of_response(sample.y), 2), 1, 1)


def test_x_adds_to_what_z_predicts():
    rng = np.random.default_rng(1)
    z, x = rng.normal(size=(2, 300))
    found = beyond(x, z + x + 0.3 * rng.normal(size=300), z)
    assert found["measure"] == "R2"
    assert 0.3 < found["without_x"] < 0.6
    assert found["with_x"] > 0.8


def test_noise_adds_nothing_and_takes_nothing_away():
    rng = np.random.default_rng(2)
    z, x = rng.normal(size=(2, 200))
    found = beyond(x, z + rng.normal(size=200), z)
    assert found["without_x"] <= found["with_x"] < found["without_x"] + 0.05


def test_classes_have_an_area_under_the_curve():
    rng = np.random.default_rng(3)
    z, x = rng.normal(size=(2, 300))
    y = np.where(z + 2 * x + rng.normal(size=300) > 0, "a", "b")
    found = beyond(x, y, z)
    assert found["measure"] == "AUC"
    assert 0.55 < found["without_x"] < found["with_x"] - 0.1
