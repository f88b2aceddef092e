"""Results in plain text: what `print(result)` shows. Each function returns lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kmerf.results.parts import Effect, FeatureTests, Importances, Member, NullResult, Pair
    from kmerf.results.screen_result import Screen
    from kmerf.results.single_result import Result

SHOWN = 10  # lines of a table
_WIDEST = 28  # of a name


TITLES = {"independence": "Test of independence", "ksample": "Test of k samples"}


def result_lines(result: Result) -> list[str]:
    """Return a result as lines."""
    return [
        f"{TITLES[result.question]} ({result.method})",
        "",
        *_answer(result),
        *member_lines(result.members),
        *feature_lines(result.importances, result.features),
        *group_lines(result.feature_groups),
        *pair_lines(result.pairwise),
        *(f"note: {note}" for note in result.notes),
    ]


def _answer(result: Result) -> list[str]:
    told = "" if result.effect is None else effect_text(result.effect)
    return [
        f"  statistic  {result.statistic:10.5g}",
        f"  p-value    {p_text(result.pvalue):>10}   {null_text(result.null)}",
        *([f"  effect     {told}"] if told else []),
        f"  data       {result.n} rows, {result.p} features; {y_text(result)}",
        f"  seed       {result.seed}",
        "",
    ]


def y_text(result: Result) -> str:
    """Say what y is."""
    if result.question == "ksample":
        return f"{len(result.groups)} groups: " + list_text(
            [f"{name} ({size})" for name, size in result.groups.items()]
        )
    if result.y_kind == "categorical":
        return f"y categorical with {len(result.groups)} classes: " + list_text(list(result.groups))
    return "y numeric" + (f" with {result.q} columns" if result.q > 1 else "")


def screen_lines(screen: Screen) -> list[str]:
    """Return a screen as lines."""
    what = "sets of columns" if "sets" in screen.settings else "columns"
    y = f"y categorical with {len(screen.groups)} classes" if screen.groups else "y numeric"
    notes = [f"not tested: {_cut(name)}: {why}" for name, why in screen.errors.items()]
    if len(notes) > 5:
        notes[5:] = [f"and {len(notes) - 5} more were not tested, see `errors`."]
    return [
        f"Screen of {len(screen)} {what} ({screen.method})",
        "",
        f"  selected   {len(screen.selected)} at a false discovery rate of {screen.fdr:g} (Benjamini-Hochberg)",
        f"  tested     {screen.tested}; {len(screen.errors)} could not be",
        f"  data       {screen.n} rows; {y}",
        f"  seed       {screen.seed}",
        "",
        *_screen_table(screen),
        *(f"note: {note}" for note in (*notes, *screen.notes)),
    ]


def _screen_table(screen: Screen) -> list[str]:
    rows = {row.name: row for row in screen}
    shown = [rows[name] for name in screen.ranking[: max(10, min(30, len(screen.selected)))]]
    width = max([6, *(len(_cut(row.name)) for row in shown)])
    lines = [f"  {'column':<{width}}  statistic    p-value       BH       BY", f"  {'-' * (width + 51)}"]
    for row in shown:
        numbers = f"{row.statistic:9.4f}  {row.pvalue:9.3g}{'*' if row.extrapolated else ' '}"
        adjusted = f"{row.adjusted_bh:7.2g}  {row.adjusted_by:7.2g}  {'selected' if row.selected else ''}"
        lines.append(f"  {_cut(row.name):<{width}}  {numbers} {adjusted}".rstrip())
    if screen.tested > len(shown):
        lines.append(f"  ... and {screen.tested - len(shown)} more")
    if any(row.extrapolated for row in shown):
        lines.append("  * none of the permuted statistics is as large: from a model of the tail")
    return [*lines, ""]


def _cut(name: str, most: int = 28) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def p_text(p: float) -> str:
    """Write a p-value.

    >>> p_text(0.01234), p_text(1.2e-7)
    ('0.0123', '1.2e-07')
    """
    return f"{p:.3g}" if p >= 1e-4 or p == 0 else f"{p:.1e}"


def null_text(null: NullResult) -> str:
    """Say where the p-value comes from."""
    if null.distribution is None:
        return null.name
    size = null.distribution.size
    if null.extrapolated:
        return f"{size} permutations, none as large; extrapolated below {1 / (1 + size):.2g}"
    return f"{size} permutations; standard error {null.standard_error:.2g}"


def list_text(items: Sequence[str], most: int = 6) -> str:
    """List the first few items, and say how many there are beyond."""
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")


def effect_text(effect: Effect) -> str:
    """Say how strong the relation is.

    >>> from kmerf.results.parts import Effect
    >>> effect_text(Effect(0.21, 0.1, 0.32, 0.95, "R2", 0.4))
    'out-of-bag R2 0.400; correlation 0.21, 95 % interval 0.1 to 0.32'
    """
    told = [] if effect.score is None else [f"out-of-bag {effect.measure} {effect.score:.3f}"]
    if effect.level is not None:
        between = f"{100 * effect.level:g} % interval {effect.low:.3g} to {effect.high:.3g}"
        told.append(f"correlation {effect.correlation:.3g}, {between}")
    return "; ".join(told)


def member_lines(members: Sequence[Member]) -> list[str]:
    """Return the table of the members of a combined test."""
    if not members:
        return []
    width = _width([member.name for member in members], "member")
    lines = [f"  {'member':<{width}}    statistic     score         p", f"  {'-' * (width + 33)}"]
    for member in members:
        numbers = f"{member.statistic:11.5g}  {member.score:8.2f}  {p_text(member.pvalue):>8}"
        lines.append(f"  {_short(member.name, width):<{width}}  {numbers}")
    return [*lines, ""]


def feature_lines(importances: Importances | None, tests: FeatureTests | None) -> list[str]:
    """Return the table of the most important features."""
    if importances is None:
        return []
    table = importances
    top = table.ranking[:SHOWN]
    width = _width(top, "feature")
    peak = max(float(table.mean.max()), 1e-300)
    head = f"  {'feature':<{width}}  importance  95 % of trees   " + (f"{'p':>8}  {'p, family':>9}" if tests else "")
    lines = [head.rstrip(), f"  {'-' * (width + (70 if tests else 49))}"]
    for name in top:
        i = table.names.index(name)
        mean, low, high = float(table.mean[i]), float(table.low[i]), float(table.high[i])
        known = "" if tests is None else f"{p_text(tests.pvalues[i]):>8}  {p_text(tests.adjusted_fwer[i]):>9}  "
        spread = f"{low:.3f} to {high:.3f}"
        bar = "█" * round(20 * mean / peak)
        lines.append(f"  {_short(name, width):<{width}}  {mean:10.3f}  {spread}  {known}{bar}".rstrip())
    if len(table.names) > SHOWN:
        lines.append(f"  ... and {len(table.names) - SHOWN} more features")
    return [*lines, ""]


def group_lines(tests: FeatureTests | None) -> list[str]:
    """Return the table of groups of features."""
    if tests is None:
        return []
    width = _width(tests.names, "features together")
    lines = [f"  {'features together':<{width}}  importance  {'p':>8}  {'p, family':>9}", f"  {'-' * (width + 33)}"]
    for i, name in enumerate(tests.names):
        p, family = p_text(tests.pvalues[i]), p_text(tests.adjusted_fwer[i])
        lines.append(f"  {_short(name, width):<{width}}  {tests.importance[i]:10.3f}  {p:>8}  {family:>9}")
    return [*lines, ""]


def pair_lines(pairs: Sequence[Pair]) -> list[str]:
    """Return the table of pairs of groups, those with the smallest p-values first."""
    if not pairs:
        return []
    named = [(f"{_short(pair.first)} - {_short(pair.second)}", pair) for pair in pairs]
    named.sort(key=lambda entry: entry[1].pvalue)
    width = max(len("groups"), *(len(name) for name, _ in named))
    lines = [f"  {'groups':<{width}}  {'statistic':>10}  {'p':>8}  {'p, Holm':>9}", f"  {'-' * (width + 33)}"]
    for name, pair in named[: 2 * SHOWN]:
        lines.append(f"  {name:<{width}}  {pair.statistic:10.5g}  {p_text(pair.pvalue):>8}  {p_text(pair.adjusted):>9}")
    if len(named) > 2 * SHOWN:
        lines.append(f"  ... and {len(named) - 2 * SHOWN} more pairs")
    return [*lines, ""]


def _width(names: Sequence[str], title: str) -> int:
    return max(len(title), *(min(_WIDEST, len(name)) for name in names))


def _short(name: str, width: int = _WIDEST) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"
