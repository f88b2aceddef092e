"""The picture that answers a question: the most important column beside y, with estimates, intervals and numbers.

A test of groups with pairs has letters above its groups: groups that share a letter do not differ (Piepho, 2004). A
censored y has curves of survival. A y of several columns has a picture for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.pictures import of_answers, of_data
from kmerf.pictures import vocabulary as v
from kmerf.results.question import hypothesis
from kmerf.show.change_words import leading_changes
from kmerf.show.head import head
from kmerf.show.numbers import PLAIN, p_is_text

if TYPE_CHECKING:
    from kmerf.results.parts import Pair
    from kmerf.results.single_result import Result
    from kmerf.results.views import Profile

MAX_Y = 6  # columns of y that are drawn
MAX_LETTERS = 9


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
        return [of_answers.survival(details.survival, title_of(result))]
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
    """Return letters for groups: two that share one do not differ; none if there are no pairs, or too many letters.

    >>> from kmerf.results.parts import Pair
    >>> letters_of("abc", [Pair("a", "b", 1, 0.5, 0.5), Pair("a", "c", 1, 0.01, 0.01), Pair("b", "c", 1, 0.2, 0.2)])
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    if not pairs:
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
