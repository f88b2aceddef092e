"""hyppo's classes, with our tests behind them: change the import, keep the rest.

`from kmerf.compat.hyppo import KMERF, KSample` takes the place of the imports from `hyppo.independence` and
`hyppo.ksample`. Constructors, signatures and what `statistic` and `test` return are those of hyppo 0.5.2.
docs/how-to/hyppo.md says where numbers differ and why; most of all, KMERF's p-value is valid.

>>> import numpy as np
>>> x = np.arange(30.0)
>>> stat, pvalue = Dcorr().test(x, x**2)
>>> round(stat, 2), pvalue < 0.001
(0.97, True)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kmerf.compat.matrix_tests import BiasedCorrelation, Hoeffding, MatrixTest, distance_matrix, kernel_matrix
from kmerf.core.errors import InputError, choose, whole
from kmerf.data.read_sample import read_independence, read_ksample
from kmerf.data.spread_levels import common_levels
from kmerf.estimators.inputs import as_sklearn_seed
from kmerf.forests.spec import ForestSpec
from kmerf.methods import cca, dcorr, hhg, hsic, kmerf, rv
from kmerf.methods.multiscale import MultiscaleStatistic
from kmerf.methods.pair_matrices import matrix_correlation, median_distance
from kmerf.methods.protocol import observe
from kmerf.nulls.chi_square import ChiSquare
from kmerf.nulls.extrapolated import Extrapolated
from kmerf.nulls.permutation import Permutation
from kmerf.questions.independence import independence
from kmerf.questions.ksample import ksample

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample_values import Sample
    from kmerf.methods.protocol import Method
    from kmerf.nulls.protocol import Null
    from kmerf.results.single_result import Result

FEW_ROWS = 20  # up to which `auto` means permutations


class IndependenceTestOutput(NamedTuple):
    """What most tests return."""

    stat: float
    pvalue: float


class KMERFTestOutput(NamedTuple):
    """What KMERF returns; the dictionary has the importance of each feature, `feat_importance`."""

    stat: float
    pvalue: float
    kmerf_dict: dict[str, Any]


class MGCTestOutput(NamedTuple):
    """What MGC returns; the dictionary has the local correlations, `mgc_map`, and where the best is, `opt_scale`."""

    stat: float
    pvalue: float
    mgc_dict: dict[str, Any]


class _HyppoTest:
    """What the tests share: read, choose the null, ask, and put the answer into hyppo's form."""

    y_kind = "numeric"

    def method(self, auto: bool = False) -> Method:
        """Return our test."""
        raise NotImplementedError

    def statistic(self, x: Any, y: Any) -> float:
        """Return the statistic of x (n, p) and y (n, q), or of two matrices (n, n) where no metric is set."""
        sample = read_independence(x, y, y_kind=self.y_kind)
        return _statistic(self.method(getattr(self, "auto", False)), sample)

    def _test(self, x: Any, y: Any, reps: int, workers: int, auto: bool, random_state: Any) -> Result:
        how = self._how(reps, workers, auto, random_state, len(x))
        return independence(x, y, y_kind=self.y_kind, **how)

    def _how(self, reps: int, workers: int, auto: bool, random_state: Any, n: int) -> dict[str, Any]:
        whole("reps", reps, at_least=0)
        null = self._null(reps, auto and n > FEW_ROWS)
        return {
            "method": self.method(auto),
            "null": null,
            "rng": as_sklearn_seed(random_state),
            "n_jobs": workers,
        }

    def _null(self, reps: int, auto: bool) -> Null:
        return Permutation(max(reps, 1))

    def _output(self, result: Result, reps: int) -> Any:
        """Return statistic and p-value; without any permutation, hyppo's p-value is 1."""
        known = reps > 0 or result.null.name != "permutation"
        return IndependenceTestOutput(result.statistic, result.pvalue if known else 1.0)


