"""hyppo's tests of independence, with ours behind them."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.compat.hyppo.base import (
    BiasedCorrelation,
    CallOptions,
    DistanceTest,
    Hoeffding,
    HyppoTest,
    IndependenceTestOutput,
    KMERFTestOutput,
    MatrixTest,
    MGCTestOutput,
    both,
    check_arguments,
    kernel_matrix,
    read_pair,
    translate_forest,
)
from kmerf.core.errors import InputError, choose, whole
from kmerf.methods import covariance_tests, distance_tests, kmerf
from kmerf.methods.mgc import MultiscaleStatistic
from kmerf.methods.pair_matrices import matrix_correlation, median_distance
from kmerf.methods.protocol import matrices
from kmerf.nulls.definitions import ChiSquare, Extrapolated, Permutation

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample import Sample
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null
    from kmerf.results.single_result import Result

__all__ = ["CCA", "HHG", "KMERF", "MGC", "RV", "Dcorr", "Hsic"]


class Dcorr(DistanceTest):
    """Distance correlation.

    Parameters
    ----------
    compute_distance
        A metric by scikit-learn's name, a function of all rows, or None where x and y are distances.
    bias
        Whether to use the biased form of 2007, the root of which is taken; there is no chi-square null for it.
    **kwargs
        Arguments of the metric.
    """

    def __init__(self, compute_distance: Any = "euclidean", bias: bool = False, **kwargs: Any) -> None:
        super().__init__(compute_distance, **kwargs)
        self.bias = bias

    def _method(self, sample: Sample, auto: bool) -> Method:
        if self._is_euclidean and not self.bias:
            return distance_tests.Dcorr("units")
        kind: Any = BiasedCorrelation.of if self.bias else matrix_correlation
        return MatrixTest("Dcorr", lambda x, y: kind(*both(self._distance, x, y)), chi_square=not self.bias)

    def test(
        self,
        x: Any,
        y: Any,
        reps: int = 1000,
        workers: int = 1,
        auto: bool = True,
        perm_blocks: Any = None,
        random_state: Any = None,
    ) -> IndependenceTestOutput:
        """Return the statistic and its p-value: by chi-square with `auto` and more than 20 rows, else by permutation.

        Parameters
        ----------
        x, y
            Arrays (n, p) and (n, q), or matrices of distances.
        reps
            Number of permutations.
        workers
            Number of threads, -1 for all cores.
        auto
            Whether to use the chi-square null where there is one.
        perm_blocks
            Not supported: `kmerf.independence` has `blocks`.
        random_state
            A seed, a RandomState, or None for numpy's global one.
        """
        if perm_blocks is not None:
            remedy = "use kmerf.independence(x, y, blocks=..., exchange=...), which define how rows are permuted"
            raise InputError("is not supported", argument="perm_blocks", remedy=remedy)
        options = CallOptions(reps, workers, auto, random_state)
        output: IndependenceTestOutput = self._test(read_pair(x, y, self.y_kind), "independence", options)
        return output

    def _null(self, reps: int, fast: bool) -> Null:
        return ChiSquare() if fast and not self.bias else Permutation(reps)


class Hsic(HyppoTest):
    """The Hilbert-Schmidt independence criterion.

    Parameters
    ----------
    compute_kernel
        "gaussian" (with the median distance of x as the scale of both, as in hyppo), another kernel by scikit-learn's
        name, a function of all rows, or None where x and y are similarities.
    bias
        Whether to use the biased form.
    **kwargs
        Arguments of the kernel.
    """

    def __init__(self, compute_kernel: Any = "gaussian", bias: bool = False, **kwargs: Any) -> None:
        self.compute_kernel = compute_kernel
        self.bias = bias
        self.kwargs = kwargs

    def _method(self, sample: Sample, auto: bool) -> Method:
        is_gaussian = self.compute_kernel in ("gaussian", "rbf") and not self.kwargs
        if is_gaussian and not self.bias:
            return distance_tests.Hsic("hyppo", "units")
        if is_gaussian:
            return MatrixTest("Hsic", _biased_gaussian, chi_square=False)
        metric = "rbf" if self.compute_kernel == "gaussian" else self.compute_kernel
        kernel = partial(kernel_matrix, metric, **self.kwargs)
        kind: Any = BiasedCorrelation.of if self.bias else matrix_correlation
        return MatrixTest("Hsic", lambda x, y: kind(*both(kernel, x, y)), chi_square=not self.bias)

    def test(
        self, x: Any, y: Any, reps: int = 1000, workers: int = 1, auto: bool = True, random_state: Any = None
    ) -> IndependenceTestOutput:
        """Return the statistic and its p-value, as `Dcorr.test` does."""
        options = CallOptions(reps, workers, auto, random_state)
        output: IndependenceTestOutput = self._test(read_pair(x, y, self.y_kind), "independence", options)
        return output

    def _null(self, reps: int, fast: bool) -> Null:
        return ChiSquare() if fast and not self.bias else Permutation(reps)


class HHG(DistanceTest):
    """The test of Heller, Heller and Gorfine.

    Parameters
    ----------
    compute_distance
        As in `Dcorr`.
    **kwargs
        Arguments of the metric.
    """

    def __init__(self, compute_distance: Any = "euclidean", **kwargs: Any) -> None:
        super().__init__(compute_distance, **kwargs)
        self.auto = False

    def _method(self, sample: Sample, auto: bool) -> Method:
        if auto and self.compute_distance is None:
            return MatrixTest("HHG", Hoeffding.of, chi_square=False)
        if auto:
            return MatrixTest("HHG", lambda x, y: Hoeffding.from_centre(x, y, self._distance), chi_square=False)
        if self._is_euclidean:
            return distance_tests.HHG("units")
        neighbourhoods = distance_tests.Neighbourhoods.of_distances
        return MatrixTest("HHG", lambda x, y: neighbourhoods(*both(self._distance, x, y)), chi_square=False)

    def test(
        self, x: Any, y: Any, reps: int = 1000, workers: int = 1, auto: bool = False, random_state: Any = None
    ) -> IndependenceTestOutput:
        """Return the statistic and its p-value by permutation; with `auto`, of Hoeffding's D of centred distances."""
        options = CallOptions(reps, workers, auto, random_state)
        output: IndependenceTestOutput = self._test(read_pair(x, y, self.y_kind), "independence", options)
        return output


