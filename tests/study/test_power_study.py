"""The library of `benchmarks/`: its cells, its relations, and the newer tests that it compares with."""

import numpy as np
import pytest

from kmerf.nulls.definitions import Permutation
from kmerf.nulls.judging import Run, judge_fit
from kmerf.reading import samples as tables


def test_the_published_grid():
    from benchmarks.data import library

    cells = list(library.published_cells(1))
    assert len(cells) == 95
    assert {cell.family for cell in cells} == set(library.DEPENDENT)
    assert len({cell.name for cell in cells}) == 95
    assert max(cell.source.p for cell in cells) == 1000


def test_every_relation_can_be_drawn():
    from benchmarks.data.relations import GROUPS, NUMERIC, Grouped, Related

    for source in [*map(Related, NUMERIC), *map(Grouped, GROUPS)]:
        sample = source.draw(np.random.default_rng(1))
        assert sample.x.values.shape == (100, source.p)
        assert (sample.y.codes is None) == isinstance(source, Related)


def test_discrepancy_is_that_of_the_definition():
    from benchmarks.data import modern

    rng = np.random.default_rng(1)
    x, order = rng.normal(size=(20, 2)), rng.permutation(20)
    K = modern.kernels(x)["Gauss 1"]
    groups = np.eye(2)[np.arange(20) % 2]
    a, b = (np.flatnonzero(groups[order][:, k]) for k in (0, 1))
    expected = K[np.ix_(a, a)].sum() / 90 + K[np.ix_(b, b)].sum() / 90 - 2 * K[np.ix_(a, b)].mean()
    assert modern.discrepancy(K, groups, order) == pytest.approx(expected)
    assert np.abs(modern.centred(K).sum(axis=1)).max() < 1e-12


def test_newer_tests_find_what_is_there():
    from benchmarks.data import modern

    rng = np.random.default_rng(2)
    groups = np.arange(40) % 2
    x = rng.normal(size=(40, 2)) + 3.0 * groups[:, None]
    for method in (modern.C2ST(10), modern.HypoRF(30), modern.MMDAgg(), modern.HSICAgg()):
        numeric = method.name == "HSICAgg"
        sample = tables.read_independence(x, x[:, 0] ** 2) if numeric else tables.read_ksample(x, groups=groups)
        problem = method.prepare(sample, 3)
        found = judge_fit(Permutation(19), problem, problem.fit(np.arange(40), 0), Run(4))
        assert found.pvalue == 0.05, method.name


def test_published_two_samples_have_their_laws():
    from benchmarks.data import published_two_samples as published

    cells = {cell.name: cell for cell in published.cells()}
    assert len(cells) == 54
    rng = np.random.default_rng(0)
    mixture = cells["mixture_vary_dif 2.0"].draw(rng)
    low = (mixture.x.values < 0).all(axis=1)
    spread = [mixture.x.values[low & (mixture.y.codes == k)].std(axis=0).mean() for k in (0, 1)]
    assert spread == pytest.approx([1.0, 2.0], rel=0.15)
    bumps = cells["perturbations_vary_dif_d2 1.0"].draw(rng)
    halves = (4 * bumps.x.values[500:]).astype(int)  # quarters of each column, up and down by turns
    assert np.abs(np.histogram2d(*halves.T, bins=4)[0] / 500 - 1 / 16).max() > 0.015
    modes = cells["HDGM_d2 6000"].draw(rng)
    first, second = (modes.x.values[modes.y.codes == k] for k in (0, 1))
    assert second[:, 0].mean() == pytest.approx(first[:, 0].mean(), abs=0.1)
    assert np.corrcoef(second[::2].T)[0, 1] == pytest.approx(0.5, abs=0.05)
    assert np.corrcoef(second[1::2].T)[0, 1] == pytest.approx(-0.5, abs=0.05)
    assert cells["dependent 200"].draw(rng).y.kind == "numeric"


def test_tests_with_several_statistics_are_one_in_the_library():
    from benchmarks.data.library import combined

    rng = np.random.default_rng(1)
    table = {"Dcorr": rng.normal(size=100), "HSICAgg / 0": rng.normal(size=100), "HSICAgg / 1": rng.normal(size=100)}
    table["HSICAgg / 0"][0] = 9.0  # one of them is enough
    found = combined(table)
    assert list(found) == ["Dcorr", "HSICAgg"]
    assert found["HSICAgg"].argmax() == 0


def test_each_table_gives_so_many_questions_of_each_kind():
    from benchmarks.data.library import some_of_each
    from benchmarks.data.outside_tables import Outside

    asked = [
        Outside("", f"{family}{k}", family, kind, 24)
        for family in "ab"
        for kind in ("numeric", "classes")
        for k in "12"
    ]
    assert len(some_of_each(asked, 1)) == 4
    assert some_of_each(asked[::-1], 1) == some_of_each(asked, 1)
    assert len(some_of_each(asked, None)) == 8


def test_the_best_of_three_scalings_counts():
    from benchmarks.studies.fit_weights import DataSet
    from benchmarks.studies.real import FEWEST, bold, rows

    def data_set(number: int) -> DataSet:
        null = {name: np.arange(99.0) for name in ("Dcorr", "Dcorr, ranks", "CCA")}
        observed = {"Dcorr": 1.0, "Dcorr, ranks": 200.0 * (number % 2), "CCA": 1.0}
        return DataSet(f"table {number}", "", 24, False, True, observed, null, False, "", 1.0, 0)

    ours, best, *_ = rows([data_set(k) for k in range(FEWEST)], np.full(FEWEST, 0.01), "R")
    assert ours[1].mean() == 1.0
    assert best[0] == "Dcorr, ranks"
    assert best[1].mean() == 0.5
    assert bold([0.25, None, 0.5]) == ["0.25", "", "**0.50**"]
