"""Through how many modules of kmerf does a call pass? The fewer, the sooner a reader has the whole story.

    python -m benchmarks.checks.module_counts            # the table
    python -m benchmarks.checks.module_counts --list     # and the modules of each call

Every Python function of kmerf that is called counts, in all threads: 60 rows, one job, everything imported and compiled
before. Compiled code is not seen. A crossing is a call from a function of one module, or package, to one of another.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import kmerf
from benchmarks.pages.marks import table
from kmerf.cli import main as shell

LIMITS = {"independence(x, y)": 45, "kmerf independence a.csv --report r.html": 85}


@dataclass
class Trace:
    """What a call passed through."""

    functions: set[tuple[str, str]] = field(default_factory=set)
    calls: int = 0
    module_crossings: int = 0
    package_crossings: int = 0

    @property
    def modules(self) -> list[str]:
        return sorted({module for module, _ in self.functions})

    @property
    def packages(self) -> set[str]:
        return {package_of(module) for module in self.modules}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event != "call" or module.partition(".")[0] != "kmerf" or frame.f_code.co_name == "<module>":
            return
        self.functions.add((module, frame.f_code.co_qualname))
        self.calls += 1
        caller = "" if frame.f_back is None else frame.f_back.f_globals.get("__name__", "")
        if caller.partition(".")[0] == "kmerf":
            self.module_crossings += caller != module
            self.package_crossings += package_of(caller) != package_of(module)


def package_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def traced(call: Callable[[], object]) -> Trace:
    """Return what a call passes through once it is warm."""
    call()
    trace = Trace()
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return trace


def questions(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the calls by what a reader would write."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 3))
    y = x[:, 0] + rng.normal(size=60)
    file, report = folder / "a.csv", folder / "r.html"
    np.savetxt(file, np.column_stack([x, y]), delimiter=",", header="a,b,c,y", comments="")
    how: dict[str, Any] = {"rng": 1, "n_jobs": 1}
    words = ["independence", str(file), "--y", "y", "--seed", "1", "--jobs", "1", "--report", str(report)]
    return {
        "independence(x, y)": lambda: kmerf.independence(x, y, **how),
        "ksample(a, b)": lambda: kmerf.ksample(x[:30], x[30:], **how),
        "screen(x, y)": lambda: kmerf.screen(x, y, **how),
        "conditional(x, y, given=z)": lambda: kmerf.conditional(x[:, :1], y, given=x[:, 1:], **how),
        "print(independence(x, y))": lambda: str(kmerf.independence(x, y, **how)),
        "kmerf independence a.csv --report r.html": lambda: run_shell([*words, "--quiet"]),
    }


def run_shell(words: list[str]) -> None:
    """Run a command in this process."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        code = shell(words)
    if code:
        raise SystemExit(f"kmerf {' '.join(words)} ended with {code}: {said.getvalue()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the modules of each call")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        traces = {name: traced(call) for name, call in questions(Path(folder)).items()}
    head = ["call", "modules", "at most", "packages", "functions", "calls", "crossings: modules / packages"]
    rows = [
        [
            f"`{name}`",
            str(len(trace.modules)),
            str(LIMITS.get(name, "")),
            str(len(trace.packages)),
            str(len(trace.functions)),
            f"{trace.calls:,}",
            f"{trace.module_crossings:,} / {trace.package_crossings:,}",
        ]
        for name, trace in traces.items()
    ]
    print(table(head, rows))
    if options.list:
        for name, trace in traces.items():
            print(f"\n{name}\n  " + "\n  ".join(trace.modules))


if __name__ == "__main__":
    main()
