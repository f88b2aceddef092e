"""Which code computed a row. A resumed store must not mix engines, so the answer is part of every cell's key.

It is the version of kmerf and a digest of the sources that the row depends on: the modules of kmerf that define the
classes in the test's settings and `kmerf.study.replicate`, and whatever these import of kmerf, in turn, but for what
is `HARMLESS`. A test from elsewhere adds its own file, or its package's version (scikit-learn, for one of its forests).
Comments, docstrings and layout do not count. Rows of other code stay in the store, unread.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

from kmerf._version import __version__
from kmerf.core.settings import walk

ROOT = Path(__file__).parent.parent
HARMLESS = frozenset(
    # They cannot change a statistic; the design of a study is in the keys. A null counts for tests that have one.
    f"kmerf{module}"
    for module in (
        "",
        "._version",
        ".core.errors",
        ".core.parallel",
        ".core.progress",
        ".nulls.judging",
        ".nulls.permutation",
        ".nulls.extrapolated",
        ".nulls.chi_square",
        ".results.parts",
        ".results.details",
        ".study.design",
        ".study.version",
    )
)
_PARSING = threading.Lock()


def code(test: Any) -> str:
    """Return the version of all that the rows of a method and a null depend on; not on how nulls judge, without one."""
    kinds = {type(part) for part in walk(test)}
    own = {kind.__module__ for kind in kinds if kind.__module__.startswith("kmerf.")}
    other = sorted({_elsewhere(kind) for kind in kinds if kind.__module__ not in own} - {""})
    own |= (
        {"kmerf.study.replicate"}
        if test[1] is None
        else {"kmerf.study.replicate", "kmerf.nulls.judging", "kmerf.nulls.permutation"}
    )
    return "+".join([__version__, digest(frozenset(own)), *other])


def is_current(test: Any, expected: str) -> bool:
    """Tell whether this process has the expected code; what a script defines travels to workers as it is."""
    return any(type(part).__module__ == "__main__" for part in walk(test)) or code(test) == expected


def _elsewhere(kind: type) -> str:
    """Return the version of a class that is not kmerf's; empty for Python's own."""
    if kind.__module__ == "__main__":
        return f"__main__-{_hash(meaning(parse(textwrap.dedent(inspect.getsource(kind)))))}"
    package = kind.__module__.partition(".")[0]
    file = getattr(sys.modules[kind.__module__], "__file__", None)
    if file is None or package in sys.stdlib_module_names:
        return ""
    known = getattr(sys.modules[package], "__version__", None)
    return f"{package}-{known or _hash(meaning(parse(Path(file).read_text(encoding='utf-8'))))}"


@functools.cache
def digest(modules: frozenset[str]) -> str:
    """Return a digest of modules of kmerf and all they import; cached, for a process keeps the code it has imported."""
    found: dict[str, str] = {}
    waiting = sorted(modules)
    while waiting:
        name = waiting.pop()
        file = _file(name)
        if file is not None and name not in found and (name in modules or name not in HARMLESS):
            tree = parse(file.read_text(encoding="utf-8"))
            waiting += imports(tree)
            found[name] = meaning(tree)
    return _hash(repr(sorted(found.items())))


def _file(module: str) -> Path | None:
    """Return the source of a module of kmerf, if there is such a module."""
    package, *parts = module.split(".")
    path = ROOT.joinpath(*parts)
    if package != "kmerf":
        return None
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def parse(source: str) -> ast.Module:
    """Parse a source, one thread at a time: in two at once, Python 3.11 may raise a SystemError (CPython gh-106905)."""
    with _PARSING:
        return ast.parse(source)


def imports(tree: ast.Module) -> list[str]:
    """Return the modules of kmerf that a source imports, at the top or later.

    >>> imports(ast.parse("from kmerf.data.read_sample import read_ksample; from kmerf.nulls import judging"))
    ['kmerf.data.read_sample', 'kmerf.nulls.judging']
    """
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{name.name}" for name in node.names]
            found += [name if _file(name) else node.module for name in inner]
    return list(dict.fromkeys(name for name in found if name.split(".")[0] == "kmerf"))


def meaning(tree: ast.Module) -> str:
    """Return a source without its comments, docstrings and layout; the tree loses them too.

    >>> meaning(ast.parse("x = 1  # one")) == meaning(ast.parse("'A module.'; x = (1)"))
    True
    """
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_text(line)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
