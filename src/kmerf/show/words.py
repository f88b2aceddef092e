"""The words that depend on the data: what to call x, y and z, what kind of values y has, and what z explains."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kmerf.core.safe_text import cells, short
from kmerf.results.parts import LARGE_P
from kmerf.results.question import INDEPENDENCE, hypothesis
from kmerf.show.numbers import counted

if TYPE_CHECKING:
    from kmerf.results.parts import Adjustment
    from kmerf.results.question import Hypothesis
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result

LISTED = 6  # groups, or columns of z, that are named
WIDTH = 80  # letters of a line
# How far names are left out of a line that is too long: columns of x that are named, whether groups are, columns of z.
_SHORTENED = ((2, True, LISTED), (2, True, 1), (2, True, 0), (1, True, 0), (2, False, 0), (1, False, 0), (0, False, 0))
_NAMES_Z = sum(given > 0 for _, _, given in _SHORTENED)  # of these name columns of z
_NAMELESS_X = ("x1", "x")  # what the only column of an array is called
_NAMELESS_Y = (("y",), ("group",))
_WIDEST = 20  # letters of the name of a group
_BARE = ("yes", "no", "true", "false", "none", "other", "low", "high", "unknown")  # labels that need their column
_DATE_PART = re.compile(r" \((elapsed|month|weekday|hour)\)$")  # ends the name of what a column of dates becomes


def y_text(result: Result, *, names: bool = True, name: str = "y") -> str:
    """Describe y: numbers, or classes or groups, with `names` by their names and sizes; `name` is what it is called."""
    if result.y_kind == "censored":
        text = _censored_text(result.n, result.events)
    else:
        text = _text(result.groups, hypothesis(result.question), result.q, names)
    return (
        f"{name} {'were' if are_several(result, name) else 'was'}{text[1:]}"
        if name != "y" and text[:2] == "y "
        else text
    )


def screen_y_text(screen: Screen) -> str:
    """Describe the y of a screen."""
    if screen.y_kind == "censored":
        return _censored_text(screen.n, screen.events)
    return _text(screen.groups, INDEPENDENCE, 1, names=False)


def untested(screen: Screen) -> list[tuple[str, str]]:
    """Return which columns of a screen have no p-value, and why: those with the same reason together.

    >>> from types import SimpleNamespace as Namespace
    >>> untested(Namespace(errors={"a": "constant.", "b": "missing.", "c": "constant."}))
    [('a and c', 'constant.'), ('b', 'missing.')]
    """
    reasons: dict[str, list[str]] = {}
    for name, why in screen.errors.items():
        reasons.setdefault(why, []).append(short(name))
    prefix = "not tested: "  # which those have that an interruption left
    plain = {why: why.removeprefix(prefix) if why.startswith(prefix) else why for why in reasons}
    groups = [(names, plain[why]) for why, names in reasons.items()]
    if len(groups) > LISTED:
        rest = [name for names, _ in groups[LISTED - 1 :] for name in names]
        groups[LISTED - 1 :] = [(rest, "for other reasons, in `errors`.")]
    return [(_named(names), why) for names, why in groups]


def _named(names: Sequence[str]) -> str:
    """Return names as the beginning of a sentence, five of them at most."""
    if len(names) > LISTED:
        return f"{', '.join(names[: LISTED - 1])} and {len(names) - LISTED + 1} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _censored_text(n: int, events: int | None) -> str:
    text = "y time-to-event"
    return text if events is None else f"{text}: {counted(events, 'event')}, {n - events:,} censored"


def _text(groups: Mapping[str, int], asked: Hypothesis, q: int, names: bool) -> str:
    if not groups:
        return "y numeric" + (f", {q} columns" if q > 1 else "")
    head = asked.classes.format(count=len(groups))
    return f"{head}: {_listed(groups)}" if names else head


def _listed(groups: Mapping[str, int]) -> str:
    sizes = [f"{short(name, _WIDEST)} ({size})" for name, size in groups.items()]
    return ", ".join(sizes[:LISTED]) + (f" and {len(sizes) - LISTED} more" if len(sizes) > LISTED else "")


def worded(words: str, result: Result, y: str, width: int = WIDTH, *, leading: bool = False) -> str:
    """Return words of a question with names in them: as many as fit a line, or two lines if one leaves none of a kind.

    `leading`: if not all columns of x are named, name those that clearly differ, and not the first of the table.
    """
    texts = [words.format(**names_of(result, y, shortened, leading=leading)) for shortened in range(len(_SHORTENED))]
    named = texts[:-1] if result.adjustment is None else texts[:_NAMES_Z]
    short_enough = (text for text in named if cells(text) <= width)
    return next(short_enough, next((text for text in texts if cells(text) <= 2 * width - len("  ")), texts[-1]))


def names_of(result: Result, y: str, shortened: int = 0, *, leading: bool = False) -> dict[str, str]:
    """Return what stands for the names in braces in the words of a question (`kmerf.results.question`).

    `shortened` is how much is left out: columns of z are counted and not named, then one column of x is named in place
    of two, groups are counted, or both, and last columns of x are counted too.
    """
    several, many = are_several(result, y), result.p > 1
    most, labels, given = _SHORTENED[shortened]
    which = len(result.groups) > 2 and not result.pairwise
    return {
        "y": y or "y",
        "of_y": f" of {y}" if y else "",
        "x": x_words(result, most, leading=leading),
        "groups": groups_words(result, y, labels=labels),
        "in_x": in_words(result, most, leading=leading),
        "Does": "Do" if several else "Does",
        "is": "are" if several else "is",
        "y_it": "them" if several else "it",
        "x_it": "them" if many else "it",
        "x_predicts": "they hardly predict" if many else "it hardly predicts",
        "given": "" if result.adjustment is None else f", given {z_names(result.adjustment, given)}",
        "why": "which of them differ, or why" if which else "why they differ",
    }


def x_words(result: Result, most: int = 2, *, leading: bool = False) -> str:
    """Return what to call the columns of x: by the names of the first, where these are known."""
    known, count = _x_known(result)
    if known:
        return _some_names(_leading(result, known) if leading and count > most + 1 else known, count, most)
    if result.p > 1:
        return "these columns"
    names = () if result.importances is None else result.importances.names
    return short(names[0], 40) if names and names[0] not in _NAMELESS_X else "this column"


def _x_known(result: Result) -> tuple[Sequence[str], int]:
    """Return the names of the columns of x that are known, and how many columns there are.

    Parts of a date are one. Columns that could not be tested do not count: the answer is not about them.
    """
    known = () if result.names is None else result.names.x
    if len(known) < result.p:
        return known, result.p
    whole = dict.fromkeys(_DATE_PART.sub("", name) for name in known if name not in result.untested)
    return tuple(whole), len(whole)


def _some_names(names: Sequence[str], count: int, most: int = 2) -> str:
    """Return the names of columns, the first `most` if there are more than one more; none of them, if `most` is 0.

    >>> _some_names(["a"], 1), _some_names(["a", "b", "c"], 3), _some_names(["a", "b", "c", "d"], 9)
    ('a', 'a, b and c', 'a, b and 7 more')
    >>> _some_names(["a", "b", "c", "d"], 9, most=0)
    'these 9 columns'
    """
    shown = [short(name, 40) for name in names]
    if most == 0 and count > 1:
        return f"these {count:,} columns"
    if count > most + 1:
        return f"{', '.join(shown[:most])} and {count - most:,} more"
    *first, last = shown
    return f"{', '.join(first)} and {last}" if first else last


def _leading(result: Result, known: Sequence[str]) -> Sequence[str]:
    """Return names of columns, those with a clear change first."""
    clear = [_DATE_PART.sub("", change.column) for change in result.changes if change.clear]
    return list(dict.fromkeys([*clear, *known]))


def in_words(result: Result, most: int = 2, *, leading: bool = False) -> str:
    """Return in which columns groups differ; empty where they have no names."""
    return f" in {x_words(result, most, leading=leading)}" if _x_known(result)[0] else ""


def groups_words(result: Result, y: str, *, labels: bool = True) -> str:
    """Return what to call the groups: with `labels` by these if they are few and short, else by their number.

    Without names, as the groups of y.
    """
    plain = f"the groups of {y}" if y else "the groups"
    sizes = list(result.groups)
    if result.names is None or not sizes:
        return plain
    if not labels or len(sizes) > 3 or max(map(len, sizes)) > 24:
        return plain.replace("the groups", f"the {len(sizes):,} groups")
    *most, last = (short(label, 24) for label in sizes)
    named = f"{', '.join(most)} and {last}"
    if y and are_bare(sizes):
        return f"groups {named} of {y}"
    return named + (f" ({y})" if y else "")


def are_bare(labels: Sequence[str]) -> bool:
    """Return whether some label could be that of any column, so that it says little without the column's name.

    >>> are_bare(["0", "1"]), are_bare(["no", "yes"]), are_bare(["setosa", "virginica"]), are_bare(["<=20", "20-50"])
    (True, True, False, True)
    """
    return any(len(label) < 3 or label.lower() in _BARE or not label[0].isalpha() for label in labels)


def y_of(result: Result) -> str:
    """Return what to call y, from the data that the result holds; empty where it has none, or they had no names."""
    if result.names is not None:
        return called(result, result.names.y)
    points = None if result.details is None else result.details.points
    survival = None if result.details is None else result.details.survival
    if survival is not None:
        return "" if survival.time == "y1" else called(result, [survival.time, survival.event or "its event"])
    return "" if points is None or points.y_names in _NAMELESS_Y else y_name(points.y_names)


def called(result: Result | Screen, columns: Sequence[str]) -> str:
    """Return what to call y, from the names of its columns; of censored times, "months until relapse"."""
    if result.y_kind == "censored" and len(columns) == 2:
        return y_name(columns, "until").replace(" until its event", " until the event")
    return y_name(columns)


def are_several(result: Result, y: str) -> bool:
    """Return whether the name of y is that of several columns, and takes the verb of several."""
    return bool(y) and result.q > 1 and result.y_kind == "numeric"  # else its columns are classes, or time and event


def scored(result: Result | Screen, y: str) -> str:
    """Return what members and forests look at: y or, of a censored y, its scores."""
    return f"the log-rank scores of {y or 'y'}" if result.y_kind == "censored" else y or "y"


def asked_of(question: str, y: str, *, several: bool = False) -> str:
    """Return a member's question with the name that the reader knows y by, which may be one thing or several.

    >>> asked_of("Does the average of y change with x?", "weight")
    'Does the average of weight change with x?'
    >>> asked_of("Does y move with x: its level or spread?", "the scores", several=True)
    'Do the scores move with x: their level or spread?'
    >>> asked_of("Does y change: its shape, or how its columns depend on each other?", "a and b", several=True)
    'Do a and b change: their shape, or how they depend on each other?'
    """
    asked = question[:1].upper() + question[1:]
    if several and re.search(r"\by\b", asked):
        asked = _of_several(re.sub(r"^Does y\b", "Do y", asked))
    return re.sub(r"\by\b", lambda _: y, asked)


def carried_by(words: str, y: str, *, several: bool = False) -> str:
    """Return what a member found, with the name of y in the place of {y}.

    >>> carried_by("the spread of {y} changes, more than its average", "the scores", several=True)
    'the spread of the scores changes, more than their average'
    >>> carried_by("{y} rises or falls with x", "weight and height", several=True)
    'weight and height rise or fall with x'
    """
    if several and "{y}" in words:
        words = _of_several(words)
    return words.format(y=y)


def _of_several(words: str) -> str:
    """Return words about y for a y of several columns, whose own columns are its names."""
    words = re.sub(r"^\{y\} (\w+)s or (\w+)s\b", r"{y} \1 or \2", words)
    return re.sub(r"\bits\b", "their", re.sub(r"\bits columns depend\b", "they depend", words))


def y_name(columns: Sequence[str], word: str = "and") -> str:
    """Return what to call y, from the names of its columns; empty where they are not known.

    >>> y_name(["weight", "height"]), y_name([]), y_name(["a", "b", "c", "d"], "or")
    ('weight and height', '', 'a, b or 2 more')
    """
    names = [short(name, 40) for name in columns[:3]]
    if len(columns) > 3:
        return f"{', '.join(names[:2])} {word} {len(columns) - 2} more"
    return f" {word} ".join(names)


def adjustment_texts(adjustment: Adjustment | None, pvalue: float = 0.0) -> list[tuple[str, str, str]]:
    """Return a name, a value and a note for each fact; none if nothing was given.

    A misfit is worth a warning unless the p-value is large.

    >>> from kmerf.results.parts import Adjustment
    >>> for fact in adjustment_texts(Adjustment(("age",), 0.4, 0.25, 0.5, 0.6, None, "R2", 0.25, 0.31)):
    ...     print(*fact, sep=" | ")
    z explains | 0.40, 0.25 | of x and of y, for unseen rows; z: age
    beyond z | 0.310 | R2 of the ranks of y with x; 0.250 without
    """
    if adjustment is None:
        return []
    shares = ", ".join(f"{max(share, 0.0):.2f}" for share in (adjustment.explained_x, adjustment.explained_y))
    name, how = ("z explains", "") if adjustment.strata is None else ("strata", ", explained by rows with the same z")
    texts = [(name, shares, f"of x and of y{how}, for unseen rows; z: {z_names(adjustment)}")]
    if adjustment.without_x is not None and adjustment.with_x is not None:
        without, with_x = _no_less(adjustment)
        texts.append(("beyond z", f"{with_x:.3f}", f"{_share_of(adjustment, 'y')} with x; {without:.3f} without"))
    if adjustment.doubtful and pvalue <= LARGE_P:
        texts.append(("warning", "misfit", "residuals may still depend on z: p may be far too small"))
    return texts


def beyond_sentence(adjustment: Adjustment | None, y: str) -> str:
    """Say how much better y is predicted with x than from z alone; empty where that is not known.

    >>> from kmerf.results.parts import Adjustment
    >>> beyond_sentence(Adjustment(("age",), 0.4, 0.25, 0.5, 0.6, None, "R2", 0.25, 0.31), "weight")
    'For unseen rows, R2 of the ranks of weight is 0.31 with these columns and 0.25 from age alone.'
    """
    if adjustment is None or adjustment.with_x is None or adjustment.without_x is None:
        return ""
    without, with_x = _no_less(adjustment)
    alone = f"{without:.2f} from {z_names(adjustment)} alone"
    return f"For unseen rows, {_share_of(adjustment, y)} is {with_x:.2f} with these columns and {alone}."


def _share_of(adjustment: Adjustment, y: str) -> str:
    """Return what is compared with and without x: R2 is that of ranks."""
    return f"R2 of the ranks of {y}" if adjustment.measure == "R2" else f"{adjustment.measure} of {y}"


def _no_less(adjustment: Adjustment) -> tuple[float, float]:
    """Return how well y is predicted without and with x, noise below none being none."""
    none = 0.0 if adjustment.measure == "R2" else 0.5
    assert adjustment.without_x is not None
    assert adjustment.with_x is not None
    return max(none, adjustment.without_x), max(none, adjustment.with_x)


def z_names(adjustment: Adjustment, most: int = LISTED) -> str:
    """Return the names of the columns of z, the first few of many; how many there are if `most` is 0."""
    return _names_listed(adjustment.names, most) if most else counted(len(adjustment.names), "other")


def given_words(screen: Screen) -> str:
    """Return what the columns of a screen were compared given, with a comma before it; empty if nothing was given."""
    names = screen.settings.get("given") or ()
    return f", given {_names_listed(names)}" if names else ""


def _names_listed(names: Sequence[str], most: int = LISTED) -> str:
    """Return names in a row, the first few of many.

    >>> _names_listed(["age", "sex"]), _names_listed("abcdefgh")
    ('age and sex', 'a, b, c, d, e, f and 2 more')
    """
    first = [short(name, 40) for name in names[:most]]
    last = f"{len(names) - most} more" if len(names) > most else first.pop()
    return " and ".join(filter(None, (", ".join(first), last)))
