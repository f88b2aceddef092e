"""How much each member of the default counts; written by benchmarks/fit_weights.py, and not by hand.

The statistic of the test is the sum of these times f of the members' scores (`kmerf.nulls.combining`).
"""

NUMERIC = {"kernel": 0.15, "unseen": 0.05, "predict": 0.2, "joint": 0.15, "linear": 0.22, "pinch": 0.17, "local": 0.11}
CLASSES = {"predict": 0.28, "unseen": 0.1, "fine": 0.12, "linear": 0.12, "moments": 0.06, "column": 0.1}
