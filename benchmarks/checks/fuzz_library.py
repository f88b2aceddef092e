"""Cases of benchmarks/checks/fuzz.py for the library: random tables and options, damaged stores, full disks.

- library: a random table, of any container, kind and shape, and random options of a question. Nothing but a
  `KmerfError` may be raised. A result must be made of finite numbers and come through saving, loading, printing, its
  page, its dataframes and its picture.
- store: a screen or a study with a store, which is then damaged: bytes are flipped, or values edited. The same call
  must give the same result, or name the file in a `KmerfError`.
- disk: an output on a disk that is full after a random number of bytes. It must be whole, or as it was.
"""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import math
import os
import re
import resource
import sqlite3
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import kmerf
from kmerf import baselines, study
from kmerf.cli import UNWRITTEN, main
from kmerf.core.errors import KmerfError
from kmerf.forests.spec import ForestSpec

Rng = np.random.Generator
OTHER = "other"

widest = 400  # columns of a table with few rows

SPEC = ForestSpec(n_trees=4)
METHODS: list[Any] = [
    *[kmerf.Portfolio().with_trees(3)] * 3,
    *[kmerf.KMERF(SPEC)] * 3,
    kmerf.KMERF(ForestSpec(n_trees=4, max_features=0.5, min_samples_leaf=3)),
    kmerf.KMERF(SPEC, proximity="all"),
    kmerf.KMERF(SPEC, statistic="prediction"),
    kmerf.KMERF(SPEC, statistic="multiscale"),
    kmerf.KMERF(SPEC, target="joint", statistic="strongest"),
    kmerf.KMERF(SPEC, target="synthetic"),
    kmerf.KMERF(SPEC, y_kernel="forest"),
    kmerf.KMERF(SPEC, y_kernel="gaussian"),
    *["rv", "dcorr", "hsic", "cca", "mgc", "hhg"],
    baselines.RV(),
]
NULLS: list[Any] = [
    *[kmerf.Permutation(19)] * 4,
    kmerf.Sequential(19),
    kmerf.Extrapolated(39),
    kmerf.ChiSquare(),
    "chi-square",
]
NONSENSE: list[Any] = [None, 0, -1, 1.5, "a", "", "a\0b", math.nan, math.inf, [], {}, (), object(), b"x", True, 10**30]
NAMES: list[Any] = ["a", "b", "age", "y", "id", "", " ", 0, 1, 1.0, None, math.nan, "é", "<b>", "=1+1", "a\nb", "x1"]


# --- tables -----------------------------------------------------------------------------------------------------------


def column(rng: Rng, n: int) -> list[Any]:
    """Return the entries of a column of a random kind."""
    kind = rng.integers(0, 22)
    normal = rng.normal(size=n)
    if kind < 6:
        return normal.tolist()
    if kind == 6:
        return (normal * 10.0 ** rng.integers(-160, 160)).tolist()
    if kind == 7:
        return (1e9 + np.round(normal, 1)).tolist()
    if kind < 10:
        return rng.integers(0, rng.choice([2, 3, 5, 50]), size=n).tolist()
    if kind == 10:
        return [rng.choice([1.0, 0, -3])] * n
    if kind == 11:
        return (normal > 0).tolist()
    if kind < 14:
        return rng.choice(["u", "v", "w", " u", "Ü", ""], size=n).tolist()
    if kind == 14:
        return [f"p{i}" for i in range(n)]
    if kind == 15:
        return np.where(rng.random(n) < rng.choice([0.1, 0.9]), np.nan, normal).tolist()
    if kind == 16:
        return (
            [None] * n if rng.random() < 0.3 else [None if u < 0.3 else "k" if u < 0.6 else "l" for u in rng.random(n)]
        )
    if kind == 17:
        return [rng.choice(["a", "1", "2.5"]) if u < 0.5 else float(u) for u in rng.random(n)]
    if kind == 18:
        return [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(i)) for i in rng.integers(0, 99, n)]
    if kind == 19:
        return list(range(n))
    if kind == 20:
        return np.sort(normal).tolist() if rng.random() < 0.5 else np.repeat(normal, 2)[:n].tolist()
    odd = [[1, 2], {"a": 1}, 1j, b"x", math.inf, 2**60, pd.DataFrame({"q": [1]}), np.arange(2)]
    return [odd[rng.integers(0, len(odd))] if u < 0.2 else float(u) for u in rng.random(n)]


