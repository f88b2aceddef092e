"""Every test by the name that users write, in Python and in the shell. A new test is added here, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.errors import Argument, InputError, choose
from kmerf.forests.spec import ForestSpec
from kmerf.methods.column_scan import ColumnScan
from kmerf.methods.covariance_tests import CCA, RV
from kmerf.methods.distance_tests import HHG, Dcorr, Hsic
from kmerf.methods.kmerf import KMERF
from kmerf.methods.mgc import MGC
from kmerf.methods.portfolio import Portfolio

if TYPE_CHECKING:
    from kmerf.methods.protocol import Method


class NamedMethod(NamedTuple):
    """A test that has a name."""

    make: Callable[[], Method]
    help: str
    """One line about it, for the shell and the docs."""
    grows_forest: bool = False
    sees_y: bool = False
    """Whether its forests are grown on y."""


METHODS: dict[str, NamedMethod] = {
    "kmerf": NamedMethod(Portfolio, "forests, ridge regressions and rank tests, combined: the default", True, True),
    "forest": NamedMethod(KMERF, "one forest, on rows that its trees have not seen", True, True),
    "paper": NamedMethod(lambda: KMERF(proximity="all"), "one forest, as published", True, True),
    "extra-trees": NamedMethod(
        lambda: KMERF(ForestSpec(splits="random")), "extremely randomised trees: random cuts", True, True
    ),
    "oblique-trees": NamedMethod(
        lambda: KMERF(ForestSpec(combinations=20)), "trees that also split sums of columns", True, True
    ),
    "blind-trees": NamedMethod(
        lambda: KMERF(ForestSpec(min_samples_leaf=3, splits="blind"), "all", "target", target="spread"),
        "random trees that do not use y, grown once",
        True,
    ),
    "synthetic-trees": NamedMethod(
        lambda: KMERF(ForestSpec(min_samples_leaf=5), "all", target="synthetic"),
        "trees that separate rows of x from synthetic rows, grown once",
        True,
    ),
    "scan": NamedMethod(ColumnScan, "lines, steps, curves and levels of each column: the default of screens"),
    "dcorr": NamedMethod(Dcorr, "distance correlation"),
    "hsic": NamedMethod(Hsic, "kernel correlation with Gaussian kernels"),
    "mgc": NamedMethod(MGC, "multiscale graph correlation"),
    "hhg": NamedMethod(HHG, "Heller, Heller and Gorfine: two-by-two tables of neighbourhoods"),
    "cca": NamedMethod(CCA, "the largest canonical correlation"),
    "rv": NamedMethod(RV, "the RV coefficient: linear dependence"),
}

FORESTS = tuple(name for name, method in METHODS.items() if method.grows_forest)
LEARNERS = tuple(name for name, method in METHODS.items() if method.sees_y)
"""Tests whose forests are grown on y."""
PRESETS = ("paper",)


def choose_method(method: Method | str | None, preset: str | None = None, *, single: bool = False) -> Method:
    """Return the method given, or the one that a name or a preset stands for, or else the default.

    With `single`, the default is a single forest, whose statistic is an unbiased kernel correlation.

    >>> choose_method("hhg").name, choose_method(None, single=True).name
    ('HHG', 'KMERF')
    """
    if preset is not None:
        choose("preset", preset, PRESETS)
        if method is not None:
            finding, remedy = "was given together with a method", "pass one of them"
            raise InputError(finding, argument=Argument("preset", preset), remedy=remedy)
        method = preset
    if method is None:
        method = "forest" if single else "kmerf"
    if isinstance(method, str):
        return named_method(method)
    if isinstance(method, type) or not hasattr(method, "prepare"):
        remedy = "pass a value such as kmerf.KMERF()"
        raise InputError("cannot be used", argument=Argument("method", method), remedy=remedy)
    return method


def screening_method() -> Method:
    """Return the default test of single columns, which fits nothing (docs/performance.md)."""
    return ColumnScan()


def screening_forest() -> KMERF:
    """Return the default test of sets of columns in a screen: small trees on half of the rows each.

    In few columns they find more than large ones, in a quarter of the time or less.
    """
    return KMERF(ForestSpec(100, min_samples_leaf=5, bootstrap=False, max_samples="half"))


def named_method(name: str) -> Method:
    """Return the test of a name.

    >>> named_method("dcorr").name
    'Dcorr'
    """
    return METHODS[choose("method", name, METHODS)].make()
