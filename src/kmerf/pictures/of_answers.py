"""Pictures of an answer: what it found, the null distribution, importances, the map of rows, several answers.

`answer` is the picture of the question: the most important column beside y, with estimates, intervals and numbers. A
test of groups with pairs has letters above its groups: groups that share a letter do not differ (Piepho, 2004). A
censored y has curves of survival. A y of several columns has a picture for each. `overlay` and `timeline` are of two
tables: a column before and now, and windows over time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.arrays import without_rounding
from kmerf.core.safe_text import is_number, short
from kmerf.core.settings import LEVEL
from kmerf.pictures import of_data
from kmerf.pictures import vocabulary as v
from kmerf.results.question import hypothesis
from kmerf.show.change_words import leading_changes
from kmerf.show.head import can_differ, head
from kmerf.show.numbers import PLAIN, counted, not_drawn, p_is_text, spread_head

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.results.comparison_result import ColumnChange, Timeline
    from kmerf.results.parts import FeatureTests, Importances, Pair
    from kmerf.results.single_result import Result
    from kmerf.results.views import Profile, RowMap, SurvivalCurve, SurvivalCurves

FAR = 1.5  # ranges of the permuted statistics beyond which the axis is broken
LABEL = 22  # letters of a name beside an axis
MAX_Y = 6  # columns of y that are drawn
MAX_LETTERS = 9


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
    return f"{short(curves.feature, LABEL)} = {label}" if is_number(label) else short(label, LABEL)


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
    width = max(v.WIDE[0], 240.0 + 7.0 * max(map(len, y.beside)))  # so that words leave space for the lines
    return v.Picture(text, x, y, marks, size=(width, 90.0 + 36.0 * at.size))


def _in_words(result: Result) -> str:
    effect = head(result).effect.split(" (")[0]  # without its interval
    return ", ".join(filter(None, (p_is_text(result.null, PLAIN), effect)))


def y_names(result: Result, names: Sequence[str] = ()) -> list[str]:
    """Return what the columns of y are called; `names` are those of the file."""
    points = None if result.details is None else result.details.points
    if result.y_kind == "censored" and points is not None:
        return [points.y_names[0]]  # its score, which is what is drawn
    known = list(names) or ([] if points is None else list(points.y_names))
    if result.groups:
        return [known[0] if known else "group"]
    return known[: max(1, result.q)] or ["y"]


def look_of(result: Result, column: int = 0) -> of_data.Look:
    """Return how y of a result is shown beside a column."""
    given = () if result.adjustment is None else result.adjustment.names
    unit = "block" if result.settings.get("exchange") == "between" else "row"
    names = ", ".join(short(name, 40) for name in given)
    shares = hypothesis(result.question).names_y and len(result.groups) == 2  # of the class that is asked for
    return of_data.Look(rows=not shares, column=column, unit=unit, given=names, units=result.units)


def profiles_of(result: Result) -> list[Profile]:
    """Return the profiles of a result: those of the columns that its first sentences are about come first."""
    profiles = [] if result.details is None else list(result.details.profiles)
    leading = [change.column for change in leading_changes(result)]
    rank = {name: place for place, name in reversed(list(enumerate(leading)))}
    return sorted(profiles, key=lambda each: rank.get(each.feature, len(leading)))


def answer(result: Result, names: Sequence[str] = ()) -> list[v.Picture]:
    """Return the pictures that answer the question: one, or one for each column of y; none without details."""
    details = result.details
    if details is None:
        return []
    if details.survival is not None:
        return [survival(details.survival, title_of(result))]
    profiles = profiles_of(result)
    if not profiles:
        return []
    called = y_names(result, names)
    letters = letters_of(list(result.groups), result.pairwise)
    pictures = []
    for column, y in enumerate(called[:MAX_Y]):
        look = look_of(result, column)._replace(counts=True, letters=letters)
        picture = of_data.beside(profiles[0], details.points, list(result.groups), y, look=look)
        if len(called) == 1:
            picture = replace(picture, title=title_of(result), size=v.WIDE)
        else:
            picture = replace(picture, title="")
        pictures.append(picture)
    return pictures


def title_of(result: Result) -> str:
    """Say how sure the answer is, how strong, and of how many rows."""
    first = head(result)
    return "; ".join(filter(None, (p_is_text(result.null, PLAIN), first.effect, f"{result.n:,} rows")))


def letters_of(groups: Sequence[str], pairs: Sequence[Pair]) -> dict[str, str]:
    """Return letters for groups: two that share one do not differ.

    There are none without pairs, with too few permutations to call any pair different, or if it takes too many letters.

    >>> from kmerf.results.parts import Pair
    >>> letters_of("abc", [Pair("a", "b", 1, 0.5, 0.5), Pair("a", "c", 1, 0.01, 0.01), Pair("b", "c", 1, 0.2, 0.2)])
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    if not pairs or not can_differ(pairs):
        return {}
    sets = [frozenset(groups)]
    for pair in pairs:
        if pair.adjusted > LEVEL:
            continue
        split = [
            each - {name} for each in sets for name in (pair.first, pair.second) if {pair.first, pair.second} <= each
        ]
        sets = [*(each for each in sets if not {pair.first, pair.second} <= each), *split]
        sets = [each for k, each in enumerate(sets) if not any(each < other for other in sets) and each not in sets[:k]]
    if len(sets) > MAX_LETTERS:
        return {}
    sets.sort(key=lambda each: [name not in each for name in groups])
    named = zip("abcdefghi", sets, strict=False)
    found = [(letter, each) for letter, each in named]
    return {name: "".join(letter for letter, each in found if name in each) for name in groups}


