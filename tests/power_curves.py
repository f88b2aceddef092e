"""A power curve that was not computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from kmerf.results.power_curve import PowerCurve


def made_curve(**changes: Any) -> PowerCurve:
    """Return a curve of three sizes, which are its fine grid too."""
    fields: dict[str, Any] = {
        "method": "Dcorr",
        "n": 100,
        "sizes": (25, 100, 400),
        "power": (0.25, 0.7, 0.9),
        "low": (0.1, 0.3, 0.6),
        "high": (0.5, 0.8, 0.99),
        "level": 0.05,
        "confidence": 0.95,
        "target": 0.8,
        "tried_sizes": (25, 50),
        "tried_power": (0.2, 0.5),
        "subsamples": 60,
        "settings": {},
        "seed": 1,
        "notes": ("one <note>",),
    } | changes
    if "fine" not in fields:
        fields["fine"] = [fields[name] for name in ("sizes", "power", "low", "high")]
    arrays = ("sizes", "power", "low", "high", "tried_sizes", "tried_power", "fine")
    return PowerCurve(**(fields | {name: np.array(fields[name]) for name in arrays}))
