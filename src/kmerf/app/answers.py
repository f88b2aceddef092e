"""What the page shows and lets you save of an outcome: the report, its pictures, tables, and text to paste.

Pictures are those of the report, each as a file of its own: the rules of the report's style go with it, with the
colours of the light scheme in place of variables, which few programs other than browsers know.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from html import unescape
from importlib import resources
from typing import Any, NamedTuple

from jinja2 import Environment
from markupsafe import Markup, escape

import kmerf
from kmerf import report
from kmerf.app.calls import Asked
from kmerf.core.safe_text import as_csv, clean
from kmerf.report.page import environment

_DRAWING = re.compile(r'<svg class="chart([^"]*)"([^>]*)>(.*?)</svg>', re.DOTALL)
_PARTS = ("answer", "features", "members", "pairs")


class NamedPicture(NamedTuple):
    """A picture of the report as a file."""

    title: str
    svg: str


class ShownAnswer(NamedTuple):
    """An outcome, as the page shows it; values only, so that it can leave the process that computed it."""

    title: str
    headline: str
    pvalue: float | None
    """Of questions that have one."""
    p: str
    """The p-value as it is written."""
    text: str
    page: str
    """The report."""
    scripted: bool
    """Whether the report has a script of its own."""
    pictures: tuple[NamedPicture, ...]
    tables: dict[str, str]
    """By name, in CSV."""
    methods: str
    interrupted: bool


def show(outcome: Any, asked: Asked, data: Mapping[str, Any]) -> ShownAnswer:
    """Return all that the page needs of an outcome."""
    command = asked.shell() or None
    page = report.html(outcome, dict(data), command)
    words = getattr(outcome, "words", None) or _words(outcome)
    p, _, _ = str(words.get("p") or "").partition(" (")
    pvalue = getattr(outcome, "pvalue", None)
    return ShownAnswer(
        title=str(words["question"]),
        headline=str(words["headline"]),
        pvalue=None if pvalue is None else float(pvalue),
        p=p.replace("<=", "≤"),
        text=str(outcome),
        page=page,
        scripted='id="values"' in page,
        pictures=pictures_of(page),
        tables=tables_of(outcome),
        methods=outcome.paragraph() if hasattr(outcome, "paragraph") else _methods(outcome, asked, words),
        interrupted=bool(getattr(outcome, "interrupted", False)),
    )


def _words(outcome: Any) -> dict[str, str]:
    """Return question and headline of a comparison, from its text."""
    lines = [line for line in str(outcome).splitlines() if line.strip()]
    end = next((k for k, line in enumerate(lines) if line.startswith((" ", "("))), len(lines))
    return {"question": lines[0], "headline": " ".join(lines[1:end]), "p": f"p = {outcome.pvalue:.3g}"}


def _methods(outcome: Any, asked: Asked, words: Mapping[str, str]) -> str:
    """Return methods and result of a comparison or a plan in sentences."""
    used = f"kmerf {outcome.version} ({outcome.method}, seed {outcome.seed})"
    if asked.kind == "compare":
        rows = f"{outcome.rows_after} rows of {asked.file} with {outcome.rows_before} rows of {asked.other}"
        auc = f"AUC {outcome.auc:.2f}, 95 % interval {outcome.auc_low:.2f} to {outcome.auc_high:.2f}"
        text = f"We compared {rows} with {used}: {words['p']}, {auc}. {words['headline']}"
    else:
        text = (
            f"From a pilot of {outcome.n} rows we estimated the power of a test at level {outcome.level:g} by the "
            f"number of rows, testing {outcome.subsamples} random subsamples of each of {len(outcome.tried_sizes)} "
            f"sizes, with {used}. {words['headline']}"
        )
    cited = "The kmerf developers. kmerf: independence and k-sample tests with decision forests. Version "
    return f"{text}\n\n{cited}{outcome.version}."


def tables_of(outcome: Any) -> dict[str, str]:
    """Return the tables of an outcome in CSV, by name."""
    if not isinstance(outcome, kmerf.Result):
        name = {"Screen": "screen", "PowerCurve": "power"}.get(type(outcome).__name__, "columns")
        return {name: _csv(outcome.to_frame(library="polars"))} if hasattr(outcome, "to_frame") else {}
    tables = {}
    for part in _PARTS:
        try:
            frame = outcome.to_frame(part, library="polars")
        except kmerf.InputError:  # a test that has no such part
            continue
        if frame.height:
            tables[part] = _csv(frame)
    return tables


def _csv(frame: Any) -> str:
    return as_csv([frame.columns, *frame.rows()])


# --- pictures ---------------------------------------------------------------------------------------------------------


def pictures_of(page: str) -> tuple[NamedPicture, ...]:
    """Return the pictures of a report, each with its rules and a size of its own."""
    pictures: list[NamedPicture] = []
    for match in _DRAWING.finditer(page):
        classes, attributes, content = match.groups()
        box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', attributes)
        label = re.search(r'aria-label="([^"]*)"', attributes)
        if box is None:
            continue
        width, height = box.groups()
        content = re.sub(r'<g id="hover".*?</g>', "", content, flags=re.DOTALL)
        head = f'xmlns="http://www.w3.org/2000/svg" class="chart{classes}" viewBox="0 0 {width} {height}"'
        size = f'width="{width}" height="{height}" font-family="system-ui, sans-serif"'
        ground = f'<rect width="{width}" height="{height}" fill="#ffffff" stroke="none"/>'
        svg = f"<svg {head} {size}><style>{_style()}</style>{ground}{content}</svg>\n"
        title = unescape(label.group(1)).rstrip(".") if label else f"Picture {len(pictures) + 1}"
        pictures.append(NamedPicture(title, svg))
    return tuple(pictures)


@functools.cache
def _style() -> str:
    """Return the rules of the report that pictures need, in the light scheme."""
    style = report_style()
    colours = dict(re.findall(r"(--\w+): ([^;]+);", style.partition("@media")[0]))
    colours["--paper"] = "#ffffff"
    plain, depth, rules = "", 0, []
    for line in style.splitlines():  # rules of other media aside
        if depth == 0 and not line.startswith("@"):
            plain += line + "\n"
        depth += line.count("{") - line.count("}") if depth or line.startswith("@") else 0
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", plain):
        if re.search(r"svg|\.c\d|\.s\d|raw|series|map|sketch|strip", selector) and "svg.chart" not in selector:
            rules.append(f"{selector.strip()} {{{body}}}")
    return re.sub(r"var\((--\w+)\)", lambda match: colours.get(match[1], "currentColor"), "\n".join(rules))


def report_style() -> str:
    """Return the style sheet of the report, which is also that of the page."""
    return resources.files("kmerf.report").joinpath("templates", "style.css").read_text(encoding="utf-8")


# --- templates --------------------------------------------------------------------------------------------------------


@functools.cache
def templates() -> Environment:
    """Return the templates of the page."""
    templates = environment("kmerf.app")
    templates.filters |= {"count": lambda value: f"{value:,}", "exact": _exact, "multiline": _multiline}
    return templates


def _exact(text: str) -> Markup:
    """Return a text as it is, for an attribute that is sent back and never shown."""
    return escape(text)


def _multiline(text: str) -> Markup:
    """Return a text of several lines, each of them clean."""
    return Markup("\n").join(clean(line) for line in text.split("\n"))


def with_history(page: str, entries: Sequence[Mapping[str, Any]], sentence: str) -> str:
    """Return a report with all questions of the sitting at its end."""
    section = templates().get_template("asked.html").render(entries=entries, sentence=sentence)
    before, end, after = page.rpartition("</main>")
    return f"{before}{section}{end}{after}" if end else page