OLD, NEW = 5, 1  # groups, whose colours tell old from new


def overlay(column: ColumnChange, *, changed: bool = True, small: bool = False) -> v.Picture:
    """Show the shares of the old rows and of the new ones, one above the other; numbers as steps, labels as bars."""
    top = max(float(column.shares_before.max(initial=0.0)), float(column.shares_after.max(initial=0.0)), 1e-9)
    title = "" if small or not changed else column.kind
    text = f"{column.name}: old rows {column.before}, new rows {column.after}."
    y = v.Axis((0.0, 1.08 * top), ticks=()) if small else v.percent_axis(top, "share of rows")
    size = (150.0, 44.0) if small else (310.0, 200.0)
    if column.numeric:
        edges = column.edges
        limits = float(edges[0]), float(edges[-1])
        x = v.Axis(limits, ticks=()) if small else v.Axis(limits, short(column.name, 30), most=4)
        at = np.repeat(edges, 2)
        marks: list[v.Mark] = []
        for shares, group, label in ((column.shares_before, OLD, "old"), (column.shares_after, NEW, "new")):
            up = np.concatenate([[0.0], np.repeat(shares, 2), [0.0]])
            marks.append(v.Band(at, np.zeros(at.size), up, role="band", group=group))
            marks.append(v.Line(at, up, role="line", group=group, label=label))
        return v.Picture(text, x, y, tuple(marks), title, size=size)
    place = np.arange(float(len(column.levels)))
    names = () if small else tuple(v.level_labels(column.levels))
    ticks = () if small else tuple(place.tolist())
    x = v.Axis((-0.6, len(column.levels) - 0.4), "" if small else short(column.name, 30), ticks, names)
    marks = [
        v.Bars(place - 0.4, place, 0.0, column.shares_before, role="stack", group=OLD, label="old"),
        v.Bars(place, place + 0.4, 0.0, column.shares_after, role="stack", group=NEW, label="new"),
    ]
    return v.Picture(text, x, y, tuple(marks), title, size=size)


def timeline(line: Timeline) -> v.Picture:
    """Show the AUC of each window with its interval, those that are alarms apart, the margin and the beginning."""
    size = len(line.windows)
    at = np.arange(float(size))
    auc, low, high = (np.array([getattr(w, key) for w in line.windows]) for key in ("auc", "auc_low", "auc_high"))
    alarm = line.adjusted <= line.threshold
    step = max(1, -(-size // 8))
    ticks = tuple(at[::step].tolist())
    names = tuple(short(w.label, 12) for w in line.windows[::step])
    bottom, top = min(0.4, float(low.min())), min(1.02, max(0.75, float(high.max()) + 0.03))
    marks: list[v.Mark] = [
        v.Rule(0.5, role="level"),
        v.Rule(line.margin, role="threshold", says=f"Dashed: the margin, {line.margin:g}."),
        v.Segments(at, at, low, high, role="spread", says="Lines: 95 % intervals."),
    ]
    titles = tuple(f"{w.label}: AUC {w.auc:.2f}, {w.rows:,} rows" for w in line.windows)
    for some, group, label in ((~alarm, OLD, "no alarm"), (alarm, NEW, "alarm")):
        if some.any():
            shown = tuple(title for title, keep in zip(titles, some, strict=True) if keep)
            marks.append(
                v.Points(
                    at[some], auc[some], radius=3.0, role="point", group=group, label=label, titles=shown, marker="o"
                )
            )
    began = line.began
    if began is not None:
        place = [w.label for w in line.windows].index(began) - 0.5
        marks.append(v.Rule(place, upright=True, role="observed"))
        end = place > 0.6 * size
        words = f"began: {short(began, 16)}"
        spot = place - 0.01 * size if end else place + 0.01 * size
        marks.append(v.Words(spot, top, words, "end" if end else "start", above=False, role="observed"))
    text = f"AUC of {size} windows; {len(line.alarms)} are alarms."
    x = v.Axis((-0.6, size - 0.4), "window", ticks, names)
    y = v.Axis((bottom, top), "AUC: new rows against the reference")
    return v.Picture(text, x, y, tuple(marks), "", size=(700.0, 260.0), legend="lower right")
