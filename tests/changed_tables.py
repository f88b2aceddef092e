"""Two tables of mixed columns, of which the second is changed in one way."""

import numpy as np


def table(n, seed, **changes):
    """Return n rows: numbers that go together, skewed ones with decimals, counts, labels, some values missing."""
    rng = np.random.default_rng(seed)
    a = rng.normal(50, 10, n)
    columns = {
        "a": a,
        "b": 0.8 * (a - 50) + rng.normal(0, 6, n),
        "c": np.exp(rng.normal(0, 0.5, n)),
        "count": rng.poisson(4, n).astype(float),
        "gap": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "label": rng.choice(["x", "y", "z"], n, p=[0.5, 0.3, 0.2]).astype(object),
    }
    for name, change in changes.items():
        columns[name] = change(columns[name], rng)
    return columns


CHANGES = {
    "level": ("a", lambda v, rng: v + 8),
    "spread": ("a", lambda v, rng: 50 + 2 * (v - 50)),
    "rounding": ("c", lambda v, rng: np.round(v, 1)),
    "unit": ("c", lambda v, rng: 2.54 * v),
    "missingness": ("c", lambda v, rng: np.where(rng.random(v.size) < 0.2, np.nan, v)),
    "new levels": ("label", lambda v, rng: np.where(rng.random(v.size) < 0.1, "w", v)),
    "shares": ("label", lambda v, rng: np.where(rng.random(v.size) < 0.3, "z", v)),
}
