"""Results as one HTML file: no network, light and dark, for screens, phones and paper.

`kmerf.show` says what was found, `kmerf.pictures` and `svg` draw it; `answer`, `screened`, `compared` and `curves` put
together the page of a test, a screen, a comparison and a power study, and `page` adds where it comes from and makes
HTML of it.

This package is the one door to Jinja2, which is in the extra `report`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kmerf.report import answer, compared, curves, screened
from kmerf.report.page import render
from kmerf.results.comparison import Comparison, Timeline
from kmerf.results.records import Reported
from kmerf.results.screen_result import Screen
from kmerf.results.single_result import Result
from kmerf.storage.saving import write_text

if TYPE_CHECKING:
    from kmerf.study import Power


def html(
    outcome: Reported | Sequence[Power],
    data: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> str:
    """Return the page of an outcome; `data` says how a table was read (docs/json.md), `command` is the shell's."""
    if isinstance(outcome, Result):
        return render("answer.html", answer.context(outcome, data, command))
    if isinstance(outcome, Screen):
        return render("screened.html", screened.context(outcome, data, command))
    if isinstance(outcome, Comparison | Timeline):
        return render("compared.html", compared.context(outcome, command))
    assert not isinstance(outcome, Reported)
    return render("curves.html", curves.context(outcome, command))


def write(
    outcome: Reported | Sequence[Power],
    path: str | os.PathLike[str],
    data: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> None:
    """Write the page of an outcome; the file is there whole or not at all."""
    write_text(path, html(outcome, data, command))
