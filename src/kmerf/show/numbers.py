"""How numbers are written: in plain characters for terminals and text, typeset for pages.

A surface takes one of the two notations, `PLAIN` or `TYPESET`, and gives it to whatever writes numbers for it.

A p-value as what it is: known, or known to be at most a bound, with what a model of the tail suggests beyond.

With B permutations, none of which came as far as the observed statistic, p is at most 1 / (1 + B). That is what is
written in its place, on every surface. What a model of the tail suggests changes with the seed, so it is written as a
power of ten, and in words that say where it comes from.

How strong a relation is, in one word: none, faint, moderate or strong.

The steps are those of Cohen (1988) for differences between groups. For two groups they are d = 0.2, 0.5 and 0.8, which
come to an AUC of 0.556, 0.638 and 0.714. Between two groups of one size these explain 1, 6 and 14 % of the variance
(his eta squared), the steps of R2. For more than two groups, whose means are spread normally, such shares come to a
mean AUC over pairs of 1/2 + arctan(sqrt(R2 / (1 - R2))) / pi: 0.532, 0.579 and 0.622. So a relation has one word,
whichever measure it is in. For numbers, R2 of ranks counts, as one outlier can spoil the other. Where R2 and AUC are
both known, the larger word counts: a small group can differ much and explain little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kmerf.core.settings import LEVEL

if TYPE_CHECKING:
    from kmerf.results.parts import Effect, Importances, NullResult

MIN_PVALUE = 1e-16
"""P-values below this are all written alike: no model of a tail holds that far."""
_LEVELS = (0.01, 0.05)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Notation:
    """A way to write numbers."""

    typeset: bool
    """With true minus signs and powers of ten; else with characters that every terminal has."""

    @property
    def arrow(self) -> str:
        """What stands between an old value and a new one."""
        return "→" if self.typeset else "->"

    @property
    def missing(self) -> str:
        """What stands for a number that does not exist."""
        return "–" if self.typeset else "-"

    def p(self, value: float, smallest: float = 0.0) -> str:
        """Write a p-value; one below `MIN_PVALUE` is written as just that.

        One just below a usual level has a digit more, so that it is not rounded up to the level. With `smallest`, the
        smallest that permutations can give, a p-value that is no larger is written as what it is: at most that.

        >>> PLAIN.p(0.01234), PLAIN.p(1.2e-7), PLAIN.p(1.0), PLAIN.p(3e-40), PLAIN.p(0.0097)
        ('0.012', '1.2e-07', '1.000', '< 1e-16', '0.0097')
        >>> TYPESET.p(0.01234), TYPESET.p(1.2e-7), TYPESET.p(1.0), TYPESET.p(3e-40)
        ('0.012', '1.2 × 10⁻⁷', '1.000', '< 10⁻¹⁶')
        >>> PLAIN.p(0.01, smallest=0.01), TYPESET.p(0.01, smallest=0.01), PLAIN.p(0.02, smallest=0.01)
        ('<= 0.01', '≤ 0.01', '0.020')
        """
        if value != value:
            return self.missing
        if 0.0 < value <= 1.000001 * smallest:
            return f"{'≤' if self.typeset else '<='} {self.general(smallest, 2)}"
        if value < MIN_PVALUE:
            return "< 10⁻¹⁶" if self.typeset else "< 1e-16"
        if value < 9.995e-4:
            return self._signs(f"{value:.1e}")
        text = f"{value:.3f}"
        return f"{value:.4f}" if float(text) in _LEVELS and value < float(text) else text

    def p_is(self, value: float, smallest: float = 0.0) -> str:
        """Write what a p-value is.

        >>> PLAIN.p_is(0.2), TYPESET.p_is(3e-40), TYPESET.p_is(0.001, smallest=0.001)
        ('p = 0.200', 'p < 10⁻¹⁶', 'p ≤ 0.001')
        """
        text = self.p(value, smallest)
        return f"p {text}" if text[:1] in "<≤" else f"p = {text}"

    def magnitude(self, value: float) -> str:
        """Write the power of ten at or above a small number, for one that is known no better.

        >>> PLAIN.magnitude(3.2e-6), TYPESET.magnitude(3.2e-6), PLAIN.magnitude(0.0004)
        ('1e-05', '10⁻⁵', '0.001')
        """
        power = math.ceil(math.log10(value) - 1e-9)
        if power >= -3:
            return f"{10.0**power:g}"
        return f"10{str(power).translate(_RAISED)}" if self.typeset else f"1e{power:03d}"

    def decimal(self, value: float, digits: int = 3) -> str:
        """Write a number with a fixed number of decimals; zero has no sign.

        >>> PLAIN.decimal(-0.0412), PLAIN.decimal(-0.0001), TYPESET.decimal(-0.0412)
        ('-0.041', '0.000', '−0.041')
        """
        if value != value:
            return self.missing
        text = f"{value:.{digits}f}"
        return self._signs(text.removeprefix("-") if float(text) == 0.0 else text)

    def signed(self, value: float, digits: int) -> str:
        """Write a difference with its sign, also if it is positive.

        >>> PLAIN.signed(0.258, 2), TYPESET.signed(-40.2, 0), PLAIN.signed(-0.01, 1)
        ('+0.26', '−40', '0.0')
        """
        text = self.decimal(value, digits)
        return f"+{text}" if text[:1].isdigit() and float(text) > 0.0 else text

    def general(self, value: float, digits: int = 5) -> str:
        """Write a number with this many significant digits.

        >>> PLAIN.general(-12.34567), PLAIN.general(0.00001234), TYPESET.general(-0.00001234)
        ('-12.346', '1.234e-05', '−1.234 × 10⁻⁵')
        """
        return self.missing if value != value else self._signs(f"{value:.{digits}g}")

    def measure(self, name: str) -> str:
        """Write the name of a measure of prediction.

        >>> TYPESET.measure("R2 of ranks"), PLAIN.measure("R2"), TYPESET.measure("AUC")
        ('R² of ranks', 'R2', 'AUC')
        """
        return name.replace("R2", "R²") if self.typeset else name

    def _signs(self, text: str) -> str:
        if not self.typeset:
            return text
        mantissa, _, exponent = text.replace("-", "−").partition("e")
        if not exponent:
            return mantissa
        power = str(int(exponent.replace("−", "-"))).translate(_RAISED)
        return f"{mantissa} × 10{power}"


def counted(count: int, noun: str) -> str:
    """Write how many there are.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def not_drawn(count: int, one: str = "category", several: str = "categories") -> str:
    """Say how many of the smallest are left out of a picture; empty if none is.

    >>> not_drawn(9), not_drawn(1, "group", "groups"), not_drawn(0)
    ('9 smaller categories are not drawn.', '1 smaller group is not drawn.', '')
    """
    if count < 1:
        return ""
    return f"1 smaller {one} is not drawn." if count == 1 else f"{count:,} smaller {several} are not drawn."


