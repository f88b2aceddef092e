"""From a template and its values to a page that can do no harm.

Everything that comes from the data is escaped by Jinja2, with what cannot be seen spelled out (`kmerf.core.safe_text`).
If anything slipped through, the page's Content-Security-Policy allows no request at all, and no style or script but the
two whose hashes it names.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kmerf._version import __version__
from kmerf.core.safe_text import clean, short
from kmerf.report import records
from kmerf.show.numbers import TYPESET


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
        "versions": records.versions(),
        "paper": records.PAPER,
        "software": records.software(),
    }
    return _environment().get_template(template).render(**(values | common))


def data_block(value: Any) -> Markup:
    r"""Return JSON that is safe inside a script element: no markup, no way out.

    >>> print(data_block(["</script>"]))
    ["\u003c/script\u003e"]
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kmerf.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"decimal": TYPESET.decimal, "name": _name, "head": _head, "starred": _starred}
    return environment


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
