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
