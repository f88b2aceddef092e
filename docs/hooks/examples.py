"""Runs the examples of the first page, tutorial, gallery and how-to pages, and shows what each printed and drew.

A hook of MkDocs; tests/test_docs.py calls `run` too. Every block of `python` and `sh` on these pages is run, in order,
in a folder of the page's own; there is no way to mark one as not to be run. An example that fails, or warns, fails the
build. A block of another language (`text`, `console`) is shown as it is.
"""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LANGUAGES = {"python", "sh", "text", "console", "json"}


def has_examples(path: str) -> bool:
    """Tell whether the examples of a page are run."""
    if path == "gallery/index.md":
        return False
    return path in ("cli.md", "index.md", "tutorial.md") or path.startswith(("how-to/", "gallery/"))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put what the examples print below them, while MkDocs builds a page."""
    path = page.file.src_uri
    return run(markdown, path) if has_examples(path) else markdown


def run(markdown: str, path: str) -> str:
    """Run all examples of a page; return it with what they printed."""
    unknown = set(re.findall(r"^```(\S[^\n]*)$", markdown, flags=re.MULTILINE)) - LANGUAGES
    if unknown:
        raise ValueError(f"{path}: a block is marked {sorted(unknown)[0]!r}; use one of {sorted(LANGUAGES)}.")
    shown, end, space = [], 0, {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in BLOCK.finditer(markdown):
            line = markdown.count("\n", 0, block.start()) + 1
            printed = _python(block[2], f"{path}:{line}", space) if block[1] == "python" else _shell(block[2], path)
            shown += [markdown[end : block.end()], _output(printed), _pictures()]
            end = block.end()
    return "".join([*shown, markdown[end:]])


def _python(code: str, where: str, space: dict[str, Any]) -> str:
    """Run code in the names of the blocks before it; warnings for users are errors."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("error", FutureWarning)
        try:
            exec(compile(code, where, "exec"), space)
        except Exception as error:
            raise RuntimeError(f"The example at {where} failed.\n{traceback.format_exc()}") from error
    return printed.getvalue()


def _shell(commands: str, where: str) -> str:
    """Run shell commands, with the `kmerf` of this Python; return what a terminal would show."""
    with tempfile.TemporaryDirectory() as folder:
        command = Path(folder, "kmerf")
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kmerf "$@"\n')
        command.chmod(0o755)
        path = os.pathsep.join([folder, str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        plain = {"COLUMNS": "90", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
        settings = os.environ | plain | {"PATH": path, "PYTHONPATH": _home_of_kmerf()}
        done = subprocess.run(
            ["/bin/sh", "-e", "-c", commands],
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"The commands on {where} ended with {done.returncode}:\n{commands}\n{done.stdout}")
    return done.stdout


def _home_of_kmerf() -> str:
    """Return the folder that the Python examples import kmerf from, so that the shell's do too."""
    module = importlib.util.find_spec("kmerf")
    assert module is not None
    assert module.origin is not None
    return str(Path(module.origin).parents[1])


def _output(printed: str) -> str:
    return f"\n\n``` {{ .text .output }}\n{printed.strip(chr(10))}\n```" if printed.strip() else ""


def _pictures() -> str:
    """Show the pictures that were saved, inside the page; they are removed, so that each is shown once."""
    shown = []
    for file in sorted(Path().glob("*.png")):
        data = base64.b64encode(file.read_bytes()).decode("ascii")
        shown.append(f'\n\n<img alt="{file.stem}" src="data:image/png;base64,{data}">')
        file.unlink()
    return "".join(shown)
