"""Effects of columns survive JSON."""

import json

import numpy as np

import views
from kmerf.results.screen_result import Screen
from kmerf.results.views import ColumnEffects


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