def size(rng: Rng) -> tuple[int, int]:
    """Return numbers of rows and columns: mostly small, sometimes few rows with many columns."""
    if rng.random() < 0.12:
        return int(rng.integers(4, 31)), int(rng.integers(20, max(21, widest)))
    return int(rng.choice([0, 3, 4, 5, 8, 12, 15, 20, 25, 30, 30, 35, 40, 40, 50, 60, 60])), int(
        rng.choice([1, 1, 2, 3, 3, 4, 6])
    )


def table(rng: Rng, n: int, p: int) -> Any:
    """Return a table of a random container; most have nothing but numbers, and others anything."""
    sane = rng.random() < 0.7
    columns = [rng.normal(size=n).round(rng.integers(0, 9)).tolist() if sane else column(rng, n) for _ in range(p)]
    names: list[Any] = [f"c{k}" for k in range(p)]
    if rng.random() < 0.2:
        names = [NAMES[k] for k in rng.integers(0, len(NAMES), size=p)]
    kind = rng.integers(0, 6)
    if kind == 0:
        return [list(row) for row in zip(*columns, strict=True)]
    if kind == 1:
        return np.array(columns, dtype=np.float64).T if sane else _objects(columns, n)
    with contextlib.suppress(Exception):  # what a container cannot hold, another one can
        if kind == 2:
            return pl.DataFrame({str(name): values for name, values in zip(names, columns, strict=True)}, strict=False)
        if kind == 3:
            frame = pd.DataFrame(dict(enumerate(columns)))
            frame.columns = pd.Index(names, dtype=object)
            return frame
    return dict(zip(names, columns, strict=True))


def _objects(columns: list[list[Any]], n: int) -> Any:
    out = np.empty((n, len(columns)), dtype=object)
    for k, values in enumerate(columns):
        for i, value in enumerate(values):
            out[i, k] = value
    return out


def outcome(rng: Rng, n: int) -> Any:
    """Return a y: numbers, classes, several columns, or times and events."""
    kind = rng.integers(0, 8)
    if kind < 3:
        return rng.normal(size=n)
    if kind < 5:
        return rng.choice(["p", "q", "r"][: rng.integers(1, 4)], size=n)
    if kind == 5:
        return np.column_stack([rng.exponential(size=n), rng.random(n) < rng.choice([0.1, 0.7])]) if n else []
    return column(rng, n) if kind == 6 else table(rng, n, int(rng.integers(1, 4)))


def labels(rng: Rng, n: int) -> Any:
    """Return blocks, or a variable that is given: some levels, or numbers."""
    kind = rng.integers(0, 5)
    if kind == 0:
        return rng.normal(size=n)
    if kind == 1:
        return np.arange(n) // rng.integers(1, 6)
    if kind == 2:
        return rng.integers(0, rng.integers(1, 6), size=n)
    return column(rng, n) if kind == 3 else table(rng, n, int(rng.integers(1, 3)))


# --- questions --------------------------------------------------------------------------------------------------------


