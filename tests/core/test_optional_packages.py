"""What is not installed is named with its extra, and a damaged file with its remedy."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import kmerf
from kmerf import baselines
from kmerf.core.errors import InputError


@pytest.fixture(scope="module")
def outcomes():
    x = np.random.default_rng(0).normal(size=(30, 2))
    null = kmerf.Permutation(19)
    one = kmerf.independence(x, x[:, 0], method=baselines.RV(), null=null, rng=1)
    return {"Result": one, "Screen": kmerf.screen(x, x[:, 0], method=baselines.RV(), null=null, rng=1)}


@pytest.fixture(params=["Result", "Screen"])
def outcome(outcomes, request):
    return outcomes[request.param]


def test_a_figure_without_matplotlib(outcome, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"needs matplotlib, which is not installed: pip install '\.\[plot\]'"):
        outcome.plot()


def test_a_report_without_jinja2(outcome, monkeypatch, tmp_path):
    for name in [name for name in sys.modules if name.startswith("kmerf.report")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"needs jinja2, which is not installed: pip install '\.\[report\]'"):
        outcome.report(tmp_path / "r.html")
    assert not list(tmp_path.iterdir())


def changed(document, change):
    result = document["result"]
    if change == "lost":
        del result["null" if "null" in result else "pvalues"]
    elif change == "more":
        result["another"] = 1
    elif change == "kind":
        result["null" if "null" in result else "pvalues"] = "text"
    else:
        document["result"] = {}
    return document


@pytest.mark.parametrize("change", ["lost", "more", "kind", "empty"])
def test_a_saved_result_that_was_changed(outcome, tmp_path, change):
    path = tmp_path / "r.json"
    outcome.save(path)
    assert type(outcome).load(path).to_dict() == outcome.to_dict()
    path.write_text(json.dumps(changed(json.loads(path.read_text()), change)))
    with pytest.raises(InputError, match=r"r\.json' holds a result .* changed or damaged \(\w+\): save it again"):
        type(outcome).load(path)


def test_brackets_without_end_are_no_json(tmp_path):
    path = tmp_path / "r.json"
    path.write_text("[" * 100_000)
    with pytest.raises(InputError, match="holds no JSON"):
        kmerf.Result.load(path)
