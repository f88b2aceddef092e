"""hyppo's test of whether samples differ: an independence test of the rows and of which sample each is from."""

from __future__ import annotations

from typing import Any

from kmerf.compat.hyppo.base import CallOptions, HyppoTest, read_groups
from kmerf.compat.hyppo.independence import CCA, HHG, KMERF, MGC, RV, Dcorr, Hsic
from kmerf.core.errors import Argument, InputError, choose

__all__ = ["KSample"]

TESTS = ("cca", "dcorr", "hhg", "hsic", "kmerf", "mgc", "rv")
WITH_AUTO = ("dcorr", "hsic", "kmerf")


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
        return self.indep_test._statistic(read_groups(args))

    def test(self, *args: Any, reps: int = 1000, workers: int = 1, auto: bool = True, random_state: Any = None) -> Any:
        """Return what the independence test returns, of samples and their one-hot labels.

        Parameters
        ----------
        *args
            Two or more samples with the same columns, of four rows or more each.
        reps, workers, auto, random_state
            As in the independence test; `auto` counts for Dcorr, Hsic and KMERF.
        """
        options = CallOptions(reps, workers, auto and self.indep_test_name in WITH_AUTO, random_state)
        return self.indep_test._test(read_groups(args), "ksample", options)


def _independence_test(name: str, metric: Any, bias: bool, options: dict[str, Any]) -> HyppoTest:
    if name in ("cca", "rv"):
        return CCA() if name == "cca" else RV()
    if name == "kmerf":
        return KMERF("classifier", **options)
    if metric is None or metric == "precomputed":
        remedy = "name a metric, because labels have no distances, or use an independence test"
        raise InputError(
            "cannot be combined with samples", argument=Argument("compute_distkern", metric), remedy=remedy
        )
    if name == "hsic":
        return Hsic("gaussian" if metric == "euclidean" else metric, bias, **options)
    if name == "dcorr":
        return Dcorr(metric, bias, **options)
    return HHG(metric, **options) if name == "hhg" else MGC(metric, **options)
