"""What is asked of an explanation: refused before anything is computed, or noted where it cannot be had."""

import numpy as np
import pytest

import kmerf
from cases import SMALL, related
from kmerf.core.errors import InputError


@pytest.mark.parametrize(
    ("wishes", "says"),
    [
        ({"interval": 95}, "interval=95 must be a number between 0 and 1"),
        ({"interval": True}, "interval=True must be"),
        ({"pairwise": True}, "pairwise=True compares the groups two by two, and there are 0"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(wishes, says):
    with pytest.raises(InputError, match=says):
        kmerf.independence(*related(30), method=SMALL, **wishes)


class Never:
    """A method that must not be asked."""

    name = "never"

    def prepare(self, sample, seed):
        raise AssertionError


@pytest.mark.parametrize(
    ("labels", "blocks", "wishes", "says"),
    [
        (np.repeat(["a", "b", "c", "d"], [30, 30, 1, 1]), None, {"pairwise": True}, "of every group, and 'c', 'd' has"),
        (
            np.repeat(["a", "b", "c"], 10),
            np.r_[[0] * 10, np.tile([0, 1], 5), [1] * 10],
            {"pairwise": True},
            "cannot compare 'a' and 'c' on their own rows: y is constant within",
        ),
        (np.arange(12.0), None, {"interval": 0.9}, "needs 20 rows or more to halve, and there are 12"),
        (
            np.arange(20.0),
            [0, 0, 1, 1] + [2] * 16,
            {"interval": 0.9},
            "needs 4 blocks or more to halve, and there are 3",
        ),
        (np.arange(30.0) % 4, np.repeat([0, 1, 2, 3], [2, 2, 2, 24]), {"interval": 0.9}, None),
    ],
)
def test_wishes_are_refused_before_anything_is_computed(labels, blocks, wishes, says):
    x = np.random.default_rng(0).normal(size=(len(labels), 2))
    with pytest.raises(InputError if says else AssertionError, match=says):
        kmerf.independence(x, labels, blocks=blocks, method=Never(), **wishes)


def test_wishes_without_a_forest_are_noted():
    x, y = related(40)
    wishes = {"feature_groups": {"both": [0, 1]}, "details": True, "rng": 1}
    none = kmerf.independence(x, y, method=kmerf.baselines.Dcorr(), null=kmerf.Permutation(19), **wishes)
    assert none.details is None
    assert none.feature_groups is None
    assert "feature_groups were not tested: Dcorr has no forest that shows what features do." in none.notes
    assert "There are no details: Dcorr has no forest to look into." in none.notes
    fast = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), **wishes)
    assert fast.details is not None
    assert fast.notes == ("feature_groups were not tested: ChiSquare grows no forests of permuted y to compare with.",)
    one = kmerf.independence(x[:, :1], y, method=SMALL, null=kmerf.Permutation(19), feature_groups={"it": [0]}, rng=1)
    assert one.notes == ("feature_groups were not tested: the test of the only feature is the test itself.",)


@pytest.mark.parametrize("resamples", [1, 2])
def test_very_few_permutations_say_nothing_of_features(resamples):
    x = np.random.default_rng(0).normal(size=(30, 3))
    result = kmerf.independence(x, x[:, 0], method=kmerf.KMERF(kmerf.ForestSpec(10)), null=kmerf.Permutation(resamples))
    assert result.features is None
    assert result.pvalue >= 1 / (1 + resamples)
