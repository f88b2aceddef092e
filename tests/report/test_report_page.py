"""What all pages share: nothing from the data becomes markup, how to repeat it, how to cite it."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

import kmerf
import reports
import views
from kmerf.report import page as shared
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


ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_is_the_one_in_the_citation_file():
    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    title, number = re.search(r"title: (Learning.*)", cff)[1], re.search(r"arXiv:[\d.]+", cff)[0]
    assert title in shared.PAPER
    assert number in shared.PAPER
    for name in re.findall(r"family-names: (\w+)", cff.split("references:")[0]):
        assert name in shared.PAPER


def test_software_and_versions_name_this_version():
    assert f"Version {kmerf.__version__}." in shared.software(kmerf.__version__)
    assert shared.versions()[0] == ("kmerf", kmerf.__version__)


def test_how_a_table_was_read():
    facts = dict(shared.data_facts(reports.data()))
    assert facts["Format"] == "text, separator comma, utf-8"
    assert facts["Rows left out"] == f"2 had no value of {shared.y_columns(reports.data())[0]}"
    packed = dict(shared.data_facts({"format": "text", "compression": "gzip"}))
    assert packed == {"Format": "text, gzip compressed", "Rows left out": "none"}


def test_of_many_columns_those_worth_a_look_are_listed():
    plain = {"role": "x", "remark": "", "missing": 0}
    every = [plain | {"name": str(i)} for i in range(shared.MAX_COLUMNS + 5)]
    every[-1] = plain | {"name": "y", "role": "y"}
    every[-2] = plain | {"name": "odd", "remark": "odd"}
    listed, unlisted = shared.columns({"columns": every})
    assert (len(listed), unlisted) == (shared.MAX_COLUMNS, 5)
    assert [column["name"] for column in listed[-2:]] == ["odd", "y"]
    assert shared.y_columns({"columns": every}) == ["y"]
    assert shared.y_columns(None) == []


@pytest.mark.parametrize(
    ("command", "again", "remark"),
    [
        ("kmerf screen t.csv --seed 1", "kmerf screen t.csv --seed 1", ""),
        ("kmerf screen t.csv", "kmerf screen t.csv", "The seed was drawn: add --seed 5 for the same numbers."),
        (None, "kmerf.screen(x, y, rng=5)", "With the same data, and the settings below if they are not the"),
    ],
)
def test_how_to_compute_it_again(command, again, remark):
    call = shared.call(replace(views.screen(), seed=5), command, given=False, censored=False)
    assert call[0] == again
    assert call[1].startswith(remark)
    assert bool(call[1]) == bool(remark)


def test_settings_are_indented_and_long_lists_counted():
    lines = shared.settings_lines({"null": {"class": "ChiSquare"}, "sets": list(range(20)), "n": [1, 2]})
    assert lines == ["null: ChiSquare", "sets: 20 values", "n: [1, 2]"]
