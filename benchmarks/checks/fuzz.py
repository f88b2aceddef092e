"""Fuzz the command line, the library and its stores: `python -m benchmarks.checks.fuzz --minutes 15 --seed 1`.

Files of every format are made and damaged, and given to command lines that are put together from parts that belong
there and parts that do not. Whatever happens, the command must end within a time limit, with exit code 0, 1, 2 or 73
and, if it is not 0, one line on standard error; compiled code must print nothing of its own. Seven kinds of case:

- command: a file and a command line, as above;
- output: a good file, and places to write to that are links, devices, pipes, full or not there (`check_places`);
- where: conditions made by their grammar, whose rows must agree with those of their opposites and repetitions;
- signal: a process that is sent SIGINT, SIGTERM or SIGHUP at any time (`signal_case`);
- library, store and disk: see `fuzz_library.py`.

Cases run in worker processes, so that a crash is found too; each is known by a number, and `--case` runs it again. A
seed is where the numbers begin. `--kinds library store` runs cases of these kinds alone, and `--widest 90` keeps tables
with few rows to so many columns.
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
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import zstandard

from benchmarks.checks import fuzz_library
from kmerf.cli import UNWRITTEN, main
from kmerf.core.errors import InputError
from kmerf.reading.files import read
from kmerf.reading.where import keep

LIMIT = 120  # seconds for one case, on a computer that may be busy
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
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    with contextlib.redirect_stdout(io.StringIO()):
        return run_command(number, argv, noise)


def run_command(number: int, argv: list[str], noise: Any) -> tuple[Any, str | None]:
    """Run a command line; return its exit code and what is wrong with its end, if anything."""
    err = io.StringIO()
    signal.alarm(LIMIT)
    try:
        with contextlib.redirect_stderr(err):
            code: Any = main(argv)
    except BaseException:
        code = traceback.format_exc()
    finally:
        signal.alarm(0)
    native = os.lseek(noise.fileno(), 0, os.SEEK_END)
    os.ftruncate(noise.fileno(), 0)
    lines = err.getvalue().splitlines()
    if (
        code not in (0, 1, 2, UNWRITTEN)
        or native
        or (code and len(lines) != 1)
        or any("\x1b" in line for line in lines)
    ):
        ended = f"ended with {code}, {native} bytes from compiled code, and said:\n  {err.getvalue()}"
        return code, f"case {number}: {argv!r}\n  {ended}"
    return code, None


# --- outputs ----------------------------------------------------------------------------------------------------------

PLACES = ["new", "old", "link", "lost link", "null", "full", "pipe", "folder", "nowhere", "closed"]


def make_place(rng: random.Random, name: str) -> tuple[str, str]:
    """Prepare a place to write to; return its kind and its path."""
    kind = rng.choice(PLACES)
    if kind in ("old", "link"):
        Path(f"{name}.old").write_text("before")
        os.chmod(f"{name}.old", 0o640)
    if kind == "link":
        os.symlink(f"{name}.old", name)
    if kind == "lost link":
        os.symlink(f"{name}.new", name)
    if kind == "pipe":
        os.mkfifo(name)
        # opened for both, a pipe keeps nobody waiting, and holds 64 kB; what is more is read along the way
        threading.Thread(target=drain, args=(os.open(name, os.O_RDWR | os.O_NONBLOCK),), daemon=True).start()
    if kind == "folder":
        os.makedirs("folder", exist_ok=True)
    paths = {"old": f"{name}.old", "null": os.devnull, "full": "/dev/full", "folder": "folder", "nowhere": "none/a"}
    return kind, paths.get(kind, "" if kind == "closed" else name)


def drain(pipe: int) -> None:
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            os.read(pipe, 1 << 20)
        time.sleep(0.05)
    os.close(pipe)


def check_places(places: dict[str, tuple[str, str]], code: Any, out: str) -> str | None:
    """Say what is wrong with what a command left, if anything is."""
    if not stat.S_ISCHR(os.stat(os.devnull).st_mode):
        return "the null device was replaced"
    if any(name.startswith(".") for name in os.listdir()):
        return f"a temporary file was left: {os.listdir()}"
    if code in (0, UNWRITTEN) and not out.strip():
        return "there is no answer"
    for kind, path in places.values():
        if kind == "full" and code == 0:
            return "a full device was taken for written"
        if kind in ("link", "lost link") and not os.path.islink(path):
            return "a link was replaced"
        if kind == "pipe" and not stat.S_ISFIFO(os.stat(path).st_mode):
            return "a pipe was replaced"
        if kind == "old" and stat.S_IMODE(os.stat(path).st_mode) != 0o640:
            return "the mode of a file was changed"
        if code == 0 and kind in ("new", "old", "link", "lost link") and os.path.getsize(path) < 10:
            return f"nothing was written to {path}"
    return None


def output_case(number: int, noise: Any) -> tuple[Any, str | None]:
    """Write a report and a table to places of all kinds."""
    rng = random.Random(number)
    rows = "".join(f"{rng.gauss(0, 1)},{rng.choice('ab')},{i % 5}\n" for i in range(30))
    Path("t.bin").write_text(f"x,=a,y\n{rows}")
    command = rng.choice(["independence", "screen", "screen"])
    places = {"--report": make_place(rng, "r.html")} if rng.random() < 0.6 else {}
    if command == "screen":
        places["--out"] = make_place(rng, "s.csv")
    argv = [command, "t.bin", "--y", "y", "--method", "rv", "--resamples", "19", "--jobs", "1", "--quiet"]
    argv += [word for option, (_, path) in places.items() for word in (option, path)]
    argv += ["--json"] * (rng.random() < 0.3)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code, found = run_command(number, argv, noise)
    return code, found or _told(number, argv, check_places(places, code, out.getvalue()))


def _told(number: int, what: Any, wrong: str | None) -> str | None:
    return None if wrong is None else f"case {number}: {what!r}\n  {wrong}"


# --- conditions -------------------------------------------------------------------------------------------------------


def make_condition(rng: random.Random, depth: int = 0) -> str:
    """Return a condition that follows the grammar, though not always the kinds of columns."""
    what = rng.random()
    if depth < 4 and what < 0.45:
        word = rng.choice([" and ", " or "])
        return word.join(make_condition(rng, depth + 1) for _ in range(rng.choice([2, 2, 3, 40])))
    if depth < 6 and what < 0.6:
        return f"not ({make_condition(rng, depth + 1)})"
    column = rng.choice(["n", "n", "s", "`a b`", "flag"])
    value = {
        "n": str(rng.randint(-1, 5)),
        "s": rng.choice(["'a'", "'b'", '"c"']),
        "flag": rng.choice(["true", "false"]),
    }
    literal = value.get(column, rng.choice(["0.5", "1e3", "-2"]))
    if rng.random() < 0.03:
        literal = rng.choice(["9" * 5000, "'", "nothing", "true", "'x'", "1e999", ""])
    if rng.random() < 0.15:
        return f"{column} is {rng.choice(['', 'not '])}missing"
    if rng.random() < 0.15:
        return f"{column} {rng.choice(['', 'not '])}in ({', '.join([literal] * rng.choice([1, 3, 500]))})"
    return f"{column} {rng.choice(['==', '!=', '<>', '=', *(['<', '<=', '>', '>='] * (column != 'flag'))])} {literal}"


def where_case(number: int, noise: Any) -> tuple[Any, str | None]:
    """Compare the rows of a condition with those of its opposite, and of itself said twice."""
    rng = random.Random(number)
    lines = [
        f"{rng.choice(['', 0, 1, 2, 3])},{rng.choice(['', 'a', 'b', 'c'])},{rng.choice(['', 0.5, -2, 1000])},"
        f"{rng.choice(['', 'true', 'false'])}"
        for _ in range(20)
    ]
    lines.append("1,a,0.5,true")  # so that every column has a kind
    Path("t.csv").write_text("n,s,a b,flag\n" + "\n".join(lines))
    condition = make_condition(rng)
    signal.alarm(LIMIT)
    try:
        table = read("t.csv")
        found = keep(condition, table)
        opposite, twice = keep(f"not ({condition})", table), keep(f"({condition}) and ({condition})", table)
    except InputError as error:
        return (1, None) if "\n" not in str(error) else (1, f"case {number}: {condition[:500]!r}\n  {error}")
    except BaseException:
        return "other", f"case {number}: {condition[:500]!r}\n  {traceback.format_exc()}"
    finally:
        signal.alarm(0)
    kept = int(found.rows.sum())
    agrees = (kept, found.false, found.unknown) == (opposite.false, int(opposite.rows.sum()), opposite.unknown)
    if not (agrees and (twice.rows == found.rows).all() and not (found.rows & opposite.rows).any()):
        return "other", f"case {number}: {condition[:500]!r}\n  {found} and {opposite} do not agree"
    return 0, None


# --- signals ----------------------------------------------------------------------------------------------------------


def signal_case(number: int, noise: Any) -> tuple[Any, str | None]:
    """Send a signal to a command at any time; it must end, with its workers, one line, and whole files or none."""
    rng = random.Random(number)
    rows = "".join(f"{rng.gauss(0, 1)},{i % 7},{i % 5}\n" for i in range(60))
    Path("t.csv").write_text(f"x,z,y\n{rows}")
    argv = rng.choice(
        [
            ["screen", "t.csv", "--y", "y", "--out", "s.csv", "--resamples", "2000"],
            ["independence", "t.csv", "--y", "y", "--report", "s.csv", "--resamples", "2000"],
            ["power", "--simulation", "linear", "--test", "hsic", "--store", "store.sqlite", "--replicates", "9999"],
        ]
    )
    sent = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    delay = rng.choice([0.5, 2.0, 6.0]) * rng.random()
    # a shell may have made its children ignore SIGINT
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from kmerf.__main__ import start; start()"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code, *argv, "-q"], **pipes) as process:
        time.sleep(delay)
        process.send_signal(sent)
        try:
            _, err = process.communicate(timeout=2 * LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            return "other", f"case {number}: {argv!r} went on, or left workers, {2 * LIMIT} s after {sent.name}"
    # Python itself was starting: no handler yet, or a traceback that never came to the command line
    early = process.returncode == -sent or ("Traceback" in err and "kmerf/cli" not in err)
    if process.returncode not in (0, 128 + sent) and not early:
        return "other", f"case {number}: {argv!r} ended with {process.returncode} after {sent.name}\n  {err}"
    if "Traceback" in err and not early:
        return "other", f"case {number}: {argv!r} after {sent.name}\n  {err}"
    if any(name.startswith(".") for name in os.listdir()):
        return "other", f"case {number}: {argv!r} left {os.listdir()}"
    return 0 if process.returncode == 0 else "signal", None


def kind_of(number: int) -> str:
    """Return the kind of a case."""
    return random.Random(-1 - number).choices(list(CASES), [25, 8, 8, 1, 40, 12, 6])[0]


CASES: dict[str, Any] = {
    "command": run_case,
    "output": output_case,
    "where": where_case,
    "signal": signal_case,
    "library": fuzz_library.library_case,
    "store": fuzz_library.store_case,
    "disk": fuzz_library.disk_case,
}
PER_SEED = 10**7  # numbers of cases that belong to a seed


def run_one(kind: str, number: int, noise: Any) -> tuple[Any, str | None]:
    """Run a case of any kind, for so long at most; return its exit code and what is wrong with its end, if anything."""
    signal.alarm(LIMIT)
    try:
        return CASES[kind](number, noise)
    except BaseException:
        return "other", f"case {number}: {traceback.format_exc()}"
    finally:
        signal.alarm(0)


def work(first: int, seconds: float, kinds: list[str]) -> int:
    """Run cases from a number on, and print how many there were."""
    os.environ["COLUMNS"] = "100"
    noise = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process lives
    heard, told = os.dup(2), os.fdopen(os.dup(1), "w")
    os.dup2(noise.fileno(), 2)
    begun, number, wrong = time.monotonic(), first, 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        while time.monotonic() - begun < seconds:
            kind = kind_of(number)
            if kind not in kinds:
                number += 1
                continue
            print(number, file=told, flush=True)
            code, found = run_one(kind, number, noise)
            os.ftruncate(noise.fileno(), 0)
            print(f"={kind}:{code}" if code in (0, 1, 2, UNWRITTEN) else f"={kind}:other", file=told, flush=True)
            if found:
                wrong += 1
                os.write(heard, f"{found}\n".encode(errors="replace"))
            for name in os.listdir():
                if os.path.islink(name) or not os.path.isdir(name):
                    os.unlink(name)
            number += 1
    return wrong


def compile_all() -> None:
    """Have everything compiled and cached, which takes long on a busy computer, before the first case."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        Path("t.csv").write_text("x,z,g,y\n" + "".join(f"{i},{i % 7 or ''},{i % 3},{i * i % 11}\n" for i in range(40)))
        for argv in (["independence", "--y", "y"], ["ksample", "--groups", "g"], ["screen", "--y", "y"]):
            main([argv[0], "t.csv", *argv[1:], *SMALL])
        for method in ("rv", "dcorr"):
            main(["plan", "t.csv", "--y", "y", "--method", method, "--jobs", "1", "--quiet", "--plot", "t.png"])


