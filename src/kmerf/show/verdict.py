"""The verdict: what was found, in words that a reader who is no statistician can use without being misled.

A p-value says whether there is evidence of a relation. How strong the relation is, is another matter, and is said
beside it (`kmerf.show.numbers`). R2 and AUC see the mean of y, or which class a row is of. Where the member of the
test that carries the answer looks for something else, they do not measure it, and the member's own words say what was
found.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.show.numbers import TYPESET, Notation, p_is_text, shown, strength, tail_text
from kmerf.show.words import are_several, beyond_sentence, carried_by, scored, z_names

if TYPE_CHECKING:
    from kmerf.results.parts import Effect, Member
    from kmerf.results.single_result import Result


CLEARLY = (0.65, 0.26)  # by how much the logarithm of a share leads: at least, and more by each unit of the score
NEAR = 0.005  # how far from the level a p-value is called near however well it is known
_NAMELESS = ("x1", "x")  # what an array's only column is called


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
    given = "" if result.adjustment is None else f", given {z_names(result.adjustment)}"
    if result.question == "ksample":
        return f"Do the groups{f' of {y}' if y else ''} differ{given}?"
    return f"{'Do' if are_several(result, y) else 'Does'} {y or 'y'} depend on {x_words(result)}{given}?"


def x_words(result: Result) -> str:
    """Return what to call the columns of x: a single one by its name, where that is known."""
    if result.p > 1:
        return "these columns"
    names = () if result.importances is None else result.importances.names
    return short(names[0], 40) if names and names[0] not in _NAMELESS else "this column"


def verdict(result: Result, y: str = "", notation: Notation = TYPESET) -> Verdict:
    """Return the answer; `y` is what the reader knows y, or the groups, by."""
    chance, close = _chance(result, y, notation), _close_call(result, notation)
    if result.pvalue > LEVEL:
        return Verdict("none", _headline(result, y, "none", bool(close)), (chance, *close, _no_proof(result, y)))
    strong, words = strength(result.effect), hidden_words(result)
    tone = "faint" if strong == "none" and not words else "found"
    size = _size(result, y, strong, words, notation)
    headline = _headline(result, y, tone, bool(close))
    return Verdict("faint" if close else tone, headline, (chance, *close, *size, _limit(result)))


def agreeing(result: Result) -> tuple[Member, ...]:
    """Return the members of a combined test that carry the answer, the largest share of its statistic first.

    One member leads only if no other could with another seed. From seed to seed scores vary by some tenths, and large
    ones by about a tenth of their size; shares are in proportion to exponentials of the scores.
    """
    ranked = sorted(result.members, key=lambda member: -member.share)
    if not ranked:
        return ()
    margin = math.exp(-CLEARLY[0] - CLEARLY[1] * max(ranked[0].score, 0.0))
    best = ranked[0]
    found = (
        member for member in ranked[1:] if member.score >= 0.5 * best.score and member.share >= margin * best.share
    )
    return best, *found


def leader(result: Result) -> Member | None:
    """Return the member of a combined test that carries the answer; None where several agree, or there is none."""
    found = agreeing(result)
    return found[0] if len(found) == 1 else None


def hidden_words(result: Result) -> str:
    """Return the words of the members that carry the answer, if R2 or AUC do not show what they found; else empty."""
    if strength(result.effect) not in (None, "none"):
        return ""
    found = agreeing(result)
    hidden = [member for member in found if member.carries]
    if 2.0 * sum(member.share for member in hidden) <= sum(member.share for member in found):
        return ""
    return ", or that ".join(dict.fromkeys(member.carries for member in hidden[:2]))


def _headline(result: Result, y: str, tone: str, close: bool) -> str:
    """Say what was found; `close` where p is so near the level that it is neither a clear yes nor a clear no."""
    if result.question == "ksample":
        subject = f"the groups of {y} differ" if y else "the groups differ"
        faint = "so little that rows can hardly be told apart"
    else:
        several = are_several(result, y)
        subject = f"{y or 'y'} {'are' if several else 'is'} related to {x_words(result)}"
        hardly = "they hardly predict" if result.p > 1 else "it hardly predicts"
        faint = f"so faintly that {hardly} {'them' if several else 'it'}"
    if result.adjustment is not None:
        subject += f", given {z_names(result.adjustment)}"
    if tone == "none":
        return f"There is no clear evidence that {subject}{f': p is near {LEVEL}' if close else ''}."
    if close:
        return f"There is some evidence that {subject}, but no more than that: p is near {LEVEL}."
    return f"There is evidence that {subject}{f', but {faint}' if tone == 'faint' else ''}."


def _chance(result: Result, y: str, notation: Notation) -> str:
    """Say what the p-value means, on these data."""
    null = result.null
    grouped = result.question == "ksample"
    if null.distribution is None:
        nothing = "the groups did not differ" if grouped else "there were no relation"
        probability = f"with probability {notation.p(null.pvalue)}, by the {null.name} approximation"
        return f"If {nothing}, a statistic at least this large would come up {probability}."
    size = null.distribution.size
    shuffled = f"With {'the groups' if grouped else y or 'y'} shuffled {size} times{_blocks(result)}"
    if null.bound is not None:
        beyond = "; ".join(filter(None, (p_is_text(null, notation), tail_text(null, notation))))
        return f"{shuffled}, no statistic was as large: {beyond}."
    if null.distribution.max() < result.statistic and null.pvalue > 1.5 / (1 + size):
        few = "the smallest that so few different arrangements of the rows can give"
        return f"{shuffled}, no statistic was as large: {p_is_text(null, notation)}, {few}."
    above = round(result.pvalue * (1 + size)) - 1
    counted = f"{above or 'no'} {'statistic was' if above in (0, 1) else 'statistics were'} as large"
    return f"{shuffled}, {counted}: {p_is_text(null, notation)}."


def _blocks(result: Result) -> str:
    """Say how blocks kept rows from being shuffled freely."""
    blocks = result.settings.get("blocks")
    if blocks is None:
        return ""
    ways = {"whole": f", {blocks} whole blocks of rows at a time", "between": f" between {blocks} blocks of rows"}
    return ways.get(result.settings.get("exchange", ""), f" inside each of {blocks} blocks of rows")


def _no_proof(result: Result, y: str) -> str:
    if result.question == "ksample":
        return (
            "That does not show that the groups are alike: with more rows, or other columns, a difference may appear."
        )
    them = "them" if result.p > 1 else "it"
    verb = "are" if are_several(result, y) else "is"
    return f"That does not show that {y or 'y'} {verb} independent of {them}: with more rows, a relation may appear."


def _size(result: Result, y: str, strong: str | None, words: str, notation: Notation) -> list[str]:
    """Say how strong the relation is, and what carries it."""
    name = scored(result, y if result.question != "ksample" else "")
    several = result.y_kind == "censored" or are_several(result, y)
    sentences = [f"What was found is mainly that {carried_by(words, name, several=several)}."] if words else []
    if strong is not None and result.effect is not None:
        sentences.append(_score(result.effect, strong, bool(words), name, notation))
    return [*sentences, *filter(None, (beyond_sentence(result.adjustment, name), _sooner(result)))]


def _sooner(result: Result) -> str:
    """Say where events come sooner, by the column whose curves were drawn; empty where that is not clear."""
    curves = None if result.details is None else result.details.survival
    if curves is None or not curves.soonest:
        return ""
    tests = result.features
    if tests is not None and result.p > 1 and tests.adjusted_fwer[tests.names.index(curves.feature)] > LEVEL:
        return ""
    return f"Events come sooner where {short(curves.feature, 40)} is {short(curves.soonest, 40)}."


def _score(effect: Effect, strong: str, hidden: bool, name: str, notation: Notation) -> str:
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
        if hidden:
            return f"{sentence}, which measures its average alone."
        return f"{sentence}: {'next to nothing' if strong == 'none' else f'a {strong} relation'}."
    right = f"the right one is named in {100 * score:.1f} % of comparisons"
    pair = "rows of the same block" if effect.about == "within blocks" else "rows"
    sentence = f"Of two {pair} of different groups, {right} ({number}; 50 % is guessing)"
    return f"{sentence}, which does not measure that." if hidden else f"{sentence}: {_difference(strong)}."


def _difference(strong: str) -> str:
    return "next to no difference" if strong == "none" else f"a {strong} difference"


def _limit(result: Result) -> str:
    """Say what the test leaves open."""
    if result.question != "ksample":
        return "The test does not say what causes what."
    which = "" if result.pairwise or len(result.groups) < 3 else "which of them differ, or "
    return f"The test does not say {which}why{'' if which else ' they differ'}."


def _close_call(result: Result, notation: Notation) -> tuple[str, ...]:
    """Warn where p is near the level, or another seed might fall on its other side."""
    if result.null.bound is not None:  # p may be far smaller
        return ()
    error = result.null.standard_error or 0.0
    away = abs(result.pvalue - LEVEL)
    if away <= 2.0 * error:
        return (
            f"This p-value is known to within about {notation.p(2 * error)} and lies close to {LEVEL}: another seed "
            "may give one on the other side, and more permutations would settle on which side it is.",
        )
    return (f"This p-value lies close to {LEVEL}: do not read it as a clear yes or no.",) if away <= NEAR else ()
