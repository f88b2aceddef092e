"""Profiles and maps survive JSON."""

import json

import numpy as np

from kmerf.results.views import Profile, RowMap


def test_gaps_of_a_profile_come_back_as_nan():
    profile = Profile(
        "a", ("", "missing"), np.array([1.5, np.nan]), np.array([7, 2]), np.eye(2), np.full((2, 2), np.nan)
    )
    again = Profile.from_dict(json.loads(json.dumps(profile.to_dict(), allow_nan=False)))
    assert again.labels == ("", "missing")
    assert np.isnan(again.at[1])
    assert np.isnan(again.predicted).all()
    assert (again.observed == np.eye(2)).all()
    assert again.error is None


def test_profiles_of_older_files_have_no_errors():
    profile = Profile("a", ("",), np.ones(1), np.ones(1, int), np.eye(1), np.eye(1), np.array([[0.5]]))
    saved = profile.to_dict()
    assert Profile.from_dict(saved).error.tolist() == [[0.5]]
    del saved["error"]
    assert Profile.from_dict(saved).error is None


def test_a_map_comes_back_as_it_was():
    points = RowMap(np.array([0, 3]), np.array([[1.0, 0.0], [-0.5, 0.25]]), (0.6, 0.1), np.array([0.0, 1.0]))
    assert RowMap.from_dict(json.loads(json.dumps(points.to_dict()))).to_dict() == points.to_dict()
