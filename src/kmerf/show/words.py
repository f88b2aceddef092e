"""What is found, in words that a reader who is no statistician can use without being misled.

A p-value says whether a relation was found; how strong it is, is another matter and told beside it, in the steps of
Cohen (1988): R2 of 0.02, 0.13 and 0.26, and for classes the AUC that d = 0.2, 0.5 and 0.8 come to. R2 and AUC see the
mean of y, or which class a row is of; where another member of the test found the relation, they are not its measure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kmerf.core.safe_text import short

if TYPE_CHECKING:
    from kmerf.results.parts import Member
    from kmerf.results.single_result import Result

LEVEL = 0.05
STEPS = {"R2": (0.02, 0.13, 0.26), "AUC": (0.556, 0.638, 0.714)}
STRENGTHS = ("negligible", "weak", "moderate", "strong")

LOOKS_FOR = {
    "mean": "Does the average of y move with x?",
    "spread": "Does the spread of y change with x, or its level?",
    "shape": "Does the form of y’s distribution change with x: its skew, its tails, its peaks?",
    "fine": "Can decision trees, grown to the last row, tell from x which group a row is of?",
    "coarse": "Can small decision trees tell from x which group a row is of?",
    "trend": "Does y rise or fall with x, be it ever so little with each column?",
    "bend": "Is y different in the middle of x from what it is at both ends?",
    "flare": "Does the spread of y grow or shrink along x?",
    "pinch": "Is the spread of y different in the middle of x from that at both ends?",
    "moments": "Do the groups differ in how widely columns spread, or in how pairs of them go together?",
    "distance": "Do rows that are close in all columns together have close y?",
    "local": "Do the nearest rows, at any distance, have nearer y than others?",
}
_CARRIES = {  # members that may find much where R2 is zero
    "spread": "the spread of {y} changes with them, more than its average",
    "shape": "the form of {y}’s distribution changes with them, more than its average",
    "flare": "the spread of {y} grows or shrinks along them, more than its average",
    "pinch": "the spread of {y} is different in their middle from that at their ends, more than its average",
    "moments": "the groups differ in how widely columns spread, or in how pairs of them go together",
    "local": "rows near each other in these columns are near in {y}, in ways that its average need not show",
}
_UPPER = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Verdict(NamedTuple):
    """The answer, in short and at length."""

    tone: str
    """"found", "faint" or "none": how it is coloured."""
    headline: str
    sentences: tuple[str, ...]


def p_words(p: float) -> str:
    """Write a p-value.

    >>> p_words(0.01234), p_words(1.2e-7), p_words(1.0)
    ('0.012', '1.2 × 10⁻⁷', '1.000')
    """
    if p != p:
        return "–"
    if p >= 1e-3 or p == 0.0:
        return f"{p:.3f}"
    mantissa, exponent = f"{p:.1e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_UPPER)}"


def decimal(value: float, digits: int = 3) -> str:
    """Write a number with a true minus and a fixed number of decimals.

    >>> decimal(-0.0412), decimal(-0.0001)
    ('−0.041', '0.000')
    """
    told = f"{value:.{digits}f}"
    return (told.removeprefix("-") if float(told) == 0.0 else told).replace("-", "−")


def general(value: float) -> str:
    """Write a number with four significant digits and a true minus.

    >>> general(-12.34567), general(0.00001234)
    ('−12.35', '1.234 × 10⁻⁵')
    """
    told = f"{value:.4g}"
    if "e" not in told:
        return told.replace("-", "−")
    mantissa, exponent = told.split("e")
    return f"{mantissa.replace('-', '−')} × 10{str(int(exponent)).translate(_UPPER)}"


def strength(result: Result) -> str | None:
    """Return how strong the relation is, by what the forest predicts out of bag; None where that is not its measure."""
    effect = result.effect
    if effect is None or effect.score is None or effect.measure not in STEPS:
        return None
    step = sum(effect.score >= limit for limit in STEPS[effect.measure])
    return STRENGTHS[step]


def leader(result: Result) -> Member | None:
    """Return the member of a combined test that carries the answer."""
    return max(result.members, key=lambda member: member.score, default=None)


def verdict(result: Result, y: str) -> Verdict:
    """Return the answer; `y` is what the reader knows y, or the groups, by."""
    small, strong = result.pvalue <= LEVEL, strength(result)
    best = leader(result)
    beyond_mean = best is not None and best.name in _CARRIES
    close = _close_call(result)
    if not small:
        return Verdict("none", _headline(result, y, "none"), (_chance(result), _no_proof(result, y), *close))
    tone = "faint" if strong == "negligible" and not beyond_mean else "found"
    return Verdict(tone, _headline(result, y, tone), (_chance(result), *_size(result, y, strong, best), *close))


def _headline(result: Result, y: str, tone: str) -> str:
    if result.question == "ksample":
        return {
            "found": f"The groups of {y} differ." if y else "The groups differ.",
            "faint": "The groups differ, but so little that rows can hardly be told apart.",
            "none": "No difference between the groups was found.",
        }[tone]
    name = y or "y"
    return {
        "found": f"{name} is related to these columns.",
        "faint": f"{name} is related to these columns, but so faintly that they hardly predict it.",
        "none": f"No relation between {name} and these columns was found.",
    }[tone]


def _chance(result: Result) -> str:
    """Say what the p-value means, on these data."""
    null, nothing = (
        result.null,
        "the groups did not differ" if result.question == "ksample" else "there were no relation",
    )
    if null.distribution is None:
        return (
            f"If {nothing}, a statistic at least this large would come up with probability {p_words(result.pvalue)}, "
            f"by the {null.name} approximation."
        )
    size = null.distribution.size
    who = "the groups" if result.question == "ksample" else "y"
    if null.extrapolated:
        return (
            f"With {who} shuffled {size} times, no statistic was as large: p is below {1 / (1 + size):.2g}. How far "
            f"below, {p_words(result.pvalue)}, rests on a model of the tail."
        )
    least = " the smallest that this many shuffles can give" if result.pvalue <= 1.5 / (1 + size) else ""
    above = round(result.pvalue * (1 + size)) - 1
    return (
        f"With {who} shuffled {size} times, {above or 'no'} statistic{'' if above == 1 else 's'} "
        f"{'was' if above in (0, 1) else 'were'} as large: p = {p_words(result.pvalue)}{',' if least else ''}{least}."
    )


def _no_proof(result: Result, y: str) -> str:
    if result.question == "ksample":
        return (
            "That does not show that the groups are alike: with more rows, or other columns, a difference may appear."
        )
    return f"That does not show that {y or 'y'} is independent of them: with more rows, a relation may appear."


def _size(result: Result, y: str, strong: str | None, best: Member | None) -> tuple[str, ...]:
    """Say how strong the relation is, and what carries it."""
    told = []
    effect = result.effect
    name = y if y and result.question != "ksample" else "y"
    hidden = strong in (None, "negligible") and best is not None and best.name in _CARRIES  # from R2, that is
    if hidden and best is not None:
        told.append(f"What was found is mainly that {_CARRIES[best.name].format(y=name)}.")
    if strong is not None and effect is not None and effect.score is not None:
        told.append(_score(effect.measure, effect.score, strong, hidden, name))
    told.append(
        "The test does not say why they differ."
        if result.question == "ksample"
        else "It does not say what causes what."
    )
    return tuple(told)


def _score(measure: str, value: float, strong: str, hidden: bool, name: str) -> str:
    if measure == "R2":
        share = f"{100 * max(value, 0.0):.0f} %" if value >= 0.01 else "less than 1 %"
        told = (
            f"On rows they have not seen, the forests predict {share} of the variance of {name} (R² {decimal(value)})"
        )
        if hidden:
            return f"{told}, which measures its average alone."
        return f"{told}: a {strong} relation." if strong != "negligible" else f"{told}: next to nothing."
    told = f"On rows they have not seen, the forests put the right group first in {100 * value:.1f} % of comparisons"
    told = f"{told} (AUC {decimal(value)}; 50 % is guessing)"
    return f"{told}, which does not measure that." if hidden else f"{told}: a {strong} difference."


def _close_call(result: Result) -> tuple[str, ...]:
    """Warn where another seed might fall on the other side of the level."""
    error = result.null.standard_error
    if error is None or abs(result.pvalue - LEVEL) > 2.0 * error:
        return ()
    return (
        f"This p-value is known to within about ±{p_words(2 * error)} and lies close to {LEVEL}: more permutations "
        "would settle on which side.",
    )


def question(result: Result, y: str) -> str:
    """Return what was asked."""
    if result.question == "ksample":
        return f"Do the groups of {y} differ?" if y else "Do the groups differ?"
    return f"Does {y or 'y'} depend on these columns?"


def y_name(names: list[str]) -> str:
    """Return what to call y, from the names of its columns; empty where they are not known.

    >>> y_name(["weight", "height"]), y_name([])
    ('weight and height', '')
    """
    told = [short(name, 40) for name in names[:3]]
    if len(names) > 3:
        return f"{', '.join(told[:2])} and {len(names) - 2} more"
    return " and ".join(told)
