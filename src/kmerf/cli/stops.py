"""Why a command ends early."""

from __future__ import annotations

from kmerf.core.errors import InputError, KmerfError, choose


class UsageError(KmerfError):
    """Options that do not go together."""


class Stopped(KmerfError):  # noqa: N818 - it is no error
    """Ctrl-C, where there is more to say than that it was pressed."""


def going_on(store: str) -> str:
    """Say that work was stopped, and how to go on."""
    return f"stopped: what was computed is in {store!r}; the same command goes on from there."


def pick(option: str, value: str, options: tuple[str, ...]) -> None:
    """Refuse a value that is no option, as wrong usage."""
    try:
        choose(option, value, options)
    except InputError as error:
        raise UsageError(str(error)) from None


class UnwrittenError(KmerfError):
    """An answer is there, and a place for it is not."""
