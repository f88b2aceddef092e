"""Lets the examples of short docstrings, which have no heading of their own, be shown as examples in the reference."""

from __future__ import annotations

import re
from typing import Any

import griffe

HEADED = re.compile(r"^Examples\n-+$", flags=re.MULTILINE)
FIRST = re.compile(r"\n\n(?=>>> )")


class Headings(griffe.Extension):
    """Puts the heading `Examples` above the first `>>>` of a docstring that lacks it."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Mend the docstring of a module, class or function."""
        if obj.docstring is not None and not HEADED.search(obj.docstring.value):
            obj.docstring.value = FIRST.sub("\n\nExamples\n--------\n", obj.docstring.value, count=1)
