"""The page of `independence` and `ksample`: what each of its sections shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.report import charts, records
from kmerf.show import words
from kmerf.show.words import LEVEL, LOOKS_FOR, decimal, general, p_words

if TYPE_CHECKING:
    from kmerf.results.parts import FeatureTests, Importances
    from kmerf.results.single_result import Result

SHOWN = 12  # features before the fold
MOST = 200  # features at all; of 20,000, the rest say nothing
PAIRS = 60
ROWS = 5  # that drive the statistic most, and least


def context(result: Result, data: Mapping[str, Any] | None, command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    y = words.y_name(records.y_columns(data))
    again, remark = records.call(result.question, result.seed, command)
    return {
        "title": words.question(result, y),
        "result": result,
        "verdict": words.verdict(result, y),
        "figures": key_figures(result),
        "warnings": [*((data or {}).get("warnings") or ()), *result.notes],
        "null": null_section(result),
        "members": member_rows(result),
        "features": feature_rows(result),
        "more_features": max(0, result.p - MOST) if result.importances is not None else 0,
        "shown": SHOWN,
        "shuffled": result.details is not None and result.details.importances is not None,
        "together": group_rows(result.feature_groups),
        "profiles": profile_section(result),
        "map": map_section(result),
        "rows": row_section(result),
        "pairs": sorted(result.pairwise, key=lambda pair: pair.pvalue)[:PAIRS],
        "more_pairs": max(0, len(result.pairwise) - PAIRS),
        "level": LEVEL,
        "again": again,
        "remark": remark,
        "settings": "\n".join(records.settings_lines(result.settings)),
        **data_section(data),
    }


def data_section(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what was done to the data; nothing where no table was read."""
    if data is None:
        return {"data": None}
    listed, unlisted = records.columns(data)
    return {
        "data": records.data_facts(data),
        "columns": listed,
        "unlisted": unlisted,
        "column_counts": records.column_counts(data),
        "data_notes": list(data.get("notes") or ()),
    }


def key_figures(result: Result) -> list[tuple[str, str, str]]:
    """Return the numbers at the top: a name, the number, and what goes with it."""
    found = [("p-value", p_words(result.pvalue), _p_note(result))]
    effect = result.effect
    if effect is not None and effect.score is not None:
        measure = {"R2": "R²"}.get(effect.measure, effect.measure)
        what = {"R2": "share of the variance predicted", "AUC": "0.5 is guessing, 1 is perfect"}.get(effect.measure, "")
        found.append((f"Effect: out-of-bag {measure}", decimal(effect.score), what))
    if effect is not None and effect.correlation is not None and effect.low is not None and effect.high is not None:
        between = f"{100 * (effect.level or 0.0):g} % interval {decimal(effect.low)} to {decimal(effect.high)}"
        found.append(("Effect: kernel correlation", decimal(effect.correlation), between))
    found.append(("Statistic", general(result.statistic), _unit(result)))
    return [*found, ("Data", f"{result.n:,} rows", f"{result.p:,} columns of x; {_y_text(result)}")]


def _unit(result: Result) -> str:
    """Say what the statistic is."""
    if result.members:
        return "largest score of the members"
    units = {"prediction": "share of the variance predicted", "multiscale": "largest local correlation"}
    if "KMERF" in result.method:
        return units.get(result.settings["method"].get("statistic", ""), "kernel correlation")
    return result.method


def _p_note(result: Result) -> str:
    null = result.null
    if null.distribution is None:
        return f"{null.name} approximation"
    size = null.distribution.size
    if null.extrapolated:
        return f"extrapolated; below {1 / (1 + size):.2g} by {size} permutations"
    error = "" if null.standard_error is None else f", Monte Carlo error ±{p_words(null.standard_error)}"
    return f"{size} permutations{error}"


def _y_text(result: Result) -> str:
    if not result.groups:
        return "y numeric" + (f", {result.q} columns" if result.q > 1 else "")
    return f"{len(result.groups)} {'groups' if result.question == 'ksample' else 'classes'}"


def null_section(result: Result) -> Any:
    """Draw the null distribution, where there is one."""
    values = result.null.distribution
    return None if values is None else charts.null_histogram(values, result.statistic, result.pvalue)


