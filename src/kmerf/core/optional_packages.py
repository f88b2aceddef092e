"""Extras: what is installed only for those who ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kmerf.core.errors import KmerfError, installing


class MissingExtraError(KmerfError, ImportError):
    """A package that is not installed, and the extra of kmerf that brings it."""


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Name the extra to install where a package that it brings is not there.

    >>> with needs("plot"):
    ...     import a_library
    Traceback (most recent call last):
    kmerf.core.optional_packages.MissingExtraError: This needs a_library, which is not there: pip install '.[plot]' ...
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package == "kmerf":
            raise
        raise MissingExtraError(f"This needs {package}, which is not there: {installing(extra)}.") from None
