"""A quick test and two small studies, and processes that run one."""

import os
import signal
import time
import warnings
from dataclasses import dataclass

import numpy as np

from kmerf import KMERF, ChiSquare, ForestSpec, Permutation, study
from kmerf.core.errors import InputError, StoreWarning
from kmerf.methods.protocol import Fit, Method, Problem
from kmerf.study import sqlite_store as store


@dataclass(frozen=True)
class Slope(Method):
    """|corr(x1, y1)| plus a little of the seed; as slow as one likes."""

    seconds: float = 0.0
    fail: bool = False

    name = "Slope"

    def prepare(self, sample, seed):
        if self.fail:
            raise ZeroDivisionError("no slope")
        if self.seconds:
            time.sleep(self.seconds)
        return SlopeProblem(sample.x.values[:, 0], sample.y.values[:, 0], seed)


@dataclass(frozen=True)
class SlopeProblem(Problem):
    x: np.ndarray
    y: np.ndarray
    seed: int

    @property
    def n(self):
        return len(self.x)

    def fit(self, order, refit, n_jobs=1, importances=False):
        assert n_jobs == 1
        x, y = self.x - self.x.mean(), self.y[order] - self.y.mean()
        slope = abs(float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())))
        return Fit.of("slope", slope + 1e-6 * (self.seed % 997))


LINEAR = study.Simulated("linear", n=20, p=2)
SPIRAL = study.Simulated("spiral", n=20, p=2, kappa=0.0, definition="published")
TURNED = study.Rotated("linear", n=10, p=2, angle="random")
MIXED = study.Mixed("claw", n=10, p=2)
PLAN = study.Study(
    tests={"KMERF": KMERF(ForestSpec(n_trees=10)), "slope": Slope()},
    data=[LINEAR, SPIRAL, TURNED, MIXED],
    replicates=25,
    seed=3,
    pvalue={"KMERF": Permutation(3), "slope": ChiSquare()},
)
SLOW = study.Study({"slow": Slope(0.01), "quick": Slope()}, [LINEAR, SPIRAL, TURNED], replicates=80, seed=3)


def check_flipped_bytes(path, copy, argument, ask, expected, times):
    """Check that stores with a few other bytes are refused, or give the same answer."""
    content, rng, refused = path.read_bytes(), np.random.default_rng(0), []
    for _ in range(times):
        spoilt = bytearray(content)
        for at in rng.integers(0, len(content), size=rng.choice([1, 4, 40])):
            spoilt[at] = rng.integers(0, 256)
        copy.write_bytes(spoilt)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StoreWarning)
            try:
                answer = ask(copy)
            except InputError as error:
                refused.append(str(error))
            else:
                assert answer == expected
    assert all(text.startswith(f"{argument}={os.fspath(copy)!r} ") for text in refused)
    assert 0 < len(refused) < times


def execute_slow(path, backend="threads", n_jobs=1):
    """What the child processes of tests do."""
    store.LEASE = 1.0
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(study.run(SLOW, path, n_jobs=n_jobs, backend=backend), flush=True)
