"""Does y depend on x? Do these groups differ? Tests with decision forests, p-values to trust and reasons to read.

>>> import kmerf
>>> statistic, pvalue = kmerf.independence([[1], [2], [3], [4], [5], [6]], [1, 2, 3, 4, 5, 6], rng=0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kmerf._version import __version__

if TYPE_CHECKING:
    from kmerf import figures, rivals, simulations, study
    from kmerf.errors import InputError, KmerfError, KmerfWarning
    from kmerf.forest import ForestSpec
    from kmerf.kmerf import KMERF
    from kmerf.null import ChiSquare, Extrapolated, Permutation
    from kmerf.portfolio import Portfolio
    from kmerf.questions import independence, ksample
    from kmerf.result import Result
    from kmerf.screening import Screen, screen
    from kmerf.study.calibration import check_calibration

# Where each public name lives. They are loaded when first used, so that `import kmerf` costs next to nothing.
_HOMES = {
    "ChiSquare": "kmerf.null",
    "Extrapolated": "kmerf.null",
    "ForestSpec": "kmerf.forest",
    "InputError": "kmerf.errors",
    "KMERF": "kmerf.kmerf",
    "KmerfError": "kmerf.errors",
    "KmerfWarning": "kmerf.errors",
    "Permutation": "kmerf.null",
    "Portfolio": "kmerf.portfolio",
    "Result": "kmerf.result",
    "Screen": "kmerf.screening",
    "check_calibration": "kmerf.study.calibration",
    "figures": "",
    "independence": "kmerf.questions",
    "ksample": "kmerf.questions",
    "rivals": "",
    "screen": "kmerf.screening",
    "simulations": "",
    "study": "",
}

__all__ = [
    "KMERF",
    "ChiSquare",
    "Extrapolated",
    "ForestSpec",
    "InputError",
    "KmerfError",
    "KmerfWarning",
    "Permutation",
    "Portfolio",
    "Result",
    "Screen",
    "__version__",
    "check_calibration",
    "figures",
    "independence",
    "ksample",
    "rivals",
    "screen",
    "simulations",
    "study",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'kmerf' has no attribute {name!r}")
    home = _HOMES[name]
    value = getattr(importlib.import_module(home), name) if home else importlib.import_module(f"kmerf.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
