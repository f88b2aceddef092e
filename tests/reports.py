"""Outcomes to make reports of, quick to build, with names that try to do harm."""

from __future__ import annotations

from typing import Any

import numpy as np

import kmerf
from kmerf.nulls.definitions import benjamini_hochberg
from kmerf.results.screen_result import Screen
from kmerf.study import Power, Simulated

HOSTILE = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(2)>",
    "\"quoted\" 'twice' & </script><!--",
    "{{ 7*7 }} {% raw %}",
    "\u202eright to left \x1b[31m\x00 \u2028",
    "עברית " + "a_long_name_" * 30,
)


def table(n=40, seed=0):
    """Return hostile columns, and a y that depends on the first two."""
    rng = np.random.default_rng(seed)
    x = {name: rng.normal(size=n) for name in HOSTILE}
    x[HOSTILE[3]] = rng.choice([HOSTILE[0], "</td>"], n)
    return x, x[HOSTILE[0]] + x[HOSTILE[1]] ** 2


def small(kind="numeric", **options):
    """Return the result of a tiny test with everything in it."""
    import pandas as pd

    x, y = table()
    frame = pd.DataFrame(x)
    tiny = kmerf.ForestSpec(8)
    how = {
        "null": kmerf.Extrapolated(19),
        "details": True,
        "rng": 1,
        "n_jobs": 1,
        "categorical": [HOSTILE[3]],
        **options,
    }
    spread = kmerf.KMERF(tiny, target="spread")
    members: dict[str, Any] = {"mean": kmerf.KMERF(tiny), "spread": spread, "distance": kmerf.baselines.Dcorr()}
    method = kmerf.Portfolio(members, {"groups": kmerf.KMERF(tiny), "distance": kmerf.baselines.Dcorr()})
    if kind == "numeric":
        return kmerf.independence(frame, y, method=method, feature_groups={HOSTILE[1]: list(HOSTILE[:2])}, **how)
    labels = np.array(HOSTILE[:3])[np.digitize(y, np.quantile(y, [0.3, 0.6]))]
    return kmerf.ksample(frame, groups=list(labels), method=method, pairwise=True, **how)


def data():
    """Return how a hostile file was read, as the command line tells it."""
    columns = [
        {"name": name, "role": "x", "kind": "numeric", "missing": 0, "distinct": 40, "remark": HOSTILE[0]}
        for name in HOSTILE
    ]
    columns.append(columns[0] | {"name": HOSTILE[1], "role": "y"})
    return {
        "file": HOSTILE[0],
        "format": "text",
        "compression": None,
        "separator": "comma",
        "encoding": "utf-8",
        "rows_read": 42,
        "rows_used": 40,
        "rows_lost": {"condition": 0, "condition_missing": 0, "y_missing": 2},
        "columns": columns,
        "notes": [HOSTILE[1] + "\ud800"],
        "warnings": [HOSTILE[2]],
    }


def screen(size=300, seed=0):
    """Return a screen as it might come out, with hostile names among the selected, and one column not tested."""
    rng = np.random.default_rng(seed)
    p = np.sort(rng.uniform(size=size))[rng.permutation(size)]
    p[: len(HOSTILE)] = 10.0 ** -np.arange(6.0, 6.0 + len(HOSTILE))
    names = (*HOSTILE, *(f"gene_{i:05d}" for i in range(len(HOSTILE), size)))
    p[-1] = np.nan
    adjusted = np.full(size, np.nan)
    adjusted[:-1] = benjamini_hochberg(p[:-1])
    return Screen(
        method="KMERF",
        names=names,
        statistics=np.where(np.isnan(p), np.nan, -np.log10(p) / 10.0 - 0.02),
        pvalues=np.where(p < 1e-3, 1e-3, p),
        modelled=p,
        adjusted_bh=np.maximum(adjusted, 1e-3),
        adjusted_by=np.maximum(np.minimum(1.0, adjusted * 6.0), 1e-3),
        extrapolated=p < 1e-3,
        draws=np.full(size, 999),
        errors={names[-1]: "the same in every row"},
        fdr=0.05,
        n=100,
        y_kind="numeric",
        groups={},
        settings={"method": {"class": "KMERF"}},
        seed=1,
    )


def powers():
    """Return powers of two tests, by two rules, on two simulations."""
    found = []
    for name in ("linear", "spiral"):
        for p in (3, 5, 10):
            for k, test in enumerate(("KMERF", HOSTILE[0])):
                for rule in ("published", "pvalue") if k == 0 else ("published",):
                    rejections = 90 - 6 * p - 10 * k
                    rate = rejections / 100
                    between = (rate - 0.08, min(1.0, rate + 0.08))
                    found.append(Power(test, Simulated(name, p=p), rule, 0.05, 100, rejections, 0.04, between, between))
    return found
