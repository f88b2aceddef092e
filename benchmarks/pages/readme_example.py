"""Write what the README's examples print below them, with the kmerf that is at hand.

    python -m benchmarks.pages.readme_example

A block of `python` that is followed by a block of `text` is run, and the text is replaced.
"""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

from benchmarks.pages import marks

EXAMPLE = re.compile(r"^```python\n((?:(?!^```).)*)^```\n\n```text\n(?:(?!^```).)*^```", re.DOTALL | re.MULTILINE)


def rewritten(text: str) -> str:
    """Return a page whose blocks of text are what the examples above them print."""
    space: dict[str, Any] = {}

    def run(example: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example[1], "README.md", "exec"), space)
        return f"```python\n{example[1]}```\n\n```text\n{printed.getvalue().rstrip()}\n```"

    return EXAMPLE.sub(run, text)


if __name__ == "__main__":
    marks.README.write_text(rewritten(marks.README.read_text(encoding="utf-8")), encoding="utf-8")
