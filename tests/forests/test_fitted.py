"""The forest behind a statistic can be grown again."""

import numpy as np

from cases import grown, related
from kmerf.forests import growing as forests
from kmerf.reading.samples import read_independence


def test_a_forest_is_grown_again_bit_for_bit():
    sample = read_independence(*related(40))
    forest = grown(sample)
    first, again = forest.leaves(), forest.leaves(n_jobs=2)
    assert np.array_equal(again.codes, first.codes)
    assert np.array_equal(again.counts, first.counts)
    assert np.array_equal(forests.route(forest.trees(), sample.x.values), first.codes)
    parts = forest.each(lambda leaves: leaves.codes.copy())
    assert np.array_equal(np.concatenate(parts), first.codes)
