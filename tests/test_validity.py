"""Level, measured on data sets of their own: small, with fixed seeds, and far from passing if calibration breaks.

`benchmarks/studies/validity.py` is the study at size; docs/validity.md has its tables.
"""

import numpy as np
import pytest

from kmerf import KMERF, ChiSquare, Extrapolated, ForestSpec
from kmerf.methods.protocol import observe
from kmerf.nulls.judging import Run, judge_fit
from kmerf.reading.samples import read_independence

REPLICATES = 80


def rejections(method, null, y_of, *, level=0.05, n=24, p=3):
    count = 0
    for seed in range(REPLICATES):
        rng = np.random.default_rng([3, seed])
        problem = method.prepare(read_independence(rng.normal(size=(n, p)), y_of(rng, n)), seed)
        count += judge_fit(null, problem, observe(problem), Run(seed)).pvalue <= level
    return count / REPLICATES


Y = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "binary": lambda rng, n: rng.permutation(np.repeat(["a", "b"], n // 2)),
    "10 % ones": lambda rng, n: rng.permutation(np.repeat(["a", "b"], [n - 3, 3])),
    "two columns": lambda rng, n: rng.normal(size=(n, 2)),
}


@pytest.mark.parametrize("y", list(Y))
@pytest.mark.parametrize(("proximity", "leaf"), [("oob", 1), ("either", 1), ("all", 1), ("all", 4)])
def test_the_default_null_keeps_its_level(y, proximity, leaf):
    # 0.05 exactly; over 80 data sets the standard error is 0.024, and 0.16 is more than four of them away.
    method = KMERF(ForestSpec(n_trees=15, min_samples_leaf=leaf), proximity)
    assert rejections(method, Extrapolated(19), Y[y]) < 0.16


@pytest.mark.parametrize(("y", "leaf"), [("binary", 1), ("10 % ones", 1), ("normal", 4)])
def test_the_published_p_value_does_not(y, leaf):
    # The study would notice: what breaks the level breaks it by far.
    method = KMERF(ForestSpec(n_trees=15, min_samples_leaf=leaf), "all")
    assert rejections(method, ChiSquare(), Y[y]) > 0.3
