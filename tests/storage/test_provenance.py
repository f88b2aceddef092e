"""The version of the code in the keys of stores: what changes it, and what does not."""

import shutil

import pytest
from sklearn.ensemble import RandomForestRegressor

import test_architecture as architecture
from kmerf import KMERF, Permutation, Portfolio
from kmerf.storage import provenance
from kmerf.storage.provenance import SURFACES, code_version, digest
from studies import Slope


@pytest.fixture
def copy(tmp_path):
    """The sources of kmerf, to be changed."""
    shutil.copytree(provenance.ROOT, tmp_path / "kmerf", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "kmerf"


def changed_digest(root, module):
    file = root.joinpath(*module.split(".")).with_suffix(".py")
    file.write_text(file.read_text() + "\nX = 1\n")
    digest.cache_clear()
    return digest(root)


@pytest.mark.parametrize("module", ["engine.__init__", "core.streams", "simulations.two_sample", "_version"])
def test_a_change_of_the_code_changes_the_digest(copy, module):
    before = digest(copy)
    assert before == digest(provenance.ROOT)  # wherever it is installed
    assert changed_digest(copy, module) != before


@pytest.mark.parametrize("module", ["cli.__init__", "show.__init__", "demo"])
def test_a_change_of_what_shows_results_does_not(copy, module):
    before = digest(copy)
    assert changed_digest(copy, module) == before


def test_nothing_that_computes_uses_a_surface():
    edges = architecture.own_graph()
    assert {name.split(".")[0] for name in edges} >= SURFACES
    packages = {name: name.split(".")[0] for name in edges}
    found = {
        (name, target)
        for name, targets in edges.items()
        for target in targets
        if packages[target] in SURFACES and packages[name] not in SURFACES | {"__init__", "__main__"}
    }
    assert found == set()


def test_the_version_names_what_comes_from_elsewhere(monkeypatch):
    assert code_version(Permutation(9)) == code_version(KMERF())
    assert "+studies-" in code_version((Slope(), None))
    assert "+studies-" in code_version(Portfolio({"own": Slope()}))
    assert "+sklearn-1" in code_version(KMERF(RandomForestRegressor(5)))
    before = code_version(KMERF())
    monkeypatch.setattr(provenance, "__version__", "99.0")
    assert code_version(KMERF()) == "99.0+" + before.partition("+")[2]
