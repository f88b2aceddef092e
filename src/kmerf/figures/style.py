"""What the pictures have in common: the style file, colours, and names of the data as labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kmerf.core.safe_text import short

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

STYLE = Path(__file__).with_name("kmerf.mplstyle")

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's palette: apart for every kind of colour vision."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
CHOSEN, PLAIN_BAR, GREY = "#d55e00", "#8a9ba8", "#999999"


def label(name: str, most: int = 22) -> str:
    r"""Return a name from the data as a label: safe, cut to `most` letters, and not read as a formula.

    >>> print(label("cost in $ and $"))
    cost in \$ and \$
    """
    return short(name, most).replace("$", "\\$")


def styled() -> AbstractContextManager[None]:
    """Return a context in which figures have the look of the style file."""
    from matplotlib import style

    look: AbstractContextManager[None] = style.context(STYLE)
    return look