class _DistanceTest(_HyppoTest):
    """A test on distances, which may come from any metric."""

    def __init__(self, compute_distance: Any = "euclidean", **kwargs: Any) -> None:
        self.compute_distance = compute_distance
        self.kwargs = kwargs

    @property
    def distance(self) -> Callable[[Floats], Floats]:
        """The function that makes a matrix of distances from rows."""
        return partial(distance_matrix, self.compute_distance, **self.kwargs)

    @property
    def is_euclidean(self) -> bool:
        """Whether our own method has the metric."""
        return bool(self.compute_distance == "euclidean") and not self.kwargs


class Dcorr(_DistanceTest):
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

    def method(self, auto: bool = False) -> Method:  # noqa: D102 - see _HyppoTest
        if self.is_euclidean and not self.bias:
            return dcorr.Dcorr()
        kind: Any = BiasedCorrelation.of if self.bias else matrix_correlation
        distance = self.distance
        return MatrixTest("Dcorr", lambda x, y: kind(distance(x), distance(y)), chi_square=not self.bias)

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
            remedy = "use kmerf.independence(x, y, blocks=..., exchange=...), which says which rows change places"
            raise InputError("is not supported", argument="perm_blocks", remedy=remedy)
        output: IndependenceTestOutput = self._output(self._test(x, y, reps, workers, auto, random_state), reps)
        return output

    def _null(self, reps: int, auto: bool) -> Null:
        return ChiSquare() if auto and not self.bias else Permutation(max(reps, 1))


class Hsic(_HyppoTest):
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

    def method(self, auto: bool = False) -> Method:  # noqa: D102
        is_gaussian = self.compute_kernel in ("gaussian", "rbf") and not self.kwargs
        if is_gaussian and not self.bias:
            return hsic.Hsic(bandwidth="hyppo")
        if is_gaussian:
            return MatrixTest("Hsic", _biased_gaussian, chi_square=False)
        metric = "rbf" if self.compute_kernel == "gaussian" else self.compute_kernel
        kernel: Callable[[Floats], Floats] = partial(kernel_matrix, metric, **self.kwargs)
        if self.bias:
            return MatrixTest("Hsic", lambda x, y: BiasedCorrelation.of(kernel(x), kernel(y)), chi_square=False)
        return MatrixTest("Hsic", lambda x, y: matrix_correlation(kernel(x), kernel(y)), chi_square=True)

    def test(
        self, x: Any, y: Any, reps: int = 1000, workers: int = 1, auto: bool = True, random_state: Any = None
    ) -> IndependenceTestOutput:
        """Return the statistic and its p-value, as `Dcorr.test` does."""
        output: IndependenceTestOutput = self._output(self._test(x, y, reps, workers, auto, random_state), reps)
        return output

    def _null(self, reps: int, auto: bool) -> Null:
        return ChiSquare() if auto and not self.bias else Permutation(max(reps, 1))


class HHG(_DistanceTest):
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

    def method(self, auto: bool = False) -> Method:  # noqa: D102
        distance = self.distance
        if auto and self.compute_distance is None:
            return MatrixTest("HHG", Hoeffding.of, chi_square=False)
        if auto:
            return MatrixTest("HHG", lambda x, y: Hoeffding.from_centre(x, y, distance), chi_square=False)
        if self.is_euclidean:
            return hhg.HHG()
        neighbourhoods = hhg.Neighbourhoods.of_distances
        return MatrixTest("HHG", lambda x, y: neighbourhoods(distance(x), distance(y)), chi_square=False)

    def test(
        self, x: Any, y: Any, reps: int = 1000, workers: int = 1, auto: bool = False, random_state: Any = None
    ) -> IndependenceTestOutput:
        """Return the statistic and its p-value by permutation; with `auto`, of Hoeffding's D of centred distances."""
        output: IndependenceTestOutput = self._output(self._test(x, y, reps, workers, auto, random_state), reps)
        return output


