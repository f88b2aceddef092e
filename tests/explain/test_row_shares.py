"""The share of each row in the statistic, against centred matrices."""

from dataclasses import replace

import numpy as np
import pytest

import kmerf
from cases import SMALL, grown, related
from kmerf.explain import row_shares as rows
from kmerf.forests import growing as forests
from kmerf.forests import proximity as proximities
from kmerf.forests.proximity import proximity
from kmerf.forests.response_kernels import CoordinateKernel
from kmerf.methods.protocol import observe
from kmerf.reading.samples import read_independence
from oracles import distances


def u_centred(K):
    K = K - np.diag(np.diag(K))
    n = len(K)
    centred = K - K.sum(0) / (n - 2) - K.sum(0)[:, None] / (n - 2) + K.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(centred, 0.0)
    return centred


@pytest.mark.parametrize("kind", ["oob", "either", "all"])
@pytest.mark.parametrize("y", ["number", "ties", "classes", "points", "gaussian", "target"])
def test_row_scores_are_rows_of_the_centred_product(kind, y):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(24, 3))
    target = {
        "number": x[:, 0] + rng.normal(size=24),
        "ties": np.round(x[:, 0]),
        "classes": rng.choice(["a", "b", "c"], 24),
        "points": x[:, :2] + rng.normal(size=(24, 2)),
        "gaussian": x[:, 0],
        "target": x[:, :2] + rng.normal(size=(24, 2)),
    }[y]
    sample = read_independence(x, target)
    named = y if y in ("gaussian", "target") else "distance"
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=20), kind, named, target="shape" if y == "target" else "mean")
    fit = observe(method.prepare(sample, 1))
    forest = fit.parts[0].forest
    found = rows.row_scores(forest)
    A = u_centred(proximity(forest.leaves(), kind))
    L = forest.response.matrix() if y in ("gaussian", "target") else -distances(sample.y.values)
    B = u_centred(L)
    expected = (A * B).sum(axis=1) / np.sqrt((A * A).sum() * (B * B).sum())
    assert found == pytest.approx(expected, abs=1e-10)
    assert found.sum() == pytest.approx(fit.statistic)
    assert rows.row_scores(replace(forest, forest=forest.forest.keep(forest.leaves()))) == pytest.approx(
        found, abs=1e-12
    )
    assert (rows.row_scores(forest, n_jobs=3) == found).all()


def test_row_scores_need_no_matrix_and_do_not_depend_on_parts(monkeypatch):
    x, y = related(300)
    sample = read_independence(x, y)
    forest = grown(sample, kmerf.KMERF(kmerf.ForestSpec(n_trees=20), y_kernel="target", target="shape"))
    monkeypatch.setattr(rows, "MOST_ROWS", 100)
    monkeypatch.delattr(CoordinateKernel, "matrix")
    expected = rows.row_scores(forest)
    monkeypatch.setattr(forests, "PART_SECONDS", 0.0)
    assert rows.row_scores(forest, n_jobs=2) == pytest.approx(expected, abs=1e-15)


def test_shares_of_rows_add_up_to_a_statistic_of_sampled_rows(monkeypatch):
    monkeypatch.setattr(proximities, "EXACT_ROWS", 50)
    fit = observe(SMALL.prepare(read_independence(*related(120)), 1))
    assert rows.row_scores(fit.parts[0].forest).sum() == pytest.approx(fit.statistic)


def test_scores_of_too_many_rows_for_a_matrix_are_left_out_with_a_note(monkeypatch):
    monkeypatch.setattr(rows, "MOST_ROWS", 50)
    x, y = related(60)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=5), y_kernel="gaussian")
    result = kmerf.independence(x, y, method=method, null=kmerf.ChiSquare(), rng=1, details=True)
    assert result.details.rows is None
    assert any("the shares of rows are left out" in note and "50 rows" in note for note in result.notes)


def test_a_row_that_contradicts_scores_low():
    rng = np.random.default_rng(0)
    y = np.arange(80) < 40
    x = 9.0 * y[:, None] + rng.normal(size=(80, 1))
    odd = 50
    x[odd] = 9.0
    scores = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, details=True).details.rows
    assert np.argmin(scores) == odd
    assert scores[odd] < 0 < np.median(scores)
