"""A matplotlib figure that shows itself in a notebook, and keeps its text as text in vector files.

Notebooks draw figures that pyplot made, and print the others by their names; pyplot holds on to its figures, which a
library should not. IPython asks any value for `_repr_png_`, so this needs neither.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from kmerf.core.saving import check_path, write_bytes
from kmerf.figures.style import styled


class NotebookFigure(Figure):
    """A figure with a picture of its own for notebooks."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure as matplotlib does, with the settings of our style file; a file is whole or not at all."""
        with styled():
            if not isinstance(fname, str | os.PathLike):
                super().savefig(fname, **options)
                return
            check_path(fname, "fname")
            kind = Path(fname).suffix.removeprefix(".") or self.canvas.get_default_filetype()
            place = Path(fname) if Path(fname).suffix or "format" in options else Path(f"{os.fspath(fname)}.{kind}")
            content = io.BytesIO()
            super().savefig(content, **({"format": kind} | options))
        write_bytes(place, content.getvalue(), "fname=")

    def _repr_png_(self) -> bytes:
        """Return the figure as PNG."""
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=self.dpi, facecolor="white")  # dark notebooks would hide dark letters
        return out.getvalue()
