"""Reports: pages are written whole, stay small, and results survive files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kmerf
import reports
from kmerf import report
from kmerf.cli import main
from kmerf.storage import saving
from pages import KINDS, outcome, page


@pytest.fixture(scope="module")
def numeric():
    return outcome("numeric")


@pytest.fixture(scope="module")
def grouped():
    return outcome("grouped")


def test_ordinary_reports_are_small():
    assert max(len(page(kind).encode()) for kind in KINDS) < 300_000
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
    html = Path("r.html").read_text(encoding="utf-8")
    assert "Does y depend on age and &lt;b&gt;?" in html
    assert "&lt;b&gt;" in html
    assert "40" in html
    capsys.readouterr()


# --- files -----------------------------------------------------------------------------------------------------------


def test_results_survive_files(tmp_path, numeric, grouped):
    for each in (numeric, grouped, reports.screen()):
        path = tmp_path / "saved.json"
        each.save(path)
        assert type(each).load(path) == each
    assert numeric.details.embedding.points.shape == (40, 2)


def test_what_the_shell_prints_can_be_loaded(tmp_path, numeric):
    from kmerf.cli import output

    path = tmp_path / "printed.json"
    path.write_text(output.json_document("independence", numeric.to_dict()), encoding="utf-8")
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
