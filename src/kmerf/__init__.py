"""Does y depend on x? Do these groups differ? Tests with decision forests, valid p-values and readable results.

>>> import kmerf
>>> statistic, pvalue = kmerf.independence([[1], [2], [3], [4], [5], [6]], [1, 2, 3, 4, 5, 6], rng=0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kmerf._version import __version__

if TYPE_CHECKING:
    from kmerf import adapters, baselines, figures, simulations, study
    from kmerf.comparing.comparing import Reference, compare
    from kmerf.core.errors import InputError, KmerfError, KmerfWarning, MissingExtraError, StoreWarning
    from kmerf.estimators.forest_kernel import ForestKernel
    from kmerf.forests.spec import ForestSpec
    from kmerf.methods.kmerf import KMERF
    from kmerf.methods.portfolio import Portfolio
    from kmerf.nulls.definitions import ChiSquare, Extrapolated, Permutation, Sequential
    from kmerf.planning.planning import power_curve
    from kmerf.questions.describe import describe
    from kmerf.questions.hypotheses import conditional, independence, ksample
    from kmerf.reading.files import read_table
    from kmerf.reading.typed_table import Table
    from kmerf.results.comparison_result import Comparison, Timeline
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Associations, Screen
    from kmerf.results.single_result import Result
    from kmerf.results.views import Description
    from kmerf.screening.associations import associations
    from kmerf.screening.screening import screen
    from kmerf.study.calibration import check_calibration

# Where each public name lives. They are loaded when first used, so that `import kmerf` costs next to nothing.
_HOMES = {
    "Associations": "kmerf.results.screen_result",
    "ChiSquare": "kmerf.nulls.definitions",
    "Comparison": "kmerf.results.comparison_result",
    "Description": "kmerf.results.views",
    "Extrapolated": "kmerf.nulls.definitions",
    "ForestKernel": "kmerf.estimators.forest_kernel",
    "ForestSpec": "kmerf.forests.spec",
    "InputError": "kmerf.core.errors",
    "KMERF": "kmerf.methods.kmerf",
    "KmerfError": "kmerf.core.errors",
    "KmerfWarning": "kmerf.core.errors",
    "MissingExtraError": "kmerf.core.errors",
    "Permutation": "kmerf.nulls.definitions",
    "Portfolio": "kmerf.methods.portfolio",
    "PowerCurve": "kmerf.results.power_curve",
    "Reference": "kmerf.comparing.comparing",
    "Result": "kmerf.results.single_result",
    "Screen": "kmerf.results.screen_result",
    "Sequential": "kmerf.nulls.definitions",
    "StoreWarning": "kmerf.core.errors",
    "Table": "kmerf.reading.typed_table",
    "Timeline": "kmerf.results.comparison_result",
    "adapters": "",
    "associations": "kmerf.screening.associations",
    "check_calibration": "kmerf.study.calibration",
    "compare": "kmerf.comparing.comparing",
    "conditional": "kmerf.questions.hypotheses",
    "describe": "kmerf.questions.describe",
    "figures": "",
    "independence": "kmerf.questions.hypotheses",
    "ksample": "kmerf.questions.hypotheses",
    "power_curve": "kmerf.planning.planning",
    "read_table": "kmerf.reading.files",
    "baselines": "",
    "screen": "kmerf.screening.screening",
    "simulations": "",
    "study": "",
}

__all__ = [
    "KMERF",
    "Associations",
    "ChiSquare",
    "Comparison",
    "Description",
    "Extrapolated",
    "ForestKernel",
    "ForestSpec",
    "InputError",
    "KmerfError",
    "KmerfWarning",
    "MissingExtraError",
    "Permutation",
    "Portfolio",
    "PowerCurve",
    "Reference",
    "Result",
    "Screen",
    "Sequential",
    "StoreWarning",
    "Table",
    "Timeline",
    "__version__",
    "adapters",
    "associations",
    "baselines",
    "check_calibration",
    "compare",
    "conditional",
    "describe",
    "figures",
    "independence",
    "ksample",
    "power_curve",
    "read_table",
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
