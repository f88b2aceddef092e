"""The worked example: its parts on synthetic data, and the rivals against figures that others computed."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

import kmerf
from kmerf import ChiSquare, Permutation, baselines
from kmerf.data.exchangeability import log_arrangements

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "proteomics"

needs_data = pytest.mark.skipif(not DATA.exists(), reason="the peptide data are not part of this repository")


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        import peptides

        yield peptides
    finally:
        sys.path.remove(str(ROOT / "examples"))


def test_neighbours_vote_as_scikit_learn_has_it(example):
    from sklearn.model_selection import LeaveOneOut, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    positive = np.arange(40) < 12
    x = rng.normal(size=(40, 2)) + 1.2 * positive[:, None]
    votes = example.classify(x, positive)
    balance = {}
    for k in example.NEIGHBOURS:
        called = cross_val_predict(KNeighborsClassifier(k), x, positive, cv=LeaveOneOut())
        balance[k] = int((called & positive).sum()), int((called & ~positive).sum())
    odd = {k: tp - fp for k, (tp, fp) in balance.items() if k % 2}  # an even k can tie, and each has its own rule
    if votes.k % 2:
        assert balance[votes.k] == (votes.true_positives, votes.false_positives)
    assert votes.true_positives - votes.false_positives >= max(odd.values())


def test_the_look_alike_has_what_the_data_have(example):
    data = example.look_alike()
    x, y = data.choose("as coded", "normal")
    assert x.shape == (43, 40)
    assert y.sum() == 10
    found = kmerf.screen(*data.choose("as coded", "all"), method=baselines.HHG(), null=Permutation(999), rng=1)
    chosen = example.selected(found.pvalues.tolist())
    assert {0, 1} <= set(chosen)
    assert len(chosen) <= 4
    votes = example.classify(data.values[:, [0, 1]], data.group == "pancreatic")
    assert votes.true_positives >= 5


def test_rows_are_chosen_by_code_or_annotation_with_pools_or_without(example, tmp_path):
    (tmp_path / "peptides.csv").write_text("group,AAA,BBB\nnormal,1,2\npancreatic,3,4\novarian,5,6\nnormal,7,8\n")
    (tmp_path / "samples.csv").write_text(
        "csv_row,pooled,annotation\n0,1,normal\n1,0,pancreatic\n2,0,pancreatic\n3,0,normal\n,0,other\n"
    )
    data = example.read(tmp_path / "peptides.csv")
    assert data.names == ("AAA", "BBB")
    sizes = {
        name: (len(data.choose(name, "normal")[0]), data.choose(name, "all")[1].sum()) for name in example.SELECTIONS
    }
    assert sizes == {"as coded": (3, 1), "without pools": (2, 1), "by annotation": (4, 2), "both": (3, 2)}


@needs_data
def test_the_data_are_read_as_their_notes_say(example):
    data = example.read(DATA / "peptides.csv")
    assert data.values.shape == (95, 318)
    assert data.names.index(example.MARKER) == 180
    assert [int(data.choose(name, "all")[1].sum()) for name in example.SELECTIONS] == [10, 9, 11, 10]
    assert [len(data.choose(name, "all")[1]) for name in example.SELECTIONS] == [95, 91, 95, 91]
    votes = example.classify(data.choose("as coded", "all")[0][:, [180]], data.group == "pancreatic")
    assert (votes.true_positives, votes.false_positives, votes.k) == (5, 2, 3)


def recomputed():
    with (DATA / "recomputed_pvalues.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@needs_data
@pytest.mark.parametrize(("name", "method"), [("dcorr", baselines.Dcorr()), ("hsic", baselines.Hsic())])
@pytest.mark.parametrize("comparison", ["normal", "all"])
def test_rivals_by_chi_square_have_the_recomputed_pvalues(example, name, method, comparison):
    x, y = example.read(DATA / "peptides.csv").choose("as coded", comparison)
    found = kmerf.screen(x, y, method=method, null=ChiSquare(), rng=1).pvalues
    expected = np.array([float(row[f"{comparison}_{name}_chi2"]) for row in recomputed()])
    least = [np.exp(-log_arrangements(column[:, None], np.asarray(y)[:, None])) for column in x.T]
    assert (expected < least).sum() <= 1  # a column with few values: no arrangement of y could give so small a p
    assert found == pytest.approx(np.maximum(expected, least), rel=2e-5, abs=1e-12)


@needs_data
@pytest.mark.parametrize(
    ("name", "method"), [("dcorr", baselines.Dcorr()), ("hsic", baselines.Hsic()), ("hhg", baselines.HHG())]
)
@pytest.mark.parametrize("comparison", ["normal", "all"])
def test_rivals_by_permutation_have_the_recomputed_pvalues(example, name, method, comparison):
    x, y = example.read(DATA / "peptides.csv").choose("as coded", comparison)
    some = np.arange(0, 318, 3)
    found = kmerf.screen(x[:, some], y, method=method, null=Permutation(999), rng=1)
    expected = np.array([float(recomputed()[j][f"{comparison}_{name}_perm"]) for j in some])
    error = np.sqrt(expected * (1 - expected)) * np.sqrt(1 / found.draws + 1e-3) + 1.5e-3
    away = (found.pvalues - expected) / error
    assert np.abs(away).max() < 5.0
    assert np.sqrt(np.mean(away**2)) < 1.4
