"""Results as one HTML file: no network, light and dark, for screens, phones and paper.

`kmerf.show` says what was found, `kmerf.pictures` and `svg` draw it. `tested` (a test), `screened` (a screen, all pairs
of columns), `compared` (one table, two, windows) and `curves` (a study, a curve of power) put together what is on a
page, and `page` adds where it comes from and makes HTML of it.

Only this package imports Jinja2, which is in the extra `report`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kmerf.report import compared, curves, screened, tested
from kmerf.report.page import render
from kmerf.results.comparison_result import Comparison, Timeline
from kmerf.results.power_curve import PowerCurve
from kmerf.results.records import Paged
from kmerf.results.screen_result import Associations, Screen
from kmerf.results.single_result import Result
from kmerf.results.views import Description
from kmerf.storage.saving import write_text

if TYPE_CHECKING:
    from kmerf.study import Calibration, Power


def html(
    outcome: Paged | Sequence[Power],
    data: Mapping[str, Any] | None = None,
    command: str | None = None,
    rates: Calibration | None = None,
) -> str:
    """Return the page of an outcome; `data` says how a table was read (docs/json.md), `command` is the shell's.

    The page of a table has, if they are given, the `rates` at which a test rejects on it without an effect.
    """
    if isinstance(outcome, Result):
        return render("tested.html", tested.context(outcome, data, command))
    if isinstance(outcome, Screen):
        return render("screened.html", screened.context(outcome, data, command))
    if isinstance(outcome, Comparison | Timeline):
        return render("compared.html", compared.context(outcome, command))
    if isinstance(outcome, Associations):
        return render("associated.html", screened.pairs_context(outcome, data, command))
    if isinstance(outcome, PowerCurve):
        return render("planned.html", curves.plan_context(outcome, data, command))
    if isinstance(outcome, Description):
        return render("described.html", compared.description_context(outcome, data, command, rates))
    assert not isinstance(outcome, Paged)
    return render("curves.html", curves.context(outcome, command))


def write(
    outcome: Paged | Sequence[Power],
    path: str | os.PathLike[str],
    data: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> None:
    """Write the page of an outcome; the file is there whole or not at all."""
    write_text(path, html(outcome, data, command))
