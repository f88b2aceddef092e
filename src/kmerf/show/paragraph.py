"""Methods and result as a paragraph to paste into a paper, with software, version, seed and citations."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from kmerf.show.changes import change_text, kinds_text, margin_text
from kmerf.show.facts import screen_headline, screen_question, screened, size_text
from kmerf.show.head import head, screen_changes
from kmerf.show.numbers import PLAIN, counted, p_is_text
from kmerf.show.words import screen_y_text, y_text

if TYPE_CHECKING:
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result

_TOLD = 5  # columns of a screen whose change is given
PAPER = (
    "Panda, S., Shen, C., and Vogelstein, J. T. (2018). Learning Interpretable Characteristic Kernels via Decision "
    "Forests. arXiv:1812.00029."
)


def software(version: str) -> str:
    """Return how to cite this library."""
    return f"The kmerf developers. kmerf: independence and k-sample tests with decision forests. Version {version}."


def paragraph(result: Result) -> str:
    """Return the paragraph and what it cites."""
    text = " ".join([*_methods(result), *_findings(result)])
    sources = [software(result.version), *([PAPER] if _uses_forests(result) else [])]
    return "\n\n".join([textwrap.fill(text, 88), *(textwrap.fill(source, 88) for source in sources)])


def screen_paragraph(screen: Screen) -> str:
    """Return the paragraph of a screen and what it cites."""
    method = f"{screen.method} (kmerf {screen.version}; seed {screen.seed})"
    errors = f"; {counted(len(screen.errors), 'more')} could not be tested" if screen.errors else ""
    rate = f"the Benjamini-Hochberg method at a false discovery rate of {screen.fdr:g}"
    sentences = [
        f"We asked: {screen_question(screen)}",
        f"The data had {counted(screen.n, 'row')}; {screen_y_text(screen)}.",
        f"We tested {screen.tested:,} {screened(screen, screen.tested)} one by one with {method}{errors}, and selected "
        f"with {rate}.",
        screen_headline(screen),
    ]
    told = [text for text, _ in screen_changes(screen, PLAIN)[:_TOLD]]
    if told:
        sentences.append(f"With 95 % intervals: {'; '.join(told)}.")
    return "\n\n".join([textwrap.fill(" ".join(sentences), 88), textwrap.fill(software(screen.version), 88)])


def _uses_forests(result: Result) -> bool:
    return result.adjustment is None and (result.importances is not None or "KMERF" in result.method)


def _methods(result: Result) -> list[str]:
    asked = head(result).question
    data = f"{size_text(result)} and {counted(result.p, 'column')}; {y_text(result)}"
    method = f"{result.method} (kmerf {result.version}"
    cited = "; the forest kernel test is that of Panda, Shen and Vogelstein, 2018" if _uses_forests(result) else ""
    null = result.null
    how = f"by the {null.name} approximation"
    if null.distribution is not None:
        again = "" if result.adjustment is not None else ", refitting everything each time"
        how = f"from {null.distribution.size} permutations of the rows of y{again}"
    blocks = result.settings.get("blocks")
    within = "" if blocks is None else f" ({result.settings.get('exchange', 'within')} {blocks} blocks)"
    return [
        f"We asked: {asked}",
        f"The data had {data}.",
        f"We used {method}{cited}; seed {result.seed}), and obtained the p-value {how}{within}.",
    ]


def _findings(result: Result) -> list[str]:
    first = head(result)
    p = p_is_text(result.null, PLAIN)
    effect = f", {first.strength} effect, {first.effect}" if first.effect else ""
    sentences = [f"{first.headline.rstrip('.')} ({p}{effect})."]
    if first.at_most:
        sentences.append(f"{_capital(first.at_most)}.")
    if first.changes:
        texts = [change_text(change, PLAIN) for change in result.changes[: len(first.changes)]]
        told = [f"{text} [{numbers}]" if numbers else text for text, numbers in texts]
        sentences.append(f"With 95 % intervals: {'; '.join(told)}.")
    kinds = kinds_text(result.kinds, PLAIN) if first.kinds else ""
    if kinds:
        sentences.append(f"Kinds of change, adjusted by Holm's method: {kinds}.")
    if result.margin is not None:
        sentences.append(f"{_capital(margin_text(result.margin, PLAIN))}.")
    if result.adjustment is not None:
        sentences.append(f"Given: {', '.join(result.adjustment.names)}.")
    return sentences


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
