"""Pages of power: a study of simulations, with a panel for each, and the curve of a pilot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import InputError
from kmerf.pictures.of_studies import RULES, power_curve, power_panel, simulation_title
from kmerf.pictures.vocabulary import GROUPS
from kmerf.report import page
from kmerf.report.svg import draw
from kmerf.results.question import QUESTIONS
from kmerf.show.facts import curve_facts, curve_question, curve_title
from kmerf.show.tables import curve_table
from kmerf.show.verdict import curve_answer

if TYPE_CHECKING:
    from kmerf.results.power_curve import PowerCurve
    from kmerf.study import Power


def context(powers: Sequence[Power], command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    if not powers:
        raise InputError("has no power to report", argument="powers", remedy="run the study first")
    against = _against(powers)
    names = line_names(powers)
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
        "panels": [(name, draw(power_panel(cells, names, against))) for name, cells in _panels(powers, against)],
        "entries": [(f"c{k % GROUPS}", name) for k, name in enumerate(names.values())],
        "level": powers[0].level,
        "cells": [
            {"cell": cell, "name": simulation_title(cell.data.name), "rule": RULES.get(cell.rule, cell.rule)}
            for cell in powers
        ],
        "again": command,
        "data": None,
    }


def plan_context(curve: PowerCurve, data: Mapping[str, Any] | None, command: str | None) -> dict[str, Any]:
    """Return the values of the template of the curve of a pilot."""
    asked, picture = QUESTIONS[curve.question], power_curve(curve)
    return {
        "title": curve_question(curve),
        "kicker": curve_title(curve),
        "verdict": curve_answer(curve),
        "tone": "found" if curve.conclusive else "none",
        "limit": asked.limit,
        "chart": draw(picture),
        "caption": picture.caption,
        "table": curve_table(curve),
        "target": f"{curve.target:g}",
        **page.answer_parts(curve, curve_facts(curve), data, command, censored=curve.events is not None),
    }


def line_names(powers: Sequence[Power]) -> dict[tuple[str, str], str]:
    """Return the name of each line: its test, and the rule by which that is judged if there are two."""
    lines = dict.fromkeys((cell.test, cell.rule) for cell in powers)
    one = len({rule for _, rule in lines}) == 1
    return {(test, rule): test if one else f"{test}, {RULES.get(rule, rule)}" for test, rule in lines}


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
        panels.setdefault(f"{simulation_title(cell.data.name)}{size}", []).append(cell)
    return list(panels.items())
