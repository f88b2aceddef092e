"""Every test by the name that users write, in Python and in the shell. A new test is added here, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kmerf.core.errors import choose
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
    "dcorr": Dcorr,
    "hsic": Hsic,
    "mgc": MGC,
    "hhg": HHG,
    "cca": CCA,
    "rv": RV,
}


def named_method(name: str) -> Method:
    """Return the test of a name.

    >>> named_method("dcorr").name
    'Dcorr'
    """
    return METHODS[choose("method", name, METHODS)]()
