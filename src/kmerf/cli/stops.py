"""Why a command ends early."""

from __future__ import annotations

from kmerf.core.errors import KmerfError


class UsageError(KmerfError):
    """Options that do not go together."""


class Stopped(KmerfError):  # noqa: N818 - it is no error
    """Ctrl-C, where there is more to say than that it was pressed."""


class UnwrittenError(KmerfError):
    """An answer is there, and a place for it is not."""
