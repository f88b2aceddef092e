"""Agreement with published powers."""

import numpy as np
import pytest

from kmerf import InputError, study
from kmerf.nulls.definitions import holm
from kmerf.study.estimate import bootstrap, cutoff
from studies import LINEAR


def test_agreement_finds_the_one_that_differs():
    rng = np.random.default_rng(2)
    ours, published = [], []
    for shift in np.linspace(0, 4, 60):
        statistic, permuted = rng.normal(shift, 1.0, 400), rng.normal(size=400)
        limit, rejected = cutoff(permuted), int((statistic >= cutoff(permuted)).sum())
        error = float(bootstrap(statistic, permuted, 0.05, 300).std())
        ours.append(study.Power("t", LINEAR, "published", 0.05, 400, rejected, error, (0, 1), (0, 1), limit))
        theirs = (rng.normal(shift, 1.0, 2305) >= cutoff(rng.normal(size=2305))).sum()
        published.append(study.Published((1 + theirs) / 2306, 2305))
    assert all(each.holm > 0.05 for each in study.agreement(ours, published))
    published[20] = study.Published(published[20].power + 0.25, 2305)
    wrong = [k for k, each in enumerate(study.agreement(ours, published)) if each.holm <= 0.05]
    assert wrong == [20]
    assert study.agreement(ours, published)[20].difference < -0.1


@pytest.mark.parametrize("shift", [0.0, 2.0, 4.0])
def test_agreement_is_not_quick_to_find_fault(shift):
    rng = np.random.default_rng(3)
    ours, published = [], []
    for _ in range(200):
        statistic, permuted = rng.normal(shift, 1.0, 200), rng.normal(size=200)
        error = float(bootstrap(statistic, permuted, 0.05, 200).std())
        rejected = int((statistic >= cutoff(permuted)).sum())
        ours.append(study.Power("t", LINEAR, "published", 0.05, 200, rejected, error, (0, 1), (0, 1)))
        theirs = (rng.normal(shift, 1.0, 2305) >= cutoff(rng.normal(size=2305))).sum()
        published.append(study.Published((1 + theirs) / 2306, 2305))
    found = study.agreement(ours, published)
    assert sum(each.pvalue <= 0.05 for each in found) <= 18
    assert min(each.holm for each in found) > 0.01


def test_agreement_at_the_edges():
    sure = study.Power("t", LINEAR, "published", 0.05, 500, 500, 0.0, (0.99, 1.0), (0.99, 1.0), 0.1)
    same, near, far = study.agreement([sure] * 3, [study.Published(p, 2305) for p in (1.0, 0.999, 0.97)])
    assert (same.z, same.pvalue) == (0.0, 1.0)
    assert abs(near.z) < 1 < 3 < far.z
    assert holm(np.array([])).size == 0
    with pytest.raises(InputError, match="published has 1 entries for 2 powers"):
        study.agreement([sure, sure], [study.Published(1.0, 5)])
