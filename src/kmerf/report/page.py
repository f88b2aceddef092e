"""What all pages share: how the data were read, how to repeat and cite it, and a rendering that can do no harm.

Everything that comes from the data is escaped by Jinja2, with what cannot be seen spelled out (`kmerf.core.safe_text`).
If anything slipped through, the page's Content-Security-Policy allows no request at all, and no style or script but the
two whose hashes it names.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import platform
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kmerf._version import __version__
from kmerf.core.errors import of_rank, rank_of
from kmerf.core.safe_text import clean, short
from kmerf.results.question import QUESTIONS
from kmerf.show.head import PAPER, software
from kmerf.show.numbers import TYPESET
from kmerf.show.words import y_name

if TYPE_CHECKING:
    from kmerf.results.records import Answer
    from kmerf.show.facts import Fact

MAX_COLUMNS = 60  # listed one by one
_ROLES = {"y": 0, "groups": 0, "blocks": 1, "x": 2, "dropped": 3, "not used": 4}
_HELD = re.compile(r"\bp [=<≤] \S+(?: × \S+)?| %|\b\d{4}-\d\d-\d\d\b")
_OURS = ("events ", "events:", "share with ")  # how a statement of ours begins, if not with the name of a column
_LOST = {
    "condition": "did not meet the condition",
    "condition_missing": "left the condition open, for a missing value",
    "not_sampled": "were not drawn into the random sample that was tested",
}


def versions() -> list[tuple[str, str]]:
    """Return what this page was written with."""
    packages = [("kmerf", __version__), ("Python", platform.python_version())]
    for name in ("numpy", "scipy", "numba", "scikit-learn"):
        try:
            packages.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            continue
    return [*packages, ("system", f"{platform.system()} {platform.machine()}")]


def data_facts(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return how a table was read, as pairs of a name and a text."""
    form = [str(data.get("format") or "")]
    form += [f"separator {data['separator']}"] if data.get("separator") else []
    form += [str(data["encoding"])] if data.get("encoding") else []
    form += [f"{data['compression']} compressed"] if data.get("compression") else []
    reasons = _LOST | {"y_missing": f"had no value of {y_name(y_columns(data), 'or') or 'y'}"}
    lost = [f"{count:,} {reasons.get(why, why)}" for why, count in (data.get("rows_lost") or {}).items() if count]
    facts = [
        ("File", str(data.get("file") or "")),
        ("Format", ", ".join(part for part in form if part)),
        ("Rows read", f"{data['rows_read']:,}" if data.get("rows_read") is not None else ""),
        ("Rows used", f"{data['rows_used']:,}" if data.get("rows_used") is not None else ""),
        ("Rows left out", "; ".join(lost) or "none"),
    ]
    return [(name, text) for name, text in facts if text]


def columns(data: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], int]:
    """Return the columns to list, those with a remark or a role other than x first, and how many are left out."""
    every = list(data.get("columns") or ())
    if len(every) <= MAX_COLUMNS:
        return every, 0
    ranked = sorted(every, key=lambda c: (_ROLES.get(str(c["role"]), 9) > 1, not c["remark"], -int(c["missing"] or 0)))
    first = {id(column) for column in ranked[:MAX_COLUMNS]}
    return [column for column in every if id(column) in first], len(every) - MAX_COLUMNS


def column_counts(data: Mapping[str, Any]) -> str:
    """Say how many columns of which role and kind there are.

    >>> column_counts({"columns": [{"role": "x", "kind": "numeric"}] * 3 + [{"role": "y", "kind": "categorical"}]})
    '3 numeric as x, 1 categorical as y'
    """
    counted = Counter((str(c["kind"]), str(c["role"])) for c in data.get("columns") or ())
    return ", ".join(
        f"{count:,} {kind} {role}" if role in ("dropped", "left out", "not used") else f"{count:,} {kind} as {role}"
        for (kind, role), count in counted.most_common()
    )


