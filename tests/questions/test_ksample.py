"""Do groups differ? Asked as a user would."""

import numpy as np

import kmerf
from questions_asked import FEW, SMALL, data


def test_a_k_sample_test_is_independence_from_the_labels():
    x, _ = data(60)
    groups = np.repeat(["a", "b", "c"], 20)
    by_groups = kmerf.ksample(x, groups=groups, method=SMALL, null=FEW, rng=1)
    by_labels = kmerf.independence(x, groups, method=SMALL, null=FEW, rng=1)
    stacked = kmerf.ksample({"a": x[:20], "b": x[20:40], "c": x[40:]}, method=SMALL, null=FEW, rng=1)
    assert by_groups.statistic == by_labels.statistic == stacked.statistic
    assert by_groups.pvalue == by_labels.pvalue == stacked.pvalue
    assert by_groups.groups == {"a": 20, "b": 20, "c": 20}


def test_the_names_of_groups_do_not_matter():
    x, _ = data(60)
    x[40:, 1] += 1
    codes = np.repeat([0, 1, 2], 20)
    # Groups are one-hot: relabelled, only the order in which equal sums are added can change.
    results = [
        kmerf.ksample(x, groups=np.array(names)[codes], method=SMALL, null=kmerf.ChiSquare(), rng=1).statistic
        for names in (["a", "b", "c"], ["c", "a", "b"], ["x", "z", "y"])
    ]
    assert np.ptp(results) < 0.05 * abs(results[0])