def options(rng: Rng, question: str, n: int, p: int) -> dict[str, Any]:
    """Return random options of a question; most of them fit."""
    pick = lambda values: values[rng.integers(0, len(values))]  # noqa: E731
    offered: dict[str, Any] = {
        "method": lambda: pick(METHODS),
        "null": lambda: pick(NULLS),
        "categorical": lambda: pick([(), [0], "c0", ["c0", "c1"], range(p)]),
        "keep": lambda: pick([(), [0], "c0", ["c0", "c1"]]),
        "na": lambda: pick(["a", 1.0, ["u", -3], {"c0": [0]}, ""]),
        "rows": lambda: int(rng.integers(3, max(4, n + 3))),
        "y_kind": lambda: pick(["auto", "numeric", "categorical", "censored"]),
        "missing_y": lambda: pick(["auto", "drop", "raise"]),
        "blocks": lambda: labels(rng, n),
        "exchange": lambda: pick(["within", "whole"]),
        "given": lambda: pick([labels(rng, n), "c0", ["c0", "c1"]]),
        "importances": lambda: pick(["marginal", "conditional"]),
        "feature_groups": lambda: pick([{"g": [0]}, {"g": ["c0"], "h": ["c0", "c1"]}, {"g": []}]),
        "interval": lambda: pick([0.9, None, 0.5]),
        "pairwise": lambda: True,
        "details": lambda: True,
        "sets": lambda: pick([{"g": [0]}, {"g": ["c0"], "h": ["c0", "c1"]}, {}]),
        "fdr": lambda: float(rng.random()),
        "sizes": lambda: pick([50, [20, 40], []]),
        "target": lambda: pick([0.8, 0.5]),
        "level": lambda: pick([0.05, 0.2]),
        "confidence": lambda: pick([0.95, 0.5]),
        "backend": lambda: "threads",
        "n_jobs": lambda: 1,
    }
    own = {name: offered[name] for name in OWN[question]}
    chosen = [name for name in own if rng.random() < 0.13]
    given = {name: own[name]() for name in chosen}
    if rng.random() < 0.05 and own:
        given[pick(list(own))] = pick(NONSENSE)
    if "given" not in given and question in ("independence", "ksample", "screen"):
        given.setdefault("method", pick(METHODS))
        if question != "screen" or rng.random() < 0.5:
            given.setdefault("null", kmerf.Permutation(19))
    return given


READING = ["categorical", "keep", "na"]
TEST = [
    *READING,
    *["method", "null", "rows", "missing_y", "blocks", "exchange", "given", "importances", "feature_groups"],
    *["interval", "pairwise", "details", "backend"],
]
OWN = {
    "independence": [*TEST, "y_kind"],
    "ksample": TEST,
    "screen": [*READING, "method", "null", "sets", "given", "rows", "y_kind", "missing_y", "fdr", "backend"],
    "conditional": ["categorical", "y_kind", "missing_y"],
    "describe": READING,
    "power_curve": [*READING, "method", "y_kind", "missing_y", "sizes", "target", "level", "confidence", "backend"],
}