class MGC(DistanceTest):
    """Multiscale graph correlation.

    Parameters
    ----------
    compute_distance
        As in `Dcorr`.
    **kwargs
        Arguments of the metric.
    """

    def _method(self, sample: Sample, auto: bool) -> Method:
        return MatrixTest("MGC", self._multiscale, chi_square=False)

    def test(self, x: Any, y: Any, reps: int = 1000, workers: int = 1, random_state: Any = None) -> MGCTestOutput:
        """Return the statistic, its p-value by permutation, and the local correlations."""
        sample = read_pair(x, y, self.y_kind)
        _warn_of_equal_rows(sample)
        options = CallOptions(reps, workers, random_state=random_state)
        output: MGCTestOutput = self._test(sample, "independence", options)
        return output

    def _output(self, sample: Sample, result: Result, pvalue: float) -> MGCTestOutput:
        local = self._multiscale(*matrices(sample, "MGC")).correlations(np.arange(sample.n))
        near = np.flatnonzero(np.isclose(local.ravel(), result.statistic))
        best = int(near[-1]) if near.size else local.size - 1
        rows, columns = np.unravel_index(best, local.shape)
        more = {"mgc_map": local, "opt_scale": [int(rows) + 1, int(columns) + 1]}
        return MGCTestOutput(result.statistic, pvalue, more)

    def _multiscale(self, x: Floats, y: Floats) -> MultiscaleStatistic:
        return MultiscaleStatistic.of(*both(self._distance, x, y))


