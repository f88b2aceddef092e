"""What changes, in words: direction and size in the units of the data, with intervals, means and spread per group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.results.changes import (
    DIFFERS,
    FALLS,
    HAZARD,
    HUMP,
    RISES,
    SHARE,
    SHARE_SLOPE,
    SLOPE,
    U_SHAPE,
    UNCLEAR,
)
from kmerf.show.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.results.changes import Change, GroupNumbers, Kind, Margin
    from kmerf.results.parts import Effect
    from kmerf.results.single_result import Result
    from kmerf.show.numbers import Notation

_NAME = 24  # letters of the name of a column or group
_ABOUT = {"within blocks": "within blocks", "between blocks": "between blocks", "given z": "adjusted"}
_LISTED = 4  # groups whose numbers are in a sentence
_KIND_WORDS = {
    "level": "level",
    "spread": "spread",
    "shape": "shape",
    "joint": "how columns act together",
    "other": "spread or shape",
    "varying": "a relation that varies with what is given",
}


def amounts(values: Sequence[float], error: float, notation: Notation) -> list[str]:
    """Write numbers to the digit that an error of this size leaves certain: two digits of the error.

    >>> from kmerf.show.numbers import PLAIN
    >>> amounts([45996.1, -0.4], 3300.0, PLAIN), amounts([0.6602, 1.2], 0.14, PLAIN)
    (['46,000', '0'], ['0.66', '1.20'])
    """
    if not error > 0.0 or not math.isfinite(error):
        error = max((abs(value) for value in values), default=0.0) * 0.01 or 1.0
    digits = 1 - math.floor(math.log10(error))
    step = 10.0**-digits
    decimals = max(0, digits)
    texts = []
    for value in values:
        rounded = round(value / step) * step
        size = abs(rounded)
        if size and not 1e-5 <= max(size, step) < 1e9:
            texts.append(notation.general(rounded, 3))
            continue
        text = f"{size:,.{decimals}f}"
        texts.append(("−" if notation.typeset else "-") * (rounded < 0 and float(text.replace(",", "")) != 0.0) + text)
    return texts


def change_text(change: Change, notation: Notation) -> tuple[str, str]:
    """Return what changes in one sentence, and the numbers of the groups in another."""
    if change.measure == HAZARD:
        return _hazard_text(change, notation)
    if change.measure in (SLOPE, SHARE_SLOPE):
        return _slope_text(change, notation), f"{counted(change.n, 'row')}"
    share = change.measure == SHARE
    scale = 100.0 if share else 1.0
    size, ends = _sizes(change, scale, notation)
    unit = " points" if share else f" {change.unit}" if change.unit else ""
    what = f"share of {_short(change.what)} {_short(change.of)}" if share else _short(change.what)
    text = _sentence(change, what, f"{size}{unit}", ends)
    return text, _group_texts(change, share, notation)


def _sizes(change: Change, scale: float, notation: Notation) -> tuple[str, str]:
    """Return the size of a change without its sign, and its interval in the same direction."""
    flipped = change.estimate < 0.0 and change.shape != UNCLEAR
    low, high = (-change.high, -change.low) if flipped else (change.low, change.high)
    value = abs(change.estimate) if change.shape != UNCLEAR else change.estimate
    error = (high - low) / 2.0 * scale
    size, *ends = amounts([value * scale, low * scale, high * scale], error, notation)
    return size, " to ".join(ends)


def _sentence(change: Change, what: str, size: str, ends: str) -> str:
    by, about = _short(change.by), _ABOUT.get(change.about, "")
    about = f", {about}" if about else ""
    first, second = (_side(change, label) for label in (change.first, change.second))
    if change.shape == UNCLEAR:
        return f"{what}: no clear difference between {first} and {second}{about}: {size} ({ends})"
    if change.shape in (U_SHAPE, HUMP):
        word, way = ("U-shaped", "lower") if change.shape == U_SHAPE else ("hump-shaped", "higher")
        return f"{what} is {word} in {by}: {size} {way} in the middle than at the ends ({ends}){about}"
    if change.shape == DIFFERS:
        way = "higher" if change.estimate > 0 else "lower"
        return f"{what} is {size} {way} for {second} than for {first} ({ends}){about}"
    assert change.shape in (RISES, FALLS)
    way = "higher" if change.shape == RISES else "lower"
    return f"{what} {change.shape} with {by}: {size} {way} at {second} than at {first} ({ends}){about}"


def _side(change: Change, label: str) -> str:
    unit = f" {change.by_unit}" if change.by_unit and change.shape != DIFFERS else ""
    return f"{_short(label)}{unit}"


def _group_texts(change: Change, share: bool, notation: Notation) -> str:
    """Return mean, spread and rows of the groups that are compared, and of others if they are few."""
    groups = [group for group in change.groups if group.mean is not None]
    if not groups:
        return ""
    if len(groups) > _LISTED:
        groups = [group for group in groups if group.label in (change.first, change.second)]
    more = len(change.groups) - len(groups)
    error = (change.high - change.low) / 2.0 * (100.0 if share else 1.0)
    texts = []
    for group in groups:
        assert group.mean is not None
        if share:
            (mean,) = amounts([100.0 * group.mean], max(error, 1.0), notation)
            texts.append(f"{mean} % of {group.n:,} for {_short(group.label)}")
        else:
            sd = 0.0 if group.sd is None else group.sd
            mean, spread = amounts([group.mean, sd], error, notation)
            texts.append(f"{mean} (sd {spread}, n {group.n:,}) for {_short(group.label)}")
    head = "" if share else "mean "
    return head + ", ".join(texts) + (f"; {more} more" if more else "")


def _slope_text(change: Change, notation: Notation) -> str:
    share = change.measure == SHARE_SLOPE
    size, ends = _sizes(change, 100.0 if share else 1.0, notation)
    unit = " points" if share else f" {change.unit}" if change.unit else ""
    what = f"share of {_short(change.what)} {_short(change.of)}" if share else _short(change.what)
    step = f"{change.step:,g}" if change.step is not None else "1"
    per = f"per {step}{f' {change.by_unit}' if change.by_unit else ''} of {_short(change.by)}"
    about = _ABOUT.get(change.about, "")
    if change.shape == UNCLEAR:
        return f"{what}: no clear rise or fall with {_short(change.by)}: {size}{unit} {per} ({ends}), {about}"
    if change.shape in (U_SHAPE, HUMP):
        word = "lowest" if change.shape == U_SHAPE else "highest"
        sign = "+" if change.estimate > 0 else "-"
        line = f"on a line {sign}{size}{unit} {per} ({ends})"
        return f"{what} is {word} in the middle of {_short(change.by)}, {about}; {line}"
    return f"{what} {change.shape} with {_short(change.by)}: by {size}{unit} {per} ({ends}), {about}"


def _hazard_text(change: Change, notation: Notation) -> tuple[str, str]:
    """Say where events come sooner."""
    fewer = change.estimate < 1.0 and change.shape not in (U_SHAPE, HUMP)
    ratio = 1.0 / change.estimate if fewer else change.estimate
    low, high = (1.0 / change.high, 1.0 / change.low) if fewer else (change.low, change.high)
    soon, late = (change.first, change.second) if fewer else (change.second, change.first)
    size, *ends = (notation.general(each, 2) if each < 10 else f"{each:,.0f}" for each in (ratio, low, high))
    interval = " to ".join(ends)
    by, about = _short(change.by), _ABOUT.get(change.about, "")
    about = f", {about}" if about else ""
    numbers = ", ".join(_times_text(group, notation) for group in change.groups[:_LISTED])
    if change.shape == UNCLEAR:
        between = f"{by} {_short(late)} and {_short(soon)}"
        text = f"events: no clear difference in time between {between}: hazard ratio {size} ({interval})"
    elif change.shape in (U_SHAPE, HUMP):
        way = "later" if change.shape == U_SHAPE else "sooner"
        text = f"events come {way} in the middle of {by}: hazard {size} times that at the ends ({interval})"
    else:
        text = f"events come sooner with {by} {_short(soon)}: hazard {size} times that of {_short(late)} ({interval})"
    return f"{text}{about}", f"median time {numbers}"


def _times_text(group: GroupNumbers, notation: Notation) -> str:
    median = "not reached" if group.median is None else notation.general(group.median, 4)
    return f"{median} (n {group.n:,}, {counted(group.events or 0, 'event')}) for {_short(group.label)}"


def _short(name: str) -> str:
    return short(name, _NAME)


def direction_word(change: Change | None) -> str:
    """Return the direction in a few words, for a table.

    >>> direction_word(None)
    ''
    """
    if change is None:
        return ""
    if change.measure == HAZARD and change.shape in (RISES, FALLS):
        return "sooner" if change.shape == RISES else "later"
    if change.shape == DIFFERS:
        if change.measure == HAZARD:
            return f"soonest in {_short(change.second if change.estimate > 1 else change.first)}"
        return f"highest in {_short(change.second if change.estimate > 0 else change.first)}"
    return {U_SHAPE: "U-shaped", HUMP: "hump", UNCLEAR: "unclear"}.get(change.shape, change.shape)


# --- kinds, strength, margin ---


def kinds_text(kinds: Sequence[Kind], notation: Notation) -> str:
    """Say which kinds of change were found and which were not; empty if none was asked for.

    >>> from kmerf.results.changes import Kind
    >>> from kmerf.show.numbers import PLAIN
    >>> kinds_text([Kind("level", 0.001, 0.004), Kind("spread", 0.3, 0.6), Kind("shape", 0.4, 0.6)], PLAIN)
    'level (p = 0.004); no clear change of spread or shape'
    """
    if not kinds:
        return ""
    called = [kind for kind in kinds if kind.adjusted <= LEVEL]
    rest = [_KIND_WORDS[kind.name] for kind in kinds if kind.adjusted > LEVEL]
    if not called:
        return f"no one kind is clear by itself ({_or(rest)})"
    found = ", ".join(f"{_KIND_WORDS[kind.name]} ({notation.p_is(kind.adjusted)})" for kind in called)
    return found + (f"; no clear change of {_or(rest)}" if rest else "")


def _or(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def at_most_text(result: Result, notation: Notation) -> str:
    """Say how strong a relation without evidence can be at most; empty if that is not known."""
    effect = result.effect
    high = None if effect is None else _upper(effect)
    if effect is None or high is None:
        return ""
    if effect.measure == "R2":
        ranks = " of the ranks" if effect.rank_high is not None else ""
        beyond = " beyond what is given" if effect.about == "beyond z" else ""
        return f"any dependence that these forests can detect explains at most {_percent(high)}{ranks}{beyond}"
    if effect.about == "beyond z":
        most = notation.decimal(max(high, 0.0), 2)
        return f"x adds at most {most} to the {effect.measure}, as far as these forests can detect"
    return (
        f"any difference that these forests can detect has an {effect.measure} of at most {notation.decimal(high, 2)}"
    )


def _percent(share: float) -> str:
    value = 100.0 * max(share, 0.0)
    return f"{math.ceil(value)} %" if value >= 1.0 else "1 %"


def _upper(effect: Effect) -> float | None:
    return effect.rank_high if effect.measure == "R2" and effect.rank_high is not None else effect.score_high


def margin_text(margin: Margin | None, notation: Notation) -> str:
    """Say what was decided about the margin; empty if there is none."""
    if margin is None:
        return ""
    limit = f"the margin of {margin.measure} {margin.margin:g}"
    between = f"95 % interval {notation.decimal(margin.low)} to {notation.decimal(margin.high)}"
    if margin.decision == "undecided":
        return f"undecided: the effect may be below or above {limit} ({between})"
    meaning = (
        ": equivalent for practical purposes, as far as these forests can detect" if margin.decision == "below" else ""
    )
    return f"the effect is {margin.decision} {limit}{meaning} ({between})"