def lead(seconds: float, first: int, more: list[str]) -> int:
    """Keep a worker going, with more arguments, and count."""
    compile_all()
    begun, number, wrong, codes = time.monotonic(), first, 0, Counter[str]()
    while (left := seconds - (time.monotonic() - begun)) > 0:
        begin = ["--worker", "--first", str(number), "--seconds", str(min(SPELL, left))]
        command = [sys.executable, "-m", "benchmarks.checks.fuzz", *begin, *more]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=Path(__file__).parents[2])
        told = done.stdout.split()
        codes.update(word[1:] for word in told if word.startswith("="))
        number = max([number, *(int(word) + 1 for word in told if not word.startswith("="))])
        if done.returncode == 1:  # the reader's library gave up, which ends the process, but with the right words
            codes["command:1"] += 1
        elif done.returncode:
            wrong += 1
            print(f"the worker that came to case {number - 1} ended with {done.returncode}", file=sys.stderr)
    ran = sum(codes.values())
    print(f"{ran} cases from number {first} on in {seconds:.0f} s; {wrong} workers found something wrong")
    for kind in CASES:
        ends = [f"{code.partition(':')[2]}: {n}" for code, n in sorted(codes.items()) if code.startswith(f"{kind}:")]
        print(f"  {kind:8} {', '.join(ends) or 'none'}")
    print("(0: answered; 1: refused; 2: wrong usage; 73: not written; other: stopped by a signal, or wrong)")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, help="instead of minutes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, help="number of the first case, instead of a seed")
    parser.add_argument("--case", type=int)
    parser.add_argument("--kinds", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--widest", type=int, default=fuzz_library.widest)
    parser.add_argument("--worker", action="store_true")
    args = parser.parse_args()
    fuzz_library.widest = args.widest
    seconds = 60.0 * args.minutes if args.seconds is None else args.seconds
    first = args.seed * PER_SEED if args.first is None else args.first
    if args.case is not None and kind_of(args.case) != "command":
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), tempfile.TemporaryFile() as file:
            code, found = CASES[kind_of(args.case)](args.case, file)
            print(kind_of(args.case), code, found or "nothing is wrong")
        sys.exit()
    if args.case is not None:
        rng = random.Random(args.case)
        data, argv = make_file(rng), make_argv(rng)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            Path("t.bin").write_bytes(data)
            print(data[:2000], argv)
            os.environ["KMERF_TRACEBACK"] = "1"
            sys.stdin = io.TextIOWrapper(io.BytesIO(data))
            sys.exit(main(argv))
    if args.worker:
        sys.exit(3 * bool(work(first, seconds, args.kinds)))
    sys.exit(lead(seconds, first, ["--widest", str(args.widest), "--kinds", *args.kinds]))
