"""Cox's model beside statsmodels, and the concordance beside its definition."""

import numpy as np
import pytest
from statsmodels.duration.hazard_regression import PHReg

from kmerf.data.sample import Followed
from kmerf.explain.hazards import compared, cox
from kmerf.explain.held_out import HeldOut, concordance


def followed(rng, x, *, ties=False):
    until = rng.exponential(size=len(x)) * np.exp(-x @ np.arange(1.0, x.shape[1] + 1.0) / 2.0)
    cut = rng.exponential(2.0, size=len(x))
    time = np.minimum(until, cut)
    return Followed(np.ceil(6.0 * time) if ties else time, (until <= cut).astype(np.float64))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("strata", [False, True])
def test_coefficients_and_errors_are_those_of_statsmodels(ties, strata):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 2))
    lasted = followed(rng, x, ties=ties)
    groups = np.arange(90) % 3 if strata else None
    beta, covariance = cox(x, lasted, groups)
    fit = PHReg(lasted.time, x, status=lasted.event, ties="efron", strata=groups).fit()
    np.testing.assert_allclose(beta, fit.params, rtol=1e-5)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), fit.bse, rtol=1e-5)


def test_no_fit_if_events_separate_or_columns_are_the_same():
    time, event = np.arange(1.0, 21.0), np.ones(20)
    first = (time <= 10).astype(np.float64)[:, None]
    assert cox(first, Followed(time, event)) is None
    x = np.random.default_rng(0).normal(size=(20, 1))
    assert cox(np.column_stack([x, x]), Followed(time, event)) is None


def test_risks_may_be_very_far_apart():
    rng = np.random.default_rng(1)
    x = 300.0 * rng.normal(size=(60, 1))
    lasted = followed(rng, x / 300.0)
    beta, _ = cox(x, lasted)
    np.testing.assert_allclose(beta * 300.0, cox(x / 300.0, lasted)[0], rtol=1e-6)


def pairs(lasted, score):
    """Return how often the row with the higher score has its event first, over all pairs that can be compared."""
    right = count = 0.0
    for i, (time, event) in enumerate(zip(lasted.time, lasted.event, strict=True)):
        for j in range(len(score)):
            later = lasted.time[j] > time or (lasted.time[j] == time and not lasted.event[j])
            if event and j != i and later:
                count += 1.0
                right += 1.0 if score[i] > score[j] else 0.5 if score[i] == score[j] else 0.0
    return right / count


def said(score, folds=None):
    """Return what two models that agree predict, with all rows held out at once or in folds."""
    half = score[None, :, None] / 2.0
    parts = np.zeros((1, score.size), np.int64) if folds is None else folds[None]
    return HeldOut(half, half, np.zeros_like(half), np.zeros_like(half), parts)


def test_concordance_is_over_all_pairs_that_can_be_compared():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(70, 1))
    lasted = followed(rng, x, ties=True)
    score = np.round(x[:, 0], 1)
    right, count = compared(lasted, score)
    assert right.sum() / count.sum() == pytest.approx(pairs(lasted, score))
    found = concordance(said(score), lasted)
    assert found.value == pytest.approx(pairs(lasted, score))
    assert found.low < found.value < found.high


def test_rows_of_different_folds_are_not_compared():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(60, 1))
    lasted, folds = followed(rng, x), np.arange(60) % 3
    far = x[:, 0] + 100.0 * folds
    assert concordance(said(far, folds), lasted).value == pytest.approx(concordance(said(x[:, 0], folds), lasted).value)


def test_the_interval_of_concordance_covers():
    rng = np.random.default_rng(3)
    big = rng.normal(size=(3000, 1))
    truth = pairs_of(followed(rng, big), big[:, 0])
    held = 0
    for _ in range(200):
        x = rng.normal(size=(80, 1))
        found = concordance(said(x[:, 0]), followed(rng, x))
        held += found.low <= truth <= found.high
    assert 0.89 <= held / 200 <= 0.99


def pairs_of(lasted, score):
    right, count = compared(lasted, score)
    return right.sum() / count.sum()


def test_the_noise_of_models_does_not_count_against_the_relation():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2000, 1))
    lasted = followed(rng, 2.0 * x)
    truth = pairs_of(lasted, x[:, 0])
    first, second = ((x[:, 0] + rng.normal(size=2000))[None, :, None] for _ in range(2))
    held = said(x[:, 0])._replace(first=first, second=second)
    noisy = pairs_of(lasted, (first + second)[0, :, 0])
    assert noisy < truth - 0.03
    assert noisy + 0.015 < concordance(held, lasted).value < truth + 0.01


def test_without_pairs_nothing_is_known():
    nothing = Followed(np.array([1.0, 2.0]), np.zeros(2))
    assert concordance(said(np.zeros(2)), nothing) == (0.5, 0.0, 1.0)
