"""The kernel of a forest: how well models with it predict, and what it costs.

    python -m benchmarks.studies.kernel_models [--parts accuracy cost large] [--write]

Accuracy: five-fold cross-validation, twice below 1000 rows, on the data sets that come with scikit-learn, the same
folds for all models. Every model but the two forests chooses its penalty among three by cross-validation within the
training rows. Cost: the same leaves become a kernel by a loop over trees in numpy, by a sparse product of scikit-
learn's `apply`, and by ours. Times are those of the processor, memory is the peak of what numpy allocates. `--write`
puts the tables into docs/kernels.md.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV, RepeatedKFold, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC

import kmerf
from benchmarks.pages.marks import DOCS, put, table

PAGE = DOCS / "kernels.md"
TREES = 200
NEW = 100_000
CLASSES = ("iris", "wine", "breast_cancer", "digits")
NUMBERS = ("diabetes",)
NAMES = ("kernel SVM", "linear on leaves", "random forest", "extremely randomised", "RBF SVM")


def chosen(step: str, model: Any, pipe: Callable[[Any], Any], values: list[float], parameter: str = "C") -> Any:
    """Return a model that chooses its penalty by cross-validation."""
    return GridSearchCV(pipe(model), {f"{step}__{parameter}": values}, cv=3)


def models(classes: bool) -> dict[str, Any]:
    kernel = kmerf.ForestKernel(TREES, output="kernel", random_state=0)
    leaves = kmerf.ForestKernel(TREES, random_state=0)
    if classes:
        machine, step, linear = SVC(kernel="precomputed"), "svc", LinearSVC()
        forests = [RandomForestClassifier(TREES, random_state=0), ExtraTreesClassifier(TREES, random_state=0)]
        penalty, radial, costs = ("linearsvc", "C", [0.1, 1.0, 10.0]), SVC(), [1.0, 10.0, 100.0]
    else:
        machine, step, linear = SVR(kernel="precomputed"), "svr", Ridge()
        forests = [RandomForestRegressor(TREES, random_state=0), ExtraTreesRegressor(TREES, random_state=0)]
        penalty, radial, costs = ("ridge", "alpha", [0.3, 1.0, 3.0]), SVR(), [10.0, 100.0, 1000.0]
    return dict(
        zip(
            NAMES,
            [
                chosen(step, machine, lambda m: make_pipeline(kernel, m), costs),
                chosen(penalty[0], linear, lambda m: make_pipeline(leaves, m), penalty[2], penalty[1]),
                *forests,
                chosen(step, radial, lambda m: make_pipeline(StandardScaler(), m), costs),
            ],
            strict=True,
        )
    )


def accuracy() -> list[str]:
    rows = []
    for name in (*CLASSES, *NUMBERS):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        split: Any = RepeatedStratifiedKFold if name in CLASSES else RepeatedKFold
        folds = list(split(n_splits=5, n_repeats=2 if len(X) < 1000 else 1, random_state=1).split(X, y))
        cells = []
        for model in models(name in CLASSES).values():
            begun = time.process_time()
            scores = [model.fit(X[fit], y[fit]).score(X[new], y[new]) for fit, new in folds]
            taken = (time.process_time() - begun) / len(folds)
            cells.append(f"{np.mean(scores):.3f} ({taken:.1f} s)")
        rows.append([name.replace("_", " "), str(len(X)), *cells])
        print(rows[-1], flush=True)
    note = (
        "Accuracy, for diabetes R2; in brackets the processor time of a fit with its predictions, including the choice "
        f"of the penalty. {TREES} trees. `python -m benchmarks.studies.kernel_models --parts accuracy`."
    )
    return [table(["data", "rows", *NAMES], rows), "", note]


def measured(job: Callable[[], object], repeats: int = 2) -> tuple[float, float]:
    """Return the median processor time of a job in seconds, and the most memory that it takes in megabytes."""
    tracemalloc.start()
    job()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        job()
        times.append(time.process_time() - begun)
    return statistics.median(times), peak


def loop(codes: Any) -> Any:
    """Compare all pairs, tree by tree."""
    K = np.zeros((codes.shape[1], codes.shape[1]))
    for leaves in codes:
        K += leaves[:, None] == leaves[None, :]
    return K / len(codes)


def product(forest: Any, X: Any) -> Any:
    """Return the product of one-hot leaves from scikit-learn's `apply`, as a dense matrix."""
    nodes = forest.apply(X)
    n, m = nodes.shape
    columns = nodes + np.arange(m) * (nodes.max() + 1)
    Z = sparse.csr_matrix((np.ones(n * m), columns.ravel(), np.arange(0, n * m + 1, m)))
    return (Z @ Z.T).toarray() / m


def cost() -> list[str]:
    rows = []
    for n in (1000, 4000):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 10))
        y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)
        kernel = kmerf.ForestKernel(forest=RandomForestClassifier(TREES), random_state=0).fit(X, y)
        codes, forest = kernel._forest.codes, kernel._forest.router.fitted
        jobs: dict[str, Callable[[], object]] = {
            "loop over trees": lambda codes=codes: loop(codes),
            "`apply`, sparse product": lambda forest=forest, X=X: product(forest, X),
            "`kernel()`": kernel.kernel,
            "`sparse_kernel(k=10)`": lambda kernel=kernel: kernel.sparse_kernel(k=10),
            "`transform(X)`": lambda kernel=kernel, X=X: kernel.transform(X),
        }
        np.testing.assert_allclose(loop(codes), kernel.kernel(), atol=1e-12)
        cells = [measured(job) for job in jobs.values()]
        rows.append([f"{n:,}", *(f"{taken:.2f} s, {peak:,.0f} MB" for taken, peak in cells)])
        print(rows[-1], flush=True)
    note = (
        f"The same {TREES} trees of scikit-learn, processor time, one thread; all but the last two are dense matrices. "
        "`python -m benchmarks.studies.kernel_models --parts cost`."
    )
    return [table(["rows", *jobs], rows), "", note]


def large(n: int = 1_000_000, trees: int = 50) -> list[str]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + NEW, 10))
    y = (np.sin(2 * X[:, 0]) * X[:, 1] + 0.5 * rng.normal(size=n + NEW) > 0).astype(int)
    times = [time.process_time()]
    kernel = kmerf.ForestKernel(trees, min_samples_leaf=5, random_state=0).fit(X[:n], y[:n])
    times.append(time.process_time())
    leaves = kernel.transform(X[:n])
    times.append(time.process_time())
    linear = SGDClassifier("log_loss", alpha=1e-7, random_state=0, max_iter=5, tol=None).fit(leaves, y[:n])
    times.append(time.process_time())
    score = linear.score(kernel.transform(X[n:]), y[n:])
    best = ((np.sin(2 * X[:, 0]) * X[:, 1] > 0) == y).mean()
    grown, mapped, fitted = np.diff(times)
    line = (
        f"{n:,} rows of 10 columns, {trees} trees: {grown:.0f} s to grow, {mapped:.0f} s for the map of "
        f"{leaves.shape[1]:,} leaves, {fitted:.0f} s for a linear model on it. It predicts {score:.3f} of new rows, "
        f"where the best possible model predicts {best:.3f}. "
        f"`python -m benchmarks.studies.kernel_models --parts large`."
    )
    print(line, flush=True)
    return [line]


PARTS = {"accuracy": accuracy, "cost": cost, "large": large}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--write", action="store_true")
    chosen_parts = parser.parse_args()
    for part in chosen_parts.parts:
        lines = PARTS[part]()
        if chosen_parts.write:
            put(PAGE, f"kernel-{part}", lines)


if __name__ == "__main__":
    main()
