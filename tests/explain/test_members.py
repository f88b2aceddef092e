"""The members of a combined test: what each found alone, and its score."""

import numpy as np
import pytest

from kmerf.explain.members import find_members
from kmerf.methods.protocol import Fit, Part
from kmerf.nulls.combining import scores


def test_each_member_is_judged_by_its_own_permutations():
    rng = np.random.default_rng(0)
    permuted = rng.normal(size=(19, 2))
    statistics = np.array([permuted[:, 0].max() + 1.0, np.sort(permuted[:, 1])[-5]])
    gains = np.array([[3.0, 1.0]])
    fit = Fit((Part("forest", statistics[0], gains, error=0.1), Part("quick", statistics[1], weight=0.5)))
    forest, quick = find_members(fit, permuted, ("a", "b"))
    assert (forest.name, quick.name) == ("forest", "quick")
    assert forest.pvalue == 1 / 20
    assert quick.pvalue == 6 / 20
    known = scores(np.vstack([statistics, permuted]))[0]
    assert [forest.score, quick.score] == known.tolist()
    terms = np.array([1.0, 0.5]) * np.exp(1.3 * known)
    assert [forest.share, quick.share] == pytest.approx(terms / terms.sum())
    assert forest.importances.mean == pytest.approx([0.75, 0.25])
    assert quick.importances is None


def test_one_statistic_or_too_few_permutations_have_no_members():
    one, two = Fit.of("t", 1.0), Fit((Part("a", 1.0), Part("b", 2.0)))
    assert find_members(one, np.zeros((9, 1)), ("x",)) == ()
    assert find_members(two, np.zeros((2, 2)), ("x",)) == ()
