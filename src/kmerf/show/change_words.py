"""What changes, in words: direction and size in the units of the data, with intervals, means and spread per group."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from kmerf.core.calendar import date_text, is_dated, plain_name, step_unit
from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.results.parts import (
    DIFFERS,
    FALLS,
    HAZARD,
    HUMP,
    MEAN,
    MONTH,
    PAIRS,
    RATIO,
    RISES,
    SHARE,
    SHARE_SLOPE,
    SLOPE,
    U_SHAPE,
    UNCLEAR,
    WEEKDAY,
)
from kmerf.show.numbers import counted
from kmerf.show.words import are_bare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.results.parts import Change, Effect, GroupNumbers, Kind, Margin
    from kmerf.results.single_result import Result
    from kmerf.show.numbers import Notation

_NAME = 32  # letters of the name of a column or group
_ABOUT = {"within blocks": "within blocks", "between blocks": "between blocks", "given z": "adjusted"}
_LISTED = 6  # groups whose numbers are in a sentence
_CLEARLY = 3.0  # standard errors by which a middle lies beyond both ends
_CALENDAR = {  # the values of a part of a date, from 1 on
    WEEKDAY: ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    MONTH: (
        *("January", "February", "March", "April", "May", "June", "July"),
        *("August", "September", "October", "November", "December"),
    ),
}
_PLURALS = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")


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


def leading_changes(result: Result) -> list[Change]:
    """Return the changes in the order in which they are told: if there is evidence, those that are clear come first."""
    return sorted(result.changes, key=lambda change: result.pvalue <= LEVEL and not change.clear)


def change_text(change: Change, notation: Notation, *, named: bool = False) -> tuple[str, str]:
    """Return what changes in one sentence, and the numbers of the groups in another.

    `named`: say that what is in parentheses is a 95 % interval.
    """
    text = f"{_subject(change)}{_change_words(change, notation)}"
    if named:
        before, ends, after = text.rpartition(f"({_ends(change, notation)})")
        text = f"{before}(95 %: {ends[1:]}{after}" if ends else text
    return text, _group_texts(change, notation)


def _ends(change: Change, notation: Notation) -> str:
    """Return the interval as it is written."""
    if change.measure in (HAZARD, RATIO):
        return _ratios(change, notation)[1]
    return (_order_shares if change.measure == PAIRS else _sizes)(change, notation)[1]


def short_change(change: Change | None, notation: Notation) -> str:
    """Return direction and size in a few words, for a table.

    >>> from kmerf.results.parts import Change
    >>> from kmerf.show.numbers import PLAIN
    >>> short_change(Change("x", "y", "x", "mean", "falls", "1 or less", "3 or more", -2.0, -2.5, -1.5, 40), PLAIN)
    'falls by 2.00 (1.50 to 2.50)'
    >>> short_change(None, PLAIN)
    ''
    """
    if change is None:
        return ""
    if change.measure == HAZARD:
        size, ends, fewer = _ratios(change, notation)
        soon = change.first if fewer else change.second
        way = {RISES: "sooner", FALLS: "later", DIFFERS: f"{_highest(change, 'soon')} in {_short(soon)}"}
        word = way.get(change.shape) or {U_SHAPE: "U-shaped", HUMP: "hump", UNCLEAR: "unclear"}[change.shape]
        per = "" if change.step is None else f" per {_step(change)}"
        return f"{word}, {size} times{per} ({ends})"
    if change.measure == RATIO:
        size, ends, fewer = _ratios(change, notation)
        if change.shape == DIFFERS:
            return f"{_highest(change)} in {_short(change.first if fewer else change.second)}: {size} times ({ends})"
        return f"{change.shape}, {'divided by' if fewer else 'times'} {size} ({ends})"
    if change.measure == PAIRS:
        size, ends, fewer = _order_shares(change, notation)
        if change.shape == DIFFERS:
            return f"higher in {_short(change.first if fewer else change.second)} in {size} of pairs ({ends})"
        return f"tends to {'fall' if fewer else 'rise'}: {size} of pairs ({ends})"
    size, ends = _sizes(change, notation)
    share = change.measure in (SHARE, SHARE_SLOPE) and change.what == change.column
    of = f"{_short(change.of)} " if share else ""  # which of the categories of the column; those of y are one
    per = f" per {_step(change)}" if change.measure in (SLOPE, SHARE_SLOPE) else ""
    if change.shape == DIFFERS:
        highest = _short(change.second if change.estimate > 0 else change.first)
        return f"{of}{_highest(change)} in {highest}: {size} ({ends})"
    word = {U_SHAPE: "U-shaped, by", HUMP: "hump, by", UNCLEAR: "unclear,"}.get(change.shape, f"{change.shape} by")
    return f"{of}{word} {size}{per} ({ends})"


def _highest(change: Change, word: str = "high") -> str:
    """Return "higher" of two groups, and "highest" of more."""
    return f"{word}er" if len(change.groups) == 2 else f"{word}est"


def _subject(change: Change) -> str:
    """Return whose numbers change."""
    if change.measure == HAZARD:
        return "events"
    share = change.measure in (SHARE, SHARE_SLOPE)
    return f"share with {_short(change.what)} = {_short(change.of)}" if share else _what(change)


def _change_words(change: Change, notation: Notation) -> str:
    """Return what the sentence says of its subject."""
    about = _ABOUT.get(change.about, "")
    about = f", {about}" if about else ""
    if change.measure == HAZARD:
        return _hazard_words(change, notation) + about
    if change.measure in (RATIO, PAIRS):
        return (_ratio_words if change.measure == RATIO else _order_words)(change, notation) + about
    size, ends = _sizes(change, notation)
    if change.measure in (SLOPE, SHARE_SLOPE):
        return _slope_words(change, size, ends) + about
    by = _by(change)
    if change.shape in (U_SHAPE, HUMP):
        word, way = ("U-shaped", "lower") if change.shape == U_SHAPE else ("hump-shaped", "higher")
        return f" is {word} in {by}: {size} {way} in the middle than at the ends ({ends}){about}"
    if change.shape == DIFFERS or (change.shape in (RISES, FALLS) and not _is_ranges(change)):
        ways = ("later", "earlier") if is_dated(change.unit) else ("higher", "lower")
        way = ways[0] if change.estimate > 0 else ways[1]
        second, first = _sides(change, change.second, change.first)
        return f" is {size} {way} for {second} than for {first} ({ends}){about}"
    first, second = _sides(change, change.first, change.second)
    if change.shape in (RISES, FALLS):
        between = _beyond_ends(change)
        return f" {change.shape} with {by}: by {size} from {first} to {second} ({ends}){between}{about}"
    if _is_ranges(change):
        return f": no clear change with {by}: {size} from {first} to {second} ({ends}){about}"
    return f": no clear difference between {first} and {second}: {size} ({ends}){about}"


def _ratio_words(change: Change, notation: Notation) -> str:
    """Say how many times as high numbers are."""
    size, ends, fewer = _ratios(change, notation)
    if not _is_ranges(change):
        most, least = _sides(change, *((change.first, change.second) if fewer else (change.second, change.first)))
        return f" is typically {size} times as high for {most} as for {least} ({ends})"
    times = "divided by" if fewer else "times"
    first, second = _sides(change, change.first, change.second)
    return f" {change.shape} with {_by(change)}: typically {times} {size} from {first} to {second} ({ends})"


def _order_words(change: Change, notation: Notation) -> str:
    """Say in how many pairs of rows one side is higher."""
    size, ends, fewer = _order_shares(change, notation)
    if not _is_ranges(change):
        most, least = _sides(change, *((change.first, change.second) if fewer else (change.second, change.first)))
        return f" tends to be higher for {most} than for {least}: in {size} of pairs of rows ({ends})"
    way, word = ("fall", "lower") if fewer else ("rise", "higher")
    first, second = _sides(change, change.first, change.second)
    pairs = f"{word} at {second} than at {first} in {size} of pairs of rows"
    return f" tends to {way} with {_by(change)}: {pairs} ({ends})"


def _order_shares(change: Change, notation: Notation) -> tuple[str, str, bool]:
    """Return the share of pairs in which one side is higher, its interval, and whether that side is the first."""
    fewer = change.estimate < 0.5
    shares = (change.estimate, change.low, change.high)
    shares = (1.0 - shares[0], 1.0 - shares[2], 1.0 - shares[1]) if fewer else shares
    size, *ends = amounts([100.0 * share for share in shares], max(10.0, 50.0 * (shares[2] - shares[1])), notation)
    return f"{size} %", " to ".join(ends), fewer


def _sizes(change: Change, notation: Notation) -> tuple[str, str]:
    """Return the size of a change with its unit and without its sign, and its interval in the same direction."""
    share = change.measure in (SHARE, SHARE_SLOPE)
    scale = 100.0 if share else 1.0
    flipped = change.estimate < 0.0 and change.shape != UNCLEAR
    low, high = (-change.high, -change.low) if flipped else (change.low, change.high)
    value = abs(change.estimate) if change.shape != UNCLEAR else change.estimate
    error = (high - low) / 2.0 * scale
    size, *ends = amounts([value * scale, low * scale, high * scale], error, notation)
    if change.clear and not any(digit in ends[0] for digit in "123456789"):  # it does not begin at 0
        ends[0] = notation.general(low * scale, 1)
    unit = " points" if share else f" {step_unit(change.unit)}" if change.unit else ""
    return f"{size}{unit}", " to ".join(ends)


def _is_ranges(change: Change) -> bool:
    """Return whether low values are compared with high ones, and not each value with the other."""
    return _is_range(change.first) or _is_range(change.second)


def _is_range(label: str) -> bool:
    return label.endswith((" or less", " or more", " or earlier", " or later"))


def _sides(change: Change, one: str, other: str) -> tuple[str, str]:
    """Return two groups as they are named in a sentence, in this order.

    What could be a value of any column goes with its column. So does the first of two categories of a column of x,
    which the reader has not met in the question.
    """
    labels = [_label(change, label) for label in (one, other)]
    if is_dated(change.by_unit) or change.by_unit in _CALENDAR:
        return labels[0], labels[1]
    if change.by_unit:
        labels = [re.sub(r" or (less|more)$", rf" {change.by_unit} or \1", label) for label in labels]
    bare, of_x = are_bare((change.first, change.second)), change.by == change.column and not _is_ranges(change)
    of_x = of_x and change.by.lower() not in one.lower()
    for k, label in enumerate((one, other)):
        if (bare and not _is_range(label)) or (of_x and k == 0):
            labels[k] = f"{_short(change.by)} {labels[k]}"
    return labels[0], labels[1]


def _label(change: Change, label: str) -> str:
    """Return the name of a group, or of a range of numbers; of weekdays and months by their names."""
    names = _CALENDAR.get(change.by_unit)
    if names is None:
        return _short(label)
    label = re.sub(r"\d+", lambda number: names[int(number[0]) - 1], label)
    return label.replace(" or less", " or before").replace(" or more", " or after")


def _beyond_ends(change: Change) -> str:
    """Say so if what rises or falls is clearly higher, or lower, between low and high values than at both ends."""
    if len(change.groups) != 3 or change.measure != MEAN:
        return ""
    means, errors = [], []
    for group in change.groups:
        if group.mean is None or group.sd is None or group.n < 2:
            return ""
        means.append(group.mean)
        errors.append(group.sd**2 / group.n)
    low, middle, high = means
    for end, word in ((max(low, high), "highest"), (min(low, high), "lowest")):
        away = middle - end if word == "highest" else end - middle
        if away > _CLEARLY * math.sqrt(errors[1] + errors[0 if end == low else 2]):
            return f", {word} in between"
    return ""


def _group_texts(change: Change, notation: Notation) -> str:
    """Return mean, spread and rows of the groups that are compared, and of others if they are few."""
    if change.measure in (SLOPE, SHARE_SLOPE):
        return f"{counted(change.n, 'row')} with a value" if change.missing else ""
    censored, share = change.measure == HAZARD, change.measure == SHARE
    groups = [group for group in change.groups if censored or group.mean is not None]
    if not groups:
        return ""
    if len(groups) > _LISTED:
        groups = [group for group in groups if group.label in (change.first, change.second)]
    more = len(change.groups) - len(groups)
    error = (change.high - change.low) / 2.0
    head = "median time (events, n)" if censored else "share (n)" if share else "mean (sd, n)"
    if change.measure in (RATIO, PAIRS):
        head, error = "median (quartiles, n)", _median_error(groups)
    texts = [f"{_label(change, group.label)}: {_group_numbers(group, change, error, notation)}" for group in groups]
    raw = "unadjusted " if change.about == "given z" else ""
    return f"{raw}{head} {'; '.join(texts)}{f'; {more} more' if more else ''}"


def _median_error(groups: Sequence[GroupNumbers]) -> float:
    """Return about how well medians are known, from the best of them: the distance of quartiles over the root of n."""
    spreads = [((group.upper or 0.0) - (group.lower or 0.0)) / math.sqrt(group.n) for group in groups]
    return min((spread for spread in spreads if spread > 0.0), default=0.0)


def _group_numbers(group: GroupNumbers, change: Change, error: float, notation: Notation) -> str:
    if change.measure == HAZARD:
        median = "not reached" if group.median is None else notation.general(group.median, 4)
        return f"{median} ({group.events or 0:,}, {group.n:,})"
    assert group.mean is not None
    if change.measure == SHARE:
        (mean,) = amounts([100.0 * group.mean], max(100.0 * error, 1.0), notation)
        return f"{mean} % ({group.n:,})"
    if change.measure in (RATIO, PAIRS) and group.median is not None:
        values = amounts([group.median, group.lower or 0.0, group.upper or 0.0], error, notation)
        median, *quartiles = (re.sub(r"(\.\d*?)0+$", r"\1", value).removesuffix(".") for value in values)
        return f"{median} ({' to '.join(quartiles)}, {group.n:,})"
    mean, spread = amounts([group.mean, 0.0 if group.sd is None else group.sd], error, notation)
    if group.mean and not any(digit in mean for digit in "123456789"):  # far less than the groups differ by
        mean, spread = notation.general(group.mean, 2), notation.general(group.sd or 0.0, 2)
    if is_dated(change.unit):
        mean, spread = date_text(group.mean, change.unit, day=True), f"{spread} {step_unit(change.unit)}"
    return f"{mean} ({spread}, {group.n:,})"


def _step(change: Change) -> str:
    """Return what a slope is per: "10 years", "year" or "unit"."""
    unit = step_unit(change.by_unit)
    if change.step in (None, 1.0):
        return (unit.removesuffix("s") if unit in _PLURALS else unit) or "unit"
    return f"{change.step:,g}{f' {unit}' if unit else ''}"


def _slope_words(change: Change, size: str, ends: str) -> str:
    by = _by(change)
    per = f"per {_step(change)} of {by}"
    if change.shape == UNCLEAR:
        return f": no clear rise or fall with {by}: {size} {per} ({ends})"
    if change.shape in (U_SHAPE, HUMP):
        word = "lowest" if change.shape == U_SHAPE else "highest"
        sign = "+" if change.estimate > 0 else "-"
        return f" is {word} in the middle of {by}; on a line {sign}{size} {per} ({ends})"
    return f" {change.shape} with {by}: by {size} {per} ({ends})"


def _ratios(change: Change, notation: Notation) -> tuple[str, str, bool]:
    """Return a ratio of 1 or more, its interval, and whether it is that of the first side."""
    fewer = change.estimate < 1.0 and change.shape not in (U_SHAPE, HUMP)
    ratio = 1.0 / change.estimate if fewer else change.estimate
    low, high = (1.0 / change.high, 1.0 / change.low) if fewer else (change.low, change.high)
    size, *ends = (f"{each:,.{2 if each < 10 else 1 if each < 100 else 0}f}" for each in (ratio, low, high))
    return size, " to ".join(ends), fewer


def _hazard_words(change: Change, notation: Notation) -> str:
    """Say where events come sooner."""
    size, ends, fewer = _ratios(change, notation)
    soon, late = (change.first, change.second) if fewer else (change.second, change.first)
    by, ranges = _by(change), _is_range(soon)
    soon, late = _sides(change, soon, late)
    if change.step is not None:
        per = f"hazard {'divided by' if fewer else 'times'} {size} per {_step(change)} of {by} ({ends})"
        if change.shape == UNCLEAR:
            return f": no clear change with {by}: {per}"
        return f" come {'later' if fewer else 'sooner'} with {by}: {per}"
    if change.shape == UNCLEAR:
        nothing = f"no clear change with {by}" if _is_ranges(change) else "no clear difference"
        return f": {nothing}: hazard {size} times as high for {soon} as for {late} ({ends})"
    if change.shape in (U_SHAPE, HUMP):
        way = "later" if change.shape == U_SHAPE else "sooner"
        return f" come {way} in the middle of {by}: hazard {size} times that at the ends ({ends})"
    where = f"{by} of {soon}" if ranges else soon
    return f" come sooner with {where}: hazard {size} times that of {late} ({ends})"


def _what(change: Change) -> str:
    return _short(plain_name(change.what, change.unit))


def _by(change: Change) -> str:
    return _short(plain_name(change.by, change.by_unit))


def _short(name: str) -> str:
    return short(name, _NAME)


# --- kinds, strength, margin ---


def kinds_text(kinds: Sequence[Kind], notation: Notation, *, joint: str = "correlation", bound: float = 0.0) -> str:
    """Say which kinds of change were found and which were not; empty if none was asked for.

    `joint` is what columns that change together are called; `bound` is what p is at most if it is known no better.

    >>> from kmerf.results.parts import Kind
    >>> from kmerf.show.numbers import PLAIN
    >>> kinds_text([Kind("level", 0.001, 0.004), Kind("spread", 0.3, 0.6), Kind("shape", 0.4, 0.6)], PLAIN)
    'level (p = 0.004); not clear: spread, shape'
    """
    if not kinds:
        return ""
    words = {"joint": joint}
    called = [
        f"{words.get(kind.name, kind.name)} ({notation.p_is(kind.adjusted, kind.adjusted if kind.bounded else bound)})"
        for kind in kinds
        if kind.adjusted <= LEVEL
    ]
    rest = [words.get(kind.name, kind.name) for kind in kinds if kind.adjusted > LEVEL]
    none = "none is clear on its own" if len(kinds) > 1 else "not clear"
    unclear = f"{'not clear' if called else none}: {', '.join(rest)}"
    return "; ".join(filter(None, (", ".join(called), unclear if rest else "")))


def at_most_text(result: Result, notation: Notation) -> str:
    """Say how strong a relation without evidence can be at most; empty if that is not known."""
    effect = result.effect
    high = None if effect is None else _upper(effect)
    if effect is None or high is None:
        return ""
    if effect.measure == "R2":
        ranks = " of the variance of ranks" if effect.rank_high is not None else " of the variance"
        beyond = " beyond the covariates" if effect.about == "beyond z" else ""
        return f"any dependence these forests can detect explains at most {_percent(high)}{ranks}{beyond}"
    if effect.about == "beyond z":
        most = notation.decimal(max(high, 0.0), 2)
        return f"any dependence these forests can detect adds at most {most} to the {effect.measure} of the covariates"
    most = notation.decimal(max(high, 0.5), 2)
    article = "an" if effect.measure == "AUC" else "a"
    return f"any difference these forests can detect has {article} {effect.measure} of at most {most}"


def _percent(share: float) -> str:
    value = 100.0 * max(share, 0.0)
    return f"{math.ceil(value)} %" if value >= 1.0 else "1 %"


def _upper(effect: Effect) -> float | None:
    return effect.rank_high if effect.measure == "R2" and effect.rank_high is not None else effect.score_high


def margin_text(margin: Margin | None, notation: Notation) -> str:
    """Say what was decided about the margin; empty if there is none."""
    if margin is None:
        return ""
    limit = f"{notation.measure(margin.measure)} {margin.margin:g}"
    least = 0.5 if margin.measure.endswith("AUC") and not margin.measure.startswith("added") else 0.0
    between = " to ".join(notation.decimal(max(least, end)) for end in (margin.low, margin.high))
    if margin.decision == "undecided":
        return f"undecided: the effect may be below or above {limit} ({between})"
    meaning = (
        ": equivalent for practical purposes, as far as these forests can detect" if margin.decision == "below" else ""
    )
    return f"the effect is {margin.decision} {limit} ({between}){meaning}"
