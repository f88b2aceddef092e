"""The map of rows: classical scaling, groups apart, and a sample of many rows."""

import numpy as np
import pytest

import kmerf
from cases import SMALL, grown, related
from kmerf.explain import closer_look
from kmerf.reading.samples import read_independence


def test_scaling_gives_points_back():
    """Inner products of points in the plane have these points as their map, but for a turn and the scale."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(12, 2)) * [3.0, 1.0]
    points -= points.mean(axis=0)
    found, shares = closer_look.scale(points @ points.T)
    assert sum(shares) == pytest.approx(1.0, abs=1e-5)
    assert np.abs(found).max() == 1.0

    def distances(p):
        d = np.linalg.norm(p[:, None] - p, axis=2)
        return d / d.max()

    assert distances(found) == pytest.approx(distances(points), abs=1e-3)


def test_nothing_to_tell_rows_apart_is_no_error():
    points, shares = closer_look.scale(np.ones((4, 4)))
    assert shares == (0.0, 0.0)
    assert (points == 0.0).all()


def test_groups_that_differ_lie_apart():
    x = np.r_[np.zeros(30), np.full(30, 9.0)][:, None] + np.random.default_rng(0).normal(size=(60, 1))
    found = kmerf.ksample(x[:30], x[30:], method=SMALL, null=kmerf.ChiSquare(), rng=1, details=True).details.embedding
    first = found.points[:, 0]
    assert found.y.tolist() == [0.0] * 30 + [1.0] * 30
    assert first[:30].max() < first[30:].min() or first[:30].min() > first[30:].max()


def test_of_many_rows_a_sample_is_drawn(monkeypatch):
    monkeypatch.setattr(closer_look, "MAP_ROWS", 25)
    sample = read_independence(*related(60))
    forest = grown(sample)
    found, again = (closer_look.embed([forest], sample.y, 3, n_jobs) for n_jobs in (1, 2))
    assert found.rows.size == 25
    assert (np.diff(found.rows) > 0).all()
    assert found.y.tolist() == sample.y.values[found.rows, 0].tolist()
    assert found.to_dict() == again.to_dict()
    assert closer_look.embed([forest], sample.y, 4).rows.tolist() != found.rows.tolist()


def test_forests_without_rows_out_of_bag_have_no_map():
    sample = read_independence(*related(30))
    whole = kmerf.KMERF(kmerf.ForestSpec(n_trees=5, bootstrap=False), proximity="all")
    assert closer_look.embed([grown(sample, whole)], sample.y, 1) is None
