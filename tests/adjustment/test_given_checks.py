"""What all questions given z share."""

from __future__ import annotations

import pytest
from scipy import stats

import kmerf
from kmerf.adjustment.answering import refuse
from kmerf.nulls.definitions import normal_score


def test_normal_scores():
    assert normal_score(0.01) == pytest.approx(stats.norm.isf(0.01))
    assert normal_score(1e-300) == pytest.approx(stats.norm.isf(1e-300))


def test_only_options_that_are_set_are_refused():
    refuse(method=None, pairwise=False, exchange="auto")
    with pytest.raises(kmerf.InputError, match="^pairwise was passed together with given"):
        refuse(method=None, pairwise=True)
