"""What a stored value depends on: settings, in canonical form, and code, by a digest of its source files.

A store must not mix results of different code. So its keys hold the version of kmerf and a digest of all its sources,
except for the packages that only show results (`SURFACES`). A test from elsewhere adds its own file, or the version of
its package (scikit-learn, for one of its forests).
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import sys
from pathlib import Path
from typing import Any

from kmerf._version import __version__
from kmerf.core.errors import Argument, InputError
from kmerf.core.settings import as_plain, walk

ROOT = Path(__file__).parent.parent
SURFACES = frozenset(
    {"adapters", "app", "cli", "compat", "demo", "estimators", "figures", "pictures", "planning", "report", "show"}
)


def canonical(value: Any, argument: str = "settings") -> str:
    """Return settings as JSON that depends on nothing else.

    >>> from kmerf import Permutation
    >>> canonical(Permutation(99))
    '{"class":"Permutation","n_resamples":99}'
    """
    text = json.dumps(as_plain(value), sort_keys=True, separators=(",", ":"))
    if "array of shape" in text or " at 0x" in text:
        finding = "has settings that cannot be compared"
        raise InputError(finding, argument=Argument(argument, value), remedy="use dataclasses of plain values")
    return text


def home(kind: type) -> str:
    """Return where a class is from: its module, or kmerf, whose classes have one name each and may move.

    >>> from kmerf import KMERF
    >>> home(KMERF), home(Path)
    ('kmerf', 'pathlib')
    """
    return "kmerf" if kind.__module__.startswith("kmerf.") else kind.__module__


def code_version(settings: Any) -> str:
    """Return the version of the code that computes with these settings: of kmerf, and of other packages in them."""
    kinds = {type(part) for part in walk(settings)}
    other = sorted({_version_elsewhere(kind) for kind in kinds if home(kind) != "kmerf"} - {""})
    return "+".join([__version__, digest(ROOT), *other])


@functools.cache  # a process keeps the code that it has imported
def digest(root: Path) -> str:
    """Return a digest of the sources in a folder of kmerf that can change a result."""
    names = sorted(file.relative_to(root) for file in root.rglob("*.py"))
    return _hash(*(f"{name.as_posix()}\n{_source(root / name)}" for name in names if not _is_surface(name)))


def _is_surface(name: Path) -> bool:
    return name.with_suffix("").parts[0] in SURFACES


def _source(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _version_elsewhere(kind: type) -> str:
    """Return the version of a class that is not kmerf's; empty for Python's own."""
    if kind.__module__ == "__main__":
        return f"__main__-{_hash(inspect.getsource(kind))}"
    package = kind.__module__.partition(".")[0]
    file = getattr(sys.modules[kind.__module__], "__file__", None)
    if file is None or package in sys.stdlib_module_names:
        return ""
    version = getattr(sys.modules[package], "__version__", None)
    return f"{package}-{version or _hash(_source(Path(file)))}"


def _hash(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=8).hexdigest()