PLAIN = Notation(typeset=False)
TYPESET = Notation(typeset=True)


def p_text(null: NullResult, notation: Notation) -> str:
    """Return the p-value, or what it is at most."""
    return notation.p(null.pvalue, null.bound or 0.0)


def p_is_text(null: NullResult, notation: Notation) -> str:
    """Return what the p-value is: "p = 0.2" or "p <= 0.001"."""
    return notation.p_is(null.pvalue, null.bound or 0.0)


def tail_text(null: NullResult, notation: Notation) -> str:
    """Return what a model of the tail suggests below the bound; empty where there is none, or it suggests no less."""
    if null.bound is None or null.modelled is None or null.modelled > 0.1 * null.bound:
        return ""
    return f"the tail model suggests about {notation.magnitude(null.modelled)} or less"


LEVEL_MARGIN = 0.005  # how far from the level a p-value is called near however well it is known


def is_close(null: NullResult) -> bool:
    """Return whether p is near the level, or another seed might put it on the other side."""
    away = abs(null.pvalue - LEVEL)
    return null.bound is None and away <= max(LEVEL_MARGIN, 2.0 * (null.standard_error or 0.0))  # else p may be smaller


STEPS = {"R2": (0.01, 0.06, 0.14), "AUC": (0.556, 0.638, 0.714), "mean AUC": (0.532, 0.579, 0.622)}
NO_RELATION = {"R2": 0.0, "AUC": 0.5, "mean AUC": 0.5}  # what no relation is: less is noise, and shown as this
STRENGTHS = ("none", "faint", "moderate", "strong")


def strength(effect: Effect | None) -> str | None:
    """Return how strong the relation is; None where nothing was predicted, or for what x adds to the AUC of z.

    >>> from kmerf.results.parts import Effect
    >>> strength(Effect(measure="R2", score=-0.02, rank_score=0.5))
    'strong'
    """
    if effect is None or effect.robust is None or effect.measure not in STEPS:
        return None
    if effect.about == "beyond z" and effect.measure != "R2":
        return None
    scores = {"R2": effect.rank_score, effect.measure: effect.robust}
    scores |= {effect.auc_measure: effect.auc} if effect.auc is not None else {}
    steps = [sum(value >= step for step in STEPS[name]) for name, value in scores.items() if value is not None]
    return STRENGTHS[max(steps)]


def shown(effect: Effect, value: float, measure: str) -> float:
    """Return a value as readers see it: no share below 0, and no AUC below that of guessing."""
    return max(value, 0.0 if effect.about == "beyond z" else NO_RELATION.get(measure, value))


def spread_head(table: Importances) -> str:
    """Return what the range of an importance is."""
    return "95 % of trees" if table.measure == "gain" else "95 % interval"
