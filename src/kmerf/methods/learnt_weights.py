"""How much each member of the default counts; written by benchmarks/fit_weights.py, and not by hand.

They are the w of `kmerf.nulls.combining`; only their ratios matter. Each is multiplied by the power, of that exponent,
of how much the columns of x say the same (`kmerf.methods.redundancy`).
"""

NUMERIC = {
    "unseen": 1.09,
    "predict": 1.10,
    "joint": 0.86,
    "linear": 1.31,
    "columns": 1.00,
    "lines": 0.88,
    "trend": 1.01,
    "pinch": 0.94,
    "pairs": 0.88,
}
NUMERIC_EXPONENTS = {
    "unseen": -0.22,
    "predict": 0.29,
    "joint": -0.41,
    "linear": 1.11,
    "columns": -0.04,
    "lines": 0.17,
    "trend": -0.21,
    "pinch": -0.19,
    "pairs": -0.50,
}
CLASSES = {
    "predict": 1.07,
    "unseen": 0.78,
    "fine": 1.03,
    "linear": 0.99,
    "bends": 1.04,
    "columns": 1.19,
    "pairs": 0.94,
}
CLASSES_EXPONENTS = {
    "predict": 0.29,
    "unseen": -0.45,
    "fine": 0.32,
    "linear": 0.48,
    "bends": -0.20,
    "columns": -0.35,
    "pairs": -0.09,
}
FITTED_ON = "7296 data sets, 656 of them draws of real tables; sha256 76b03cb395dd030e"
