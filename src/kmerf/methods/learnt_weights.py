"""How much each member of the default counts; written by benchmarks/fit_weights.py, and not by hand.

They are the w of `kmerf.nulls.combining`; only their ratios matter.
"""

NUMERIC = {
    "unseen": 1.07,
    "predict": 1.15,
    "joint": 0.89,
    "linear": 1.52,
    "columns": 0.96,
    "lines": 0.88,
    "trend": 0.96,
    "pinch": 0.89,
    "pairs": 0.83,
}
CLASSES = {
    "predict": 1.09,
    "unseen": 0.80,
    "fine": 1.12,
    "linear": 1.00,
    "bends": 1.01,
    "columns": 1.11,
    "pairs": 0.90,
}
FITTED_ON = "7296 data sets, 656 of them draws of real tables; sha256 71de1f33a986433e"
