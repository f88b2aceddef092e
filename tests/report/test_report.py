"""Reports: what is in them, how it is said, and that nothing from the data can run in them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import kmerf
import reports
from kmerf import report
from kmerf.cli import main
from kmerf.core import saving
from kmerf.report import records
from kmerf.show import words

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def numeric():
    return reports.small()


@pytest.fixture(scope="module")
def grouped():
    return reports.small("groups")


@pytest.fixture(scope="module")
def pages(numeric, grouped):
    command = f"kmerf independence {reports.HOSTILE[0]}"
    return {
        "numeric": report.html(numeric, reports.data(), command),
        "grouped": report.html(grouped),
        "screen": report.html(reports.screen(), reports.data(), command),
        "power": report.html(reports.powers(), command=command),
    }


class Reader(HTMLParser):
    """Collects the elements, attributes and texts of a page, and checks that elements are closed in order."""

    VOID = ("meta", "input", "br", "img", "link")

    def __init__(self):
        super().__init__()
        self.elements, self.attributes, self.texts, self.open = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.texts.append(data)


def read(page):
    found = Reader()
    found.feed(page)
    found.close()
    assert not found.open
    return found


KINDS = ["numeric", "grouped", "screen", "power"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_from_the_data_becomes_markup(pages, kind):
    found = read(pages[kind])
    assert "img" not in found.elements
    assert found.elements.count("script") == (2 if kind == "screen" else 0)
    assert found.elements.count("style") == 1
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("style", "href", "src")]
    told = "".join(found.texts)
    assert "<script>alert(1)</script>" in told
    assert "\u202e" not in pages[kind]
    assert "\x00" not in pages[kind]
    if kind != "power":
        assert "{{ 7*7 }}" in told
        assert "\\u202eright to left \\x1b[31m\\x00" in told
        assert "49" not in [text.strip() for text in found.texts]


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_allows_no_request_and_only_our_own_style_and_script(pages, kind):
    page = pages[kind]
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    for element, directive in (("style", "style-src"), ("script", "script-src")):
        content = re.search(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        if content is not None:
            digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
            assert f"{directive} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_the_page_of_a_test_has_every_section(pages, numeric):
    assert re.findall(r'<section id="(\w+)">', pages["numeric"]) == [
        *("null", "members", "features", "together", "profiles", "map", "rows", "data", "again")
    ]
    sections = re.findall(r'<section id="(\w+)">', pages["grouped"])
    assert "pairs" in sections
    assert "data" not in sections
    told = "".join(read(pages["numeric"]).texts)
    assert "Before you rely on this" in told
    assert "not a confidence interval" in told
    assert "2 had no value of y" in told
    assert "The seed was drawn: add --seed 1" in told
    assert records.PAPER in told
    assert f"kmerf {kmerf.__version__}" in told
    assert "kmerf.ksample(table, groups=groups, rng=1)" in pages["grouped"]


def test_reports_work_with_little_to_tell():
    x = np.random.default_rng(0).normal(size=(24, 2))
    plain = kmerf.independence(x, x[:, 0], method=kmerf.rivals.Dcorr(), null=kmerf.Permutation(19), rng=1)
    assert re.findall(r'<section id="(\w+)">', report.html(plain)) == ["null", "again"]
    square = kmerf.independence(x, x, method=kmerf.rivals.Dcorr(), null=kmerf.ChiSquare(), rng=1)
    assert "chi-square approximation" in report.html(square)
    with pytest.raises(kmerf.InputError, match="run the study first"):
        report.html([])


def test_ordinary_reports_are_small(pages):
    assert max(len(page.encode()) for page in pages.values()) < 300_000
    assert len(report.html(reports.screen(20_000)).encode()) < 5_000_000


def test_a_page_is_written_whole_or_not_at_all(tmp_path, numeric, monkeypatch):
    place = tmp_path / "out.html"
    numeric.report(place)
    before = place.read_text(encoding="utf-8")
    assert before.startswith("<!doctype html>")
    monkeypatch.setattr(saving.os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(kmerf.InputError, match="No space left.*choose another place"):
        numeric.report(place)
    assert place.read_text(encoding="utf-8") == before
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]
    with pytest.raises(kmerf.InputError, match="could not be written"):
        numeric.report(tmp_path / "missing" / "out.html")


def test_the_shell_writes_reports(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{a + 0.1 * b:.3f}" for a, b in rng.normal(size=(40, 2))]
    Path("t.csv").write_text("\n".join(["age,<b>,y", *lines]), encoding="utf-8")
    small = ["--trees", "8", "--resamples", "19", "--jobs", "1", "--seed", "3", "--quiet"]
    assert main(["independence", "t.csv", "--y", "y", "--report", "r.html", *small]) == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "Does y depend on these columns?" in page
    assert "&lt;b&gt;" in page
    assert "40" in page
    capsys.readouterr()


# --- what is said -----------------------------------------------------------------------------------------------------


def told(result, y="weight"):
    found = words.verdict(result, y)
    return found.tone, " ".join((found.headline, *found.sentences))


def with_score(result, pvalue, score, measure="R2", leader="mean"):
    null = replace(result.null, pvalue=pvalue, extrapolated=False, standard_error=0.001)
    members = tuple(replace(m, score=9.0 if m.name == leader else 0.0) for m in result.members)
    effect = kmerf.results.parts.Effect(0.1, measure=measure, score=score)
    return replace(result, pvalue=pvalue, null=null, effect=effect, members=members)


def test_not_finding_is_no_proof(numeric, grouped):
    tone, text = told(with_score(numeric, 0.4, 0.01))
    assert tone == "none"
    assert "No relation between weight and these columns was found." in text
    assert "does not show that weight is independent" in text
    assert "does not show that the groups are alike" in told(with_score(grouped, 0.4, 0.5, "AUC", "groups"), "")[1]


def test_a_small_p_with_a_negligible_effect_is_told_apart(numeric, grouped):
    tone, text = told(with_score(numeric, 0.001, 0.004))
    assert tone == "faint"
    assert "so faintly that they hardly predict it" in text
    assert "less than 1 % of the variance" in text
    assert "hardly be told apart" in told(with_score(grouped, 0.001, 0.51, "AUC", "groups"))[1]
    tone, text = told(with_score(numeric, 0.001, 0.4))
    assert (tone, "a strong relation" in text) == ("found", True)
    assert "does not say what causes what" in text


def test_what_r2_does_not_measure_is_not_called_faint(numeric):
    tone, text = told(with_score(numeric, 0.001, -0.02, leader="spread"))
    assert tone == "found"
    assert "the spread of weight changes with them, more than its average" in text
    assert "which measures its average alone" in text
    tone, text = told(with_score(numeric, 0.001, 0.4, leader="spread"))
    assert "a strong relation" in text
    assert "more than its average" not in text


def test_what_an_auc_does_not_measure_is_not_called_faint(grouped):
    led = replace(grouped, members=tuple(replace(m, name="moments") for m in grouped.members[:1]))
    tone, text = told(with_score(led, 0.001, 0.51, "AUC", "moments"))
    assert tone == "found"
    assert "in how widely columns spread, or in how pairs of them go together" in text
    assert "(AUC 0.510; 50 % is guessing), which does not measure that." in text


def test_p_values_are_told_with_what_they_rest_on(numeric):
    close = with_score(numeric, 0.05, 0.3)
    assert "would settle on which side" in told(close)[1]
    model = replace(numeric, pvalue=1e-9, null=replace(numeric.null, pvalue=1e-9, extrapolated=True))
    assert "no statistic was as large: p is below 0.05" in told(model)[1]
    assert "rests on a model of the tail" in told(model)[1]


def test_the_citation_is_the_one_in_the_citation_file():
    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    title, number = re.search(r"title: (Learning.*)", cff)[1], re.search(r"arXiv:[\d.]+", cff)[0]
    assert title in records.PAPER
    assert number in records.PAPER
    for name in re.findall(r"family-names: (\w+)", cff.split("references:")[0]):
        assert name in records.PAPER


# --- notebooks, and files ---------------------------------------------------------------------------------------------


def test_notebooks_show_escaped_tables_and_nothing_prints(numeric, capsys):
    for outcome in (numeric, reports.screen()):
        page = outcome._repr_html_()
        found = read(page)
        assert "&lt;script&gt;alert(1)" in page
        assert set(found.elements) <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "p"}
    assert reports.screen().plot(labels=3).axes
    assert capsys.readouterr() == ("", "")


def test_results_survive_files(tmp_path, numeric, grouped):
    for outcome in (numeric, grouped, reports.screen()):
        path = tmp_path / "saved.json"
        outcome.save(path)
        assert type(outcome).load(path) == outcome
    assert numeric.details.embedding.points.shape == (40, 2)


def test_what_the_shell_prints_can_be_loaded(tmp_path, numeric):
    from kmerf.cli import machine

    path = tmp_path / "printed.json"
    path.write_text(machine.document("independence", numeric.to_dict()), encoding="utf-8")
    assert kmerf.Result.load(path) == numeric


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "could not be read"),
        ("{", "holds no JSON"),
        ("[1]", "no result of kmerf"),
        ('{"command": "independence"}', "no result of kmerf"),
        ('{"command": "screen", "schema": 1, "result": {}}', "use kmerf.Screen.load"),
        ('{"command": "ksample", "schema": 9, "kmerf": "7.0", "result": {}}', "written by kmerf 7.0"),
    ],
)
def test_files_that_cannot_be_loaded_are_refused(tmp_path, content, says):
    path = tmp_path / "saved.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(kmerf.InputError, match=re.escape(says)):
        kmerf.Result.load(path)


def test_a_number_that_json_lacks_is_refused_with_a_remedy(tmp_path):
    with pytest.raises(kmerf.InputError, match=r"was not written: .* put None there"):
        saving.save(tmp_path / "r.json", "independence", {"statistic": float("nan")})
    assert not list(tmp_path.iterdir())


def test_saving_needs_no_template_engine(tmp_path):
    code = "import kmerf, sys; import kmerf.results.single_result; print(*{'jinja2', 'markupsafe'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_map_is_the_same_wherever_it_is_computed(numeric):
    again = reports.small(n_jobs=2)
    assert json.dumps(again.details.embedding.to_dict()) == json.dumps(numeric.details.embedding.to_dict())


def test_every_member_of_the_default_test_has_words():
    usual = kmerf.Portfolio()
    assert {*usual.numeric, *usual.classes} <= set(words.LOOKS_FOR)
