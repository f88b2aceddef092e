"""Kernels of x and of y: by definition, and with the properties that the paper proves of them."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.forests import proximity
from kmerf.forests.growing import PROXIMITIES, Leaves
from oracles_proximity import by_definition, leaves_of


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
        with pytest.raises(InputError, match="draws all of them, or does not report which: set bootstrap=True"):
            proximity.proximity(leaves, kind)


def test_a_draw_that_happens_to_leave_no_row_out_is_no_error():
    seen = Leaves(np.zeros((2, 5), np.int32), np.ones((2, 5), np.int32), np.ones(2, np.int32))
    assert not proximity.proximity(seen, "oob").any()
