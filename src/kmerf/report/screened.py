"""The page of `screen`: the p-value of every column in its place, and a table to sort and search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from kmerf.core.safe_text import clean, short
from kmerf.report import page
from kmerf.report.answer import data_section
from kmerf.report.page import data_block
from kmerf.report.svg import Frame, axis_x, axis_y, figure, group, room_for, tag, text, ticks
from kmerf.results.question import QUESTIONS
from kmerf.show.facts import screen_facts, screen_title, screened
from kmerf.show.numbers import TYPESET
from kmerf.show.tables import STAR, screen_table
from kmerf.show.words import given_words, scored, y_name

if TYPE_CHECKING:
    from kmerf.results.screen_result import Screen
    from kmerf.results.views import Sketch

PAGE = 50  # rows of the table at a time
LABELS = 12  # columns named in the plot
_LONGEST = 200  # letters of a name that are kept


def context(result: Screen, data: Mapping[str, Any] | None, command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    y = y_name(page.y_columns(data)) or "y"
    again, remark = page.call(result, command, given="given" in result.settings)
    order = result.order.tolist()
    frame = plot_frame(result)
    grouped = any(c["role"] == "groups" for c in (data or {}).get("columns") or ())
    asked = QUESTIONS[result.question]
    return {
        "title": (asked.asks_groups if grouped else asked.asks).format(y=y, given=given_words(result)),
        "limit": asked.limit,
        "given": given_words(result),
        "result": result,
        "kicker": screen_title(result),
        "what": screened(result),
        "headline": _headline(result),
        "figures": [fact for fact in screen_facts(result, TYPESET) if fact.name != "seed"],
        "warnings": list(dict.fromkeys([*((data or {}).get("warnings") or ()), *result.notes])),
        "plot": plot(result, frame),
        "histogram": histogram(result),
        "sized": result.effects is not None,
        "sketched": "means" if not result.groups else "quartiles",
        "y": y,
        "scored": scored(result, y),
        "heads": screen_table(result, TYPESET, 1).heads,
        "first": screen_table(result, TYPESET, PAGE).rows,
        "table": data_block(_table(result, order, frame)),
        "errors": list(result.errors.items())[:20],
        "more_errors": max(0, len(result.errors) - 20),
        "any_model": bool(result.extrapolated.any()),
        "star": STAR,
        "tied": f"{result.tied:.2g}",
        "again": again,
        "remark": remark,
        "settings": "\n".join(page.settings_lines(result.settings)),
        "script": True,
        **data_section(data),
    }


def _headline(result: Screen) -> str:
    selected = len(result.selected)
    of, given = f"of {result.tested:,} tested", given_words(result)
    if not selected:
        return f"None {of} was selected{given}."
    return f"{selected:,} {of} {'is' if selected == 1 else 'are'} selected{given}."


def _table(result: Screen, order: list[int], frame: Frame) -> dict[str, Any]:
    """Return what the script needs: columns of values, in the order of p, and where points are."""
    heights = _heights(result.pvalues)
    return {
        "page": PAGE,
        "fdr": result.fdr,
        **_effects(result, order),
        "name": [clean(result.names[i])[:_LONGEST] for i in order],
        "place": [i + 1 for i in order],
        "statistic": _digits(result.statistics[order]),
        "p": _digits(result.pvalues[order]),
        "bh": _digits(result.adjusted_bh[order]),
        "by": _digits(result.adjusted_by[order]),
        "bound": _digits(result.bounds[order]),
        "model": [int(flag) for flag in result.extrapolated[order]],
        "x": [round(frame.across(i + 1.0), 1) for i in order],
        "y": [round(frame.up(float(h)), 1) if np.isfinite(h) else None for h in heights[order]],
    }


def _effects(result: Screen, order: list[int]) -> dict[str, Any]:
    """Return sizes, directions and small pictures, in the order of the table."""
    effects = result.effects
    if effects is None:
        return {"effect": None, "direction": None, "sketch": {}}
    drawn = {
        str(k): draw_sketch(effects.sketches[result.names[i]], bool(result.groups))
        for k, i in enumerate(order)
        if result.names[i] in effects.sketches
    }
    return {
        "effect": _digits(effects.sizes[order]),
        "direction": [clean(effects.directions[i])[:_LONGEST] for i in order],
        "sketch": drawn,
    }


def draw_sketch(sketch: Sketch, grouped: bool) -> list[list[float]]:
    """Return a small picture in a box of 64 by 20: points of a line, or the quartiles of each class.

    >>> draw_sketch(((0.0, 5.0), (1.0, 7.0)), False), draw_sketch(((0.0, 1.0, 2.0),), True)
    ([[2.0, 18.0], [62.0, 2.0]], [[32.0, 18.0, 10.0, 2.0]])
    """
    if grouped:
        low, high = min(each[0] for each in sketch), max(each[-1] for each in sketch)
        box = Frame(64.0, 20.0, (0.0, float(len(sketch))), (low, high), left=2.0, right=2.0, top=2.0, bottom=2.0)
        return [[round(box.across(k + 0.5), 1), *(round(box.up(v), 1) for v in each)] for k, each in enumerate(sketch)]
    across, up = zip(*sketch, strict=True)
    box = Frame(64.0, 20.0, (min(across), max(across)), (min(up), max(up)), left=2.0, right=2.0, top=2.0, bottom=2.0)
    return [[round(box.across(x), 1), round(box.up(v), 1)] for x, v in sketch]


def histogram(result: Screen) -> Markup:
    """Draw how p-values are spread, and the flat line that they would follow if y depended on no column."""
    known = result.pvalues[~np.isnan(result.pvalues)]
    counts, edges = np.histogram(known, bins=20, range=(0.0, 1.0))
    flat = known.size / 20
    most = max(float(counts.max()), flat)
    frame = Frame(460.0, 200.0, (0.0, 1.0), (0.0, 1.1 * most), left=room_for([f"{int(most):,}"]), top=26.0)
    bars = [
        tag("rect", x=frame.across(a) + 0.4, y=frame.up(c), width=frame.across(0.05) - frame.left - 0.8,
            height=frame.floor - frame.up(c))
        for a, c in zip(edges[:-1].tolist(), counts.tolist(), strict=True)
        if c
    ]  # fmt: skip
    level = frame.up(flat)
    line = tag("line", x1=frame.left, x2=frame.width - frame.right, y1=level, y2=level, class_="threshold")
    words = text(frame.width - frame.right, level - 5.0, "expected by chance", "observed", "end")
    label = f"Histogram of {known.size} p-values; by chance alone about {flat:.3g} would be in each bar."
    heights = axis_y(frame, ticks(0.0, most, 4, whole=True), "columns")
    return figure(frame, label, heights, group(*bars, class_="bars"), line, words, axis_x(frame, "p-value"))


def _digits(values: NDArray[np.float64]) -> list[float | None]:
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values.tolist()]


def _heights(pvalues: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(-np.log10(np.maximum(pvalues, 1e-300)))


def plot_frame(result: Screen) -> Frame:
    """Return where the points of the plot lie."""
    heights = _heights(result.pvalues)
    top = float(np.nanmax(heights)) if np.isfinite(heights).any() else 1.0
    top = 1.12 * max(top, -float(np.log10(result.threshold)), 1.0)
    size = len(result)
    return Frame(760.0, 320.0, (1 - 0.02 * size, 1.02 * size), (0.0, top), left=40.0, top=16.0)


def plot(result: Screen, frame: Frame) -> Markup:
    """Draw -log10 p of every column; thousands of points are four paths, which a browser draws at once."""
    heights = _heights(result.pvalues)
    chosen = result.adjusted_bh <= result.fdr
    level = frame.up(-float(np.log10(result.threshold)))
    line = tag("line", x1=frame.left, x2=frame.width - frame.right, y1=level, y2=level, class_="threshold")
    paths = [
        _dots(frame, heights, kind, class_)
        for kind, class_ in ((~chosen & np.isfinite(heights), "dots"), (chosen, "dots chosen"))
    ]
    small = " many" if len(result) > 2000 else ""
    label = f"Minus log10 of the p-values of {len(result)} columns, in their order."
    hover = group(tag("circle", r=6, cx=-20, cy=-20), tag("text", "", x=-20, y=-20), id="hover")
    what = "set, in the order given" if "sets" in result.settings else "column, in the order given"
    axis = axis_x(frame, what, [v for v in ticks(*frame.x) if 0 <= v <= len(result)])
    content = axis_y(frame), line, *paths, _labels(result, frame, heights), hover, axis
    return figure(frame, label, *content, class_=f"chart wide{small}", id="plot", tabindex=0)


def _dots(frame: Frame, heights: NDArray[np.float64], shown: NDArray[np.bool_], class_: str) -> Markup:
    """Return points as one path of lines without length, whose round ends are the points."""
    at = np.flatnonzero(shown)
    path = "".join(f"M{frame.across(i + 1.0):.1f} {frame.up(float(heights[i])):.1f}h0" for i in at)
    return tag("path", d=path, class_=class_) if path else Markup("")


def _labels(result: Screen, frame: Frame, heights: NDArray[np.float64]) -> Markup:
    """Name the best of the selected columns, where a name has room."""
    place = {name: i for i, name in enumerate(result.names)}
    taken: list[tuple[float, float, float]] = []
    drawn = []
    for name in result.selected[:LABELS]:
        label = short(name, 18)
        x, y = frame.across(place[name] + 1.0), frame.up(float(heights[place[name]])) - 8.0
        half = 3.6 * len(label)
        x = min(max(x, frame.left + half), frame.width - half)
        if any(abs(x - u) < half + w and abs(y - v) < 13.0 for u, v, w in taken):
            continue
        taken.append((x, y, half))
        drawn.append(text(x, y, label, "mark", "middle"))
    return group(*drawn)
