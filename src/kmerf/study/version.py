"""Which code computed a row. A resumed store must not mix engines, so the answer is part of every cell's key.

It is the version of kmerf and a digest of the sources that the row depends on: the modules of kmerf that define the
classes in the test's settings, `kmerf.study.replicate` and `kmerf.study.sources`, and whatever these import of kmerf
at run time, in turn, but for what is `HARMLESS`. A test from elsewhere adds its own file, or its package's version
(scikit-learn, for one of its forests).

The digest of a module is that of its own statements and of the digests of what it imports. It knows an imported module
by its content and not by its path, so a module can move and no row is lost. Comments, docstrings, layout, the order of
imports and imports for types alone do not count either. Rows of other code stay in the store, unread.
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
from typing import Any, NamedTuple

from kmerf._version import __version__
from kmerf.core.errors import KmerfError
from kmerf.core.settings import walk

ROOT = Path(__file__).parent.parent
ALWAYS = frozenset({"kmerf.study.replicate", "kmerf.study.sources"})
JUDGING = frozenset({"kmerf.nulls.judging", "kmerf.nulls.permutation"})
HARMLESS = frozenset(
    # They cannot change a statistic; the design of a study is in the keys. A null counts for tests that have one.
    f"kmerf{module}"
    for module in (
        ".core.errors",
        ".core.parallel",
        ".core.progress",
        ".nulls.judging",
        ".results.parts",
        ".study.design",
        ".study.version",
    )
)
_PARSING = threading.Lock()
_BLOCKS = ("body", "orelse", "finalbody")


def code(test: Any) -> str:
    """Return the version of all that the rows of a method and a null depend on; not on how nulls judge, without one."""
    kinds = {type(part) for part in walk(test)}
    other = sorted({_elsewhere(kind) for kind in kinds if home(kind) != "kmerf"} - {""})
    return "+".join([__version__, digest(rests_on(test), ROOT), *other])


def rests_on(test: Any) -> frozenset[str]:
    """Return the modules of kmerf that the rows of a method and a null rest on, with all that these import."""
    own = {kind.__module__ for kind in map(type, walk(test)) if home(kind) == "kmerf"}
    return ALWAYS | own | (frozenset() if test[1] is None else JUDGING)


def home(kind: type) -> str:
    """Return where a class is from: its module, or kmerf, whose classes have one name each and may move.

    >>> from kmerf import KMERF
    >>> home(KMERF), home(Path)
    ('kmerf', 'pathlib')
    """
    return "kmerf" if kind.__module__.startswith("kmerf.") else kind.__module__


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
def digest(modules: frozenset[str], root: Path) -> str:
    """Return a digest of modules of kmerf and all they import; cached, for a process keeps the code it has imported."""
    known: dict[str, str] = {}
    return _hash(repr(sorted(_content(module, modules, root, known) for module in modules)))


def _content(module: str, asked: frozenset[str], root: Path, known: dict[str, str]) -> str:
    """Return the digest of one module and what it imports; empty for a harmless one that was not asked for."""
    if module.partition(".")[0] != "kmerf":
        return module
    if module in HARMLESS and module not in asked:
        return ""
    if module not in known:
        file = _file(module, root)
        if file is None:
            raise KmerfError(f"A study rests on {module}, which has no source in {root}: install kmerf again.")
        statements, imports = _read(file.read_text(encoding="utf-8"), root)
        below = sorted((each.name, each.alias, _content(each.module, asked, root, known)) for each in imports)
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
