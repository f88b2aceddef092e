"""What kmerf raises and warns with: every message names the argument, what was found and what to do.

`InputError` is a `ValueError`, so code that guards other statistics libraries guards this one too.
"""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable


class KmerfError(Exception):
    """Anything that kmerf raises on purpose."""


class InputError(KmerfError, ValueError):
    """An argument that cannot be used as it is."""


class KmerfWarning(UserWarning):
    """A result that can be computed but should not be trusted as it stands."""


def warn(text: str) -> None:
    """Warn the caller of kmerf: the line that is named is the first outside the library."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "kmerf":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, KmerfWarning, stacklevel=level)


def choose(argument: str, value: object, options: Iterable[str]) -> str:
    """Return `value` if it is one of `options`, else raise an error that names the nearest one.

    >>> choose("proximity", "oob", ["all", "either", "oob"])
    'oob'
    >>> choose("proximity", "ob", ["all", "either", "oob"])
    Traceback (most recent call last):
    kmerf.core.errors.InputError: proximity='ob' is not an option; did you mean 'oob'? Options: 'all', 'either', 'oob'.
    """
    names = list(options)
    if isinstance(value, str) and value in names:
        return value
    near = difflib.get_close_matches(str(value).lower(), [name.lower() for name in names], n=1, cutoff=0.4)
    hint = f"; did you mean {next(n for n in names if n.lower() == near[0])!r}?" if near else "."
    raise InputError(f"{argument}={value!r} is not an option{hint} Options: {', '.join(map(repr, names))}.")


def whole(argument: str, value: object, at_least: int = 1) -> int:
    """Return `value` as an int if it is a whole number no smaller than `at_least`, else raise.

    >>> whole("n_trees", 500)
    500
    >>> whole("n_trees", 0)
    Traceback (most recent call last):
    kmerf.core.errors.InputError: n_trees=0 must be a whole number of at least 1.
    """
    # numpy integers carry __index__ as ints do; bool does too, and is never meant.
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value) < at_least:
        raise InputError(f"{argument}={value!r} must be a whole number of at least {at_least}.")
    return int(value)
