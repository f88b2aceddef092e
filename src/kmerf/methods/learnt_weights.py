"""How much each member of the default counts; written by benchmarks/fit_weights.py, and not by hand.

They are the w of `kmerf.nulls.combining`; only their ratios matter.
"""

NUMERIC = {
    "unseen": 1.14,
    "predict": 1.22,
    "joint": 1.02,
    "linear": 1.31,
    "columns": 0.82,
    "lines": 0.83,
    "trend": 0.88,
    "pinch": 0.92,
    "pairs": 0.97,
}
CLASSES = {
    "predict": 1.14,
    "unseen": 0.80,
    "fine": 1.06,
    "linear": 1.30,
    "bends": 1.14,
    "columns": 0.76,
    "pairs": 0.91,
}
FITTED_ON = "2421 data sets, 268 of them draws of real tables; sha256 fb284e5528c97e39"