class CCA(HyppoTest):
    """What hyppo calls CCA: a normalised covariance (`kmerf.baselines.NormalisedCovariance`)."""

    def _method(self, sample: Sample, auto: bool) -> Method:
        return covariance_tests.NormalisedCovariance()

    def test(
        self, x: Any, y: Any, reps: int = 1000, workers: int = 1, random_state: Any = None
    ) -> IndependenceTestOutput:
        """Return the statistic and its p-value by permutation."""
        options = CallOptions(reps, workers, random_state=random_state)
        output: IndependenceTestOutput = self._test(read_pair(x, y, self.y_kind), "independence", options)
        return output


class RV(CCA):
    """The RV coefficient."""

    def _method(self, sample: Sample, auto: bool) -> Method:
        return covariance_tests.RV("units")


class KMERF(HyppoTest):
    """The paper's forest and kernel, with a valid p-value.

    Parameters
    ----------
    forest
        "regressor" or "classifier".
    ntrees
        Number of trees.
    **kwargs
        Arguments of scikit-learn's forest. The usual ones are translated for kmerf's own engine; with any other,
        scikit-learn's forest is used.
    """

    def __init__(self, forest: str = "regressor", ntrees: int = 500, **kwargs: Any) -> None:
        choose("forest", forest, ("regressor", "classifier"))
        check_arguments(forest, kwargs)
        self.forest = forest
        self.ntrees = whole("ntrees", ntrees)
        self.kwargs = kwargs
        self.y_kind = "numeric" if forest == "regressor" else "categorical"

    def _method(self, sample: Sample, auto: bool) -> Method:
        n, p = sample.x.values.shape
        return kmerf.KMERF(translate_forest(self.forest, self.ntrees, self.kwargs, n, p), proximity="all")

    def test(
        self, x: Any, y: Any, reps: int = 1000, workers: int = 1, auto: bool = True, random_state: Any = None
    ) -> KMERFTestOutput:
        """Return the statistic, its p-value from refits on permuted y, and importances.

        Parameters
        ----------
        x, y
            Arrays (n, p) and (n, 1).
        reps
            Number of refits with `auto=False`, or with 20 rows or fewer; otherwise it does not count.
        workers
            Number of threads, -1 for all cores.
        auto
            99 refits, and below p = 0.01 a model of the tail: `kmerf.Extrapolated()`. hyppo's chi-square is not valid.
        random_state
            A seed, a RandomState, or None for that of the constructor.
        """
        options = CallOptions(reps, workers, auto, random_state)
        output: KMERFTestOutput = self._test(read_pair(x, y, self.y_kind), "independence", options)
        return output

    def _null(self, reps: int, fast: bool) -> Null:
        return Extrapolated() if fast else Permutation(reps)

    def _output(self, sample: Sample, result: Result, pvalue: float) -> KMERFTestOutput:
        shares = np.zeros(0) if result.importances is None else np.asarray(result.importances.mean)
        return KMERFTestOutput(result.statistic, pvalue, {"feat_importance": shares})

    def _seed(self, random_state: Any) -> int:
        return super()._seed(self.kwargs.get("random_state") if random_state is None else random_state)

    def _statistic_seed(self) -> int:
        return self._seed(None)


def _biased_gaussian(x: Floats, y: Floats) -> BiasedCorrelation:
    """Return the biased form with hyppo's scale, that of x, for both."""
    gamma = 1.0 / (2.0 * (median_distance(x) or 1.0) ** 2)
    return BiasedCorrelation.of(*both(partial(kernel_matrix, "rbf", gamma=gamma), x, y))


def _warn_of_equal_rows(sample: Sample) -> None:
    different = [len(np.unique(values, axis=0)) for values in (sample.x.values, sample.y.values)]
    if min(different) < sample.n:
        again = [sample.n - count for count in different]
        text = f"x has {again[0]} rows that repeat another and y has {again[1]}; scales count different distances only."
        warnings.warn(text, RuntimeWarning, stacklevel=3)