def member_rows(result: Result) -> list[dict[str, Any]]:
    """Return what each member of a combined test found, with what it looks for."""
    best = words.leader(result)
    return [
        {"member": member, "asks": LOOKS_FOR.get(member.name, ""), "leads": member is best} for member in result.members
    ]


def feature_rows(result: Result) -> list[dict[str, Any]]:
    """Return the features by importance, with bars, p-values, and what shuffling them costs."""
    table = result.importances
    if table is None:
        return []
    order = np.argsort(-table.mean, kind="stable")[:MOST]
    peak = charts.peak_of([float(table.high[i]) for i in order])
    lost = None if result.details is None else result.details.importances
    return [_feature(table, result.features, lost, int(i), peak) for i in order]


def _feature(
    table: Importances, tests: FeatureTests | None, lost: Importances | None, i: int, peak: float
) -> dict[str, Any]:
    mean, low, high = (float(values[i]) for values in (table.mean, table.low, table.high))
    chosen = tests is not None and bool(tests.adjusted_fwer[i] <= LEVEL)
    return {
        "name": table.names[i],
        "mean": mean,
        "bar": charts.bar(mean, low, high, peak, chosen),
        "p": None if tests is None else float(tests.pvalues[i]),
        "family": None if tests is None else float(tests.adjusted_fwer[i]),
        "model": tests is not None and bool(tests.extrapolated[i]),
        "chosen": chosen,
        "lost": None if lost is None else float(lost.mean[i]),
    }


def group_rows(tests: FeatureTests | None) -> list[dict[str, Any]]:
    """Return the groups of features that were tested together."""
    if tests is None:
        return []
    return [
        {
            "name": name,
            "size": len(tests.members.get(name, ())),
            "importance": float(tests.importance[i]),
            "p": float(tests.pvalues[i]),
            "family": float(tests.adjusted_fwer[i]),
        }
        for i, name in enumerate(tests.names)
    ]


def profile_section(result: Result) -> dict[str, Any] | None:
    """Draw how y moves with the most important features."""
    profiles = () if result.details is None else result.details.profiles
    if not profiles:
        return None
    labels = list(result.groups)
    limits = charts.profile_limits(profiles, labels)
    drawn = charts.DRAWN_GROUPS
    return {
        "charts": [charts.profile_chart(each, labels, limits) for each in profiles],
        "legend": legend(labels) if labels else [],
        "beyond": max(0, len(labels) - drawn),
        "first_of": result.q if not labels and result.q > 1 else 0,
    }


def legend(labels: list[str]) -> list[tuple[str, str]]:
    """Return the colour and the name of each group, those that share a colour together."""
    last = charts.COLOURS - 1
    own = [(f"c{k}", label) for k, label in enumerate(labels[:last])]
    rest = labels[last:]
    if not rest:
        return own
    return [*own, (f"c{last}", rest[0] if len(rest) == 1 else f"{len(rest)} more")]


def map_section(result: Result) -> dict[str, Any] | None:
    """Draw the map of rows."""
    found = None if result.details is None else result.details.embedding
    if found is None or not np.ptp(found.points):
        return None
    labels = list(result.groups)
    return {
        "chart": charts.map_chart(found, labels),
        "legend": legend(labels) if labels else [],
        "low": general(float(found.y.min())),
        "high": general(float(found.y.max())),
        "some": found.rows.size if found.rows.size < result.n else 0,
        "share": f"{100 * sum(found.shares):.0f}",
    }


def row_section(result: Result) -> dict[str, Any] | None:
    """Say how the statistic is spread over rows, and which have most and least of it."""
    scores = None if result.details is None else result.details.rows
    if scores is None or scores.sum() <= 0.0:
        return None
    order = np.argsort(-scores, kind="stable")
    half = int(np.searchsorted(np.cumsum(scores[order]), scores.sum() / 2.0)) + 1
    listed = [(int(i) + 1, float(scores[i] / scores.sum())) for i in order]
    least = [entry for entry in listed[-ROWS:][::-1] if entry[1] < 0.0]
    return {
        "half": f"{100 * half / scores.size:.0f}",
        "against": f"{100 * float((scores < 0.0).mean()):.0f}",
        "most": listed[:ROWS],
        "least": least,
    }
