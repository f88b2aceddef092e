"""A page can do no harm: nothing from the data becomes markup, and the policy allows nothing but our own."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from kmerf.report.page import _head, _starred, data_block
from pages import KINDS, page, read


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_from_the_data_becomes_markup(kind):
    seen = read(page(kind))
    assert "img" not in seen.elements
    assert seen.elements.count("script") == (2 if kind == "screen" else 0)
    assert seen.elements.count("style") == 1
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name in ("style", "href", "src")]
    texts = "".join(seen.texts)
    assert "<script>alert(1)</script>" in texts
    assert "\u202e" not in page(kind)
    assert "\x00" not in page(kind)
    if kind != "power":
        assert "{{ 7*7 }}" in texts
        assert "\\u202eright to left \\x1b[31m\\x00" in texts
        assert "49" not in [text.strip() for text in seen.texts]


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_allows_no_request_and_only_our_own_style_and_script(kind):
    html = page(kind)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)[1]
    assert policy.startswith("default-src 'none'; ")
    for element, directive in (("style", "style-src"), ("script", "script-src")):
        content = re.search(rf"<{element}>(.*?)</{element}>", html, re.DOTALL)
        if content is not None:
            digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
            assert f"{directive} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?://(?!www\.w3\.org)", html)
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_heads_begin_with_a_capital_unless_they_are_the_symbol_p():
    assert [_head(text) for text in ("member", "p", "p, family", "p alone", "p-value", "95 % of trees")] == [
        *("Member", "p", "p, family", "p alone", "p-value", "95 % of trees")
    ]


def test_stars_hang_out_and_cells_are_escaped():
    assert _starred("1.0*") == '1.0<span class="star">*</span>'
    assert _starred("<b>") == "&lt;b&gt;"
    assert data_block({"a": "<&>"}) == '{"a":"\\u003c\\u0026\\u003e"}'
