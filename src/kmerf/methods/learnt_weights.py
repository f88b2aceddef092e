"""How much each member of the default counts; written by benchmarks/studies/fit_weights.py, and not by hand.

They are the w of `kmerf.nulls.combining`; only their ratios matter. Each is multiplied by the power, of that exponent,
of how much the columns of x say the same (`kmerf.methods.portfolio`).
"""

NUMERIC = {
    "unseen": 1.13,
    "predict": 1.12,
    "joint": 0.89,
    "linear": 1.28,
    "columns": 0.99,
    "lines": 0.87,
    "trend": 0.99,
    "pinch": 0.93,
    "pairs": 0.87,
}
NUMERIC_EXPONENTS = {
    "unseen": -0.22,
    "predict": 0.34,
    "joint": -0.40,
    "linear": 1.08,
    "columns": -0.04,
    "lines": 0.16,
    "trend": -0.22,
    "pinch": -0.19,
    "pairs": -0.50,
}
CLASSES = {
    "predict": 1.28,
    "unseen": 0.82,
    "linear": 0.83,
    "distances": 1.00,
    "bends": 1.02,
    "columns": 1.18,
    "pairs": 0.97,
}
CLASSES_EXPONENTS = {
    "predict": 0.46,
    "unseen": -0.44,
    "linear": -0.06,
    "distances": 0.80,
    "bends": -0.25,
    "columns": -0.39,
    "pairs": -0.13,
}
FITTED_ON = "7296 data sets, 656 of them draws of real tables; sha256 ec0fc21fdaedfd84"