class MGC(_DistanceTest):
    """Multiscale graph correlation.

    Parameters
    ----------
    compute_distance
        As in `Dcorr`.
    **kwargs
        Arguments of the metric.
    """

    def method(self, auto: bool = False) -> Method:  # noqa: D102
        return MatrixTest("MGC", self._multiscale, chi_square=False)

    def test(self, x: Any, y: Any, reps: int = 1000, workers: int = 1, random_state: Any = None) -> MGCTestOutput:
        """Return the statistic, its p-value by permutation, and the local correlations."""
        sample = read_independence(x, y, y_kind=self.y_kind)
        _warn_of_equal_rows(sample)
        stat, pvalue = self._output(self._test(x, y, reps, workers, False, random_state), reps)
        local = self._multiscale(common_levels(sample.x).values, sample.y.values).correlations(np.arange(sample.n))
        near = np.flatnonzero(np.isclose(local.ravel(), stat))
        best = int(near[-1]) if near.size else local.size - 1
        rows, columns = np.unravel_index(best, local.shape)
        scale = [int(rows) + 1, int(columns) + 1]
        return MGCTestOutput(stat, pvalue, {"mgc_map": local, "opt_scale": scale})

    def _multiscale(self, x: Floats, y: Floats) -> MultiscaleStatistic:
        return MultiscaleStatistic.of(self.distance(x), self.distance(y))


class CCA(_HyppoTest):
    """What hyppo calls CCA: a normalised covariance (`kmerf.rivals.NormalisedCovariance`)."""

    def method(self, auto: bool = False) -> Method:  # noqa: D102
        return cca.NormalisedCovariance()

    def test(
        self, x: Any, y: Any, reps: int = 1000, workers: int = 1, random_state: Any = None
    ) -> IndependenceTestOutput:
        """Return the statistic and its p-value by permutation."""
        output: IndependenceTestOutput = self._output(self._test(x, y, reps, workers, False, random_state), reps)
        return output


class RV(CCA):
    """The RV coefficient."""

    def method(self, auto: bool = False) -> Method:  # noqa: D102
        return rv.RV()


class KMERF(_HyppoTest):
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
        self.forest = forest
        self.ntrees = ntrees
        self.kwargs = kwargs
        self.y_kind = "numeric" if forest == "regressor" else "categorical"

    def method(self, auto: bool = False) -> Method:  # noqa: D102
        return kmerf.KMERF(translate_forest(self.forest, self.ntrees, self.kwargs), proximity="all")

    def statistic(self, x: Any, y: Any) -> float:
        """Return the statistic of x (n, p) and y (n, 1)."""
        sample = read_independence(x, y, y_kind=self.y_kind)
        return _statistic(self.method(), sample, as_sklearn_seed(self.kwargs.get("random_state")))

    def test(
        self, x: Any, y: Any, reps: int = 1000, workers: int = 1, auto: bool = True, random_state: Any = None
    ) -> KMERFTestOutput:
        """Return the statistic, its p-value from refits on permuted y, and importances.

        Parameters
        ----------
        x, y
            Arrays (n, p) and (n, 1).
        reps
            Number of refits with `auto=False`, or with 20 rows or fewer.
        workers
            Number of threads, -1 for all cores.
        auto
            99 refits, and below p = 0.01 a model of the tail: `kmerf.Extrapolated()`. hyppo's chi-square is not valid.
        random_state
            A seed, a RandomState, or None for that of the constructor.
        """
        output: KMERFTestOutput = self._output(self._test(x, y, reps, workers, auto, random_state), reps)
        return output

    def _how(self, reps: int, workers: int, auto: bool, random_state: Any, n: int) -> dict[str, Any]:
        state = self.kwargs.get("random_state") if random_state is None else random_state
        return super()._how(reps, workers, auto, state, n)

    def _null(self, reps: int, auto: bool) -> Null:
        return Extrapolated() if auto else Permutation(max(reps, 1))

    def _output(self, result: Result, reps: int) -> Any:
        stat, pvalue = super()._output(result, reps)
        shares = np.zeros(0) if result.importances is None else np.asarray(result.importances.mean)
        return KMERFTestOutput(stat, pvalue, {"feat_importance": shares})


TESTS = {"cca": CCA, "dcorr": Dcorr, "hhg": HHG, "hsic": Hsic, "kmerf": KMERF, "mgc": MGC, "rv": RV}


