"""What the pictures have in common: colours, and names of the data as labels."""

from __future__ import annotations

from kmerf.core.safe_text import short

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's palette: apart for every kind of colour vision."""
CHOSEN, PLAIN_BAR, GREY = "#d55e00", "#8a9ba8", "#999999"


def label(name: str, most: int = 22) -> str:
    r"""Return a name from the data as a label: safe, cut to `most` letters, and not read as a formula.

    >>> print(label("cost in $ and $"))
    cost in \$ and \$
    """
    return short(name, most).replace("$", "\\$")
