"""Details survive JSON: gaps, classes, maps and what is not there."""

import json

import numpy as np

from kmerf.results.parts import Importances
from kmerf.results.views import Details, Profile, RowMap


def test_details_come_back_from_json_as_they_were():
    importances = Importances(("a", "b"), np.array([0.7, 0.3]), np.array([0.5, 0.0]), np.array([0.9, 0.4]))
    profile = Profile(
        "a",
        ("", "missing"),
        np.array([1.5, np.nan]),
        np.array([7, 2]),
        np.array([[0.25, 0.75], [1.0, 0.0]]),
        np.array([[0.5, 0.5], [np.nan, np.nan]]),
    )
    points = RowMap(np.array([0, 3]), np.array([[1.0, 0.0], [-0.5, 0.25]]), (0.6, 0.1), np.array([0.0, 1.0]))
    full = Details(importances, np.array([0.1, -0.2]), (profile,), points)
    for details in (full, Details(None, None, ())):
        text = json.dumps(details.to_dict(), allow_nan=False)
        again = Details.from_dict(json.loads(text))
        assert json.dumps(again.to_dict()) == text
    again = Details.from_dict(full.to_dict())
    assert np.isnan(again.profiles[0].at[1])
    assert again.embedding.shares == (0.6, 0.1)


def test_details_without_a_map_can_be_read():
    """Results of 0.1 had none."""
    old = Details(None, None, ()).to_dict()
    del old["embedding"]
    assert Details.from_dict(old).embedding is None
