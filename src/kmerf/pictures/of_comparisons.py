"""Pictures of two tables: a column before and now, and windows over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.safe_text import short
from kmerf.pictures import vocabulary as v

if TYPE_CHECKING:
    from kmerf.results.comparison_result import ColumnChange, Timeline

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
