"""The members of a combined test: what each found alone, and its score."""

import numpy as np
import pytest

from kmerf.explain.feature_importances import find_members
from kmerf.methods.protocol import Fit, Part
from kmerf.nulls.definitions import scores
from kmerf.results.parts import Importances


def test_each_member_is_judged_by_its_own_permutations():
    rng = np.random.default_rng(0)
    permuted = rng.normal(size=(19, 2))
    statistics = np.array([permuted[:, 0].max() + 1.0, np.sort(permuted[:, 1])[-5]])
    gains = np.array([[3.0, 1.0]])
    fit = Fit((Part("forest", statistics[0], gains, error=0.1), Part("quick", statistics[1], weight=0.5)))
    known = Importances(("a", "b"), *np.array([[0.3, 0.1], [0.2, 0.0], [0.4, 0.2]]), "loss")
    forest, quick = find_members(fit, permuted, {"forest": known})
    assert (forest.name, quick.name) == ("forest", "quick")
    assert forest.pvalue == 1 / 20
    assert quick.pvalue == 6 / 20
    expected = scores(np.vstack([statistics, permuted]))[0]
    assert [forest.score, quick.score] == expected.tolist()
    terms = np.array([1.0, 0.5]) * np.exp(1.3 * expected)
    assert [forest.share, quick.share] == pytest.approx(terms / terms.sum())
    assert forest.importances is known
    assert quick.importances is None


def test_one_statistic_or_too_few_permutations_have_no_members():
    one, two = Fit.of("t", 1.0), Fit((Part("a", 1.0), Part("b", 2.0)))
    assert find_members(one, np.zeros((9, 1)), {}) == ()
    assert find_members(two, np.zeros((2, 2)), {}) == ()
