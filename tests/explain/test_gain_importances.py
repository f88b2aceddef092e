"""Importances are shares of the gains, and scikit-learn's."""

import numpy as np

import kmerf


def test_importances_are_scikit_learns():
    from sklearn.ensemble import RandomForestRegressor

    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 4))
    y = x @ [2.0, 1.0, 0.5, 0.0] + rng.normal(size=80)
    ours = [
        kmerf.independence(x, y, null=kmerf.ChiSquare(), importances="gain", rng=s).importances.mean for s in range(3)
    ]
    theirs = [RandomForestRegressor(500, random_state=s).fit(x, y).feature_importances_ for s in range(3)]
    error = np.sqrt((np.var(ours, axis=0, ddof=1) + np.var(theirs, axis=0, ddof=1)) / 3)
    assert (np.abs(np.mean(ours, axis=0) - np.mean(theirs, axis=0)) < 5 * error + 1e-3).all()
