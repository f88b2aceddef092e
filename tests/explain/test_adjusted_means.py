"""Means, rows and weights with z removed, beside statsmodels and scikit-learn."""

from __future__ import annotations

import numpy as np
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression

from kmerf.explain.adjusted_means import adjust, covariate, memberships, weights
from kmerf.reading.samples import read_features


def made(seed=0, n=300, subjects=10):
    """Return groups that differ in age and sex, and y that depends on all three."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40.0, 10.0, n)
    sex = rng.integers(0, 2, n)
    chance = 1 / (1 + np.exp(-(age - 40.0) / 5.0))
    group = (rng.random(n) < chance).astype(int) + (rng.random(n) < 0.3)
    y = 2.0 * group + 0.5 * age + 3.0 * sex + rng.normal(size=n)
    return age, sex, group, y, rng.integers(0, subjects, n)


def adults(age, sex):
    return covariate(read_features({"age": age, "sex": np.array(["f", "m"])[sex]}, categorical=["sex"]))


def test_means_and_standard_errors_are_those_of_least_squares():
    age, sex, group, y, _ = made()
    z = adults(age, sex)
    found = adjust(y[:, None], group, z)
    dummies = np.eye(3)[group]
    fit = sm.OLS(y, np.column_stack([dummies, z.functions[:, :-1]])).fit()  # of two sexes, one is enough
    np.testing.assert_allclose(found.means[:, 0] - found.means[0, 0], fit.params[:3] - fit.params[0], atol=1e-8)
    share = dummies.mean(axis=0)
    contrast = np.eye(3) - share
    spread = np.sqrt(np.diag(contrast @ fit.cov_params()[:3, :3] @ contrast.T) + fit.scale / y.size)
    np.testing.assert_allclose(found.errors[:, 0], spread, rtol=1e-6)
    np.testing.assert_allclose(share @ found.means[:, 0], y.mean())


def test_the_rows_of_a_bin_have_its_adjusted_mean():
    age, _, group, y, _ = made()
    found = adjust(y[:, None], group, covariate(read_features({"age": age})))
    for k in range(3):
        np.testing.assert_allclose(found.rows[group == k].mean(), found.means[k, 0])
    assert found.rows.std() < 0.5 * y.std()  # what age does is gone


def test_blocks_are_removed_as_a_column_for_each():
    _, _, group, y, subject = made()
    y = y + 5.0 * subject
    z = covariate(read_features({"subject": [f"s{k}" for k in subject]}, categorical=["subject"]))
    found = adjust(y[:, None], group, z)
    fit = sm.OLS(y, np.column_stack([np.eye(3)[group], np.eye(10)[subject][:, 1:]])).fit()
    np.testing.assert_allclose(found.means[:, 0] - found.means[0, 0], fit.params[:3] - fit.params[0], atol=1e-8)


def test_probabilities_of_groups_are_those_of_logistic_regression():
    age, sex, group, _, _ = made()
    functions = np.column_stack([(age - age.mean()) / age.std(), sex])
    ours = memberships(group, functions)
    theirs = LogisticRegression(C=1.0 / (1e-4 * group.size), tol=1e-10, max_iter=1000).fit(functions, group)
    np.testing.assert_allclose(ours, theirs.predict_proba(functions), atol=2e-3)
    np.testing.assert_allclose(ours.sum(axis=1), 1.0)


def test_weighted_rows_have_z_alike_in_all_groups():
    age, sex, group, _, _ = made(n=2000)
    weight = weights(
        group, covariate(read_features({"age": age, "sex": np.array(["f", "m"])[sex]}, categorical=["sex"]))
    )
    apart = [np.ptp([values[group == k].mean() for k in range(3)]) for values in (age, sex)]
    close = [np.ptp([np.average(v[group == k], weights=weight[group == k]) for k in range(3)]) for v in (age, sex)]
    assert close[0] < 0.2 * apart[0]
    np.testing.assert_allclose([weight[group == k].mean() for k in range(3)], 1.0)
    assert weight.min() > 0.0


def test_what_cannot_be_estimated_has_no_error():
    y = np.array([[1.0], [2.0], [3.0]])
    found = adjust(y, np.array([0, 1, 2]), covariate(read_features({"age": [1.0, 2.0, 3.0]})))
    assert np.isnan(found.errors).all()
    assert np.isfinite(found.means).all()
