"""A little of everything, as a script: `python smoke.py FOLDER` prints what it found as JSON.

`test_versions.py` runs it with other versions of Python and of what kmerf needs.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 3))
    return x, np.cos(2 * x[:, 0]) + 0.5 * rng.normal(size=40)


def by_hand() -> dict[str, float]:
    """Ask the library, with and without a seed."""
    import kmerf

    x, y = data()
    method = kmerf.Portfolio().with_trees(20)
    assert 0 < kmerf.independence(x, y, method=method).pvalue <= 1
    one = kmerf.independence(x, y, method=method, rng=1)
    pairs = kmerf.ksample(x[:15], x[15:30] + 1.0, x[30:], method=method, pairwise=True, rng=1)
    screened = kmerf.screen(x, y, rng=1)
    return {
        "statistic": one.statistic,
        "pvalue": one.pvalue,
        "pairwise": pairs.pairwise[0].pvalue,
        "screen": float(screened.pvalues[0]),
    }


def by_command(folder: Path) -> dict[str, float]:
    """Ask the command line: help, a file of text and one in columns, a report, a table."""
    import polars

    from kmerf.cli import main

    x, y = data()
    frame = polars.DataFrame({"a": x[:, 0], "b": x[:, 1], "arm": ["u", "v"] * 20, "y": y})
    frame.write_csv(folder / "t.csv")
    frame.write_parquet(folder / "t.parquet")
    report, table = folder / "r.html", folder / "s.csv"
    small = ["--trees", "20", "--resamples", "19", "--seed", "1", "--quiet"]

    def run(*words: str) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main([*words])
        assert code == 0, words
        return out.getvalue()

    assert "--where" in run("independence", "--help")
    found = run("independence", str(folder / "t.csv"), "--y", "y", "--report", str(report), "--json", *small)
    assert "evidence" in run("ksample", str(folder / "t.parquet"), "--groups", "arm", "--where", "a > -9", *small)
    run("screen", str(folder / "t.csv"), "--y", "y", "--out", str(table), *small)
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert table.read_text(encoding="utf-8").startswith("column,")
    return {"command": json.loads(found)["result"]["pvalue"]}


if __name__ == "__main__":
    print(json.dumps(by_hand() | by_command(Path(sys.argv[1]))))
