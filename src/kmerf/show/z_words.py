"""What a result says about z: what it explains, and how well y is predicted beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kmerf.core.safe_text import short

if TYPE_CHECKING:
    from kmerf.results.parts import Adjustment
    from kmerf.results.screen_result import Screen

_SHOWN = 6  # names


def adjustment_texts(adjustment: Adjustment | None) -> list[tuple[str, str, str]]:
    """Return a name, a value and a note for each fact; none where nothing was given.

    >>> from kmerf.results.parts import Adjustment
    >>> for fact in adjustment_texts(Adjustment(("age",), 0.4, 0.25, 0.5, 0.6, None, "R2", 0.25, 0.31)):
    ...     print(*fact, sep=" | ")
    z explains | 0.40, 0.25 | of x and of y, for rows not seen; z: age
    beyond z | 0.310 | R2 of y with x; 0.250 without
    """
    if adjustment is None:
        return []
    shares = ", ".join(f"{max(share, 0.0):.2f}" for share in (adjustment.explained_x, adjustment.explained_y))
    texts = [("z explains", shares, f"of x and of y, for rows not seen; z: {z_names(adjustment)}")]
    if adjustment.without_x is not None and adjustment.with_x is not None:
        without, beside = _no_less(adjustment)
        texts.append(("beyond z", f"{beside:.3f}", f"{adjustment.measure} of y with x; {without:.3f} without"))
    if adjustment.doubtful:
        texts.append(("warning", "misfit", "residuals may still depend on z: p may be far too small"))
    return texts


def beyond_sentence(adjustment: Adjustment | None, y: str) -> str:
    """Say how much better y is predicted with x than from z alone; empty where that is not known.

    >>> from kmerf.results.parts import Adjustment
    >>> beyond_sentence(Adjustment(("age",), 0.4, 0.25, 0.5, 0.6, None, "R2", 0.25, 0.31), "weight")
    'For rows not seen, R2 of weight is 0.31 with these columns and 0.25 from age alone.'
    """
    if adjustment is None or adjustment.with_x is None or adjustment.without_x is None:
        return ""
    without, beside = _no_less(adjustment)
    alone = f"{without:.2f} from {z_names(adjustment)} alone"
    return f"For rows not seen, {adjustment.measure} of {y} is {beside:.2f} with these columns and {alone}."


def _no_less(adjustment: Adjustment) -> tuple[float, float]:
    """Return how well y is predicted without and with x, noise below none being none."""
    none = 0.0 if adjustment.measure == "R2" else 0.5
    assert adjustment.without_x is not None
    assert adjustment.with_x is not None
    return max(none, adjustment.without_x), max(none, adjustment.with_x)


def z_names(adjustment: Adjustment) -> str:
    """Return the names of the columns of z, the first few of many."""
    return _listed(adjustment.names)


def given_words(screen: Screen) -> str:
    """Return what the columns of a screen were compared given, with a comma before it; empty if nothing was given."""
    names = screen.settings.get("given") or ()
    return f", given {_listed(names)}" if names else ""


def _listed(names: Sequence[str]) -> str:
    """Return names in a row, the first few of many.

    >>> _listed(["age", "sex"]), _listed("abcdefgh")
    ('age, sex', 'a, b, c, d, e, f and 2 more')
    """
    shown = ", ".join(short(name, 40) for name in names[:_SHOWN])
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
