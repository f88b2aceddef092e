"""From a template and its values to a page that can do no harm.

Everything that comes from the data is escaped by Jinja2, with what cannot be seen spelled out (`kmerf.core.safe_text`).
Should anything slip through, the page's Content-Security-Policy allows no request at all, and no style or script but
the two whose hashes it names.
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
from kmerf.show import words


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
    told = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return Markup(told.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


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
    environment.filters |= {"p": words.p_words, "decimal": words.decimal, "general": words.general, "name": _name}
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


@functools.cache
def _asset(name: str) -> str:
    return resources.files("kmerf.report").joinpath("templates", name).read_text(encoding="utf-8").strip()


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
