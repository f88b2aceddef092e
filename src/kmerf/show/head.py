"""The first lines of a result, the same on every surface: question, verdict, p, effect, what changes.

Terminal, notebook, report and JSON take them from here and only lay them out. In plain text they fit 12 lines of 80
letters (`head_lines`): what does not fit is left out from the end, means and spread per group first, never in the
middle of a sentence.

Methods and result as a paragraph to paste into a paper, with software, version, seed and citations.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import rank_of
from kmerf.core.safe_text import clean, is_wide, short
from kmerf.core.settings import LEVEL
from kmerf.results.parts import FIRST_CHANGES
from kmerf.show.change_words import at_most_text, change_text, kinds_text, leading_changes, margin_text
from kmerf.show.facts import effect_facts, screen_headline, screen_question, screened, size_text
from kmerf.show.numbers import PLAIN, Notation, counted, is_close, p_is_text, strength
from kmerf.show.verdict import question, verdict
from kmerf.show.words import WIDTH, screen_y_text, y_of, y_text

if TYPE_CHECKING:
    from kmerf.results.parts import Change, Pair
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result


MOST_LINES = 12
ALL_LINES = 1000  # more than there are
_PAIR_NAME = 20  # letters of the name of a group
_WHOLE = re.compile(r"\bp (?:<=|[=<≤]) \S+|\b\d[\d.]* %|\([^() ]+ to [^() ]+\)")
_INDENT = " " * 11  # of what follows the name of a fact
_FILLER = "\0"  # takes the second cell of a wide letter while lines are cut
_ALONE = "; clear by itself, but not among all that the test looks at"
_ALONE_GIVEN = "; clear in a linear regression on the covariates, but not by this test"
_DOUBT_LINES = 5  # of what makes the p-value doubtful


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
    doubts: tuple[str, ...] = ()
    """Why the p-value may be wrong."""

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            **{name: getattr(self, name) for name in ("question", "headline", "p", "strength", "effect")},
            "changes": ["; ".join(filter(None, texts)) for texts in self.changes],
            **{name: getattr(self, name) for name in ("kinds", "at_most", "margin", "pairs")},
            "doubts": list(self.doubts),
        }

    def answer_lines(self, width: int = WIDTH) -> list[str]:
        """Return question and verdict as plain text."""
        return [*wrapped(self.question, width=width), *wrapped(self.headline, width=width)]

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
    rejects, below = result.pvalue <= LEVEL, result.margin is not None and result.margin.decision == "below"
    effect = "" if result.effect is None else _effect_text(result, notation)
    return Head(
        question=question(result, name),
        headline=answer.headline,
        tone=answer.tone,
        p=_p_text(result, notation),
        strength=(strength(result.effect) or "") if effect else "",
        effect=effect,
        changes=_changes(result, notation),
        kinds=_kinds_text(result, notation) if rejects else "",
        at_most="" if rejects or below else at_most_text(result, notation),
        margin=margin_text(result.margin, notation),
        pairs=_pairs_text(result),
        doubts=tuple(str(note) for note in result.notes if rank_of(note) == "doubt"),
    )


def _kinds_text(result: Result, notation: Notation) -> str:
    joint = "correlation" if result.groups or result.q > 1 else "interaction of columns"
    return kinds_text(result.kinds, notation, joint=joint, bound=result.null.bound or 0.0)


def _p_text(result: Result, notation: Notation) -> str:
    """Return the p-value as far as it is known, where it comes from, and the rows."""
    null = result.null
    source = null.name
    if null.distribution is not None:
        source = counted(null.distribution.size, "permutation")
        if null.bound is not None:
            source += ", none as large"
        elif null.stopped and not is_close(null):
            source += f", stopped early: p above {LEVEL:g}"
        elif null.standard_error:
            source += f"{', stopped early' if null.stopped else ''}, standard error {null.standard_error:.2g}"
    return f"{p_is_text(null, notation)} ({size_text(result)}; {source})"


def _changes(result: Result, notation: Notation) -> tuple[tuple[str, str], ...]:
    """Word the changes; without evidence only if columns are few, as the largest of many differences is chance."""
    if result.pvalue > LEVEL and result.p > FIRST_CHANGES:
        return ()
    texts, alone = [], _ALONE if result.adjustment is None else _ALONE_GIVEN
    for k, change in enumerate(leading_changes(result)[:FIRST_CHANGES]):
        text, groups = change_text(change, notation, named=k == 0)
        texts.append((text + alone * (result.pvalue > LEVEL and change.clear), groups))
    return tuple(texts)


def _effect_text(result: Result, notation: Notation) -> str:
    assert result.effect is not None
    effects = [fact for fact in effect_facts(result.effect, notation, word=False) if fact.name == "effect"]
    if not effects:
        return ""
    what, _, between = effects[0].note.partition("; ")
    interval = f" ({between})" if between else ""
    text = f"{what.split(',')[0]} {effects[0].value}{interval}"
    c = result.effect.concordance
    low, high = result.effect.concordance_low, result.effect.concordance_high
    if c is not None and low is not None and high is not None:
        ends = f"{notation.decimal(low, 2)} to {notation.decimal(high, 2)}"
        text = f"C-index {notation.decimal(c, 2)} (95 % interval {ends})"
    return text


def _pairs_text(result: Result) -> str:
    if not result.pairwise:
        return ""
    count = len(result.pairwise)
    if not can_differ(result.pairwise):
        return f"too few permutations to call any of {count} pairs different (by Holm's method)"
    called = sorted((pair for pair in result.pairwise if pair.adjusted <= LEVEL), key=lambda pair: -pair.statistic)
    some = f"all {count}" if len(called) == count > 1 else f"{len(called) or 'none'} of {count}"
    head = f"{some} pairs differ (Holm's method)"
    names = [f"{short(pair.first, _PAIR_NAME)} - {short(pair.second, _PAIR_NAME)}" for pair in called]
    for count in range(len(names) if len(names) < len(result.pairwise) else 0, 0, -1):
        more = f" and {len(names) - count} more" if count < len(names) else ""
        text = f"{head}: {', '.join(names[:count])}{more}"
        if len(text) <= WIDTH - len(_INDENT):
            return text
    return head


def can_differ(pairs: Sequence[Pair]) -> bool:
    """Return whether there are enough permutations to call any pair of groups different, whatever the groups do."""
    least = max((pair.bound for pair in pairs if pair.bound is not None), default=0.0)
    return min(least, *(pair.pvalue for pair in pairs)) * len(pairs) <= LEVEL


def screen_words(screen: Screen) -> dict[str, Any]:
    """Return the first lines of a screen, for JSON."""
    changes = {name: change_text(change, PLAIN)[0] for name, change in _changed(screen)}
    return {"question": screen_question(screen), "headline": screen_headline(screen), "changes": changes}


def screen_changes(screen: Screen, notation: Notation) -> list[tuple[str, str]]:
    """Word what changes with each column selected, in their order, and the numbers of the groups."""
    return [change_text(change, notation, named=k == 0) for k, (_, change) in enumerate(_changed(screen))]


def _changed(screen: Screen) -> list[tuple[str, Change]]:
    return [(name, screen.changes[name]) for name in screen.selected if name in screen.changes]


def head_lines(
    first: Head, more: str = "", notes: Sequence[str] = (), width: int = WIDTH, lines: int = MOST_LINES
) -> list[str]:
    """Return the first lines as plain text; the last says where there is `more`, and how many of the notes it has.

    The first doubt about the p-value is always among them. If space is short, first the numbers of groups are left out,
    and then the third change, the kinds of change and the second change. Other notes are shown if they fit.
    """
    if width < WIDTH:  # as many lines as it takes
        whole = head_lines(first, more, notes, lines=lines)
        return [line for text in whole for line in wrapped(text, _indent_of(text), width)]
    most, answer = lines - bool(more), first.answer_lines()
    facts = {name: wrapped(f"  {name:<8} {text}", _INDENT) for name, text in first.facts}
    kinds = facts.pop("kind", [])
    needed = len(answer) + sum(map(len, facts.values())) + len(_change_lines(first, 1, 0))
    top, doubts = _doubt_lines(first.doubts, max(2, min(_DOUBT_LINES, most - needed)))
    top = [*answer, *top]
    for fact in facts.values():
        top += fact if len(top) + len(fact) <= most else []
    changes: list[str] = []
    for count, numbers, with_kinds in _layouts(len(first.changes)):
        changes = _change_lines(first, count, numbers)
        if len(top) + len(changes) + with_kinds * len(kinds) <= most:
            top += kinds if with_kinds else []
            break
    room = most - len(top) - len(changes)
    said: list[str] = []
    left = len(notes) - doubts
    for note in notes:
        text = wrapped(f"note: {clean(note)}", "      ")
        if rank_of(note) != "decision" or len(said) + len(text) > room:
            continue
        said, left = said + text, left - 1
    end = [more.replace("{notes}", f", {counted(left, 'note')} in .notes" if left > 0 else "")] if more else []
    return [*top, *changes, *said, *end][:lines]


def _doubt_lines(doubts: Sequence[str], room: int) -> tuple[list[str], int]:
    """Return doubts as lines, and how many they are: the first, cut if it must be, and others that fit."""
    shown: list[str] = []
    for count, doubt in enumerate(doubts):
        lines = wrapped(f"  warning  {clean(doubt)}", _INDENT)
        if len(shown) + len(lines) > room:
            return (shown, count) if shown else ([*lines[: room - 1], f"{lines[room - 1][: WIDTH - 4]} ..."], 1)
        shown += lines
    return shown, len(doubts)


def _layouts(count: int) -> Iterator[tuple[int, int, bool]]:
    """Yield how many changes to show, of how many of them the numbers, and whether kinds: the best first."""
    yield from ((count, numbers, True) for numbers in range(count, -1, -1))
    if count > 2:
        yield count - 1, 0, True
    for fewer in range(count, -1, -1):
        if fewer < 2:
            yield fewer, 0, True
        yield fewer, 0, False


def _change_lines(first: Head, count: int, numbers: int) -> list[str]:
    """Return so many changes as lines, the first of them with the numbers of the groups."""
    return [
        line
        for k, (text, groups) in enumerate(first.changes[:count])
        for line in (*wrapped(f"  - {text}", "    "), *(_number_lines(text, groups) if groups and k < numbers else ()))
    ]


def _number_lines(text: str, groups: str) -> list[str]:
    """Return the numbers of the groups as lines; if these are more than two, of those groups that a sentence names."""
    lines, items = _wrapped_items(groups), groups.split("; ")
    if len(lines) <= 2:
        return lines
    start, numbers, first = items[0].partition(") ")
    named = [
        item for item in (first, *items[1:]) if re.search(rf"(?<!\w){re.escape(item.rpartition(': ')[0])}(?!\w)", text)
    ]
    if not 0 < len(named) < len(items):
        return lines
    return _wrapped_items("; ".join([f"{start}{numbers}{named[0]}", *named[1:], f"{len(items) - len(named)} more"]))


def _wrapped_items(text: str) -> list[str]:
    """Wrap items with semicolons between them, none of which is broken."""
    whole = "; ".join(item.replace(" ", "\N{NO-BREAK SPACE}") for item in text.split("; "))
    return wrapped(f"    {whole}", "    ")


def _indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def wrapped(text: str, indent: str = "  ", width: int = WIDTH) -> list[str]:
    """Return a text in lines of at most this width, all but the first indented; "p = 0.1" and "5 %" stay whole."""
    held = _WHOLE.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text) if width >= WIDTH else text
    if not held.isascii():
        held = "".join(f"{c}{_FILLER}" if is_wide(c) else c for c in held)
    lines = textwrap.wrap(held, width, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ").replace(_FILLER, "") for line in lines]


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
        chosen = _chosen(list(screen.changes.values()))
        sentences.append(f"With 95 % intervals{chosen}: {'; '.join(told)}.")
    return "\n\n".join([textwrap.fill(" ".join(sentences), 88), textwrap.fill(software(screen.version), 88)])


def _uses_forests(result: Result) -> bool:
    return result.adjustment is None and (result.importances is not None or "KMERF" in result.method)


def _methods(result: Result) -> list[str]:
    asked = head(result).question
    data = f"{size_text(result)} and {counted(result.p, 'column')}; {y_text(result, name=y_of(result))}"
    cited = "; the forest kernel test is that of Panda, Shen and Vogelstein, 2018" if _uses_forests(result) else ""
    null = result.null
    how = f"by the {null.name} approximation"
    if null.distribution is not None:
        again = "" if result.adjustment is not None else ", refitting everything each time"
        inside = " among rows with the same covariates" if "inside strata" in null.name else ""
        how = f"from {null.distribution.size} permutations of the rows of y{inside}{_own_orders(result)}{again}"
    blocks = result.settings.get("blocks")
    within = "" if blocks is None else f" ({result.settings.get('exchange', 'within')} {blocks} blocks)"
    return [
        f"We asked: {asked}",
        f"The data had {data}.",
        f"The test was {result.method} (kmerf {result.version}{cited}; seed {result.seed}), with a p-value "
        f"{how}{within}.",
        *_time_order(result),
    ]


def _own_orders(result: Result) -> str:
    """Return where the row orders of the user come from; empty if kmerf drew them."""
    own = result.settings.get("permutations")
    if not own:
        return ""
    if own["count"] is None:
        return f", drawn by our function {own['digest']}"
    return f", taken from our list of {own['count']:,} (SHA-256 {own['digest']}...)"


def _time_order(result: Result) -> list[str]:
    """Return a sentence on what was done to rows in time order: all figures are about what is left of y."""
    order = result.settings.get("order")
    if not order:
        return []
    lags = f"x was taken at lag{'s' * (len(order['lags']) > 1)} {', '.join(map(str, order['lags']))}"
    if order.get("past"):
        return [f"Rows are in time order, and {lags}."]
    return [
        f"Rows are in time order: what the past of a series predicts was removed before the test, all numbers "
        f"describe what remains, and {lags}."
    ]


def _findings(result: Result) -> list[str]:
    first = head(result)
    p = p_is_text(result.null, PLAIN)
    strong = {"": "", "none": "no effect: "}.get(first.strength, f"{first.strength} effect: ")
    effect = f"; {strong}{first.effect}" if first.effect else ""
    sentences = [f"{first.headline.rstrip('.')} ({p}{effect})."]
    if first.at_most:
        sentences.append(f"{_capital(first.at_most)}.")
    if first.changes:
        texts = [change_text(change, PLAIN) for change in leading_changes(result)[: len(first.changes)]]
        told = [f"{text} [{numbers}]" if numbers else text for text, numbers in texts]
        sentences.append(f"With 95 % intervals{_chosen(result.changes)}: {'; '.join(told)}.")
    if first.kinds:
        sentences.append(f"Kinds of change, adjusted by Holm's method: {first.kinds}.")
    if result.margin is not None:
        sentences.append(f"{_capital(margin_text(result.margin, PLAIN))}.")
    if result.adjustment is not None:
        sentences.append(f"Given: {', '.join(result.adjustment.names)}.")
    return sentences


def _chosen(changes: Sequence[Change]) -> str:
    """Say that intervals allow for the choice of columns, if they do."""
    adjusted = any(change.chosen_from > 1.0 for change in changes)
    return ", adjusted for the choice of the columns (Benjamini and Yekutieli, 2005)" if adjusted else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
