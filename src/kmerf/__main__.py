"""`python -m kmerf` is the command line, and so is the command `kmerf`."""

from __future__ import annotations

import sys


def start() -> None:
    """Run the command line; Ctrl-C while it is being loaded ends it without a traceback."""
    try:
        from kmerf.cli import console
    except KeyboardInterrupt:
        sys.exit(130)
    console()


if __name__ == "__main__":
    start()
