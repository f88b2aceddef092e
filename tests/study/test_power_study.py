"""The power study of `benchmarks/`: its cells, its relations, and the newer tests that it compares with."""

import sys
from pathlib import Path

import numpy as np
import pytest

from kmerf.data import read_sample as tables
from kmerf.nulls.judging import find_pvalue
from kmerf.nulls.permutation import Permutation
from kmerf.nulls.resampling import Run

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def scripts():
    """Let scripts be imported as they import each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield
        for name in ("power", "modern", "relations"):
            sys.modules.pop(name, None)


def test_the_published_grid():
    import power

    (plan,) = power.plans("published")
    assert len(plan.data) == 95
    assert list(plan.tests) == ["ours", *power.PUBLISHED]
    assert [data.p for data in plan.data] == sorted(data.p for data in plan.data)
    assert set(power.CHOOSING) <= set(power.DEPENDENT)
    assert len(power.CHOOSING) == 10
    assert len(power.checked()) == 20
    assert set(power.checked()) <= set(plan.data)


def test_cells_can_be_restricted():
    import power

    (plan,) = power.plans("small")
    part = power.restricted(plan, ["ours", "Dcorr"], "p<=3, n=30")
    assert list(part.tests) == ["ours", "Dcorr"]
    assert {(data.n, data.p) for data in part.data} == {(30, 3)}
    assert power.restricted(plan, [], "name=nothing") is None
    with pytest.raises(SystemExit, match="cannot be read"):
        power.keeps("p!3", plan.data[0])


def test_every_relation_can_be_drawn():
    from relations import GROUPS, NUMERIC, Grouped, Related

    for source in [*map(Related, NUMERIC), *map(Grouped, GROUPS)]:
        sample = source.draw(np.random.default_rng(1))
        assert sample.x.values.shape == (100, source.p)
        assert (sample.y.codes is None) == isinstance(source, Related)


def test_discrepancy_is_that_of_the_definition():
    import modern

    rng = np.random.default_rng(1)
    x, order = rng.normal(size=(20, 2)), rng.permutation(20)
    K = modern.kernels(x)["Gauss 1"]
    groups = np.eye(2)[np.arange(20) % 2]
    a, b = (np.flatnonzero(groups[order][:, k]) for k in (0, 1))
    expected = K[np.ix_(a, a)].sum() / 90 + K[np.ix_(b, b)].sum() / 90 - 2 * K[np.ix_(a, b)].mean()
    assert modern.discrepancy(K, groups, order) == pytest.approx(expected)
    assert np.abs(modern.centred(K).sum(axis=1)).max() < 1e-12


def test_newer_tests_find_what_is_there():
    import modern

    rng = np.random.default_rng(2)
    groups = np.arange(40) % 2
    x = rng.normal(size=(40, 2)) + 3.0 * groups[:, None]
    for method in (modern.C2ST(10), modern.HypoRF(30), modern.MMDAgg(), modern.HSICAgg()):
        numeric = method.name == "HSICAgg"
        sample = tables.read_independence(x, x[:, 0] ** 2) if numeric else tables.read_ksample(x, groups=groups)
        problem = method.prepare(sample, 3)
        found = find_pvalue(Permutation(19), problem, problem.fit(np.arange(40), 0), Run(4))
        assert found.pvalue == 0.05, method.name
