"""The pages of `screen` and `associations`: all p-values or pairs in one picture, and a table of them.

The table of a screen can be sorted and searched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kmerf.core.safe_text import clean
from kmerf.pictures import of_studies
from kmerf.pictures.of_studies import heights_of
from kmerf.report import page
from kmerf.report.page import data_block
from kmerf.report.svg import Frame, draw, frame_of, tag
from kmerf.results.parts import FIRST_CHANGES
from kmerf.results.question import QUESTIONS
from kmerf.show.change_words import short_change
from kmerf.show.facts import (
    associations_changes,
    associations_facts,
    associations_headline,
    associations_title,
    screen_facts,
    screen_headline,
    screen_question,
    screen_title,
    screened,
)
from kmerf.show.head import screen_changes
from kmerf.show.numbers import TYPESET
from kmerf.show.tables import STAR, associations_table, compared_note, screen_table
from kmerf.show.words import called, given_words, scored, untested

if TYPE_CHECKING:
    from kmerf.results.screen_result import Associations, Screen
    from kmerf.results.views import Sketch

LABELS = 12  # columns named in the plot
MANY = 2000  # points that are drawn small
PAGE = 50  # rows of the table at a time
MIN_HISTOGRAM = 50  # columns whose p-values have a distribution to look at
MAX_DRAWN = 40  # columns of the heat map
PAIRS_SHOWN = 30  # pairs before the fold
MAX_PAIRS = 200  # of the table
_LONGEST = 200  # letters of a name that are kept


def context(result: Screen, data: Mapping[str, Any] | None, command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    y = called(result, page.y_columns(data) or result.y_names) or "y"
    order = result.order.tolist()
    picture = of_studies.screen(result, LABELS)
    hover = tag("g", tag("circle", r=6, cx=-20, cy=-20), tag("text", "", x=-20, y=-20), id="hover")  # for the script
    size = "chart wide many" if len(result) > MANY else "chart wide"
    named = replace(result, y_names=(y,))
    return {
        "title": screen_question(named),
        "limit": QUESTIONS[result.question].limit,
        "given": given_words(result),
        "kicker": screen_title(result),
        "what": screened(result),
        "headline": screen_headline(named),
        "plot": draw(picture, size, hover, id="plot", tabindex=0),
        "histogram": draw(of_studies.pvalue_histogram(result)) if result.tested >= MIN_HISTOGRAM else "",
        "sized": result.effects is not None,
        "sketched": _sketched(result),
        "y": y,
        "scored": scored(result, y),
        "changes": screen_changes(result, TYPESET)[:FIRST_CHANGES],
        "heads": screen_table(result, TYPESET, 1, changes=True).heads,
        "first": screen_table(result, TYPESET, max(PAGE, len(result.selected)), changes=True).rows,
        "compared": compared_note(result),
        "table": data_block(_table(result, order, frame_of(picture))),
        "errors": untested(result),
        "any_model": bool(result.extrapolated.any()),
        "star": STAR,
        "tied": f"{result.tied:.2g}",
        "script": True,
        **page.answer_parts(
            result,
            screen_facts(result, TYPESET),
            data,
            command,
            given="given" in result.settings,
            censored=result.y_kind == "censored",
        ),
    }


def pairs_context(result: Associations, data: Mapping[str, Any] | None, command: str | None) -> dict[str, Any]:
    """Return the values of the template of all pairs of columns."""
    asked = QUESTIONS[result.question]
    table = associations_table(result, TYPESET, MAX_PAIRS)
    picture = of_studies.heat_map(result, MAX_DRAWN)
    failed = [(f"{row.first} and {row.second}", row.error) for row in result if row.error is not None]
    return {
        "title": asked.asks,
        "limit": asked.limit,
        "kicker": associations_title(result),
        "headline": associations_headline(result),
        "changes": [(text, "") for text in associations_changes(result, TYPESET)],
        "plot": draw(picture, "chart wide heat"),
        "entries": [(f"c{group}", label) for group, label in picture.entries],
        "left_out": picture.note,
        "table": table._replace(rows=table.rows[:PAIRS_SHOWN], more=""),
        "rest": table._replace(rows=table.rows[PAIRS_SHOWN:]),
        "errors": failed[:20],
        "more_errors": max(0, len(failed) - 20),
        **page.answer_parts(result, associations_facts(result), data, command),
    }


def _table(result: Screen, order: list[int], frame: Frame) -> dict[str, Any]:
    """Return what the script needs: columns of values, in the order of p, and where points are."""
    heights = heights_of(result.adjusted_from)
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
        return {"effect": None, "direction": None, "change": _change_texts(result, order), "sketch": {}}
    drawn = {
        str(k): draw_sketch(effects.sketches[result.names[i]], bool(result.groups))
        for k, i in enumerate(order)
        if result.names[i] in effects.sketches
    }
    return {
        "effect": _digits(effects.sizes[order], 7),  # so that rounding to three decimals rounds once
        "direction": [clean(effects.directions[i])[:_LONGEST] for i in order],
        "change": _change_texts(result, order),
        "sketch": drawn,
    }


def _change_texts(result: Screen, order: list[int]) -> list[str] | None:
    """Return direction and size in the units of the data, in the order of the table; None if they are not known."""
    if not result.changes:
        return None
    return [clean(short_change(result.changes.get(result.names[i]), TYPESET))[:_LONGEST] for i in order]


def draw_sketch(sketch: Sketch, grouped: bool) -> list[list[float]]:
    """Return a small picture in a box of 64 by 20: points of a line, or for each class or category a place and a range.

    A range is its place, its ends and what lies between, and the number of its colour.

    >>> draw_sketch(((0.0, 5.0), (1.0, 7.0)), False), draw_sketch(((0.0, 1.0, 2.0),), True)
    ([[2.0, 18.0], [62.0, 2.0]], [[32.0, 18.0, 10.0, 2.0, 0]])
    """
    width = len(sketch[0])
    if not grouped and width == 2:
        across, up = zip(*sketch, strict=True)
        box = _box((min(across), max(across)), (min(up), max(up)))
        return [[round(box.across(x), 1), round(box.up(value), 1)] for x, value in sketch]
    ranges = [each if width == 3 else each[1:] if width == 4 else (each[1],) * 3 for each in sketch]
    box = _box((0.0, float(len(sketch))), (min(each[0] for each in ranges), max(each[-1] for each in ranges)))
    return [
        [round(box.across(k + 0.5), 1), *(round(box.up(value), 1) for value in each), k if width == 3 else 0]
        for k, each in enumerate(ranges)
    ]


def _box(x: tuple[float, float], y: tuple[float, float]) -> Frame:
    return Frame(64.0, 20.0, x, y, left=2.0, right=2.0, top=2.0, bottom=2.0)


def _sketched(result: Screen) -> str:
    """Say what the small pictures show, of those that there are."""
    sketches = () if result.effects is None else result.effects.sketches.values()
    widths = {len(each[0]) for each in sketches}
    if result.groups:
        last = list(result.groups)[-1]
        words = {
            3: "lines are the middle half of each class, dots the medians",
            2: f"for categories, dots are shares of {last}",
        }
    else:
        y = "log-rank score, high if events come soon" if result.y_kind == "censored" else "y"
        words = {
            2: f"the line is the mean {'' if y != 'y' else 'of '}{y}",
            4: f"for categories, dots and lines are means of {y} and 95 % intervals",
        }
    return "; ".join(text for width, text in words.items() if width in widths)


def _digits(values: NDArray[np.float64], digits: int = 4) -> list[float | None]:
    return [float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in values.tolist()]
