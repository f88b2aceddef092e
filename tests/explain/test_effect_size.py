"""How strong a relation is: scores, half-samples and intervals."""

from dataclasses import replace

import numpy as np
import pytest

import kmerf
from cases import SMALL, related
from kmerf.core.errors import InputError
from kmerf.explain import effects as effect
from kmerf.nulls.judging import Run
from kmerf.reading.samples import read_independence, read_ksample
from kmerf.results.parts import Effect
from oracles import distances


def test_the_score_of_a_y_far_from_zero():
    x = np.random.default_rng(0).normal(size=(200, 1))
    near = kmerf.independence(x, 3.0 * x[:, 0], method=SMALL, null=kmerf.ChiSquare(), rng=1)
    far = kmerf.independence(x, 1e13 + 3.0 * x[:, 0], method=SMALL, null=kmerf.ChiSquare(), rng=1, details=True)
    assert far.effect.score == pytest.approx(near.effect.score, abs=1e-3)
    assert far.importances.mean == pytest.approx(near.importances.mean, abs=1e-3)


def test_the_effect_tells_a_strong_relation_from_a_weak_one():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    strong = kmerf.ksample(x, groups=x[:, 0] > 0, method=SMALL, null=kmerf.ChiSquare(), rng=1).effect
    nothing = kmerf.ksample(x, groups=rng.random(300) > 0.5, method=SMALL, null=kmerf.ChiSquare(), rng=1).effect
    assert strong.measure == nothing.measure == "AUC"
    assert strong.score > 0.95
    assert abs(nothing.score - 0.5) < 0.12


def test_halves_keep_classes_and_blocks_together():
    rng = np.random.default_rng(0)
    x = np.arange(31.0)
    groups = read_ksample(x, groups=np.repeat(["a", "b"], [10, 21]))
    half = effect.half_of(groups, rng)
    assert len(set(half.tolist())) == half.size
    assert (half < 10).sum() == 5
    assert (half >= 10).sum() in (10, 11)
    blocks = read_independence(x, x, blocks=np.arange(31) // 2)
    half = effect.half_of(blocks, rng)
    assert half.size in (15, 16)
    assert np.bincount(half // 2).max() == 2
    assert set(np.bincount(half // 2)[:-1]) <= {0, 2}


def test_the_interval_holds_the_statistic_and_does_not_depend_on_workers():
    x, y = related(60)
    first = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, interval=0.95, n_jobs=1)
    second = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, interval=0.95, n_jobs=2)
    found = first.effect
    assert found == second.effect
    assert found.low < found.correlation == first.statistic < found.high <= 1.0
    assert "95 % interval" in first.in_full()
    narrower = kmerf.independence(x, y, method=SMALL, null=kmerf.ChiSquare(), rng=1, interval=0.5).effect
    assert narrower.high - narrower.low < found.high - found.low


def test_rivals_have_intervals_too():
    x, y = related(60)
    found = kmerf.independence(x, y, method=kmerf.baselines.Dcorr(), null=kmerf.Permutation(19), rng=1, interval=0.9)
    assert found.effect.low < found.statistic < found.effect.high
    assert found.effect.score is None


def test_intervals_need_rows_and_a_kernel_that_can_be_halved():
    x, y = related(30)
    with pytest.raises(InputError, match="needs 20 rows or more to halve, and there are 12"):
        kmerf.independence(x[:12], y[:12], method=SMALL, null=kmerf.Permutation(9), interval=0.9)
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=5), y_kernel=np.exp(-distances(y[:, None])))
    with pytest.raises(InputError, match="precomputed y_kernel"):
        kmerf.independence(x, y, method=method, null=kmerf.Permutation(9), interval=0.9)


def test_halves_that_say_nothing_are_drawn_again():
    x = np.arange(24.0)
    sample = read_independence(x, x % 5, blocks=np.repeat(np.arange(6), [1, 1, 1, 1, 10, 10]))
    sizes = [effect.half_of(sample, np.random.default_rng(seed)).size for seed in range(40)]
    assert min(sizes) >= 4
    alone = read_independence(x, np.r_[np.zeros(23), 1.0], blocks=np.repeat(np.arange(4), [1, 1, 1, 21]))
    assert all(23 in effect.half_of(alone, np.random.default_rng(seed)) for seed in range(20))
    single = replace(alone, y=alone.y.take(np.zeros(24, np.int64)))
    with pytest.raises(InputError, match="nearly every half of the blocks has fewer than 4 rows or a single value"):
        effect.half_of(single, np.random.default_rng(0))


def test_a_statistic_that_is_no_correlation_has_no_interval_and_is_no_effect():
    x, y = related(40)
    with pytest.raises(InputError, match="interval=0.9 is for a correlation, and the statistic of HHG is not one"):
        kmerf.independence(x, y, method=kmerf.baselines.HHG(), null=kmerf.Permutation(19), interval=0.9)
    assert kmerf.independence(x, y, method=kmerf.baselines.HHG(), null=kmerf.Permutation(19), rng=1).effect is None
    both = kmerf.Portfolio(numeric={"local": kmerf.baselines.HHG(), "distance": kmerf.baselines.Dcorr()})
    found = kmerf.independence(x, y, method=both, null=kmerf.Permutation(19), rng=1, interval=0.9).effect
    alone = kmerf.independence(x, y, method=kmerf.baselines.Dcorr(), null=kmerf.Permutation(19), rng=1)
    assert found.correlation == alone.statistic
    assert found.low < found.correlation < found.high <= 1.0
    more = kmerf.Portfolio(
        numeric={"forest": SMALL, "distance": kmerf.baselines.Dcorr(), "local": kmerf.baselines.HHG()}
    )
    forest = kmerf.independence(x, y, method=more, null=kmerf.Permutation(19), rng=1)
    assert forest.effect.correlation == forest.members[0].statistic


def test_an_interval_ends_at_one():
    found = Effect(1.0 + 1e-6)
    method, sample = kmerf.baselines.Dcorr(), read_independence(*related(30))
    told = effect.with_interval(found, 0.9, method, sample, Run(1))
    assert told.low <= told.high == 1.0
