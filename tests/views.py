"""Results as they might come out, made by hand: how they are shown needs no test to be run."""

from __future__ import annotations

from typing import Any

import numpy as np

from kmerf.results.parts import Effect, FeatureTests, Importances, Member, NullResult, Pair
from kmerf.results.screen_result import Screen
from kmerf.results.single_result import Result
from kmerf.results.views import Details

AVERAGE = Member("mean", 0.7082, 9.0, 0.0, 0.05, None, "Does the average move?", "", "a share of variance", 0.9)
SPREAD = Member(
    "spread", 0.2, -0.76, 0.0, 0.7, None, "Does the spread?", "the spread of {y} changes", "a correlation", 0.02
)
LOCAL = Member("local", 115_590.0, 1.0, 0.0, 0.2, None, "Are neighbours near?", "", "a correlation", 0.08)


def null(pvalue=0.05, size=19, error=0.02, extrapolated=False, stopped=False, **fields):
    """Return where a p-value comes from; an extrapolated one has a bound, and is what the model gives."""
    drawn = None if size is None else np.linspace(0.0, 1.0, size)
    if drawn is not None:
        drawn[: max(0, round(pvalue * (1 + size)) - 1)] = 100.0  # as large as what was observed
    if extrapolated:
        fields = {"bound": 1.0 / (1 + size), "modelled": pvalue} | fields
    name = "chi-square" if size is None else "permutation"
    return NullResult(name, pvalue, error, drawn, extrapolated, stopped, **fields)


def result(pvalue=0.001, score=None, measure="R2", **fields):
    """Return a result of three features; `fields` replace what it would have."""
    effect = None if score is None else Effect(0.3, measure=measure, score=score)
    usual = {
        "question": "independence",
        "method": "KMERF",
        "statistic": 11.6023,
        "pvalue": pvalue,
        "null": null(pvalue, error=0.001),
        "importances": importances(),
        "n": 1200,
        "p": 3,
        "q": 1,
        "y_kind": "numeric",
        "groups": {},
        "settings": {"method": {"class": "KMERF", "statistic": "correlation"}},
        "seed": 7,
        "features": features(),
        "effect": effect,
    }
    return Result(**(usual | fields))


def grouped(pvalue=0.001, score=None, groups=("a", "b"), **fields):
    """Return a result of `ksample`."""
    fields = {"question": "ksample", "y_kind": "categorical", "groups": dict.fromkeys(groups, 20)} | fields
    return result(pvalue, score, "AUC", **fields)


def importances(names=("x1", "x2", "x3"), mean=(0.1, 0.7, 0.2)):
    """Return importances whose lines reach 0.05 to both sides."""
    centre = np.array(mean)
    return Importances(tuple(names), centre, centre - 0.05, centre + 0.05)


def features(names=("x1", "x2", "x3"), family=(0.3, 0.0004, 0.05)):
    """Return p-values of features."""
    adjusted = np.array(family)
    return FeatureTests(tuple(names), np.array([0.1, 0.7, 0.2]), adjusted / 2, adjusted, adjusted)


def details():
    """Return what shuffling each feature costs, and no more."""
    return Details(importances(mean=(0.01, 0.5, -0.02)), None, ())


def pair(first, second, p):
    """Return the test of two groups."""
    return Pair(first, second, 0.123456, p, min(1.0, 3 * p))


def screen(pvalues=(0.2, 1e-6, np.nan, 0.03), **fields):
    """Return a screen of as many columns; the second is from a model of the tail."""
    p = np.array(pvalues)
    names = tuple(f"g{i}" for i in range(p.size))
    smallest = 1.0 / (1.0 + fields.get("draws", np.full(p.size, 99)))
    by_rank = np.where(p < 1e-4, smallest, p)
    usual: dict[str, Any] = {
        "method": "Dcorr",
        "names": names,
        "statistics": np.where(np.isnan(p), np.nan, 0.5 - p),
        "pvalues": by_rank,
        "adjusted_bh": np.fmax(1.5 * p, by_rank),
        "adjusted_by": np.fmax(3.0 * p, by_rank),
        "extrapolated": p < 1e-4,
        "modelled": p,
        "draws": np.full(p.size, 99),
        "errors": {name: "the same in every row" for name, value in zip(names, p, strict=True) if value != value},
        "fdr": 0.05,
        "n": 50,
        "y_kind": "numeric",
        "groups": {},
        "settings": {},
        "seed": 3,
    }
    return Screen(**(usual | fields))
