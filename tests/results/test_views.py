"""Views of the data, effects of columns and descriptions survive JSON."""

import json

import numpy as np

import views
from kmerf.results.parts import Importances
from kmerf.results.screen_result import Screen
from kmerf.results.views import ColumnEffects, DescribedColumn, Description, Details, Profile, RowMap


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


def test_effects_come_back_as_they_were():
    sketches = {"a": ((0.0, 1.5), (1.0, 2.5))}
    effects = ColumnEffects(np.array([0.25, np.nan]), ("rises", ""), sketches)
    again = ColumnEffects.from_dict(json.loads(json.dumps(effects.to_dict(), allow_nan=False)))
    assert again.to_dict() == effects.to_dict()
    assert np.isnan(again.sizes[1])
    assert again.sketches == sketches


def test_screens_of_older_files_have_none():
    saved = views.screen().to_dict()
    del saved["effects"], saved["source"]
    old = Screen.from_dict(saved)
    assert old.effects is None
    assert [row.direction for row in old] == [""] * len(old)


def test_a_description_prints_and_goes_to_json():
    table = Description(3, (DescribedColumn("a\n", "x", "numeric", 1, 2, "odd"),), ("n",), ("p",))
    assert str(table).splitlines() == [
        "3 rows, 1 columns",
        "  column  used as  read as  missing  distinct  values",
        "  a\\x0a   x        numeric        1         2            odd",
        "note: n",
        "to decide: p",
    ]
    plain = table.to_dict()
    assert plain["columns"][0]["remark"] == "odd"
    assert Description.from_dict(plain) == table
    assert {**plain, "columns": []} == {
        "rows": 3,
        "columns": [],
        "notes": ["n"],
        "note_ranks": ["decision"],
        "problems": ["p"],
    }


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
