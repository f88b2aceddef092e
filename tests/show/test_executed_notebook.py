"""A notebook, run from a fresh kernel: what its cells show."""

from __future__ import annotations

import base64
import os
import sys
from pathlib import Path

import pytest

import kmerf

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = (
    "import kmerf, numpy as np, sys\n"
    "x = np.random.default_rng(0).normal(size=(60, 3))\n"
    "method = kmerf.Portfolio({'mean': kmerf.KMERF(kmerf.ForestSpec(10)), 'distance': kmerf.baselines.Dcorr()})\n"
    "how = dict(null=kmerf.Permutation(39), rng=1, n_jobs=1)\n"
    "result = kmerf.independence(x, x[:, 0], method=method, progress=True, details=True, **how)",
    "result",
    "result.plot()",
    "kmerf.figures.profile(result).figure",
    "print(repr(result)); print('pyplot' in str([m for m in sys.modules if 'matplotlib.pyplot' in m]))",
    "kmerf.ksample(x[:20], x[20:40], x[40:] + 2, pairwise=True, method='dcorr', **how)",
    "kmerf.screen(x, x[:, 0], method='dcorr', **how).plot()",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    home = str(Path(kmerf.__file__).parents[1])
    folder = tmp_path_factory.mktemp("kernels")
    spec = folder / "kernels" / "here"
    spec.mkdir(parents=True)
    start = f'"{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"'
    (spec / "kernel.json").write_text(f'{{"argv": [{start}], "display_name": "here", "language": "python"}}')
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    before = dict(os.environ)
    os.environ |= {"JUPYTER_PATH": str(folder), "PYTHONPATH": home, "IPYTHONDIR": str(folder)}
    try:
        nbclient.NotebookClient(notebook, kernel_name="here", timeout=300).execute()
    finally:
        os.environ.clear()
        os.environ |= before
    return [cell.outputs for cell in notebook.cells]


def data(cell, kind):
    return [output.data[kind] for output in cell if kind in output.get("data", {})]


def test_progress_is_a_widget(outputs):
    (widget,) = data(outputs[0], "application/vnd.jupyter.widget-view+json")
    assert widget["model_id"]


def test_a_result_shows_the_sentence_the_numbers_and_the_members(outputs):
    (page,) = data(outputs[1], "text/html")
    assert "There is evidence that y is related to these columns." in page
    assert "<summary>What the 2 members found</summary>" in page
    assert "color" not in page  # that of the notebook, light or dark


def is_picture(content):
    return base64.b64decode(content).startswith(b"\x89PNG")


def test_pictures_are_shown_in_a_fresh_kernel_without_pyplot(outputs):
    for cell in (outputs[2], outputs[3], outputs[6]):
        (picture,) = data(cell, "image/png")
        assert is_picture(picture)
        assert len(picture) > 10_000  # not blank
    assert outputs[4][0].text.splitlines()[-1] == "False"


def test_repr_is_five_lines(outputs):
    assert len(outputs[4][0].text.splitlines()) == 6  # and one that was printed beside it
    assert len(outputs[4][0].text) < 600


def test_pairs_are_there_when_they_were_asked_for(outputs):
    (page,) = data(outputs[5], "text/html")
    assert "p, Holm" in page
