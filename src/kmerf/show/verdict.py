"""The verdict: what was found, in words that a reader who is not a statistician can use without being misled.

A p-value says whether there is evidence of a relation. How strong the relation is, is another matter, which has a
separate sentence (`kmerf.show.numbers`). R2 and AUC see the mean of y, or which class a row is of. If the member of
the test that carries the answer looks for something else, they do not measure it, and the member's own words say what
was found.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.results.question import hypothesis
from kmerf.show.facts import curve_question
from kmerf.show.numbers import TYPESET, Notation, counted, is_close, p_is_text, shown, strength, tail_text
from kmerf.show.words import are_several, beyond_sentence, carried_by, names_of, scored, worded, y_of

if TYPE_CHECKING:
    from kmerf.results.parts import Effect, Member, NullResult
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.single_result import Result


LEAD_MARGIN = (0.65, 0.26)  # by how much the logarithm of a share leads: at least, and more by each unit of the score


class Verdict(NamedTuple):
    """The answer, in short and at length."""

    tone: str
    """"found", "faint" or "none": how it is coloured."""
    headline: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.headline, *self.sentences))


def question(result: Result, y: str) -> str:
    """Return what was asked; `y` is what the reader knows y, or the groups, by."""
    return worded(hypothesis(result.question).asks, result, y)


def verdict(result: Result, y: str = "", notation: Notation = TYPESET) -> Verdict:
    """Return the answer; `y` is what the reader knows y, or the groups, by."""
    y = y or y_of(result)
    asked, names = hypothesis(result.question), names_of(result, y)
    chance, close = _chance(result, names, notation), _close_call(result.null, notation)
    subject = f"{asked.found}{{given}}"
    if result.pvalue > LEVEL:
        headline = f"There is no clear evidence that {subject}{f': p is near {LEVEL}' if close else ''}."
        headline = worded(headline, result, y)
        return Verdict("none", headline, (chance, *close, asked.no_proof.format(**names)))
    strong, words = strength(result.effect), hidden_words(result)
    tone = "faint" if strong == "none" and not words else "found"
    headline = f"There is evidence that {subject}{f', but {asked.faint}' if tone == 'faint' else ''}."
    if close:
        tone, headline = "faint", f"There is some evidence that {subject}, but no more than that: p is near {LEVEL}."
    headline = worded(headline, result, y, leading=True)
    size = _size(result, y if asked.names_y else "", strong, words, notation)
    return Verdict(tone, headline, (chance, *close, *size, asked.limit.format(**names)))


def agreeing(result: Result) -> tuple[Member, ...]:
    """Return the members of a combined test that carry the answer, the largest share of its statistic first.

    One member leads only if no other could with another seed. From seed to seed scores vary by some tenths, and large
    ones by about a tenth of their size; shares are in proportion to exponentials of the scores.
    """
    ranked = sorted(result.members, key=lambda member: -member.share)
    if not ranked:
        return ()
    margin = math.exp(-LEAD_MARGIN[0] - LEAD_MARGIN[1] * max(ranked[0].score, 0.0))
    best = ranked[0]
    agreeing_too = (
        member for member in ranked[1:] if member.score >= 0.5 * best.score and member.share >= margin * best.share
    )
    return best, *agreeing_too


def hidden_words(result: Result) -> str:
    """Return the words of the members that carry the answer, if R2 or AUC do not show what they found; else empty."""
    if strength(result.effect) not in (None, "none"):
        return ""
    members = agreeing(result)
    hidden = [member for member in members if member.meaning]
    if 2.0 * sum(member.share for member in hidden) <= sum(member.share for member in members):
        return ""
    return ", or that ".join(dict.fromkeys(member.meaning for member in hidden[:2]))


def _chance(result: Result, names: Mapping[str, str], notation: Notation) -> str:
    """Say what the p-value means, on these data."""
    null, asked = result.null, hypothesis(result.question)
    p_is = p_is_text(null, notation)
    if null.distribution is None:
        probability = f"with probability {notation.p(null.pvalue)}, by the {null.name} approximation"
        return f"If {asked.no_effect}, a statistic at least this large would occur {probability}."
    size = null.distribution.size
    permuted = f"With {asked.permuted.format(**names)} permuted {size} times{_blocks(result)}"
    if null.bound is not None:
        return f"{permuted}, no statistic was as large: {'; '.join(filter(None, (p_is, tail_text(null, notation))))}."
    if "permutation" not in null.name:  # p is not a rank
        return f"{permuted}, the {null.name} null gives {p_is}."
    if null.distribution.max() < result.statistic and null.pvalue > 1.5 / (1 + size):
        few = "the smallest value that so few distinct permutations can give"
        return f"{permuted}, no statistic was as large: {p_is}, {few}."
    above = round(result.pvalue * (1 + size)) - 1
    statistics = f"{above or 'no'} {'statistic was' if above in (0, 1) else 'statistics were'}"
    return f"{permuted}, {statistics} as large: {p_is}."


def _blocks(result: Result) -> str:
    """Say how blocks restrict the permutations."""
    blocks = result.settings.get("blocks")
    if blocks is None:
        return ""
    ways = {"whole": f", {blocks} whole blocks of rows at a time", "between": f" between {blocks} blocks of rows"}
    return ways.get(result.settings.get("exchange", ""), f" inside each of {blocks} blocks of rows")


def _size(result: Result, y: str, strong: str | None, words: str, notation: Notation) -> list[str]:
    """Say how strong the relation is, and what carries it."""
    name = scored(result, y)
    several = result.y_kind == "censored" or are_several(result, y)
    sentences = [f"The main finding is that {carried_by(words, name, several=several)}."] if words else []
    if strong is not None and result.effect is not None:
        its = "their" if several else "its"
        apart = f"classes of {name}" if hypothesis(result.question).names_y else "groups"
        sentences.append(_score(result.effect, strong, f"{its} average" if words else "", name, apart, notation))
    return [*sentences, *filter(None, (beyond_sentence(result.adjustment, name), _sooner(result)))]


def _sooner(result: Result) -> str:
    """Say where events come sooner, by the column whose curves were drawn; empty where that is not clear."""
    curves = None if result.details is None else result.details.survival
    if curves is None or not curves.soonest:
        return ""
    tests = result.features
    if tests is not None and result.p > 1 and tests.adjusted_fwer[tests.names.index(curves.feature)] > LEVEL:
        return ""
    return f"Events come sooner if {short(curves.feature, 40)} is {short(curves.soonest, 40)}."


def _score(effect: Effect, strong: str, average: str, name: str, apart: str, notation: Notation) -> str:
    """Say how well y is predicted, or which rows are told `apart`.

    `average` is what that measures if the relation is in something else.
    """
    assert effect.score is not None
    score = shown(effect, effect.score, effect.measure)
    number = f"{notation.measure(effect.measure)} {notation.decimal(score)}"
    where = f", {effect.about}" if "blocks" in effect.about else ""
    beyond = effect.about == "beyond z"
    if effect.measure == "R2":
        what = name
        if effect.rank_score is not None:  # which the word for the strength goes by
            values, score, what = score, shown(effect, effect.rank_score, "R2"), f"the ranks of {name}"
            number = f"{notation.measure(effect.measure)} {notation.decimal(score)}; of the values "
            number += notation.decimal(values)
        share = f"{100 * score:.0f} %" if score >= 0.01 else "less than 1 %"
        verb = "What x adds to the prediction explains" if beyond else "The best prediction explains about"
        if beyond or share.startswith("less"):
            verb = verb.removesuffix(" about")
        sentence = f"{verb} {share} of the variance of {what}{where} ({number})"
        if average:
            return f"{sentence}, which measures {average} alone."
        return f"{sentence}: {'almost nothing' if strong == 'none' else f'a {strong} relation'}."
    right = f"the model picks the right one in {100 * score:.1f} % of comparisons"
    pair = "rows of the same block" if effect.about == "within blocks" else "rows"
    sentence = f"Of two {pair} of different {apart}, {right} ({number}; 50 % is guessing)"
    return f"{sentence}, which does not measure that." if average else f"{sentence}: {_difference(strong)}."


def _difference(strong: str) -> str:
    return "almost no difference" if strong == "none" else f"a {strong} difference"


def _close_call(null: NullResult, notation: Notation) -> tuple[str, ...]:
    """Warn where p is near the level."""
    if not is_close(null):
        return ()
    error = null.standard_error or 0.0
    if abs(null.pvalue - LEVEL) <= 2.0 * error:
        return (
            f"This p-value is known to within about {notation.p(2 * error)} and lies close to {LEVEL}: another seed "
            "may put it on the other side. More permutations would settle it.",
        )
    return (f"This p-value lies close to {LEVEL}: do not read it as a clear yes or no.",)


def curve_words(curve: PowerCurve) -> dict[str, str]:
    """Return the first lines of a curve of power, for JSON."""
    return {"question": curve_question(curve), "headline": curve_answer(curve)}


def curve_answer(curve: PowerCurve) -> str:
    """Say how many rows are needed, or that the pilot is too small to say.

    It is large enough if even the lower end of its interval reaches the target within the rows examined.
    """
    needed, most = curve.needed, f"{curve.furthest:,}"
    if curve.conclusive:
        return f"About {needed.rows:,.0f} rows give power {curve.target:g}; {needed.high:,.0f} to be on the safe side."
    pilot = f"The pilot of {counted(curve.n, 'row')} is too small to estimate the rows for power {curve.target:g}: "
    if not math.isfinite(needed.low):
        return f"{pilot}more than {most}, if there is a relation at all."
    why = ", because the pilot may contain no relation at all" if curve.fine[2, -1] < 2.0 * curve.level else ""
    return f"{pilot}{needed.low:,.0f} may be enough, and {most} may not{why}. Collect a larger pilot first."
