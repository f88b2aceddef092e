"""KSample, beside hyppo's."""

import numpy as np
import pytest

import kmerf.compat.hyppo as ours
from kmerf import InputError

RNG = np.random.default_rng(2)
A, B = RNG.normal(size=(30, 2)), RNG.normal(size=(25, 2)) + 1.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["CCA", "Dcorr", "HHG", "Hsic", "MGC", "RV"])
@pytest.mark.parametrize("groups", [2, 3])
def test_k_sample_statistics_are_hyppos(hyppo, name, groups):
    samples = [RNG.normal(size=(20 + k, 2)) + 0.5 * k for k in range(groups)]
    theirs, mine = hyppo.ksample.KSample(name).statistic(*samples), ours.KSample(name).statistic(*samples)
    if name in ("HHG", "MGC"):  # labels tie many distances; hyppo's are rounded, which breaks some ties
        assert mine == pytest.approx(theirs, rel=0.2)
    else:
        assert mine == pytest.approx(theirs, rel=1e-9)
    assert ours.KSample(name).test(*samples, reps=19, random_state=0)[0] == pytest.approx(mine, rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_mgc_returns_its_map_as_hyppos_does(hyppo):
    mine = ours.KSample("MGC").test(A, B, reps=9, random_state=1)
    theirs = hyppo.ksample.KSample("MGC").test(A, B, reps=9)
    assert type(mine).__name__ == type(theirs).__name__
    assert mine._fields == theirs._fields
    assert mine.mgc_dict.keys() == theirs[2].keys()
    rows, columns = mine.mgc_dict["opt_scale"]
    assert mine.mgc_dict["mgc_map"][rows - 1, columns - 1] == pytest.approx(mine.stat, rel=1e-9)


def test_the_seed_of_the_forest_counts_for_the_statistic():
    forests = [ours.KSample("KMERF", ntrees=20, random_state=seed) for seed in (3, 3, 4)]
    first, again, other = (forest.statistic(A, B) for forest in forests)
    assert first == again == forests[0].test(A, B).stat
    assert first != other


def test_reps_do_not_matter_with_auto():
    forest = ours.KSample("KMERF", ntrees=30, random_state=1)
    assert forest.test(A, B, reps=0)[:2] == forest.test(A, B)[:2]
    assert forest.test(A, B, reps=0).pvalue < 0.05
    assert forest.test(A, B, reps=0, auto=False).pvalue == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ours.KSample("abcd"), "indep_test='abcd' is not an option"),
        (lambda: ours.KSample(["MaxMargin", "Dcorr"]), "is not an option"),
        (lambda: ours.KSample("KMERF", ntree=5), "ntree is not an argument of RandomForestClassifier"),
        (lambda: ours.KSample("Dcorr", None), "compute_distkern=None cannot be combined with samples: name a metric"),
        (lambda: ours.KSample("HHG", lambda v: v @ v.T).test(A, B), "x: its distances are negative"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()
