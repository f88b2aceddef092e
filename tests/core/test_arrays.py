"""Arrays that nobody may change, ranks against scipy, and centring that leaves constants exactly zero."""

import numpy as np
import pytest
from scipy.stats import rankdata

from kmerf.core.arrays import centred, mid_ranks, read_only


def test_a_read_only_array_is_a_view_that_cannot_be_written_to():
    array = np.arange(6.0).reshape(2, 3)
    view = read_only(array)
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 9.0
    array[0, 0] = 7.0
    assert view[0, 0] == 7.0
    assert read_only(array.T).flags.c_contiguous


@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_scipys(seed):
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=40), seed)  # with fewer and fewer ties
    assert mid_ranks(values).tolist() == rankdata(values).tolist()


def test_centred_constants_are_zero_whatever_their_mean_is_rounded_to():
    values = np.column_stack([np.full(6, 0.1), np.arange(6.0)])
    assert np.full(6, 0.1).mean() != 0.1  # why it needs saying
    found = centred(values)
    assert (found[:, 0] == 0.0).all()
    assert found[:, 1].tolist() == (np.arange(6.0) - 2.5).tolist()
