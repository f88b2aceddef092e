"""A matplotlib figure that shows itself in a notebook.

Notebooks draw figures that pyplot made, and print the others by their names; pyplot holds on to its figures, which a
library should not. IPython asks any value for `_repr_png_`, so this needs neither.
"""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A figure with a picture of its own for notebooks."""

    def _repr_png_(self) -> bytes:
        """Return the figure as PNG."""
        out = io.BytesIO()
        self.savefig(out, format="png", facecolor="white")  # dark notebooks would hide dark letters
        return out.getvalue()
