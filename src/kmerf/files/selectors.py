"""Columns by name, pattern or position.

A selector is, in this order: the exact name of a column; `#3` or `#3:7`, a position or a range of positions, both ends
included and counted from 1 (`#3:` goes to the last); a pattern with `*`, `?` or `[...]`; or several of these, with
commas between them. A column whose name looks like one of the others is still chosen by its name, as that comes first.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from kmerf.core.errors import InputError, did_you_mean, listed

_POSITION = re.compile(r"#(\d+)(:(\d*))?$")


def select(option: str, selectors: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns that any of the selectors means, in the order of the table.

    >>> select("--x", ["gene_*", "#1"], ["id", "gene_a", "gene_b", "age"])
    ['id', 'gene_a', 'gene_b']
    """
    chosen = {name for selector in selectors for name in _matching(option, selector, names)}
    return [name for name in names if name in chosen]


def select_one(option: str, selector: str, names: Sequence[str]) -> str:
    """Return the one column that a selector means.

    >>> select_one("--blocks", "#2", ["id", "litter"])
    'litter'
    """
    chosen = select(option, [selector], names)
    if len(chosen) > 1:
        raise InputError(f"{option} {selector!r} means {len(chosen)} columns, {listed(chosen, 3)}: name one.")
    return chosen[0]


def select_in_order(option: str, selector: str, names: Sequence[str]) -> list[str]:
    """Return the columns that the parts of a selector mean, one each, in the order in which they are named.

    >>> select_in_order("--blocks", "site,plot", ["plot", "site", "yield"])
    ['site', 'plot']
    """
    parts = [selector] if selector in names else _parts(selector)
    return list(dict.fromkeys(select_one(option, part, names) for part in parts))


def exact(selectors: Sequence[str], names: Sequence[str]) -> set[str]:
    """Return the columns that are meant one by one, and not only because a pattern or a range takes them in."""
    parts = [part for selector in selectors for part in ([selector] if selector in names else _parts(selector))]
    single = {part for part in parts if part in names}
    positions = [int(m[1]) for part in parts if (m := _POSITION.match(part)) and m[2] is None]
    return single | {names[k - 1] for k in positions if 1 <= k <= len(names)}


def _matching(option: str, selector: str, names: Sequence[str]) -> list[str]:
    if selector in names:
        return [selector]
    if "," in selector:
        return [name for part in _parts(selector) for name in _matching(option, part, names)]
    if position := _POSITION.match(selector):
        return _positions(option, selector, position, names)
    if any(mark in selector for mark in "*?["):
        matching = [name for name in names if fnmatch.fnmatchcase(name, selector)]
        if not matching:
            raise InputError(f"{option} {selector!r} matches no column. Columns: {listed(names)}.")
        return matching
    hint = did_you_mean(selector, names)
    raise InputError(f"{option} {selector!r}: there is no such column{hint} Columns: {listed(names)}.")


def _parts(selector: str) -> list[str]:
    return [part.strip() for part in selector.split(",") if part.strip()] or [selector.replace(",", "")]


def _positions(option: str, selector: str, position: re.Match[str], names: Sequence[str]) -> list[str]:
    first, last = _number(position[1]), len(names) if position[3] == "" else _number(position[3] or position[1])
    if not 1 <= first <= last <= len(names):
        raise InputError(
            f"{option} {selector!r}: there are {len(names)} columns: positions go from #1 to #{len(names)}."
        )
    return list(names[first - 1 : last])


def _number(digits: str) -> int:
    return int(digits) if len(digits) < 10 else 10**9
