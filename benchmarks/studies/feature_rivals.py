"""Which columns matter? Other ways to ask, on the data sets of `given_z.py features`.

    python -m benchmarks.studies.feature_rivals --replicates 20     appends to build/conditional/feature_rivals.jsonl

Boruta and hidimstat (conditional importances, knockoffs, distilled randomisation) are no dependencies of kmerf; what is
not installed is left out. Each way has settings of its own documentation, with forests of 100 trees.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.data.conditional_data import PROXIES
from benchmarks.studies.given_z import OUT, SEED

ROWS = 200
CALLED, NOT = 0.0, 1.0  # in place of a p-value, where there is none

Way = Callable[[Any, Any, int], list[float]]


def main() -> None:
    """Ask every way that is installed of every data set that has no answer yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--ways", nargs="*", help="those whose names begin so")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / "feature_rivals.jsonl"
    done = {(a["data"], a["test"], a["replicate"]) for a in map(json.loads, path.open())} if path.exists() else set()
    ways = {name: way for name, (package, way) in WAYS.items() if importlib.util.find_spec(package)}
    if options.ways:
        ways = {name: way for name, way in ways.items() if name.startswith(tuple(options.ways))}
    with path.open("a") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(options.replicates):
            for data in PROXIES:
                x, y, roles = PROXIES[data](np.random.default_rng([SEED, zlib.crc32(data.encode()), ROWS, i]), ROWS)
                for name, way in ways.items():
                    if (data, name, i) in done:
                        continue
                    begun = time.process_time()
                    answer = {"p": way(x, y, i), "seconds": time.process_time() - begun}
                    known = {"data": data, "n": ROWS, "test": name, "replicate": i, "roles": roles}
                    file.write(json.dumps(known | answer) + "\n")
                    file.flush()


def permutation_importance(x: Any, y: Any, seed: int) -> list[float]:
    """Shuffle columns of rows that a forest has not seen; call those above zero by two standard errors."""
    from sklearn.inspection import permutation_importance as shuffle

    half = np.random.default_rng(seed).permutation(len(y))
    train, rest = half[: len(y) // 2], half[len(y) // 2 :]
    forest = _forest(seed).fit(x[train], y[train])
    found = shuffle(forest, x[rest], y[rest], n_repeats=30, random_state=seed)
    above = found.importances_mean > 2 * found.importances_std / np.sqrt(30)
    return [CALLED if each else NOT for each in above]


def boruta(x: Any, y: Any, seed: int) -> list[float]:
    """Compare with shuffled copies of all columns."""
    from boruta import BorutaPy

    found = BorutaPy(_forest(seed), n_estimators=100, max_iter=30, random_state=seed).fit(x, y)
    return [CALLED if each else NOT for each in found.support_]


def conditional_importance(x: Any, y: Any, seed: int) -> list[float]:
    """Shuffle what the other columns do not say of a column (CPI)."""
    from hidimstat import CFI

    half = np.random.default_rng(seed).permutation(len(y))
    train, rest = half[: len(y) // 2], half[len(y) // 2 :]
    forest = _forest(seed).fit(x[train], y[train])
    test = CFI(forest, n_permutations=30, random_state=seed).fit(x[train], y[train])
    test.importance(x[rest], y[rest])
    return [float(p) for p in test.pvalues_]


def knockoffs(x: Any, y: Any, seed: int) -> list[float]:
    """Gaussian knockoffs with the lasso, at a false discovery rate of 0.2."""
    from hidimstat import ModelXKnockoff

    test = ModelXKnockoff(random_state=seed)
    test.fit_importance(x, y)
    chosen = test.fdr_selection(fdr=0.2)
    return [CALLED if each else NOT for each in chosen]


def distilled(x: Any, y: Any, seed: int) -> list[float]:
    """Distilled conditional randomisation, with the lasso."""
    from hidimstat import D0CRT
    from sklearn.linear_model import LassoCV

    test = D0CRT(LassoCV(), screening_threshold=None, random_state=seed)
    test.fit_importance(x, y)
    return [float(p) for p in test.pvalues_]


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(100, min_samples_leaf=3, random_state=seed, n_jobs=1)


WAYS: dict[str, tuple[str, Way]] = {
    "permutation importance (scikit-learn)": ("sklearn", permutation_importance),
    "Boruta": ("boruta", boruta),
    "CPI (hidimstat)": ("hidimstat", conditional_importance),
    "knockoffs (hidimstat)": ("hidimstat", knockoffs),
    "distilled randomisation (hidimstat)": ("hidimstat", distilled),
}

if __name__ == "__main__":
    main()
