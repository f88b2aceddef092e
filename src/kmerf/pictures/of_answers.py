"""Pictures of an answer: the null distribution, importances, curves of survival, the map of rows, several answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import without_rounding
from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.pictures import vocabulary as v
from kmerf.show.numbers import PLAIN, counted, not_drawn, p_is_text, shown, spread_head

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.results.parts import FeatureTests, Importances
    from kmerf.results.single_result import Result
    from kmerf.results.views import RowMap, SurvivalCurve, SurvivalCurves

FAR = 1.5  # ranges of the permuted statistics beyond which the axis is broken
LABEL = 22  # letters of a name beside an axis


def null_distribution(values: Floats, observed: float, words: str, title: str = "") -> v.Picture:
    """Show the permuted statistics and the observed one; the axis is broken if that is far away."""
    values, observed = without_rounding(values, observed)
    low, high, span = float(values.min()), float(values.max()), float(np.ptp(values))
    far = span > 0.0 and observed > high + FAR * span
    low, high = min(low, observed), high if far else max(high, observed)
    width = (high - low) or 1.0
    limits = (low - 0.05 * width, high + 0.05 * width)
    x, place = v.Axis(limits, "statistic"), observed
    if far:
        end, place = limits[1], limits[1] + 0.38 * width
        inside = v.ticks(*limits)
        names = *(v.number(value) for value in inside), v.number(float(f"{observed:.3g}"))
        gap = (end, end + 0.05 * width)
        x = v.Axis((limits[0], end + 0.6 * width), "statistic", (*inside, place), names, gap=gap, broken=True)
    # Bars must stay wide enough to be seen, however small a part of the picture they have.
    bins = int(np.clip(min(values.size // 7, 100 * span / width), 4, 30))
    bars, y, _ = v.histogram(values, bins, "permutations", 1.28)
    late = place > sum(x.limits) / 2
    beside = place + (-0.015 if late else 0.015) * (x.limits[1] - x.limits[0])
    text = f"Histogram of {values.size} permuted statistics; the observed one is {observed:.4g}."
    line = v.Rule(place, upright=True, role="observed")
    said = v.Words(beside, y.limits[1], words, "end" if late else "start", above=False, role="observed")
    return v.Picture(text, x, y, (bars, line, said), title, size=v.WIDE)


def importances(table: Importances, tests: FeatureTests | None, most: int) -> v.Picture:
    """Show the most important features: bars for means, lines for their intervals, family-wise p-values beside."""
    top = np.argsort(-table.mean, kind="stable")[:most]
    called = np.zeros(top.size, bool) if tests is None else tests.adjusted_fwer[top] <= LEVEL
    at, mean, low, high = np.arange(float(top.size)), table.mean[top], table.low[top], table.high[top]
    bars = [
        v.Bars(0.0, mean[some], at[some] - 0.34, at[some] + 0.34, role=role)
        for some, role in ((called, "bars chosen"), (~called, "bars"))
    ]
    ps = () if tests is None else tuple(PLAIN.p(tests.adjusted_fwer[i], tests.smallest) for i in top)
    names = tuple(short(table.names[i], LABEL) for i in top)
    y = v.Axis((top.size - 0.4, -0.6), "", tuple(at), names, beside=ps, beside_head="p, family" if ps else "")
    what = "importance (lost if permuted)" if table.measure == "loss" else "importance"
    x = v.Axis((min(0.0, float(low.min())), 1.05 * max(float(high.max()), float(mean.max()), 1e-12)), what)
    more = f", {top.size} of {len(table.names)}" if top.size < len(table.names) else ""
    text = f"Importance of {counted(top.size, 'feature')}; the most important is {names[0]}."
    title = f"Features{more}; lines: {spread_head(table)}"
    marks = (*bars, v.Segments(low, high, at, at, role="spread"))
    return v.Picture(text, x, y, marks, title, size=(v.WIDE[0], 90.0 + 26.0 * top.size))


def importance_bar(value: float, low: float, high: float, peak: float, called: bool, spread: str) -> v.Picture:
    """Show one importance in a cell of a table; all bars of a table have one peak."""
    bar = v.Bars(0.0, max(value, 0.0), 0.22, 0.78, role="bars chosen" if called else "bars")
    line = v.Segments(max(low, 0.0), max(high, 0.0), 0.5, 0.5, role="spread")
    axes = v.Axis((0.0, peak or 1.0), ticks=()), v.Axis((0.0, 1.0), ticks=())
    return v.Picture(f"{value:.3f}, {spread} {low:.3f} to {high:.3f}", *axes, (bar, line), size=(160.0, 18.0))


def survival(curves: SurvivalCurves, title: str = "") -> v.Picture:
    """Show the share of rows without an event against time, with its interval and how many rows are at risk."""
    last = max(float(each.times[-1]) for each in curves.curves)
    marks: list[v.Mark] = []
    rows: list[v.TickRow] = []
    ticks = tuple(v.ticks(0.0, last))
    for k, each in enumerate(curves.curves):
        name, group = _curve_name(curves, each.label), k % v.GROUPS
        times = np.concatenate([[0.0], each.times])
        if each.low is not None and each.high is not None:
            low, high = (np.concatenate([[1.0], end]) for end in (each.low, each.high))
            marks.append(v.Band(times, low, high, steps=True, role="series", group=group, says=_KM_BAND))
        said = f"{name} ({counted(each.size, 'row')}, {counted(each.events, 'event')})"
        steps = np.concatenate([[1.0], each.surviving])
        says = _KM_WEIGHTED.format(z=", ".join(map(short, curves.adjusted))) if curves.adjusted else _KM
        marks.append(v.Line(times, steps, steps=True, role="series", group=group, label=said, says=says))
        if each.at_risk is not None:
            rows.append(v.TickRow(name, tuple(_at_risk(each, tick) for tick in ticks), group))
    ends_text = "; ".join(f"{each.label}: {each.surviving[-1]:.2f} after {each.times[-1]:g}" for each in curves.curves)
    head = "rows at risk" if rows else ""
    x = v.Axis((0.0, last), curves.time, ticks, rows=tuple(rows), rows_head=head)
    y = v.Axis((0.0, 1.03), "share without an event", (0.0, 0.25, 0.5, 0.75, 1.0))
    note = not_drawn(curves.left_out)
    if curves.cut:
        note = f"{note} {_CUT}".strip()
    text = f"Share without an event by {curves.feature}. {ends_text}"
    name = "\n".join(filter(None, (title or short(curves.feature, LABEL), not_drawn(curves.left_out))))
    return v.Picture(text, x, y, tuple(marks), name, note, v.WIDE, "outside")


_KM = "Lines: the share of rows without an event (Kaplan-Meier)."
_KM_WEIGHTED = (
    "Lines: the share of rows without an event (Kaplan-Meier), rows weighted to the same distribution of {z} in all "
    "lines."
)
_KM_BAND = "Bands: 95 % intervals."
_CUT = "The column is cut where the two sides differ most, so the gap between the lines is not a test; use the p-value."


def _curve_name(curves: SurvivalCurves, label: str) -> str:
    """Return the name of a curve: of a number, with the name of its column."""
    return f"{short(curves.feature, LABEL)} = {label}" if _is_number(label) else short(label, LABEL)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _at_risk(curve: SurvivalCurve, time: float) -> str:
    """Return how many rows are followed until a time or longer."""
    assert curve.at_risk is not None
    place = int(np.searchsorted(curve.times, time))
    return f"{curve.at_risk[place]:,.0f}" if place < curve.times.size else "0"


def row_map(embedding: RowMap, labels: Sequence[str], y: str, numbers: Sequence[int] | None = None) -> v.Picture:
    """Show the rows, coloured by group or by y; `numbers` are those of the rows in the file."""
    low, high = embedding.points.min(axis=0), embedding.points.max(axis=0)
    room = 0.05 * float((high - low).max() or 1.0)
    across, up = ((float(a) - room, float(b) + room) for a, b in zip(low, high, strict=True))
    wide = v.WIDE[0]
    tall = float(np.clip(wide * (up[1] - up[0]) / (across[1] - across[0]), 0.5 * wide, wide))
    where = [row + 1 if numbers is None else numbers[row] for row in embedding.rows]
    said = [short(labels[int(value)]) if labels else f"{short(y)} = {value:.4g}" for value in embedding.y]
    titles = [f"row {row}, {words}" for row, words in zip(where, said, strict=True)]

    def points(some: Ints, group: int | None, label: str, shade: Floats | None) -> v.Points:
        own = tuple(titles[i] for i in some)
        x, y = embedding.points[some].T
        return v.Points(x, y, 3.0, titles=own, shade=shade, role="map", group=group, label=label)

    if labels:
        of = [np.flatnonzero(embedding.y == k) for k in range(len(labels))]
        marks = tuple(points(some, v.shared(k), labels[k], None) for k, some in enumerate(of))
    else:
        marks = (points(np.arange(embedding.y.size), None, "", embedding.y),)
    title = f"Similarity of rows ({100 * sum(embedding.shares):.0f} % shown)"
    axes = v.Axis(across, ticks=()), v.Axis(up, ticks=())
    shade = "" if labels else y
    text = "Map of rows by out-of-bag proximity."
    return v.Picture(text, *axes, marks, title, size=(wide, tall), shade=shade, square=True)


def compare(results: Mapping[str, Result]) -> v.Picture:
    """Show several answers under each other: how sure each is and, in words beside it, how strong."""
    at = np.arange(float(len(results)))
    heights = np.array([-np.log10(max(each.null.bound or each.pvalue, 1e-16)) for each in results.values()])
    called = np.array([each.pvalue <= LEVEL for each in results.values()])
    marks: tuple[v.Mark, ...] = (
        v.Segments(0.0, heights, at, at, role="stem"),
        v.Points(heights[called], at[called], 4.0, "o", role="dots chosen"),
        v.Points(heights[~called], at[~called], 4.0, "s", role="dots"),
        v.Rule(-float(np.log10(LEVEL)), upright=True, role="apart"),
    )
    names = tuple(short(name, LABEL) for name in results)
    y = v.Axis((at.size - 0.4, -0.6), "", tuple(at), names, beside=tuple(_in_words(each) for each in results.values()))
    x = v.Axis((0.0, 1.06 * max(float(heights.max()), 1.4)), "-log10 p-value (dashed: 0.05)")
    text = "; ".join(f"{name}: {words}" for name, words in zip(names, y.beside, strict=True))
    return v.Picture(text, x, y, marks, size=(v.WIDE[0], 90.0 + 36.0 * at.size))


def _in_words(result: Result) -> str:
    effect = result.effect
    if effect is None or effect.score is None:
        return p_is_text(result.null, PLAIN)
    strong = PLAIN.decimal(shown(effect, effect.score, effect.measure), 2)
    return f"{p_is_text(result.null, PLAIN)}, {effect.measure} {strong}"
