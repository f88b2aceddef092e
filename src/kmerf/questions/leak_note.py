"""What a column that determines y alone hides: the answer says what remains without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kmerf.data.leaks import find_leaks, without_columns

if TYPE_CHECKING:
    from kmerf.data.sample_values import Sample
    from kmerf.results.single_result import Result


def leak_note(sample: Sample, ask: Callable[[Sample], Result]) -> tuple[str, ...]:
    """Name the columns of a table that determine y alone, and `ask` again without them."""
    leaks = find_leaks(sample) if sample.tabular else ()
    if not leaks:
        return ()
    names = " and ".join(map(repr, leaks[:3])) + (f" and {len(leaks) - 3} more" if len(leaks) > 3 else "")
    one = len(leaks) == 1
    finding = f"{'Column' if one else 'Columns'} {names} alone {'determines' if one else 'determine'} y"
    rest = without_columns(sample, leaks)
    if rest.x.p == 0 or not _varies(rest):
        return (f"{finding}, and no other column is left.",)
    return (f"{finding}. Without {'it' if one else 'them'}, {_answer(ask(rest))}.",)


def _varies(sample: Sample) -> bool:
    values = sample.x.values
    return not np.array_equal(values[1:], values[:-1], equal_nan=True)


def _answer(result: Result) -> str:
    effect = result.effect
    bound = result.null.bound
    p = f"p = {result.pvalue:.2g}" if bound is None else f"p <= {bound:.2g}"
    if effect is None or effect.score is None:
        return p
    if effect.measure != "R2":
        return f"{p} and {effect.measure} {max(effect.score, 0.5):.2f}"
    ranks = "" if effect.rank_score is None else f" (of ranks {max(effect.rank_score, 0.0):.2f})"
    return f"{p} and R2 {max(effect.score, 0.0):.2f}{ranks}"
