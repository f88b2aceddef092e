"""Fuzz the readers, the conditions and the argument parser: `python benchmarks/fuzz.py --seconds 600`.

Files of every format are made and damaged, and given to command lines that are put together from parts that belong
there and parts that do not. Whatever happens, the command must end within a time limit, with exit code 0, 1 or 2 and,
if it is not 0, one line on standard error; compiled code must print nothing of its own. Cases run in worker processes,
so that a crash is found too; each is known by a number, and `--case` runs it again.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import io
import lzma
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import zstandard

from kmerf.cli import main

LIMIT = 30  # seconds for one case
SPELL = 60  # seconds after which a worker is replaced

# fmt: off
NAMES = [
    "y", "arm", "age", "gene_1", "gene_2", "id", "day", "a b", "#1", "", "[red]", "\x1b[1m", "x\ny", "é", "'", "`",
    "y",
]
CELLS = [
    "1", "2.5", "-3e2", "", "NA", ".", "a", "b", "c", "true", "False", "2020-01-01", "1,5", "1,234", "12%", '"',
    "inf", "1e999", "nan", "é", "\x00", "\x1b[31m", "999999999999999999999", "p" * 50, "0x1", "1_000", "١", "½",
    "\u202e", " 4 ", "3-4", "None",
]
VALUES = [
    "y", "arm", "age", "gene_*", "#1", "#2:3", "#0", "#99:", "*", "[", "id,age", ",", "", "é", "\x1b", "1", "0",
    "-1", "1e9", "nan", "age > 1", "arm == 'a'", "age > 1 and (arm in ('a', 'b') or not gene_1 is missing)", "((",
    "`a b` > 0", "' or 1", "not " * 99, "chi-square", "permutation", "extrapolated", "dcorr", "rv", "cca", "mgc",
    "within", "whole", ";", "tab", "||", "utf-16", "cp1252", "base64", "linear", "9" * 400, "\udcff", "a" * 5000,
    "0.05", "-", "--", "no/such/file", ".", "/dev/null",
]
OPTIONS = [
    "--y", "--x", "--drop", "--groups", "--blocks", "--exchange", "--where", "--categorical", "--method", "--null",
    "--seed", "--sep", "--encoding", "--na", "--no-header", "--json", "--report", "--out", "--fdr",
    "--null-runs", "--nonsense",
]
# fmt: on
COMMANDS = ["independence", "ksample", "screen", "check"]
SMALL = ["--trees", "3", "--resamples", "19", "--jobs", "1", "--quiet"]


def text_file(rng: random.Random) -> bytes:
    sep = rng.choice([",", ",", ",", ";", "\t", "|", " ", "::"])
    names = rng.sample(NAMES[:6], rng.randint(2, 6)) if rng.random() < 0.8 else rng.choices(NAMES, k=rng.randint(1, 7))
    if rng.random() < 0.8 and "y" not in names:
        names[0] = "y"
    pools = [make_pool(rng) for _ in names]
    lines = [sep.join(names)]
    for _ in range(rng.choice([0, 1, 3, 25, 30, 60, 60])):
        row = [rng.choice(pool) for pool in pools]
        if rng.random() < 0.003:
            row = row[:-1] if rng.random() < 0.5 else [*row, "extra"]
        lines.append(sep.join(f'"{cell}"' if rng.random() < 0.05 else cell for cell in row))
    encoding = rng.choice(["utf-8"] * 20 + ["utf-8-sig", "utf-16", "utf-16-le", "latin-1", "utf-32"])
    return rng.choice(["\n", "\n", "\r\n", "\r"]).join(lines).encode(encoding, errors="replace")


def make_pool(rng: random.Random) -> list[str]:
    """Return the cells of a column: mostly of one kind, and sometimes of any."""
    sane = [[f"{i}.5" for i in range(9)], ["1", "2", "3", ""], ["a", "b"], ["true", "false", "NA"], ["7", "8", "."]]
    pool = rng.choice(sane)
    return rng.choices(CELLS, k=rng.randint(1, 4)) if rng.random() < 0.15 else pool


def frame_file(rng: random.Random) -> bytes:
    n = rng.choice([0, 1, 5, 40, 40, 40])
    kinds: list[Any] = [
        [rng.gauss(0, 1) for _ in range(n)],
        [rng.randint(0, 4) for _ in range(n)],
        [rng.choice(["a", "b", None]) for _ in range(n)],
        [rng.random() < 0.5 for _ in range(n)],
        [[1, 2]] * n,
        [{"a": 1}] * n,
        [b"x"] * n,
        [None] * n,
        [float("nan")] * n,
        pl.Series([18000 + i for i in range(n)], dtype=pl.Int32).cast(pl.Date),
        pl.Series([str(i % 3) for i in range(n)], dtype=pl.Categorical),
        pl.Series([i * 10**6 for i in range(n)], dtype=pl.Int64).cast(pl.Duration),
        pl.Series(list(range(n)), dtype=pl.UInt8).cast(pl.Decimal(10, 2)),
    ]
    names = dict.fromkeys(["y", "age", *rng.choices(NAMES, k=4)])
    frame = pl.DataFrame({name: rng.choice(kinds if rng.random() < 0.2 else kinds[:4]) for name in names})
    out = io.BytesIO()
    write = [
        frame.write_parquet,
        frame.write_ipc,
        lambda f: frame.write_ipc(f, compression="zstd"),
        frame.write_ipc_stream,
    ]
    rng.choice(write)(out)
    return out.getvalue()


def damaged(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if not out:
            break
        at, size = rng.randrange(len(out)), rng.choice([1, 1, 4, 40])
        what = rng.random()
        if what < 0.4:
            out[at] = rng.randrange(256)
        elif what < 0.6:
            del out[at : at + size]
        elif what < 0.8:
            out[at:at] = rng.choice([bytes(size), b"\xff" * size, b'"', b"\n", b",", rng.randbytes(size)])
        else:
            out = out[:at] if rng.random() < 0.5 else out[:at] + out[max(0, at - size) :]
    return bytes(out)


def make_file(rng: random.Random) -> bytes:
    data = rng.choice([text_file, text_file, frame_file])(rng)
    if rng.random() < 0.3:
        data = damaged(rng, data)
    if rng.random() < 0.2:
        data = rng.choice([gzip.compress, bz2.compress, lzma.compress, zstandard.compress])(data)
        if rng.random() < 0.4:
            data = damaged(rng, data)
    return rng.randbytes(rng.randrange(300)) if rng.random() < 0.03 else data


FITTING = {
    "--y": ["y", "age", "#1"],
    "--x": ["age", "#2:", "*", "gene_*,age", "age,arm"],
    "--drop": ["id", "#2", "gene_*"],
    "--groups": ["arm", "y", "#1"],
    "--blocks": ["arm", "id", "#2"],
    "--exchange": ["within", "whole"],
    "--where": [value for value in VALUES if " " in value] + ["y is not missing", "age >= 1 or true == arm"],
    "--categorical": ["y", "arm", "*", "#2"],
    "--method": ["kmerf", "dcorr", "hsic", "hhg", "cca", "rv", "mgc"],
    "--null": ["extrapolated", "permutation", "chi-square"],
    "--seed": ["0", "7"],
    "--sep": [",", ";", "tab"],
    "--encoding": ["utf-8", "cp1252", "utf-16"],
    "--na": ["7", "a", ""],
    "--out": ["found.csv"],
    "--fdr": ["0.1", "1"],
    "--null-runs": ["25"],
}
FLAGS = ["--json", "--no-header"]
ONLY = {
    "--y": "isc",
    "--groups": "ksc",
    "--blocks": "ikc",
    "--exchange": "ikc",
    "--out": "s",
    "--fdr": "s",
    "--null-runs": "c",
}


def make_argv(rng: random.Random) -> list[str]:
    command = rng.choice(COMMANDS)
    argv = [command, "t.bin" if rng.random() < 0.95 else rng.choice(["-", *VALUES[-4:]])]
    own = [option for option in FITTING if command[0] in ONLY.get(option, "iksc")]
    target = (
        "--groups"
        if command == "ksample"
        else rng.choice(["--y", "--y", "--groups"])
        if command != "independence"
        else "--y"
    )
    if rng.random() < 0.95:
        argv += [target, rng.choice(["y"] * 6 + ["#1", "age", "arm"])]
    argv += rng.choice([[], [], [], *([flag] for flag in FLAGS)])
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        option = (
            rng.choice([o for o in own if o not in ("--y", "--groups")]) if rng.random() < 0.95 else rng.choice(OPTIONS)
        )
        fitting = FITTING.get(option, VALUES)
        argv += [option, rng.choice(fitting) if rng.random() < 0.85 else rng.choice(VALUES)]
    small = SMALL
    if "--method" in argv or "chi-square" in argv:
        small = ["--jobs", "1", "--quiet", *([] if "chi-square" in argv else ["--resamples", "19"])]
    return [*argv, *small]


def run_case(number: int, noise: Any) -> tuple[Any, str | None]:
    """Run one case in the current folder; return its exit code and what is wrong with its end, if anything."""
    rng = random.Random(number)
    data, argv = make_file(rng), make_argv(rng)
    Path("t.bin").write_bytes(data)
    out, err = io.StringIO(), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    signal.alarm(LIMIT)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code: Any = main(argv)
    except BaseException:
        code = traceback.format_exc()
    finally:
        signal.alarm(0)
    native = os.lseek(noise.fileno(), 0, os.SEEK_END)
    os.ftruncate(noise.fileno(), 0)
    lines = err.getvalue().splitlines()
    if code not in (0, 1, 2) or native or (code and len(lines) != 1) or any("\x1b" in line for line in lines):
        ended = f"ended with {code}, {native} bytes from compiled code, and said:\n  {err.getvalue()}"
        return code, f"case {number}: {argv!r}\n  {ended}"
    return code, None


def work(first: int, seconds: float) -> int:
    """Run cases from a number on, and print how many there were."""
    os.environ["COLUMNS"] = "100"
    noise = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process lives
    heard, told = os.dup(2), os.fdopen(os.dup(1), "w")
    os.dup2(noise.fileno(), 2)
    begun, number, wrong = time.monotonic(), first, 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        while time.monotonic() - begun < seconds:
            print(number, file=told, flush=True)
            code, found = run_case(number, noise)
            print(f"={code}" if code in (0, 1, 2) else "=other", file=told, flush=True)
            if found:
                wrong += 1
                os.write(heard, f"{found}\n".encode(errors="replace"))
            for name in os.listdir():
                if not os.path.isdir(name):
                    os.unlink(name)
            number += 1
    return wrong


def lead(seconds: float, first: int) -> int:
    """Keep a worker going, and count."""
    begun, number, wrong, codes = time.monotonic(), first, 0, Counter[str]()
    while (left := seconds - (time.monotonic() - begun)) > 0:
        command = [sys.executable, __file__, "--worker", "--first", str(number), "--seconds", str(min(SPELL, left))]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        told = done.stdout.split()
        codes.update(word[1:] for word in told if word.startswith("="))
        number = max([number, *(int(word) + 1 for word in told if not word.startswith("="))])
        if done.returncode == 1:  # the reader's library gave up, which ends the process, but with the right words
            codes["1"] += 1
        elif done.returncode:
            wrong += 1
            print(f"the worker that came to case {number - 1} ended with {done.returncode}", file=sys.stderr)
    ends = ", ".join(f"{code}: {count}" for code, count in sorted(codes.items()))
    print(f"{number - first} cases in {seconds:.0f} s (exit codes {ends}), {wrong} workers that found something")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--case", type=int)
    parser.add_argument("--worker", action="store_true")
    args = parser.parse_args()
    if args.case is not None:
        rng = random.Random(args.case)
        data, argv = make_file(rng), make_argv(rng)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            Path("t.bin").write_bytes(data)
            print(data[:2000], argv)
            os.environ["KMERF_TRACEBACK"] = "1"
            sys.stdin = io.TextIOWrapper(io.BytesIO(data))
            sys.exit(main(argv))
    sys.exit(3 * bool(work(args.first, args.seconds)) if args.worker else lead(args.seconds, args.first))
