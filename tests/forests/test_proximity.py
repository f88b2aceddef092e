"""Kernels of x and of y: by definition, and with the properties that the paper proves of them."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.data.read_sample import read_independence
from kmerf.forests import proximity, response_kernels
from kmerf.forests.growing import grow, presort
from kmerf.forests.leaf_codes import PROXIMITIES, Leaves
from kmerf.forests.spec import ForestSpec


def leaves_of(n=40, p=3, seed=0, classes=False, **spec) -> Leaves:
    rng = np.random.default_rng(seed)
    y = np.eye(3)[rng.integers(0, 3, n)] if classes else rng.normal(size=(n, 1))
    return grow(ForestSpec(n_trees=60, **spec), presort(rng.normal(size=(n, p))), y, classes=classes, seed=seed)


def by_definition(leaves: Leaves, kind: str, normalise: bool = False) -> np.ndarray:
    n, m = leaves.n, leaves.n_trees
    hits, chances = np.zeros((n, n)), np.zeros((n, n))
    for t in range(m):
        out = leaves.counts[t] == 0
        may = {"all": np.ones((n, n), bool), "either": out[:, None] | out[None], "oob": out[:, None] & out[None]}[kind]
        hits += may & (leaves.codes[t][:, None] == leaves.codes[t][None])
        chances += may
    return hits / np.maximum(chances, 1) if normalise else hits / m


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("kind", PROXIMITIES)
@pytest.mark.parametrize("classes", [False, True])
def test_proximity_is_the_share_of_trees_in_which_a_pair_counts(kind, normalise, classes):
    leaves = leaves_of(classes=classes, min_samples_leaf=2)
    np.testing.assert_allclose(
        proximity.proximity(leaves, kind, normalise=normalise),
        by_definition(leaves, kind, normalise),
        rtol=0,
        atol=1e-15,
    )


@pytest.mark.parametrize("kind", ["all", "oob"])
@pytest.mark.parametrize("seed", range(20))
def test_theorem_1_all_and_unnormalised_oob_are_positive_semi_definite(kind, seed):
    leaf = 1 + seed % 4
    leaves = leaves_of(n=30 + seed, p=1 + seed % 5, seed=seed, classes=seed % 2 == 0, min_samples_leaf=leaf)
    assert np.linalg.eigvalsh(proximity.proximity(leaves, kind)).min() > -1e-10


@pytest.mark.parametrize("normalise", [False, True])
def test_an_either_kernel_that_violates_theorem_1(normalise):
    K = proximity.proximity(leaves_of(classes=True, min_samples_leaf=5), "either", normalise=normalise)
    assert np.linalg.eigvalsh(K).min() < -0.1


def test_sums_of_the_proximity_are_exact():
    leaves = leaves_of(n=50)
    for kind in PROXIMITIES:
        counts = np.rint(by_definition(leaves, kind) * leaves.n_trees)
        np.fill_diagonal(counts, 0)
        assert (proximity.partner_counts(leaves, kind) == counts.sum(axis=1)).all()
        assert proximity.square_count(leaves, kind) == (counts**2).sum()


def test_square_count_does_not_depend_on_the_size_of_its_blocks(monkeypatch):
    leaves = leaves_of(n=45)
    whole = proximity.square_count(leaves, "oob")
    monkeypatch.setattr(proximity, "BLOCK_CELLS", 45 * 4)
    assert proximity.square_count(leaves, "oob") == whole


def test_out_of_bag_kernels_need_rows_out_of_bag():
    leaves = leaves_of(bootstrap=False)
    same = [leaves.codes[t][:, None] == leaves.codes[t][None] for t in range(leaves.n_trees)]
    np.testing.assert_allclose(proximity.proximity(leaves, "all"), np.mean(same, axis=0))
    for kind in ("either", "oob"):
        with pytest.raises(InputError, match="draws all of them or does not tell which: set bootstrap=True"):
            proximity.proximity(leaves, kind)


def test_a_draw_that_happens_to_leave_no_row_out_is_no_error():
    seen = Leaves(np.zeros((2, 5), np.int32), np.ones((2, 5), np.int32), np.ones(2, np.int32))
    assert not proximity.proximity(seen, "oob").any()


def responses() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {
        "numbers": rng.normal(size=30),
        "tied numbers": rng.integers(0, 4, 30).astype(float),
        "points": rng.normal(size=(30, 3)),
        "labels": rng.choice(["a", "b", "c"], 30),
    }


CASES = [
    (which, name)
    for which in responses()
    for name in ("distance", "discrete", "gaussian")
    if name != "discrete" or which in ("tied numbers", "labels")
]


@pytest.mark.parametrize(("which", "name"), CASES)
def test_sums_of_a_kernel_of_y_are_those_of_its_hollow_matrix(which, name):
    rng = np.random.default_rng(0)
    y = read_independence(rng.normal(size=(30, 2)), responses()[which]).y
    response = response_kernels.response_kernel(name, y)
    L = response.matrix()
    shift = L.max() if name == "distance" and which != "labels" else 0.0  # distances enter without their constant
    hollow = L - shift
    np.fill_diagonal(hollow, 0.0)
    np.testing.assert_allclose(response.rows, hollow.sum(axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(response.square, (hollow**2).sum(), rtol=1e-12)
    leaves, order = leaves_of(n=30), rng.permutation(30)
    for kind in PROXIMITIES:
        pairs = by_definition(leaves, kind) * leaves.n_trees
        np.testing.assert_allclose(
            response_kernels.over_trees(leaves, kind, response.within(order)),
            (pairs * hollow[np.ix_(order, order)]).sum(),
            rtol=1e-11,
        )


def test_the_distance_kernel_is_scikit_learns_distance_turned_over():
    from sklearn.metrics import pairwise_distances
    from sklearn.metrics.pairwise import rbf_kernel

    points = np.random.default_rng(0).normal(size=(25, 3))
    distances = pairwise_distances(points)
    np.testing.assert_allclose(response_kernels.distance_kernel(points), distances.max() - distances, atol=1e-12)
    median = np.median(distances[np.triu_indices(25, 1)])
    np.testing.assert_allclose(
        response_kernels.gaussian_kernel(points), rbf_kernel(points, gamma=0.5 / median**2), rtol=1e-10
    )


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.eye(3), r"shape \(3, 3\); a precomputed kernel must be \(30, 30\)"),
        (np.arange(900.0).reshape(30, 30), "symmetric matrix of finite similarities"),
        (np.full((30, 30), np.nan), "symmetric matrix of finite similarities"),
        ("gausian", "did you mean 'gaussian'"),
        ("discrete", "all values of y differ: use 'distance'"),
        (np.abs(np.arange(30.0)[:, None] - np.arange(30.0)), "zeros on its diagonal, like a matrix of distances"),
        (len, "cannot be used: name a kernel"),
    ],
)
def test_bad_kernels_of_y_are_refused(bad, message):
    y = read_independence(np.random.default_rng(0).normal(size=(30, 2)), responses()["numbers"]).y
    with pytest.raises(InputError, match=message):
        response_kernels.response_kernel(bad, y)
