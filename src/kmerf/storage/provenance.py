"""What a kept result rests on: settings, in canonical form, and code, by a digest of its sources.

What is kept in a file must not mix engines. The digest of a module is that of its own statements and of the digests of
what it imports of kmerf at run time, in turn, but for what is *harmless*: modules that cannot change the result. It
knows an imported module by its content and not by its path, so a module can move and nothing is lost. Comments,
docstrings, layout, the order of imports and imports for types alone do not count either. A test from elsewhere adds its
own file, or its package's version (scikit-learn, for one of its forests).
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import json
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any, NamedTuple

from kmerf._version import __version__
from kmerf.core.errors import InputError, KmerfError
from kmerf.core.settings import as_plain, walk

ROOT = Path(__file__).parent.parent
HARMLESS = frozenset(
    {"kmerf.core.errors", "kmerf.execution.parallel", "kmerf.execution.progress", "kmerf.results.parts"}
)
_PARSING = threading.Lock()
_BLOCKS = ("body", "orelse", "finalbody")


def canonical(value: Any) -> str:
    """Return settings as JSON that depends on nothing else.

    >>> from kmerf.nulls.definitions import Permutation
    >>> canonical(Permutation(99))
    '{"class":"Permutation","n_resamples":99}'
    """
    text = json.dumps(as_plain(value), sort_keys=True, separators=(",", ":"))
    if "array of shape" in text or " at 0x" in text:
        raise InputError(f"{value!r} cannot be told from others by its settings: use dataclasses of plain values.")
    return text


def code_version(settings: Any, modules: frozenset[str], harmless: frozenset[str] = HARMLESS) -> str:
    """Return the version of the code that settings and modules rest on: kmerf's, its digest, and those of others."""
    kinds = {type(part) for part in walk(settings)}
    other = sorted({_elsewhere(kind) for kind in kinds if home(kind) != "kmerf"} - {""})
    return "+".join([__version__, digest(modules | own_modules(settings), ROOT, harmless), *other])


def own_modules(settings: Any) -> frozenset[str]:
    """Return the modules of kmerf that define the classes in settings.

    >>> from kmerf import Permutation
    >>> sorted(own_modules(Permutation(9)))
    ['kmerf.nulls.definitions']
    """
    return frozenset(kind.__module__ for kind in map(type, walk(settings)) if home(kind) == "kmerf")


def home(kind: type) -> str:
    """Return where a class is from: its module, or kmerf, whose classes have one name each and may move.

    >>> from kmerf import KMERF
    >>> home(KMERF), home(Path)
    ('kmerf', 'pathlib')
    """
    return "kmerf" if kind.__module__.startswith("kmerf.") else kind.__module__


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
def digest(modules: frozenset[str], root: Path, harmless: frozenset[str] = HARMLESS) -> str:
    """Return a digest of modules of kmerf and all they import; cached, for a process keeps the code it has imported."""
    known: dict[str, str] = {}
    return _hash(repr(sorted(_content(module, modules, harmless, root, known) for module in modules)))


def _content(module: str, asked: frozenset[str], harmless: frozenset[str], root: Path, known: dict[str, str]) -> str:
    """Return the digest of one module and what it imports; empty for a harmless one that was not asked for."""
    if module.partition(".")[0] != "kmerf":
        return module
    if module in harmless and module not in asked:
        return ""
    if module not in known:
        file = _file(module, root)
        if file is None:
            raise KmerfError(f"What is computed rests on {module}, which has no source in {root}: install kmerf again.")
        statements, imports = _read(file.read_text(encoding="utf-8"), root)
        below = sorted((each.name, each.alias, _content(each.module, asked, harmless, root, known)) for each in imports)
        known[module] = _hash(repr((statements, below)))
    return known[module]


@functools.lru_cache(maxsize=256)  # most tests rest on the same files
def _read(source: str, root: Path) -> tuple[str, frozenset[Imported]]:
    tree = parse(source)
    imports = frozenset(take_imports(tree, root))
    return meaning(tree), imports


def _file(module: str, root: Path) -> Path | None:
    """Return the source of a module of kmerf, if there is such a module."""
    path = root.joinpath(*module.split(".")[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def parse(source: str) -> ast.Module:
    """Parse a source, one thread at a time: in two at once, Python 3.11 may raise a SystemError (CPython gh-106905)."""
    with _PARSING:
        return ast.parse(source)


class Imported(NamedTuple):
    """One name that a source imports: from which module, which of its names (none for the module), and as what."""

    module: str
    name: str
    alias: str


def take_imports(tree: ast.Module, root: Path) -> set[Imported]:
    """Return what a source imports at run time, at the top or later; the tree loses all imports.

    >>> tree = parse("from kmerf.nulls import judging; from kmerf.core.arrays import ranks as r; import numpy as np")
    >>> for each in sorted(take_imports(tree, ROOT)):
    ...     print(*each)
    kmerf.core.arrays ranks r
    kmerf.nulls.judging  judging
    numpy  np
    >>> ast.unparse(tree)
    ''
    """
    for node, field, lines in _blocks(tree):
        setattr(node, field, [line for line in lines if not _is_for_types(line)])
    found: set[Imported] = set()
    for node, field, lines in _blocks(tree):
        found.update(each for line in lines for each in _names(line, root))
        setattr(node, field, [line for line in lines if not isinstance(line, ast.Import | ast.ImportFrom)])
    return found


def _blocks(tree: ast.Module) -> list[tuple[ast.AST, str, list[ast.stmt]]]:
    """Return every list of statements, and where it is."""
    fields = [(node, name, getattr(node, name, None)) for node in ast.walk(tree) for name in _BLOCKS]
    return [(node, name, lines) for node, name, lines in fields if isinstance(lines, list)]


def _names(line: ast.stmt, root: Path) -> list[Imported]:
    if isinstance(line, ast.Import):
        return [Imported(each.name, "", each.asname or each.name) for each in line.names]
    if not isinstance(line, ast.ImportFrom) or line.module is None:
        return []
    names = []
    for each in line.names:
        inner = f"{line.module}.{each.name}"
        is_module = line.module.partition(".")[0] == "kmerf" and _file(inner, root) is not None
        place = (inner, "") if is_module else (line.module, each.name)
        names.append(Imported(*place, each.asname or each.name))
    return names


def _is_for_types(line: ast.stmt) -> bool:
    return isinstance(line, ast.If) and ast.unparse(line.test) == "TYPE_CHECKING" and not line.orelse


def meaning(tree: ast.Module) -> str:
    """Return a source without its comments, docstrings and layout; the tree loses them too.

    >>> meaning(ast.parse("x = 1  # one")) == meaning(ast.parse("'A module.'; x = (1)"))
    True
    """
    for node, field, lines in _blocks(tree):
        setattr(node, field, [line for line in lines if not _is_text(line)])
    return ast.dump(tree)


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
