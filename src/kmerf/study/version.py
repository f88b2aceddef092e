"""Which code computed a row. A resumed store must not mix engines, so the answer is part of every cell's key.

It is the version of kmerf and a digest of the sources that a row depends on: `CORE`, the home of every class in the
test's settings (all of `kmerf.rivals` for a rival), and the version of other packages among them (scikit-learn, for
one of its forests). Comments, docstrings and layout do not count; figures, reports and the rest of kmerf neither.
Rows of other code stay in the store, unread.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from kmerf._version import __version__

ROOT = Path(__file__).parent.parent
CORE = (
    "engine",
    "forest.py",
    "kernel.py",
    "kmerf.py",
    "null.py",
    "plugin.py",
    "simulations",
    "statistic.py",
    "study/replicate.py",
    "study/sources.py",
    "tables.py",
)


def code(test: Any) -> str:
    """Return the version of everything that the rows of a test depend on."""
    extra = sorted({_home(type(part)) for part in _parts(test)} - {""})
    return "+".join([__version__, _digest(tuple(ROOT / name for name in CORE)), *extra])


def is_current(test: Any, expected: str) -> bool:
    """Tell whether this process has the expected code; what a script defines travels to workers as it is."""
    return any(type(part).__module__ == "__main__" for part in _parts(test)) or code(test) == expected


def _parts(value: Any) -> Iterator[Any]:
    """Yield a value and all that it is made of."""
    yield value
    if isinstance(value, tuple):
        for part in value:
            yield from _parts(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _parts(getattr(value, field.name))


def _home(kind: type) -> str:
    """Return the version of the code of a class; empty if it is part of Python or of `CORE`."""
    if kind.__module__ == "__main__":
        return f"__main__-{hashlib.blake2b(inspect.getsource(kind).encode(), digest_size=8).hexdigest()}"
    file = getattr(sys.modules[kind.__module__], "__file__", None)
    package = kind.__module__.partition(".")[0]
    if file is None or package in sys.stdlib_module_names:
        return ""
    path = Path(file)
    if path.is_relative_to(ROOT):
        folder = path if path.parent in (ROOT, ROOT / "study") else ROOT / path.relative_to(ROOT).parts[0]
        return "" if _is_core(folder) else f"{folder.stem}-{_digest((folder,))}"
    known = getattr(sys.modules[package], "__version__", None)
    return f"{package}-{known}" if known else f"{kind.__module__}-{_digest((path,))}"


def _is_core(path: Path) -> bool:
    return any(path == ROOT / name for name in CORE) or path.is_relative_to(ROOT / "study")


@functools.cache
def _digest(paths: tuple[Path, ...]) -> str:
    """Return a digest of what the sources say, cached: a process keeps the code that it imported."""
    found = hashlib.blake2b(digest_size=8)
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            found.update(f"{file.name}\n{meaning(file.read_text(encoding='utf-8'))}\n".encode())
    return found.hexdigest()


def meaning(source: str) -> str:
    """Return source without its comments, docstrings and layout.

    >>> meaning("x = 1  # one") == meaning("'''A module.'''" + chr(10) + "x = (1)")
    True
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_text(line)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)
