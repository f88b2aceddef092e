"""Is the effect below a margin?"""

import numpy as np
import pytest

import kmerf
from kmerf.explain.explanation import check_margin, decide
from kmerf.reading.samples import read_independence, read_ksample
from kmerf.results.parts import Effect


@pytest.mark.parametrize(
    ("low", "high", "decision"), [(0.0, 0.05, "below"), (0.07, 0.2, "above"), (0.05, 0.07, "undecided")]
)
def test_the_interval_decides(low, high, decision):
    effect = Effect(measure="R2", score=0.9, rank_score=0.06, rank_low=low, rank_high=high)
    found = decide(0.06, effect)
    assert (found.decision, found.measure, found.low, found.high) == (decision, "R2 of ranks", low, high)


def test_what_x_adds_to_z_has_its_own_name():
    effect = Effect(measure="AUC", score=0.01, score_low=0.0, score_high=0.02, about="beyond z")
    assert decide(0.05, effect).measure == "added AUC"


def test_without_a_margin_or_an_interval_nothing_is_decided():
    assert decide(None, Effect(measure="R2", score=0.1)) is None
    assert decide(0.1, Effect(measure="R2", score=0.1)) is None
    assert decide(0.1, None) is None


@pytest.mark.parametrize("margin", [0.0, 1.0, -0.1, "0.1", True, float("nan")])
def test_a_margin_of_numbers_is_a_share(margin):
    sample = read_independence(*np.random.default_rng(0).normal(size=(2, 20)))
    with pytest.raises(kmerf.InputError, match=r"must be a share of the variance between 0 and 1: 0\.01, for example"):
        check_margin(margin, sample)
    check_margin(0.3, sample)


def test_a_margin_of_groups_is_an_area():
    x = np.random.default_rng(0).normal(size=20)
    sample = read_ksample(x[:10], x[10:])
    with pytest.raises(kmerf.InputError, match=r"margin=0\.3 must be an AUC between 0\.5 and 1"):
        check_margin(0.3, sample)
    check_margin(0.6, sample)


def test_results_have_their_decision():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 1))
    strong = kmerf.independence(x, x[:, 0] + 0.3 * rng.normal(size=200), margin=0.1, rng=1, null=kmerf.Permutation(19))
    assert strong.margin.decision == "above"
    assert "margin   the effect is above R2 of ranks 0.1 (" in str(strong)
