"""Write what the README's examples print below them, and its figures from the evidence pages.

    python -m benchmarks.pages.readme_example

A block of `python` that is followed by a block of `text` is run with the present code, and the text is replaced.
"""

from __future__ import annotations

import contextlib
import io
import re
from statistics import median
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


def cells(page: str, name: str) -> list[dict[str, str]]:
    """Return the rows of a table that stands between the marks of a name, by the heads of its columns."""
    lines = marks.part(marks.DOCS / page, name).strip().splitlines()
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|"))
    return [dict(zip(head, row, strict=True)) for row in rows]


def figures() -> dict[str, str]:
    """Return the README's figures: relations detected in real tables, and the bias of effect sizes."""
    ours, best = cells("real.md", "numbers_R")[:2]
    bias = [
        abs(float(row[column].split()[0]))
        for name, column in [("fresh", "bias"), ("shares", "values: bias"), ("areas", "bias")]
        for row in cells("effects.md", name)
        if int(row["rows"].replace(",", "")) >= 50
    ]
    return {
        "found": f"On {ours['tables']} real tables, each left out when the weights were fitted, kmerf detects "
        f"{float(ours['found'].strip('*')):.2f} of relations with a numeric outcome; the best other test, "
        f"{best['test']} with suitably scaled columns, detects {float(best['found'].strip('*')):.2f}",
        "bias": f"the median bias of R2 and AUC is {median(bias):.3f} over {len(bias)} designs with 50 rows or more",
    }


if __name__ == "__main__":
    marks.README.write_text(rewritten(marks.README.read_text(encoding="utf-8")), encoding="utf-8")
    stale = {n: text for n, text in figures().items() if marks.part(marks.README, n).split() != text.split()}
    marks.write(marks.README, stale)
