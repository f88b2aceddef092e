"""Row orders that a user supplies."""

from __future__ import annotations

import numpy as np
import pytest

import kmerf
from kmerf.reading.samples import read_independence


def data(n=40):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 2))
    return x, x[:, 0] + 0.5 * rng.normal(size=n)


def shifts(n=40):
    return np.array([np.roll(np.arange(n), k) for k in range(1, n)])


def test_an_array_is_taken_as_it_is_and_recorded():
    x, y = data()
    result = kmerf.independence(x, y, permutations=shifts(), method="dcorr", rng=1)
    every = [kmerf.independence(x, y[order], method="dcorr", rng=1).statistic for order in shifts()]
    larger = sum(each >= result.statistic for each in every)
    assert result.pvalue == pytest.approx((1 + larger) / 40)
    assert result.settings["permutations"]["count"] == 39
    assert len(result.settings["permutations"]["digest"]) == 16
    other = kmerf.independence(x, y, permutations=shifts()[::-1], method="dcorr", rng=1)
    assert other.settings["permutations"]["digest"] != result.settings["permutations"]["digest"]


def test_a_function_draws_orders_with_a_generator():
    x, y = data()

    def halves(rng):
        return np.concatenate([rng.permutation(20), 20 + rng.permutation(20)])

    first, again = (kmerf.independence(x, y, permutations=halves, method="dcorr", rng=1) for _ in range(2))
    assert first.pvalue == again.pvalue <= 0.01
    assert first.settings["permutations"] == {"count": None, "digest": halves.__qualname__}
    forest = kmerf.ksample(x, groups=y > 0, permutations=halves, rng=1, null=kmerf.Permutation(19))
    assert forest.pvalue <= 0.1


def test_a_screen_takes_them_too():
    x, y = data()
    found = kmerf.screen(x, y, permutations=lambda rng: rng.permutation(40), rng=1)
    assert found.pvalues[0] < found.pvalues[1]
    assert found.settings["permutations"]["count"] is None


@pytest.mark.parametrize(
    ("permutations", "finding"),
    [
        (np.arange(40), "must be an array"),
        (shifts()[:5], "has 5 row orders"),
        (shifts(39), "has 39 entries, and 40 rows"),
        (shifts() + 1, "counts rows from 1"),
        (shifts() * 1.5, "must hold whole numbers"),
        (np.zeros((30, 40), int), "does not have every row"),
        (np.tile(np.arange(40), (30, 1)), "leaves every row where it is"),
        (lambda rng: np.arange(7), "which the function drew"),
        ([[1, 2], [3]], "must be an array"),
    ],
)
def test_what_is_not_a_permutation_is_refused(permutations, finding):
    x, y = data()
    with pytest.raises(kmerf.InputError, match=finding):
        kmerf.independence(x, y, permutations=permutations)


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ({"null": kmerf.Permutation(99)}, "has 39 row orders, and the null asks for 99"),
        ({"blocks": np.repeat(np.arange(10), 4)}, "passed together with blocks"),
        ({"given": np.arange(40.0)}, "passed together with given"),
        ({"importances": "conditional"}, "assumes independent rows"),
        ({"rows": 20}, "what permutations belong to"),
    ],
)
def test_options_that_do_not_go_with_them_are_refused(options, finding):
    x, y = data()
    with pytest.raises(kmerf.InputError, match=finding):
        kmerf.independence(x, y, permutations=shifts(), **options)


def test_no_order_is_recommended_beside_permutations():
    walk = np.cumsum(np.random.default_rng(0).normal(size=(60, 2)), axis=0)
    orders = np.array([np.random.default_rng(k).permutation(60) for k in range(19)])
    table = {"x": walk[:, 0], "y": walk[:, 1]}
    assert any("order=True" in note for note in read_independence(table, "y").notes)
    assert not any("order=True" in note for note in read_independence(table, "y", permutations=orders).notes)