class KSample:
    """The k-sample form of any of the tests.

    Parameters
    ----------
    indep_test
        "CCA", "Dcorr", "HHG", "Hsic", "KMERF", "MGC" or "RV", in any case.
    compute_distkern
        The metric of Dcorr, HHG and MGC, or the kernel of Hsic.
    bias
        As in `Dcorr` and `Hsic`.
    **kwargs
        Arguments of the metric, the kernel, or KMERF's forest.
    """

    def __init__(self, indep_test: str, compute_distkern: Any = "euclidean", bias: bool = False, **kwargs: Any) -> None:
        name = indep_test.lower() if isinstance(indep_test, str) else indep_test
        self.indep_test_name = choose("indep_test", name, TESTS)
        self.indep_test = _independence_test(self.indep_test_name, compute_distkern, bias, kwargs)

    def statistic(self, *args: Any) -> float:
        """Return the statistic of two or more samples with the same columns."""
        return _statistic(self.indep_test.method(), read_ksample(*args))

    def test(self, *args: Any, reps: int = 1000, workers: int = 1, auto: bool = True, random_state: Any = None) -> Any:
        """Return what the independence test returns, of samples and their one-hot labels.

        Parameters
        ----------
        *args
            Two or more samples with the same columns.
        reps, workers, auto, random_state
            As in the independence test; `auto` counts for Dcorr, Hsic and KMERF.
        """
        auto = auto and self.indep_test_name in ("dcorr", "hsic", "kmerf")
        how = self.indep_test._how(reps, workers, auto, random_state, sum(map(len, args)))
        result = ksample(*args, **how)
        return self.indep_test._output(result, reps)


def _independence_test(name: str, metric: Any, bias: bool, options: dict[str, Any]) -> Any:
    if name in ("cca", "rv"):
        return TESTS[name]()
    if name == "kmerf":
        return KMERF("classifier", **options)
    if name == "hsic":
        return Hsic("gaussian" if metric == "euclidean" else metric, bias, **options)
    if name == "dcorr":
        return Dcorr(metric, bias, **options)
    return HHG(metric, **options) if name == "hhg" else MGC(metric, **options)


def translate_forest(kind: str, n_trees: int, options: dict[str, Any]) -> Any:
    """Return kmerf's own forest with the settings of scikit-learn's, or that one where ours lacks a setting.

    >>> translate_forest("regressor", 100, {"max_depth": 5}).max_depth
    5
    """
    options = {name: value for name, value in options.items() if name not in ("n_jobs", "random_state", "is_ksamp")}
    known = {"max_depth", "min_samples_leaf", "max_features", "bootstrap", "max_samples"}
    tried = options.get("max_features", 1.0 if kind == "regressor" else "sqrt")
    if set(options) <= known and tried != "log2":
        rows = options.pop("max_samples", None)
        tried = "all" if tried is None else tried
        return ForestSpec(n_trees, **options | {"max_features": tried, "max_samples": 1.0 if rows is None else rows})
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestRegressor if kind == "regressor" else RandomForestClassifier
    return forest(n_estimators=n_trees, **options)


def _biased_gaussian(x: Floats, y: Floats) -> BiasedCorrelation:
    """Return the biased form with hyppo's scale, that of x, for both."""
    gamma = 1.0 / (2.0 * (median_distance(x) or 1.0) ** 2)
    return BiasedCorrelation.of(kernel_matrix("rbf", x, gamma=gamma), kernel_matrix("rbf", y, gamma=gamma))


def _statistic(method: Method, sample: Sample, seed: int = 0) -> float:
    return observe(method.prepare(sample, seed)).statistic


def _warn_of_equal_rows(sample: Sample) -> None:
    different = [len(np.unique(values, axis=0)) for values in (sample.x.values, sample.y.values)]
    if min(different) < sample.n:
        again = [sample.n - count for count in different]
        text = f"x has {again[0]} rows that repeat another and y has {again[1]}; scales count different distances only."
        warnings.warn(text, RuntimeWarning, stacklevel=3)
