"""The numbers at the top of every view of a result: each has a name, a value as text, and a note on what it is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.results.question import QUESTIONS
from kmerf.show.numbers import counted, is_close, p_text, shown, strength, tail_text
from kmerf.show.words import adjustment_texts, called, given_words, screen_y_text, y_name, y_text

if TYPE_CHECKING:
    from kmerf.results.parts import Effect, NullResult
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Associations, Screen
    from kmerf.results.single_result import Result
    from kmerf.show.numbers import Notation

_SCORES = {
    "R2": "the share of the variance explained",
    "AUC": "0.5 is guessing, 1 is perfect",
    "mean AUC": "over pairs of groups, 0.5 is guessing, 1 is perfect",
}
_STATISTICS = {"prediction": "share of the variance predicted", "multiscale": "largest local correlation"}


class Fact(NamedTuple):
    """One number of a result."""

    name: str
    value: str
    note: str = ""


def title(result: Result) -> str:
    """Return what test was made, and by which method."""
    return f"{QUESTIONS[result.question].title} ({result.method})"


def screen_title(screen: Screen) -> str:
    """Return what was screened, and by which method."""
    columns = screened(screen, len(screen))
    head = QUESTIONS[screen.question].title.format(count=f"{len(screen):,}", columns=columns, given=given_words(screen))
    return f"{head} ({screen.method})"


def screen_question(screen: Screen) -> str:
    """Return what was asked of each column."""
    asked, y = QUESTIONS[screen.question], called(screen, screen.y_names) or "y"
    return (asked.asks_groups if screen.groups else asked.asks).format(y=y, given=given_words(screen))


def screened(screen: Screen, count: int = 2) -> str:
    """Return what the entries of a screen are, one or more of them."""
    ending = "" if count == 1 else "s"
    return f"set{ending} of columns" if "sets" in screen.settings else f"column{ending}"


def screen_headline(screen: Screen, most: int = 4) -> str:
    """Say how many columns are related to y, or differ between its groups, and name the first of them.

    Their number is all that there is to say if none is selected.
    """
    selected, tested = screen.selected, f"{screen.tested:,} {screened(screen, screen.tested)}"
    y, given = called(screen, screen.y_names) or "y", given_words(screen)
    if not selected and screen.groups:
        return f"The groups of {y} clearly differ in none of {tested}{given}."
    if not selected:
        return f"None of {tested} is clearly related to {y}{given}."
    names = ", ".join(short(name, 24) for name in selected[:most])
    more = f" and {len(selected) - most:,} more" if len(selected) > most else ""
    some = f"{len(selected):,} of {tested}"
    if screen.groups:
        return f"The groups of {y} differ in {some}{given}: {names}{more}."
    return f"{some} {'is' if len(selected) == 1 else 'are'} related to {y}{given}: {names}{more}."


def associations_title(result: Associations) -> str:
    """Return what was looked at."""
    return QUESTIONS[result.question].title.format(count=f"{len(result.names):,}", pairs=f"{len(result):,}")


def associations_headline(result: Associations, most: int = 3) -> str:
    """Say how many pairs are related, and name the strongest."""
    selected = result.selected
    if not selected:
        return f"None of {result.tested:,} pairs is clearly related."
    verb = "is" if len(selected) == 1 else "are"
    names = ", ".join(f"{short(a, 20)} and {short(b, 20)}" for a, b in selected[:most])
    more = f"; {len(selected) - most:,} more" if len(selected) > most else ""
    return f"{len(selected):,} of {result.tested:,} pairs {verb} related: {names}{more}."


def associations_changes(result: Associations, notation: Notation, most: int = 3) -> list[str]:
    """Say how the strongest of the related pairs go together, and how strongly."""
    ways = {"rises": "rise together", "falls": "one falls as the other rises"}
    rows = [row for row in (list(result)[k] for k in result.ranking[:most].tolist()) if row.selected]
    return [
        f"{short(row.first, 40)} and {short(row.second, 40)}: "
        + ", ".join(filter(None, (ways.get(row.direction, row.direction), f"effect {notation.decimal(row.effect, 2)}")))
        for row in rows
    ]


def associations_facts(result: Associations) -> list[Fact]:
    """Return the numbers of all pairs together."""
    errors = f"{len(result.errors):,} could not be tested" if result.errors else ""
    kinds = [(kind, result.kinds.count(kind)) for kind in ("numeric", "boolean", "categorical")]
    held = ", ".join(f"{count} {kind}" for kind, count in kinds if count)
    rate = f"at a false discovery rate of {result.fdr:g} (Benjamini-Hochberg)"
    return [
        Fact("related", f"{len(result.selected):,}", rate),
        Fact("tested", f"{result.tested:,}", errors),
        Fact("data", counted(result.n, "row"), f"{counted(len(result.names), 'column')}: {held}"),
        Fact("seed", str(result.seed)),
    ]


def facts(result: Result, notation: Notation, *, names: bool = True) -> list[Fact]:
    """Return the numbers of a test, the most important first; with `names`, groups by their names."""
    return [
        Fact("p-value", p_text(result.null, notation), null_text(result.null, notation)),
        *([] if result.effect is None else effect_facts(result.effect, notation)),
        *(Fact(*texts) for texts in adjustment_texts(result.adjustment, result.pvalue)),
        Fact("statistic", notation.general(result.statistic), statistic_text(result)),
        Fact("data", size_text(result), f"{counted(result.p, 'feature')}; {y_text(result, names=names)}"),
        Fact("seed", str(result.seed)),
    ]


def size_text(result: Result) -> str:
    """Say how many rows were tested, or how many blocks of rows if each counts once."""
    if result.settings.get("exchange") != "between":
        return counted(result.n, "row")
    return f"{counted(result.n, 'block')} ({counted(result.settings['rows'], 'row')})"


def screen_facts(screen: Screen, notation: Notation) -> list[Fact]:
    """Return the numbers of a screen."""
    errors = f"{len(screen.errors):,} could not be tested" if screen.errors else ""
    threshold = f"p up to {notation.p(screen.threshold)}"
    return [
        Fact(
            "selected",
            f"{len(screen.selected):,}",
            f"at a false discovery rate of {screen.fdr:g} (Benjamini-Hochberg): {threshold}",
        ),
        Fact("tested", f"{screen.tested:,}", errors),
        Fact("test", screen.method, f"one per {screened(screen, 1)}"),
        Fact("data", counted(screen.n, "row"), screen_y_text(screen)),
        Fact("seed", str(screen.seed)),
    ]


def null_text(null: NullResult, notation: Notation) -> str:
    """Say where the p-value comes from."""
    if null.distribution is None:
        return f"{null.name} approximation"
    size = null.distribution.size
    if null.bound is not None:
        return "; ".join(filter(None, (f"{counted(size, 'permutation')}, none as large", tail_text(null, notation))))
    error = "" if null.standard_error is None else f"; standard error {null.standard_error:.2g}"
    stopped = f"; {'stopped early' if is_close(null) else f'p is above {LEVEL:g}, so kmerf drew no more'}"
    stopped = stopped if null.stopped else ""
    return f"{counted(size, 'permutation')}{error}{stopped}"


def effect_facts(effect: Effect, notation: Notation, *, word: bool = True) -> list[Fact]:
    """Say how strong the relation is, with `word` in a word: R2 or AUC with its interval, and other measures."""
    numbers = []
    strong, measure = strength(effect), notation.measure(effect.measure)
    said = "" if strong is None or not word else f"{strong}: "
    beyond = effect.about == "beyond z"
    ending = " gained over the covariates" if beyond else f" {effect.about}" if effect.about else ""

    def fact(name: str, value: float, kind: str, what: str, ends: tuple[float | None, float | None]) -> Fact:
        texts = [notation.decimal(shown(effect, end, kind)) for end in ends if end is not None]
        between = f"; 95 % interval {' to '.join(texts)}" if len(texts) == 2 else ""
        return Fact(name, notation.decimal(shown(effect, value, kind)), f"{what}{between}")

    if effect.measure == "R2" and effect.rank_score is not None:  # which outliers do not spoil
        ends = effect.rank_low, effect.rank_high
        numbers.append(fact("effect", effect.rank_score, "R2", f"{said}{measure} of ranks{ending}", ends))
    if effect.score is not None:
        meaning = f", {_SCORES[effect.measure]}" if effect.measure in _SCORES and not beyond else ""
        ends = effect.score_low, effect.score_high
        if effect.measure != "R2" or effect.rank_score is None:
            numbers.append(fact("effect", effect.score, effect.measure, f"{said}{measure}{ending}{meaning}", ends))
        else:
            numbers.append(fact(measure, effect.score, "R2", f"of the values{meaning}", ends))
    if effect.measure != "R2" and effect.rank_score is not None:
        what = f"of the ranks of the column, {_SCORES['R2']} by the groups"
        numbers.append(fact(notation.measure("R2"), effect.rank_score, "R2", what, (effect.rank_low, effect.rank_high)))
    if effect.auc is not None:
        what = f"of the groups of x, {_SCORES[effect.auc_measure]}"
        numbers.append(
            fact(effect.auc_measure, effect.auc, effect.auc_measure, what, (effect.auc_low, effect.auc_high))
        )
    if effect.concordance is not None:
        ends = effect.concordance_low, effect.concordance_high
        numbers.append(fact("C-index", effect.concordance, "", "for unseen rows, 0.5 is guessing", ends))
    if effect.correlation is not None and effect.low is not None and effect.high is not None:
        between = f"{notation.decimal(effect.low)} to {notation.decimal(effect.high)}"
        note = f"of kernels; {100 * (effect.level or 0.0):g} % interval {between}"
        numbers.append(Fact("correlation", notation.decimal(effect.correlation), note))
    return numbers


def statistic_text(result: Result) -> str:
    """Say what the statistic is."""
    if result.adjustment is not None:
        return "normal score of the three members together"
    if result.members:
        return "soft maximum of the scores"
    statistic = result.settings.get("method", {}).get("statistic")
    return result.method if statistic is None else _STATISTICS.get(statistic, "kernel correlation")


def curve_question(curve: PowerCurve) -> str:
    """Return what was asked."""
    y = y_name(curve.y_names, "and" if curve.events is None else "until") or "y"
    return QUESTIONS[curve.question].asks.format(y=y, target=f"{curve.target:g}")


def curve_title(curve: PowerCurve) -> str:
    """Return what was planned, and with which test."""
    head = QUESTIONS[curve.question].title.format(target=f"{curve.target:g}")
    return f"{head} ({curve.method}, level {curve.level:g})"


def curve_facts(curve: PowerCurve) -> list[Fact]:
    """Return the numbers of a power curve."""
    needed = curve.needed
    pilot = counted(curve.n, "row") + ("" if curve.events is None else f", {counted(curve.events, 'event')}")
    return [
        Fact(
            "rows needed", rows_text(needed.rows, curve), f"{100 * curve.confidence:.0f} % interval {_interval(curve)}"
        ),
        Fact("pilot", pilot, f"{curve.subsamples} subsamples of each of {len(curve.tried_sizes)} sizes"),
        Fact("seed", str(curve.seed)),
    ]


def rows_text(rows: float, curve: PowerCurve) -> str:
    """Write a number of rows; one beyond those looked at says so."""
    return f"{rows:,.0f}" if math.isfinite(rows) else f"> {curve.furthest:,}"


def _interval(curve: PowerCurve) -> str:
    needed = curve.needed
    if not math.isfinite(needed.high):
        return f"{rows_text(needed.low, curve)} and up" if math.isfinite(needed.low) else rows_text(needed.low, curve)
    return f"{rows_text(needed.low, curve)} to {rows_text(needed.high, curve)}"
