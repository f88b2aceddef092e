"""Writes the tables of docs/conditional.md from what benchmarks/studies/given_z.py found; run that."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.data.conditional_data import ALTERNATIVES, DATA, GROUP_DESIGNS, NULLS, PROXIES, PUBLISHED, WIGGLY
from benchmarks.data.conditional_fresh import FRESH
from benchmarks.data.conditional_jumps import JUMPS
from benchmarks.data.conditional_lines import LINE_ROWS, LINES, REAL
from benchmarks.data.conditional_strata import SCREENS, STRATA, STRATA_RELATIONS, STRATA_SHARES
from benchmarks.pages.marks import DOCS
from benchmarks.pages.marks import write as write_marks

PAGE = DOCS / "conditional.md"
LEVEL = 0.05
FEWEST = 40  # data sets that a cell needs to be shown
RIVALS = ("GKCM_RF", "KCIT", "RCIT", "GCM", "PCM")

Answer = dict[str, Any]
Cells = dict[tuple[str, int, str], list[Answer]]


def write(found: Path, rates: Path | None) -> None:
    """Rewrite the tables of the page; one without data stays as it is, as does one whose data are not complete."""
    own, lines, features, screens = (_read(found / f"{part}.jsonl") for part in ("run", "lines", "features", "screens"))
    own = {cell: answers for cell, answers in own.items() if len(answers) >= FEWEST}
    published = _rates(rates) if rates is not None else {}

    def known(names: Iterable[str]) -> bool:
        return all(any(data == name for data, _, _ in own) for name in names)

    tables = {
        "published": published_table(own, published) if known(PUBLISHED) and published else None,
        "nulls": nulls_table(own, NULLS) if known(NULLS) else None,
        "jumps": nulls_table(own, JUMPS) if known(JUMPS) else None,
        "fresh": nulls_table(own, FRESH) if known(FRESH) else None,
        "strata": nulls_table(own, STRATA) if known(STRATA) else None,
        "strata_relations": rate_table(own, STRATA_RELATIONS) if known(STRATA_RELATIONS) else None,
        "shares": shares_table(own) if known(STRATA_SHARES) else None,
        "lines": lines_table(lines) if lines else None,
        "real_lines": real_lines_table(lines) if lines else None,
        "screens": screens_table(screens) if screens else None,
        "alternatives": rate_table(own, ALTERNATIVES) if known(ALTERNATIVES) else None,
        "groups": groups_table(own) if known(GROUP_DESIGNS) else None,
        "features": features_table(features) if features else None,
        "seconds": seconds_text(own) if known(PUBLISHED) else None,
    }
    write_marks(PAGE, tables)


def _read(path: Path) -> Cells:
    cells: Cells = defaultdict(list)
    if path.exists():
        with path.open() as file:
            for answer in map(json.loads, file):
                cells[answer["data"], answer["n"], answer["test"]].append(answer)
    return cells


def _rates(path: Path) -> dict[tuple[str, int, str], float]:
    with path.open() as file:
        return {
            (row["data"], int(row["n"]), row["method"]): float(row["rejected_0.05"]) for row in csv.DictReader(file)
        }


def rate(answers: Iterable[Answer]) -> tuple[float, float, int]:
    """Return the share of p-values at or below the level, its standard error, and how many there are."""
    pvalues = [answer["p"] for answer in answers if answer["p"] is not None]
    share = sum(p <= LEVEL for p in pvalues) / len(pvalues)
    return share, math.sqrt(max(share * (1 - share), 0.25 / len(pvalues)) / len(pvalues)), len(pvalues)


def rate_text(answers: list[Answer] | None) -> str:
    """Return the share and its standard error."""
    if not answers:
        return "-"
    share, error, _ = rate(answers)
    return f"{share:.3f} ± {error:.3f}"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def published_table(own: Cells, published: dict[tuple[str, int, str], float]) -> str:
    """Compare with the published rates, cell by cell."""
    rows = []
    for name in PUBLISHED:
        for n in (500, 1000, 2000):
            mine = own.get((name, n, "kmerf"), [])
            rates = [rate(mine)[0] if mine else None, *(published.get((name, n, rival)) for rival in RIVALS)]
            texts = [rate_text(mine), *map(_or_dash, rates[1:])]
            if name in ALTERNATIVES:
                most = max(each for each in rates if each is not None)
                texts = [f"**{text}**" if each == most else text for text, each in zip(texts, rates, strict=True)]
            flagged = _flagged(mine) if name in WIGGLY else ""
            rows.append([name, str(n), str(len(mine)), *texts, flagged])
    heads = ["data", "n", "data sets", "kmerf", *RIVALS, "flagged where rejected"]
    return table(heads, rows) + "\n\n" + _mean_power(own, published)


def _mean_power(own: Cells, published: dict[tuple[str, int, str], float]) -> str:
    cells = [(name, n) for name in ("alt_1", "alt_2") for n in (500, 1000, 2000)]
    known = [(name, n) for name, n in cells if own.get((name, n, "kmerf"))]
    if not known:
        return ""
    mine = sum(rate(own[name, n, "kmerf"])[0] for name, n in known) / len(known)
    theirs = [published.get((name, n, "GKCM_RF")) for name, n in known]
    other = "" if None in theirs else f", GKCM_RF's {sum(filter(None, theirs)) / len(known):.3f}"
    return f"Mean power over the {len(known)} cells of alt_1 and alt_2: {mine:.3f}{other}."


def _or_dash(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _flagged(answers: list[Answer]) -> str:
    rejected = [answer for answer in answers if answer["p"] <= LEVEL]
    return f"{sum(a['doubtful'] for a in rejected)} of {len(rejected)}" if rejected else "none rejected"


def nulls_table(own: Cells, names: Iterable[str]) -> str:
    """List some nulls: their rates, how often they are flagged, and what z explains."""
    rows = []
    for (name, n, test), answers in sorted(own.items()):
        if name not in names or test != "kmerf":
            continue
        flagged = sum(answer["doubtful"] for answer in answers) / len(answers)
        x, y = (sum(answer["explained"][k] for answer in answers) / len(answers) for k in (0, 1))
        words = (DATA[name].__doc__ or "").rstrip(".")
        unflagged = sum(a["p"] <= LEVEL and not a["doubtful"] for a in answers) / len(answers)
        counts = [str(n), str(len(answers)), rate_text(answers), f"{unflagged:.3f}", f"{flagged:.2f}"]
        rows.append([name, words, *counts, f"{x:.2f}, {y:.2f}"])
    heads = ["data", "x and y given z", "n", "data sets", "rejected", "without a warning", "warned"]
    heads.append("z explains of x, y")
    return table(heads, rows) + "\n\n" + _pooled(own, names)


def _pooled(own: Cells, names: Iterable[str]) -> str:
    """Say how often nulls are rejected, all taken together."""
    some = [n for n in names if n not in WIGGLY]
    pool = [a for (name, _, test), found in own.items() if name in some and test == "kmerf" for a in found]
    if not pool:
        return ""
    without = " without " + ", ".join(WIGGLY) if len(some) < len(list(names)) else ""
    quiet = rate_text([a | {"p": 1.0 if a["doubtful"] else a["p"]} for a in pool])
    return f"Together{without}: {rate_text(pool)} of {len(pool)} data sets, {quiet} without a warning."


def rate_table(own: Cells, names: Iterable[str]) -> str:
    """List how often each of some kinds of data is rejected, and what each look would find alone."""
    rows = []
    for (name, n, test), answers in sorted(own.items()):
        if name in names and test == "kmerf":
            alone = [
                f"{sum(a['members'].get(look, 1.0) <= LEVEL for a in answers) / len(answers):.2f}"
                for look in ("level", "shape", "varying")
            ]
            words = (DATA[name].__doc__ or "").rstrip(".")
            rows.append([name, words, str(n), str(len(answers)), rate_text(answers), *alone])
    return table(["data", "relation", "n", "data sets", "rejected", "level", "shape", "varying"], rows)


def lines_table(lines: Cells) -> str:
    """List how often lines are detected, beside the right parametric test on the same data sets."""
    rows, every = [], []
    for name, words in LINES.items():
        for n in LINE_ROWS:
            mine, right = (lines.get((name, n, test), []) for test in ("kmerf", "right"))
            if len(mine) < FEWEST:
                continue
            level = sum(a["members"].get("level", 1.0) <= LEVEL for a in mine) / len(mine)
            rates = [rate(mine)[0], rate(right)[0]]
            every.append((n, *rates))
            rows.append([words, str(n), str(len(mine)), rate_text(mine), f"{level:.3f}", rate_text(right)])
    heads = ["data", "n", "data sets", "kmerf", "level alone", "least squares or logit"]
    means = []
    for n in LINE_ROWS:
        some = [(a, b) for m, a, b in every if m == n]
        if some:
            a, b = (sum(each) / len(some) for each in zip(*some, strict=True))
            means.append(f"{a:.3f} against {b:.3f} with {n} rows")
    return table(heads, rows) + "\n\nMeans: " + ", ".join(means) + "."


def real_lines_table(lines: Cells) -> str:
    """List the p-values of real questions."""
    rows = []
    for name, (x, y, usual) in REAL.items():
        mine, right = (lines.get((name, 0, test), []) for test in ("kmerf", "right"))
        if mine:
            outcome = y if isinstance(y, str) else ", ".join(y)
            rows.append([name, outcome, x, f"{mine[0]['p']:.2g}", f"{right[0]['p']:.2g}", usual])
    return table(["table", "y", "x", "p of kmerf", "p of the usual test", "usual test"], rows)


def groups_table(own: Cells) -> str:
    """Compare groups with and without z."""
    rows = []
    for (name, n, test), answers in sorted(own.items()):
        if name in GROUP_DESIGNS and test == "kmerf":
            words = (DATA[name].__doc__ or "").rstrip(".")
            plain = rate_text(own.get((name, n, "without z")))
            rows.append([name, words, str(n), str(len(answers)), plain, rate_text(answers)])
    return table(["design", "", "n", "data sets", "rejected without z (Dcorr)", "rejected given z"], rows)


def shares_table(own: Cells) -> str:
    """List how well y is predicted for rows not seen, without and with x."""
    rows = []
    for (name, n, test), answers in sorted(own.items()):
        if name in STRATA_SHARES and test == "kmerf":
            words = (DATA[name].__doc__ or "").rstrip(".")
            without, beside = ([answer["shares"][k] for answer in answers] for k in (0, 1))
            rows.append([name, words, str(n), str(len(answers)), _mean_text(without), _mean_text(beside)])
    return table(["data", "", "n", "data sets", "`without_x`", "`with_x`"], rows)


def _mean_text(values: list[float]) -> str:
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return f"{mean:.3f} ± {spread / math.sqrt(len(values)):.3f}"


def screens_table(screens: Cells) -> str:
    """List how often anything is selected where nothing should be."""
    rows = []
    for (name, n, _), answers in sorted(screens.items()):
        words = (SCREENS[name].__doc__ or "").rstrip(".")
        wrong = rate_text([{"p": 0.0 if answer["selected"] else 1.0} for answer in answers])
        seconds = f"{_median([answer['cpu'] for answer in answers]):.2f}"
        rows.append([name, words, str(n), str(len(answers)), wrong, seconds])
    return table(["data", "given", "n", "data sets", "any column selected", "seconds"], rows)


def features_table(features: Cells) -> str:
    """List how often real columns, proxies and noise are called, given the others and not."""
    rows = []
    for name in PROXIES:
        for (data, _, test), answers in sorted(features.items()):
            if data == name and len(answers) >= FEWEST:
                called = [_called(answers, role) for role in ("real", "proxy", "noise")]
                seconds = f"{_median([a['seconds'] for a in answers]):.2f}"
                rows.append(
                    [name, (PROXIES[name].__doc__ or "").rstrip("."), test, str(len(answers)), *called, seconds]
                )
    return table(["data", "", "p-values", "data sets", "real", "proxy", "noise", "seconds"], rows)


def _called(answers: list[Answer], role: str) -> str:
    calls = [p <= LEVEL for a in answers for p, own in zip(a["p"], a["roles"], strict=True) if own == role]
    share = sum(calls) / len(calls)
    return f"{share:.3f} ± {math.sqrt(max(share * (1 - share), 0.01) / len(calls)):.3f}"


def seconds_text(own: Cells) -> str:
    """Say how long tests took, on one core."""
    medians = {}
    for n in (500, 1000, 2000):
        seconds = [a["cpu"] for name in PUBLISHED for a in own.get((name, n, "kmerf"), []) if "cpu" in a]
        if seconds:
            medians[n] = _median(seconds)
    return ", ".join(f"{seconds:.2f} s with {n} rows" for n, seconds in medians.items())


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
