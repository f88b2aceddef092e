"""The page of a test: what each of its sections shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from kmerf.core.settings import LEVEL
from kmerf.pictures import of_answers, of_data
from kmerf.pictures.vocabulary import GROUPS, PANEL, WIDE, Picture, caption
from kmerf.report import page
from kmerf.report.svg import draw
from kmerf.results.question import hypothesis
from kmerf.show.facts import facts, title
from kmerf.show.head import head
from kmerf.show.numbers import TYPESET, p_is_text, spread_head
from kmerf.show.tables import feature_table, group_table, measures_text, member_table, pair_table
from kmerf.show.verdict import verdict
from kmerf.show.words import are_several, asked_of, called, scored, y_of

if TYPE_CHECKING:
    from kmerf.results.single_result import Result

FEATURES_SHOWN = 12  # features before the fold
MAX_FEATURES = 200  # features at all; of 20,000, the rest say nothing
MAX_PAIRS = 60
PAIRS_SHOWN = 10  # pairs before the fold, beside those that differ
MAX_PANELS = 12
MAX_ROWS = 5  # that drive the statistic most, and least
MIN_ROW_SHARE = 0.01  # share of the statistic from which a row is worth naming,
MIN_ROW_RATIO = 3.0  # and how many times the average that is
MAX_MEMBERS = 3  # questions of a combined test that are named
MIN_MAP_SHARE = 0.1  # share of the whole that a map has to hold,
MIN_MAP_MIDDLE = 1 / 3  # of its width that the middle 90 % of rows take up,
MIN_MAP_PLACES = 12  # and how many places it shows: with few columns of few values, many rows share one


class Panel(NamedTuple):
    """A drawing, and what is left out of it."""

    chart: Markup
    note: str = ""


def context(result: Result, data: Mapping[str, Any] | None, command: str | None) -> dict[str, Any]:
    """Return the values of the template."""
    columns = y_columns(result, data)
    y, asked = called(result, columns), hypothesis(result.question)
    first = head(result, y, TYPESET)
    whole = result.settings.get("rows", result.n) == result.n  # with blocks, other rows may be tested than were read
    numbers = (data or {}).get("row_numbers") if whole else None
    censored = result.y_kind == "censored"
    numbers_shown = facts(result, TYPESET, names=False)
    return {
        "title": first.question,
        "kicker": title(result),
        "y": y or "y",
        "scored": scored(result, y),
        "permuted": asked.permuted.format(y=y or "y"),
        "of_classes": asked.of_classes.format(y=y or "y"),
        "head": first,
        "sentences": verdict(result, y).sentences,
        "null": null_section(result),
        "members": member_section(result, y),
        "features": feature_section(result),
        "together": group_table(result.feature_groups, TYPESET),
        "survival": survival_section(result),
        "views": view_section(result, columns),
        "map": map_section(result, columns[0] if are_several(result, y) else scored(result, y), numbers),
        "rows": row_section(result, numbers) if whole else None,
        "pairs": pair_section(result),
        "level": LEVEL,
        **page.answer_parts(
            result, numbers_shown, data, command, given=result.adjustment is not None, censored=censored
        ),
    }


def y_columns(result: Result, data: Mapping[str, Any] | None) -> list[str]:
    """Return the names of the columns of y, from the file that was read or from the data; none where they had none."""
    named = page.y_columns(data) or ([] if result.names is None else list(result.names.y))
    if named or not y_of(result) or result.details is None:
        return named
    survival, points = result.details.survival, result.details.points
    if survival is not None:
        return [survival.time, survival.event or "its event"]
    return [] if points is None else list(points.y_names)


def null_section(result: Result) -> Any:
    """Draw the null distribution, where there is one."""
    values = result.null.distribution
    if values is None:
        return None
    observed = f"your data, {p_is_text(result.null, TYPESET)}"
    return draw(of_answers.null_distribution(values, result.statistic, observed))


def feature_section(result: Result) -> dict[str, Any] | None:
    """Return the features by importance, with bars: the first, and those below the fold."""
    table = feature_table(result, TYPESET, MAX_FEATURES, spread=False, lost=True)
    if table is None or result.p == 1:  # a single column has all of the importance
        return None
    shares = [(row.share, row.chosen) for row in table.rows if row.share is not None]
    peak = max([*(share.high for share, _ in shares), 1e-12])
    spread = "" if result.importances is None else spread_head(result.importances)
    bars = [draw(of_answers.importance_bar(*share, peak, chosen, spread), "bar") for share, chosen in shares]
    return {
        "spread": spread,
        "first": (table._replace(rows=table.rows[:FEATURES_SHOWN], more=""), bars[:FEATURES_SHOWN] or None),
        "rest": (table._replace(rows=table.rows[FEATURES_SHOWN:]), bars[FEATURES_SHOWN:] or None),
        "tested": result.features is not None,
        "shuffled": "lost if permuted" in table.heads,
        "measure": "" if result.importances is None else result.importances.measure,
    }


def member_section(result: Result, y: str = "") -> dict[str, Any] | None:
    """Say which of the things that a combined test looks for stood out; nothing where the test found nothing."""
    name, several = scored(result, y), result.y_kind == "censored" or are_several(result, y)
    asked = [replace(each, question=asked_of(each.question, name, several=several)) for each in result.members]
    result = replace(result, members=tuple(asked))
    table = member_table(result, TYPESET, question=True)
    if table is None or result.pvalue > LEVEL:
        return None
    ranked = sorted(result.members, key=lambda member: -member.score)
    stood_out = [member for member in ranked if member.pvalue <= LEVEL] or ranked[:1]
    return {
        "stood_out": [member.question or member.name for member in stood_out[:MAX_MEMBERS]],
        "more": max(0, len(stood_out) - MAX_MEMBERS),
        "count": len(result.members),
        "table": table,
        "measures": measures_text(result.members),
    }


def survival_section(result: Result) -> dict[str, Any] | None:
    """Draw the curves, where the outcome has times and the forests were looked into."""
    curves = None if result.details is None else result.details.survival
    if curves is None:
        return None
    picture = of_answers.survival(curves)
    return {
        "chart": draw(picture),
        "legend": [(f"c{group}", label) for group, label in picture.entries],
        "feature": curves.feature,
        "caption": picture.caption,
        "note": picture.note,
    }


def view_section(result: Result, names: Sequence[str]) -> dict[str, Any] | None:
    """Draw the data: the answer itself, y alone, and y beside each of the other important columns."""
    if result.details is None:
        return None
    points, labels, profiles = result.details.points, list(result.groups), of_answers.profiles_of(result)
    called = of_answers.y_names(result, names)
    curves = result.details.survival
    leads = [] if curves is not None else of_answers.answer(result, names)
    of_y = None
    if len(called) == 1 and result.y_kind != "censored":  # scores of times mean little by themselves
        of_y = of_data.y_alone(points, result.groups, called[0], of_answers.look_of(result))
    others = profiles[1:] if leads else [each for each in profiles if curves is None or each.feature != curves.feature]
    pictures = [
        of_data.beside(each, points, labels, y, look=of_answers.look_of(result, column))
        for each in others
        for column, y in enumerate(called[: of_answers.MAX_Y])
    ]
    left_out = len(pictures) - MAX_PANELS
    pictures = pictures[:MAX_PANELS]
    if of_y is not None and (pictures or not leads):
        pictures.insert(0, of_y)
    if not leads and not others:
        return None
    every = [*leads, *pictures]
    alone = len(every) % 2  # the first picture, so that no other is alone in its row of two
    panels = [
        Panel(draw(replace(picture, size=WIDE if k < alone else PANEL)), picture.note)
        for k, picture in enumerate(every)
    ]
    return {
        "leads": panels[:alone],
        "panels": panels[alone:],
        "legend": legend(labels) if any(picture.entries for picture in every) else [],
        "caption": caption(every),
        "given": of_answers.look_of(result).given,
        "some": points.rows.size if points is not None and points.rows.size < result.n and _has_rows(every) else 0,
        "more_y": max(0, len(called) - of_answers.MAX_Y),
        "more": max(0, left_out),
        "several": len(profiles) > 1,
    }


def _has_rows(pictures: Sequence[Picture]) -> bool:
    """Say whether some picture has a point for each row that is drawn."""
    return any("Each point is a" in mark.says for picture in pictures for mark in picture.marks)


def pair_section(result: Result) -> dict[str, Any] | None:
    """Return the pairs of groups: those that differ and a few more, and those below the fold."""
    table = pair_table(result.pairwise, TYPESET, MAX_PAIRS)
    if table is None:
        return None
    differ = sum(pair.adjusted <= LEVEL for pair in result.pairwise)
    first = max(PAIRS_SHOWN, differ) if differ else 0
    first = len(table.rows) if len(table.rows) <= PAIRS_SHOWN else first
    return {
        "first": table._replace(rows=table.rows[:first], more=""),
        "rest": table._replace(rows=table.rows[first:]),
        "remarks": "Largest difference" if any(row.remark for row in table.rows) else "",
        "differ": differ,
        "count": len(result.pairwise),
    }


def legend(labels: list[str]) -> list[tuple[str, str]]:
    """Return the colour and the name of each group, those that share a colour together."""
    last = GROUPS - 1
    own = [(f"c{k}", label) for k, label in enumerate(labels[:last])]
    rest = labels[last:]
    if not rest:
        return own
    return [*own, (f"c{last}", rest[0] if len(rest) == 1 else f"{len(rest)} more")]


def map_section(result: Result, y: str = "y", numbers: Sequence[int] | None = None) -> dict[str, Any] | None:
    """Draw the map of rows, where two directions hold a fair part of what there is to see."""
    embedding = None if result.details is None or result.p == 1 else result.details.embedding  # one column has an order
    if embedding is None or sum(embedding.shares) < MIN_MAP_SHARE or _places(embedding.points) < MIN_MAP_PLACES:
        return None
    if _middle(embedding.points) < MIN_MAP_MIDDLE:  # a few rows far out, and all others on one spot
        return None
    labels = list(result.groups)
    return {
        "chart": draw(of_answers.row_map(embedding, labels, y, numbers)),
        "legend": legend(labels) if labels else [],
        "y": y,
        "low": TYPESET.general(float(embedding.y.min()), 4),
        "high": TYPESET.general(float(embedding.y.max()), 4),
        "some": embedding.rows.size if embedding.rows.size < result.n else 0,
        "share": f"{100 * sum(embedding.shares):.0f}",
    }


def _places(points: NDArray[np.float64]) -> int:
    """Count the places of a map that differ by more than a hundredth of its size."""
    size = float(np.ptp(points))
    return len(np.unique(np.round(100.0 * points / size), axis=0)) if size > 0.0 else 1


def _middle(points: NDArray[np.float64]) -> float:
    """Return how much of the map the middle 90 % of rows take up, along its wider side."""
    low, high = np.quantile(points, [0.05, 0.95], axis=0)
    return float((high - low).max() / np.ptp(points, axis=0).max())


def row_section(result: Result, numbers: Sequence[int] | None = None) -> dict[str, Any] | None:
    """Say which rows have most and least of the statistic, where single rows have a part that can be seen."""
    scores = None if result.details is None else result.details.rows
    if scores is None or scores.sum() <= 0.0 or result.pvalue > LEVEL:
        return None
    order = np.argsort(-scores, kind="stable")
    half = int(np.searchsorted(np.cumsum(scores[order]), scores.sum() / 2.0)) + 1
    named = [(int(i) + 1 if numbers is None else int(numbers[i]), float(scores[i] / scores.sum())) for i in order]
    if named[0][1] < max(MIN_ROW_SHARE, MIN_ROW_RATIO / scores.size):
        return None
    against = 100 * float((scores < 0.0).mean())
    return {
        "half": f"{100 * half / scores.size:.0f}",
        "against": f"{against:.0f}" if against >= 0.5 else "",
        "most": named[:MAX_ROWS],
        "least": [entry for entry in named[-MAX_ROWS:][::-1] if entry[1] <= -MIN_ROW_SHARE],
        "of_file": numbers is not None,
    }
