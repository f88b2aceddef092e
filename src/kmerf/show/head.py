"""The first lines of a result, the same on every surface: question, verdict, p, effect, what changes.

Terminal, notebook, report and JSON take them from here and only lay them out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kmerf.core.settings import LEVEL
from kmerf.show.changes import at_most_text, change_text, kinds_text, margin_text
from kmerf.show.facts import effect_facts, null_text
from kmerf.show.numbers import PLAIN, Notation, p_is_text, strength
from kmerf.show.verdict import question, verdict
from kmerf.show.words import y_of

if TYPE_CHECKING:
    from kmerf.results.single_result import Result

MOST_CHANGES = 3
_PAIRS = 4  # that are named


@dataclass(frozen=True)
class Head:
    """The first lines."""

    question: str
    headline: str
    tone: str
    """"found", "faint" or "none"."""
    p: str
    """The p-value as far as it is known, and where it comes from."""
    strength: str
    """One word: "none", "faint", "moderate" or "strong"; empty if there is no effect."""
    effect: str
    """The effect with its interval."""
    changes: tuple[tuple[str, str], ...]
    """What changes with each of the leading columns, and the numbers of the groups."""
    kinds: str
    at_most: str
    margin: str
    pairs: str

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            **{name: getattr(self, name) for name in ("question", "headline", "p", "strength", "effect")},
            "changes": [" ; ".join(filter(None, texts)) for texts in self.changes],
            **{name: getattr(self, name) for name in ("kinds", "at_most", "margin", "pairs")},
        }

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The lines below the verdict, each with its name; changes follow by themselves."""
        effect = ": ".join(filter(None, (self.strength, self.effect)))
        lines = [("p-value", self.p), ("effect", effect), ("at most", self.at_most), ("margin", self.margin)]
        return [(name, text) for name, text in [*lines, ("kind", self.kinds), ("pairs", self.pairs)] if text]


def head(result: Result, y: str = "", notation: Notation = PLAIN) -> Head:
    """Return the first lines; `y` is what the reader knows y, or the groups, by, if the result does not."""
    name = y or y_of(result)
    answer = verdict(result, name, notation)
    rejects = result.pvalue <= LEVEL
    effect = "" if result.effect is None else _effect_text(result, notation)
    return Head(
        question=question(result, name),
        headline=answer.headline,
        tone=answer.tone,
        p=f"{p_is_text(result.null, notation)}; {null_text(result.null, notation)}",
        strength=(strength(result.effect) or "") if effect else "",
        effect=effect,
        changes=_changes(result, notation),
        kinds=kinds_text(result.kinds, notation) if rejects else "",
        at_most="" if rejects else at_most_text(result, notation),
        margin=margin_text(result.margin, notation),
        pairs=_pairs_text(result),
    )


def _changes(result: Result, notation: Notation) -> tuple[tuple[str, str], ...]:
    """Word the changes; without evidence only if columns are few, as the largest of many differences is chance."""
    if result.pvalue > LEVEL and result.p > MOST_CHANGES:
        return ()
    return tuple(change_text(change, notation) for change in result.changes[:MOST_CHANGES])


def _effect_text(result: Result, notation: Notation) -> str:
    assert result.effect is not None
    effects = [fact for fact in effect_facts(result.effect, notation, word=False) if fact.name == "effect"]
    if not effects:
        return ""
    what, _, between = effects[0].note.partition("; ")
    interval = f" ({between.removeprefix('95 % interval ')})" if between else ""
    text = f"{what.split(',')[0]} {effects[0].value}{interval}"
    c = result.effect.concordance
    low, high = result.effect.concordance_low, result.effect.concordance_high
    if c is not None and low is not None and high is not None:
        ends = f"{notation.decimal(low, 2)} to {notation.decimal(high, 2)}"
        text += f"; C-index {notation.decimal(c, 2)} ({ends})"
    return text


def _pairs_text(result: Result) -> str:
    if not result.pairwise:
        return ""
    called = sorted((pair for pair in result.pairwise if pair.adjusted <= LEVEL), key=lambda pair: -pair.statistic)
    names = ", ".join(f"{pair.first} - {pair.second}" for pair in called[:_PAIRS])
    more = f" and {len(called) - _PAIRS} more" if len(called) > _PAIRS else ""
    which = f": {names}{more}" if called else ""
    return f"{len(called)} of {len(result.pairwise)} pairs differ (Holm){which}"
