"""Power from scores that were drawn from the model itself, where the truth is known."""

import numpy as np
import pytest

from kmerf.planning.planning import Growth, Scores, fit_growth, interval

N, SIZES = 200, (50, 70, 100, 140, 200)


def skewed(mean, variance, rng, parts, share=1.0):
    """Draw scores whose variance is 1 + variance * mean, times the share of it: those of a scaled chi-square."""
    spread = (1 + variance * mean) * share
    shift = 1 / variance + mean  # so that they are gamma, of the shape and scale that give mean and variance
    return rng.gamma(shift**2 / spread, spread / shift, size=parts) - 1 / variance if spread else np.full(parts, mean)


def drawn(mean, exponent, variance, rng, parts=400):
    """Draw scores of parts of a pilot that is as the relation is: half of all pilots have a higher score."""
    scores = []
    for size in SIZES:
        d = mean * (size / N) ** exponent
        own = skewed(d, variance, rng, parts, 1 - size / N) - variance / 4 * size / N  # parts of one pilot
        scores.append(Scores(size, own, skewed(0.0, variance, rng, parts)))
    return scores


@pytest.mark.parametrize(("mean", "exponent", "variance"), [(2.0, 1.0, 0.5), (3.0, 0.7, 0.2), (1.0, 1.2, 1.0)])
def test_the_power_of_the_model_is_recovered(mean, exponent, variance):
    scores = drawn(mean, exponent, variance, np.random.default_rng(1))
    growth = fit_growth(scores, N, 0.05)
    rows = np.array([50, 100, 200, 300])
    rng = np.random.default_rng(2)
    critical = np.quantile(skewed(0.0, variance, rng, 10**5), 0.95)
    d = mean * (rows / N) ** exponent
    true = [np.mean(skewed(each, variance, rng, 10**5) >= critical) for each in d]
    power, low, high = interval(growth, rows, 0.95)
    np.testing.assert_allclose(power, true, atol=0.06)
    assert (low < true).all()
    assert (high > true).all()


def test_the_power_is_too_low_as_often_as_too_high():
    mean, variance, rng = 2.5, 0.8, np.random.default_rng(7)
    null = skewed(0.0, variance, rng, 500)
    true = np.mean(skewed(mean, variance, rng, 10**5) >= np.quantile(null, 0.95))
    found = []
    for score in skewed(mean, variance, rng, 300):  # of pilots, with all of their rows and with half of them
        parts = skewed(max(score, 0.0) / 2, variance, rng, 60, 0.5)
        scores = [Scores(N // 2, parts, null), Scores(N, np.full(60, score), null)]
        found.append(interval(fit_growth(scores, N, 0.05), np.array([N]), 0.95)[0][0])
    assert np.median(found) == pytest.approx(true, abs=0.05)


def test_several_members_reject_true_nulls_less_often():
    scores = drawn(2.0, 1.0, 0.5, np.random.default_rng(8))
    one, several = (fit_growth([each._replace(members=k) for each in scores], N, 0.05) for k in (1, 9))
    assert several.critical > one.critical
    assert several.level == pytest.approx(0.045)


def test_without_a_relation_the_power_is_the_level_and_no_rows_are_enough():
    growth = fit_growth(drawn(0.0, 1.0, 0.5, np.random.default_rng(2)), N, 0.05)
    rows = np.array([50, 200, 3200])
    power, low, high = interval(growth, rows, 0.95)
    assert power[0] < 0.1
    assert (low >= 0.05).all()
    np.testing.assert_allclose(low, 0.05, atol=0.02)
    assert high[2] > 0.9  # a pilot of 200 rows cannot exclude that 3200 would show something


def test_a_mean_below_that_of_the_null_counts_as_none():
    critical = float(np.quantile(skewed(0.0, 0.6, np.random.default_rng(5), 10**5), 0.95))
    growth = Growth(100, -1.0, 0.5, 1.0, 0.2, 0.6, critical, 0.05)
    power, low, high = interval(growth, np.array([50, 100, 200]), 0.9)
    np.testing.assert_allclose(power, 0.05, atol=0.01)
    np.testing.assert_array_equal(low, power)
    assert (np.diff(high) > 0).all()


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Pilots whose score varies as the model says, each tested whole: h of the score has sd 1."""
    mean, variance, rng = 3.0, 0.8, np.random.default_rng(6)
    critical, rows = float(np.quantile(skewed(0.0, variance, rng, 10**5), 0.95)), np.array([100])
    true = np.mean(skewed(mean, variance, rng, 10**5) >= critical)
    inside = []
    for score in skewed(mean, variance, rng, 2000):
        _, low, high = interval(Growth(100, float(score), 1.0, 1.0, 0.0, variance, critical, 0.05), rows, 0.9)
        inside.append(low[0] <= true <= high[0])
    assert np.mean(inside) == pytest.approx(0.9, abs=0.03)


def test_the_interval_does_not_shrink_with_more_parts_of_one_pilot():
    few, many = (fit_growth(drawn(2.0, 1.0, 0.5, np.random.default_rng(3), k), N, 0.05) for k in (60, 2000))
    assert many.error > 0.9 * few.error


def test_larger_pilots_than_parts_have_smaller_errors():
    scores = drawn(2.0, 1.0, 0.5, np.random.default_rng(4))
    assert fit_growth(scores, 20 * N, 0.05).error < 0.4 * fit_growth(scores, N, 0.05).error


def test_intervals_of_whole_pilots_hold_the_truth_though_variances_and_nulls_are_estimated():
    """Each pilot has luck of its own, which all its parts share; without the inflation of the error, 0.89 do."""
    mean, variance, rng = 2.5, 0.8, np.random.default_rng(11)
    critical = np.quantile(skewed(0.0, variance, rng, 10**5), 0.95)
    true = np.mean(skewed(mean, variance, rng, 10**5) >= critical)
    inside = []
    for luck in skewed(mean, variance, rng, 1500) - mean:
        scores = []
        for size in SIZES:
            share = size / N
            d = mean * share
            common = luck * np.sqrt(share * (1 + variance * d) / (1 + variance * mean))
            own = skewed(d, variance, rng, 60, 1 - share) + common
            scores.append(Scores(size, own, skewed(0.0, variance, rng, 60)))
        _, low, high = interval(fit_growth(scores, N, 0.05), np.array([N]), 0.95)
        inside.append(low[0] <= true <= high[0])
    assert 0.935 <= np.mean(inside) <= 0.96
