"""How much computing does a comparison of large tables take, and how much memory? Writes into docs/compare.md.

    python -m benchmarks.speed.compare_rows [--write]

Tables of 20 columns (18 of numbers, 2 of labels) as Parquet files; each comparison in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.pages import marks

SIZES = ((10_000, 10_000), (1_000_000, 10_000), (1_000_000, 1_000_000))
_RUN = """
import json, resource, sys, time
import kmerf
kmerf.compare({"a": list(range(50)), "b": [0, 1] * 25}, {"a": list(range(50)), "b": [0, 1] * 25})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start, cpu = time.time(), time.process_time()
c = kmerf.compare(sys.argv[1], sys.argv[2])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.time() - start, time.process_time() - cpu, memory, c.verdict, c.changed[0]]))
"""


def written(folder: Path, rows: int, shift: float) -> str:
    """Write a table, and return its path."""
    rng = np.random.default_rng(rows)
    columns = {f"x{i}": rng.normal(size=rows) for i in range(18)}
    columns["x3"] = columns["x3"] + shift
    path = folder / f"{rows}_{shift}.parquet"
    labels = {"g": rng.choice(["a", "b", "c"], rows), "h": rng.choice(list("defgh"), rows)}
    pl.DataFrame(columns | labels).write_parquet(path)
    return str(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for old, new in SIZES:
            paths = written(Path(name), old, 0.0), written(Path(name), new, 0.1)
            output = subprocess.run([sys.executable, "-c", _RUN, *paths], check=True, capture_output=True, text=True)
            wall, cpu, memory, verdict, changed = json.loads(output.stdout)
            print(f"{old:,} and {new:,} rows: {wall:.1f} s by the clock", file=sys.stderr)
            rows.append([f"{old:,}", f"{new:,}", f"{cpu:.1f}", f"{memory:.0f}", verdict, changed])
    heads = ["old rows", "new rows", "seconds of computing", "peak memory, MB", "verdict", "changed first"]
    table = marks.table(heads, rows)
    print(table)
    if options.write:
        marks.write(marks.DOCS / "compare.md", {"speed": table})


if __name__ == "__main__":
    main()
