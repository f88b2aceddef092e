"""Every test by the name that users write, in Python and in the shell. A new test is added here, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kmerf.core.errors import Argument, InputError, choose
from kmerf.forests.spec import ForestSpec
from kmerf.methods.cca import CCA
from kmerf.methods.dcorr import Dcorr
from kmerf.methods.hhg import HHG
from kmerf.methods.hsic import Hsic
from kmerf.methods.kmerf import KMERF
from kmerf.methods.mgc import MGC
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.rv import RV

if TYPE_CHECKING:
    from kmerf.methods.protocol import Method

METHODS: dict[str, Callable[[], Method]] = {
    "kmerf": Portfolio,
    "forest": KMERF,
    "paper": lambda: KMERF(proximity="all"),
    "extra-trees": lambda: KMERF(ForestSpec(splits="random")),
    "oblique-trees": lambda: KMERF(ForestSpec(combinations=20)),
    "blind-trees": lambda: KMERF(ForestSpec(min_samples_leaf=3, splits="blind"), "all", "target", target="spread"),
    "synthetic-trees": lambda: KMERF(ForestSpec(min_samples_leaf=5), "all", target="synthetic"),
    "dcorr": Dcorr,
    "hsic": Hsic,
    "mgc": MGC,
    "hhg": HHG,
    "cca": CCA,
    "rv": RV,
}

LEARNERS = ("kmerf", "forest", "paper", "extra-trees", "oblique-trees")
"""Tests whose forests are grown on y."""
FORESTS = (*LEARNERS, "blind-trees", "synthetic-trees")
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
            raise InputError(f"preset={preset!r} was given together with a method: pass one of them.")
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
    """Return the default test of single columns: small trees on half of the rows each.

    On one column they find more than large ones, in a quarter of the time or less (docs/performance.md).
    """
    return KMERF(ForestSpec(100, min_samples_leaf=5, bootstrap=False, max_samples="half"))


def named_method(name: str) -> Method:
    """Return the test of a name.

    >>> named_method("dcorr").name
    'Dcorr'
    """
    return METHODS[choose("method", name, METHODS)]()
