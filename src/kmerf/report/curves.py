"""The page of a power study: a panel for each simulation, a line for each test, and all numbers in a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from kmerf.core.errors import InputError
from kmerf.core.safe_text import short
from kmerf.report.charts import COLOURS
from kmerf.report.svg import Frame, axis_x, axis_y, figure, group, tag
from kmerf.simulations import SIMULATIONS

if TYPE_CHECKING:
    from kmerf.study import Power

_AXES = {"p": "dimension p", "n": "rows n"}
RULES = {"published": "empirical null", "pvalue": "own p-value"}


class PowerLine(NamedTuple):
    """One line of a panel: a test, judged by one rule."""

    test: str
    rule: str


def context(powers: Sequence[Power], command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    if not powers:
        raise InputError("There is no power to report: run the study first.")
    against = _against(powers)
    lines = list(dict.fromkeys(PowerLine(cell.test, cell.rule) for cell in powers))
    simulations = list(dict.fromkeys(cell.data.name for cell in powers))
    least, most = min(c.replicates for c in powers), max(c.replicates for c in powers)
    return {
        "title": "How often do these tests find a relation?",
        "figures": [
            ("Tests", str(len({cell.test for cell in powers})), ""),
            ("Simulations", str(len(simulations)), ""),
            ("Replicates", f"{least:,}" if least == most else f"{least:,} to {most:,}", "in each cell"),
            ("Level", f"{powers[0].level:g}", "of every test"),
        ],
        "panels": [(name, panel(cells, lines, against)) for name, cells in _panels(powers, against)],
        "entries": [(f"c{k % COLOURS}", label(line, lines)) for k, line in enumerate(lines)],
        "level": powers[0].level,
        "cells": [
            {"cell": cell, "name": title(cell.data.name), "rule": RULES.get(cell.rule, cell.rule)} for cell in powers
        ],
        "again": command,
        "data": None,
    }


def title(name: str) -> str:
    """Return the name of a simulation as it is shown."""
    return SIMULATIONS[name].title if name in SIMULATIONS else name.replace("_", " ")


def label(line: PowerLine, lines: Sequence[PowerLine]) -> str:
    """Name a line: by its test, and by the rule where there are two."""
    return line.test if len({each.rule for each in lines}) == 1 else f"{line.test}, {RULES.get(line.rule, line.rule)}"


def _against(powers: Sequence[Power]) -> str:
    """Return what varies most: the dimension, or the number of rows."""
    return "n" if len({c.data.n for c in powers}) > len({c.data.p for c in powers}) else "p"


def _panels(powers: Sequence[Power], against: str) -> list[tuple[str, list[Power]]]:
    """Return the cells of each panel: one simulation, and where both sizes vary, one of the other size."""
    other = "p" if against == "n" else "n"
    several = len({getattr(c.data, other) for c in powers}) > 1
    panels: dict[str, list[Power]] = {}
    for cell in powers:
        size = f", {other} = {getattr(cell.data, other)}" if several else ""
        panels.setdefault(f"{title(cell.data.name)}{size}", []).append(cell)
    return list(panels.items())


def panel(cells: Sequence[Power], lines: Sequence[PowerLine], against: str) -> Markup:
    """Draw the power of every test on one simulation, with its Monte Carlo interval."""
    at = sorted({getattr(cell.data, against) for cell in cells})
    room = 0.06 * ((at[-1] - at[0]) or 1.0)
    frame = Frame(300.0, 200.0, (at[0] - room, at[-1] + room), (0.0, 1.0), left=34.0, right=8.0, top=8.0)
    height = frame.up(cells[0].level)
    level = tag("line", x1=frame.left, x2=frame.width - frame.right, y1=height, y2=height, class_="threshold")
    drawn = [
        _curve(frame, sorted(own, key=lambda c: getattr(c.data, against)), against, f"c{k % COLOURS}", k, len(lines))
        for k, line in enumerate(lines)
        if (own := [cell for cell in cells if (cell.test, cell.rule) == line])
    ]
    few = at if len(at) <= 5 else [at[0], at[len(at) // 2], at[-1]]
    axis = axis_x(frame, _AXES[against], few)
    spoken = f"Power against {_AXES[against]}: " + "; ".join(f"{short(c.test)} {c.power:.2f}" for c in cells[:12])
    return figure(frame, spoken, axis_y(frame, (0.0, 0.5, 1.0)), level, *reversed(drawn), axis, class_="chart small")


def _curve(frame: Frame, cells: Sequence[Power], against: str, colour: str, k: int, of: int) -> Markup:
    aside = (k - (of - 1) / 2.0) * 7.0 if len(cells) == 1 else 0.0  # points of one place stand side by side
    xs = [frame.across(getattr(cell.data, against)) + aside for cell in cells]
    ys = [frame.up(cell.power) for cell in cells]
    line = tag("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True)))
    whiskers = [
        tag("line", x1=x, x2=x, y1=frame.up(cell.interval[0]), y2=frame.up(cell.interval[1]))
        for x, cell in zip(xs, cells, strict=True)
    ]
    dots = [
        tag("circle", tag("title", _cell_text(cell, against)), cx=x, cy=y, r=3.2)
        for x, y, cell in zip(xs, ys, cells, strict=True)
    ]
    return group(line, *whiskers, *dots, class_=f"series {colour}")


def _cell_text(cell: Power, against: str) -> str:
    low, high = cell.interval
    return (
        f"{short(cell.test)}: {cell.power:.3f} ({low:.3f} to {high:.3f}) at {against} = {getattr(cell.data, against)}"
    )
