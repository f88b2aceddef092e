"""How a result is told in plain text, part by part; each function returns lines."""

from __future__ import annotations

from collections.abc import Sequence

from kmerf.results.parts import Effect, FeatureTests, Importances, Member, NullResult, Pair

SHOWN = 10  # lines of a table
_WIDEST = 28  # of a name


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