def call(rng: Rng) -> tuple[str, Any, str]:
    """Return a question, what asks it, and a text that says how."""
    question = str(rng.choice(list(OWN), p=[0.33, 0.2, 0.2, 0.12, 0.05, 0.1]))
    n, p = size(rng)
    if question == "power_curve":
        n, p = max(n, 20), min(p, 20)
    x, y, more = table(rng, n, p), outcome(rng, n), options(rng, question, n, p)
    common = {} if question == "describe" else {"rng": 1, "n_jobs": 1}
    if question == "conditional":
        more.setdefault("given", labels(rng, n))
    if question == "power_curve":
        more.setdefault("method", METHODS[rng.integers(-7, 0)])
        common["parts"] = 20
    arguments: tuple[Any, ...] = (x, y)
    if question == "ksample" and rng.random() < 0.5:
        m = max(2, n // 2)
        arguments = (x, table(np.random.default_rng(rng.integers(0, 2**32)), m, p))
    elif question == "ksample":
        arguments, more = (x,), more | {"groups": y}
    elif question == "describe":
        arguments = (x,)
    elif rng.random() < 0.1:
        arguments = (x, "c0")
    how = f"{question}{tuple(type(a).__name__ for a in arguments)} of {n} x {p}, {more!r}"
    return question, lambda: getattr(kmerf, question)(*arguments, **(common | more)), how[:1500]


def library_case(number: int, noise: Any) -> tuple[Any, str | None]:
    """Ask a random question of a random table."""
    rng = np.random.default_rng(number)
    how = "making the case"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _, ask, how = call(rng)
            result = ask()
        except KmerfError as error:
            text = str(error)
            return 1, None if text.strip() and len(text) < 20_000 else f"case {number}: {how}\n  says {text[:300]!r}"
        except BaseException:
            return OTHER, f"case {number}: {how}\n  {traceback.format_exc()}"
        try:
            wrong = check(rng, result)
        except BaseException:
            wrong = traceback.format_exc()
    return (0, None) if wrong is None else (OTHER, f"case {number}: {how}\n  {wrong}")


def check(rng: Rng, result: Any) -> str | None:
    """Say what is wrong with a result, if anything is."""
    plain = result.to_dict()
    place = not_finite(plain)
    if place is not None:
        return f"is not finite: {place}"
    for pvalue in [plain.get("pvalue"), *(plain.get("pvalues") or [])]:
        if pvalue is not None and not 0.0 < pvalue <= 1.0:
            return f"has a p-value of {pvalue}"
    if not str(result) or not repr(result):
        return "prints nothing"
    if isinstance(result, kmerf.Description):
        json.dumps(plain, allow_nan=False)
        return None
    result._repr_html_()
    result.save("saved.json")
    if type(result).load("saved.json") != result:
        return "comes back from its file as another result"
    for part in ["answer", "members", "pairs", "features"] if isinstance(result, kmerf.Result) else [None]:
        for library in ("pandas", "polars"):
            with contextlib.suppress(kmerf.InputError) if part == "features" else contextlib.nullcontext():
                result.to_frame(*([] if part is None else [part]), library=library)
    if hasattr(result, "report"):
        result.report("page.html")
        page = Path("page.html").read_text(encoding="utf-8")
        if not page.rstrip().endswith("</html>") or re.search(r'="(nan|inf|-inf)"', page):
            return "has a page that is not whole, or draws what is no number"
    if rng.random() < 0.15:
        with contextlib.suppress(kmerf.InputError):  # some tests leave nothing to draw
            result.plot().savefig(io.BytesIO(), format="svg")
    return None


def not_finite(value: Any, place: str = "result") -> str | None:
    """Return where a value holds a number that is not finite; None if it holds none."""
    if isinstance(value, dict):
        return next((found for k, v in value.items() if (found := not_finite(v, f"{place}.{k}"))), None)
    if isinstance(value, list | tuple):
        return next((found for k, v in enumerate(value) if (found := not_finite(v, f"{place}[{k}]"))), None)
    return f"{place} = {value}" if isinstance(value, float) and not math.isfinite(value) else None


# --- stores -----------------------------------------------------------------------------------------------------------


def store_case(number: int, noise: Any) -> tuple[Any, str | None]:
    """Damage the store of a screen or a study: the result stays the same, or the file is refused by its name."""
    rng = np.random.default_rng(number)
    ask = _screened(rng) if rng.random() < 0.7 else _studied(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = ask()
            how = _damage(rng)
            try:
                found = ask()
            except KmerfError as error:
                named = "kept.sqlite" in str(error)
                return 1, None if named else f"case {number}: {how}\n  does not name the file: {error}"
        except BaseException:
            return OTHER, f"case {number}: {traceback.format_exc()}"
    return (0, None) if found == expected else (OTHER, f"case {number}: {how}\n  gives another result")


def _screened(rng: Rng) -> Any:
    x = rng.normal(size=(25, 6)).round(rng.integers(0, 3))
    y = rng.normal(size=25) if rng.random() < 0.7 else rng.choice(["p", "q"], size=25)
    method = [kmerf.KMERF(SPEC), baselines.Dcorr(), baselines.RV()][rng.integers(0, 3)]
    null = kmerf.Permutation(39)
    return lambda: kmerf.screen(x, y, method=method, null=null, rng=1, n_jobs=1, store="kept.sqlite")


def _studied(rng: Rng) -> Any:
    tests = {"rv": baselines.RV(), "both": kmerf.Portfolio(numeric={"a": baselines.RV(), "b": baselines.Dcorr()})}
    plan = study.Study(tests, [study.Simulated("linear", n=12, p=2)], replicates=20, seed=int(rng.integers(0, 9)))

    def ask() -> Any:
        study.run(plan, "kept.sqlite", n_jobs=1, backend="threads")
        return study.power(plan, "kept.sqlite", n_bootstrap=10)

    return ask


def _damage(rng: Rng) -> str:
    """Flip bytes of a store, or edit values in it; return what was done."""
    path = Path("kept.sqlite")
    if rng.random() < 0.5:
        content = bytearray(path.read_bytes())
        places = rng.integers(0, len(content), size=rng.choice([1, 3, 30, 300])).tolist()
        for at in places:
            content[at] = rng.integers(0, 256)
        if rng.random() < 0.1:
            del content[rng.integers(0, len(content)) :]
        path.write_bytes(content)
        return f"bytes {places[:20]} were flipped"
    values: list[Any] = [
        None,
        0,
        -1.0,
        99.0,
        math.inf,
        "text",
        "",
        b"\xff\x00",
        "[[[NaN]],[1.0]]",
        "[]",
        2**62,
        "[[[1e999]],[1]]",
    ]
    connection = sqlite3.connect(path)
    try:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        name = tables[rng.integers(0, len(tables))]
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
        what, value = columns[rng.integers(0, len(columns))], values[rng.integers(0, len(values))]
        where = "" if rng.random() < 0.5 else f" WHERE abs(random()) % {rng.integers(2, 9)} = 0"
        change = f"UPDATE OR IGNORE {name} SET {what} = ?{where}"
        if rng.random() < 0.2:
            change, value = f"DELETE FROM {name}{where}", None
        with contextlib.suppress(sqlite3.Error):  # what the tables do not allow
            connection.execute(change, (value,) if "?" in change else ())
        connection.commit()
    finally:
        connection.close()
    return f"{change} with {value!r}"


# --- full disks -------------------------------------------------------------------------------------------------------

OLD = b"as it was"
ENDS = {
    ".html": b"</html>",
    ".png": b"IEND\xaeB`\x82",
    ".pdf": b"%%EOF",
    ".svg": b"</svg>",
    ".csv": b"\n",
    ".json": b"}\n",
}


def disk_case(number: int, noise: Any) -> tuple[Any, str | None]:
    """Write an output to a disk that is full after a random number of bytes."""
    rng = np.random.default_rng(number)
    Path("t.csv").write_text("y,a,b\n" + "".join(f"{u},{v},{w}\n" for u, v, w in rng.normal(size=(30, 3)).round(3)))
    quick = ["--seed", "1", "--jobs", "1", "-q"]
    plan = ["plan", "t.csv", "--y", "y", "--method", "dcorr", "--parts", "20", *quick, "--plot"]
    argv: list[str] = [
        [*plan, "o.png"],
        [*plan, "o.pdf"],
        [*plan, "o.svg"],
        ["independence", "t.csv", "--y", "y", "--method", "rv", *quick, "--report", "o.html"],
        ["screen", "t.csv", "--y", "y", "--method", "rv", *quick, "--report", "o.html"],
        ["screen", "t.csv", "--y", "y", "--method", "rv", *quick, "--out", "o.csv"],
        ["o.json"],
        ["o.html"],
    ][rng.integers(0, 8)]
    place = Path(argv[-1])
    before = rng.random() < 0.7
    if before:
        place.write_bytes(OLD)
    result = kmerf.independence(rng.normal(size=30), rng.normal(size=30), method="rv", rng=1)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit = int(rng.choice([0, 10, 500, 5000, 20_000, 100_000]))
    quiet = io.StringIO()
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            if len(argv) > 1:
                code: Any = main(argv)
            else:
                code = 0
                with contextlib.suppress(kmerf.InputError):
                    code = UNWRITTEN
                    (result.save if place.suffix == ".json" else result.report)(place)
                    code = 0
    except BaseException:
        return OTHER, f"case {number}: {argv!r}, {limit} bytes\n  {traceback.format_exc()}"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    content = place.read_bytes() if place.exists() else None
    whole = content is not None and content.rstrip(b"\r\n").endswith(ENDS[place.suffix].rstrip(b"\n"))
    kept = content == (OLD if before else None)
    left = [name for name in os.listdir() if name.startswith(".")]
    if code not in (0, UNWRITTEN) or (code == 0 and not whole) or (code == UNWRITTEN and not kept) or left:
        state = f"ended with {code}; whole: {whole}, as it was: {kept}, left: {left}"
        return OTHER, f"case {number}: {argv!r}, {limit} bytes\n  {state}\n  {quiet.getvalue()[-500:]}"
    return code, None