def data_section(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what was done to the data; nothing where no table was read."""
    if data is None:
        return {"data": None}
    listed, unlisted = columns(data)
    return {
        "data": data_facts(data),
        "columns": listed,
        "any_missing": any(column["missing"] for column in listed),
        "unlisted": unlisted,
        "column_counts": column_counts(data),
        "data_notes": list(data.get("notes") or ()),
    }


def y_columns(data: Mapping[str, Any] | None) -> list[str]:
    """Return the names of the columns that hold y, a time before its event, or the groups."""
    read = data or {}
    return list(read.get("y") or [str(c["name"]) for c in read.get("columns") or () if c["role"] in ("y", "groups")])


def answer_parts(
    outcome: Answer, facts: Sequence[Fact], data: Mapping[str, Any] | None, command: str | None, **how: bool
) -> dict[str, Any]:
    """Return what the pages of all answers have: numbers, warnings and notes, how to compute it again, and the data.

    `how` says whether the answer is `given` something, and whether y is `censored`.
    """
    again, remark = call(outcome, command, **how)
    return {
        "result": outcome,
        "figures": [fact for fact in facts if fact.name != "seed"],
        "warnings": list(dict.fromkeys([*((data or {}).get("warnings") or ()), *of_rank("doubt", outcome.notes)])),
        "remarks": decided(outcome.notes, data),
        "again": again,
        "remark": remark,
        "settings": "\n".join(settings_lines(outcome.settings)),
        **data_section(data),
    }


def call(outcome: Answer, command: str | None, *, given: bool = False, censored: bool = False) -> tuple[str, str]:
    """Return how to compute it again, and a remark: the seed is part of it, whether it was given or drawn."""
    if command is not None:
        seeded = "--seed" in command
        return command, "" if seeded else f"The seed was drawn: add --seed {outcome.seed} for the same numbers."
    exchange = outcome.settings.get("exchange", "within") if "blocks" in outcome.settings else ""
    python, shell = QUESTIONS[outcome.question].calls(
        outcome.seed,
        censored=censored,
        given=given,
        exchange=str(exchange),
        pairwise=len(getattr(outcome, "pairwise", ())) > 0,
    )
    remark = "With the same data, and the settings below if they are not the defaults."
    return python, f"{remark} In the shell, with the data in a file: {shell}"


def settings_lines(settings: Mapping[str, Any], inset: str = "") -> list[str]:
    """Return nested settings as lines of text.

    >>> settings_lines({"method": {"class": "KMERF", "forest": {"n_trees": 500}}})
    ['method: KMERF', '  forest:', '    n_trees: 500']
    """
    lines = []
    for key, value in settings.items():
        if key == "class":
            continue
        if isinstance(value, Mapping):
            lines.append(f"{inset}{key}: {value.get('class', '')}".rstrip())
            lines += settings_lines(value, inset + "  ")
        elif isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 12:
            lines.append(f"{inset}{key}: {len(value)} values")
        else:
            lines.append(f"{inset}{key}: {value}")
    return lines


def render(template: str, values: dict[str, Any]) -> str:
    """Return a page: a template with its values, the style, and the script if it needs one."""
    style, script = _asset("style.css"), _asset("table.js") if values.get("script") else ""
    policy = f"default-src 'none'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    if script:
        policy += f"; script-src '{_hash(script)}'"
    common = {
        "style": Markup(style),
        "script": Markup(script),
        "policy": Markup(policy),
        "version": __version__,
        "versions": versions(),
        "paper": PAPER,
        "software": software(__version__),
    }
    return _templates().get_template(template).render(**(values | common))


def data_block(value: Any) -> Markup:
    r"""Return JSON that is safe inside a script element: no markup, no way out.

    >>> print(data_block(["</script>"]))
    ["\u003c/script\u003e"]
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def environment(package: str) -> Environment:
    """Return the templates of a package: all that comes from data is escaped, what cannot be seen spelled out."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@functools.cache
def _templates() -> Environment:
    templates = environment("kmerf.report")
    templates.filters |= {"decimal": TYPESET.decimal, "name": _name, "head": _head, "starred": _starred}
    templates.filters |= {"hold": _hold, "sentence": _sentence}
    return templates


def _shown(value: Any) -> Any:
    """Spell out what cannot be seen, in all texts that are not markup already."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _name(value: str, most: int = 60) -> Markup:
    """Return a name from the data: apart from the text around it, whichever way it is written; long ones cut."""
    shown, whole = short(value, most), clean(value)
    if shown == whole:
        return Markup("<bdi>{}</bdi>").format(shown)
    return Markup('<bdi title="{}">{}</bdi>').format(whole[:500], shown)


def _head(text: str) -> str:
    """Begin a name of ours with a capital, unless it begins with the symbol p."""
    return text if text[:2] in ("p", "p,", "p ", "p-") else text[:1].upper() + text[1:]


def _hold(text: str) -> str:
    """Keep a percent sign with its number, p with its value, and dates whole."""
    return _HELD.sub(lambda found: found[0].replace(" ", "\u00a0").replace("-", "\u2011"), text)


def _sentence(text: str) -> str:
    """End a statement with a full stop; a name of a column at its beginning keeps its letters, our words do not."""
    return f"{text[:1].upper() if text.startswith(_OURS) else text[:1]}{_hold(text)[1:]}."


def _starred(text: str) -> Markup:
    """Let the star of a number hang out at its right, so that numbers stay aligned."""
    if not text.endswith("*"):
        return Markup("{}").format(text)
    return Markup('{}<span class="star">*</span>').format(text[:-1])


@functools.cache
def _asset(name: str) -> str:
    return resources.files("kmerf.report").joinpath("templates", name).read_text(encoding="utf-8").strip()


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


def decided(notes: Sequence[str], data: Mapping[str, Any] | None) -> list[str]:
    """Return the notes that do not make the p-value doubtful, without those that the section of the data shows."""
    shown = {*((data or {}).get("notes") or ()), *((data or {}).get("warnings") or ())}
    return [note for note in notes if rank_of(note) != "doubt" and note not in shown]
