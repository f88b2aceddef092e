"""Runs the examples of a page, shows what each printed and drew, and checks what the prose says about it.

A hook of MkDocs; tests/test_docs.py calls `run` for the first pages (`FIRST`). Every block of `python` and `sh` on
these pages is run, in order, in a folder of the page's own; there is no way to mark one as not to be run. An example
that fails or warns fails the build. A block of another language (`text`, `console`) is shown as it is.

A comment `<!-- check ... -->` holds Python that runs after the blocks above it and is not shown. It asserts what the
prose claims, such as `assert result.pvalue <= 0.001`; `printed` is what the last block printed.

`mkdocs build` runs the pages two at a time. Their output is kept in `.cache/docs/` and used again until the page or
the code of kmerf changes.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
KEPT = ROOT / ".cache" / "docs"
AT_ONCE = 2  # pages that are run at the same time
BLOCK = re.compile(
    r"^```(?P<language>python|sh)\n(?P<code>.*?)^```$|^<!-- check\n(?P<check>.*?)^-->$", flags=re.DOTALL | re.MULTILINE
)
THUMBNAIL = re.compile(r"\[thumbnail of (\w+)\]")
PICTURE = re.compile(r'<img class="plot"[^>]*>')
FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", flags=re.DOTALL | re.MULTILINE)  # which MkDocs has read before
LANGUAGES = {"python", "sh", "text", "console", "json", "r"}
FIRST = ("cli.md", "comparison.md", "index.md", "reading-a-result.md", "tutorial.md")


def has_examples(path: str) -> bool:
    """Return whether the examples of a page are run."""
    return path in FIRST or (path.startswith(("how-to/", "gallery/")) and path != "gallery/index.md")


def on_files(files: Any, **_: Any) -> Any:
    """Run the pages whose output is not known yet, some at a time, each in a process of its own."""
    paths = [file.src_uri for file in files.documentation_pages() if has_examples(file.src_uri)]
    wanted = [path for path in paths if not _kept(path).is_file()]
    command = [sys.executable, str(Path(__file__).resolve())]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = list(pool.map(lambda path: subprocess.run([*command, path], check=False).returncode, wanted))
    failed = [path for path, status in zip(wanted, done, strict=True) if status]
    if failed:
        raise RuntimeError(f"Examples fail on {', '.join(failed)}: see above.")
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put what the examples print below them, while MkDocs builds a page."""
    path = page.file.src_uri
    if path == "gallery/index.md":
        return THUMBNAIL.sub(lambda match: _first_picture(f"gallery/{match[1]}.md"), markdown)
    return FRONT_MATTER.sub("", _kept(path).read_text(encoding="utf-8")) if has_examples(path) else markdown


def _first_picture(path: str) -> str:
    """Return the first picture of a page whose examples were run."""
    return PICTURE.findall(_kept(path).read_text(encoding="utf-8"))[0]


def _kept(path: str) -> Path:
    """Return where the output of a page is kept: a name that changes with the page and with the code."""
    digest = hashlib.sha256(_code() + (DOCS / path).read_bytes()).hexdigest()[:20]
    return KEPT / f"{path.replace('/', '.')}-{digest}.md"


@cache
def _code() -> bytes:
    files = [Path(__file__), *sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "src").rglob("templates/*"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).digest()


def main(path: str) -> None:
    """Run a page and keep its output."""
    file = _kept(path)
    text = run((DOCS / path).read_text(encoding="utf-8"), path)
    file.parent.mkdir(parents=True, exist_ok=True)
    for old in file.parent.glob(f"{path.replace('/', '.')}-*.md"):
        old.unlink()
    file.write_text(text, encoding="utf-8")


def run(markdown: str, path: str) -> str:
    """Run all examples of a page; return it with what they printed."""
    unknown = set(re.findall(r"^```(\S[^\n]*)$", markdown, flags=re.MULTILINE)) - LANGUAGES
    if unknown:
        raise ValueError(f"{path}: a block is marked {sorted(unknown)[0]!r}; use one of {sorted(LANGUAGES)}.")
    shown: list[str] = []
    end, space, printed = 0, {"__name__": "__main__"}, ""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in BLOCK.finditer(markdown):
            where = f"{path}:{markdown.count(chr(10), 0, block.start()) + 1}"
            if block["check"] is not None:
                _python(block["check"], where, space | {"printed": printed})
                shown.append(markdown[end : block.start()])
            else:
                python = block["language"] == "python"
                printed = _python(block["code"], where, space) if python else _shell(block["code"], path)
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
        shown.append(f'\n\n<img class="plot" alt="{file.stem}" src="data:image/png;base64,{data}">')
        file.unlink()
    return "".join(shown)


if __name__ == "__main__":
    main(sys.argv[1])
