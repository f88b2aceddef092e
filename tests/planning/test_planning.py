"""The question: how many rows? Against power that was simulated."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf import InputError
from kmerf.methods.distance_tests import Dcorr
from kmerf.planning.planning import PartTest, part_scores, part_sizes, round_sizes
from kmerf.reading.samples import read_independence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = 0.8 * X[:, 0] + RNG.normal(size=60)


def line(n, seed):
    rng = np.random.default_rng([seed, n])
    x = rng.normal(size=(n, 2))
    return x, 0.5 * x[:, 0] + rng.normal(size=n)


def test_curves_of_many_pilots_are_about_the_simulated_power():
    runs = [PartTest(read_independence(*line(40, k)), Dcorr(), k, (40,))(0) for k in range(2000)]
    (scores,) = part_scores({40: runs})
    true = np.mean(scores.observed >= np.quantile(scores.permuted, 0.95))
    assert 0.4 < true < 0.9
    curves = [kmerf.power_curve(*line(80, 500 + k), method="dcorr", sizes=[40], parts=20, rng=k) for k in range(30)]
    assert np.mean([curve.power[0] for curve in curves]) == pytest.approx(true, abs=0.12)  # two standard errors
    assert np.mean([curve.low[0] <= true <= curve.high[0] for curve in curves]) >= 0.8


def test_noise_is_never_conclusive_and_says_so():
    curve = kmerf.power_curve(X, RNG.normal(size=60), method="dcorr", parts=20, rng=1)
    assert not curve.conclusive
    assert "is too small to estimate" in str(curve)


def test_the_default_test_and_classes_have_curves_that_rise():
    method = kmerf.Portfolio().with_trees(10)
    numbers = kmerf.power_curve(X, Y, method=method, parts=20, rng=1)
    groups = kmerf.power_curve(X, np.where(Y > 0, "high", "low"), method=method, parts=20, rng=1)
    for curve in (numbers, groups):
        assert (np.diff(curve.power) >= 0).all()
        assert (curve.low <= curve.power).all()
        assert (curve.power <= curve.high).all()
        assert curve.power[-1] > 0.9
    assert numbers == kmerf.power_curve(X, Y, method=method, parts=20, rng=1, n_jobs=1)
    assert numbers.tried_sizes.tolist() == part_sizes(60)
    assert numbers.settings["method"]["class"] == "Portfolio"


def test_tables_are_read_as_in_a_test():
    table = pd.DataFrame(X, columns=["a", "b"]).assign(out=Y, id=range(60))
    named = kmerf.power_curve(table, "out", method="dcorr", parts=20, rng=3)
    np.testing.assert_array_equal(named.power, kmerf.power_curve(X, Y, method="dcorr", parts=20, rng=3).power)
    assert any("Left out of x: 'id'" in note for note in named.notes)


def test_sizes_are_sorted_and_default_to_round_numbers():
    curve = kmerf.power_curve(X, Y, method="dcorr", sizes=[200, 50, 50], parts=20, rng=1)
    assert curve.sizes.tolist() == [50, 200]
    assert kmerf.power_curve(X, Y, method="dcorr", sizes=100, parts=20, rng=1).needed == curve.needed
    assert curve.fine[0, [0, -1]].tolist() == [10, 960]
    np.testing.assert_allclose(np.interp(50, curve.fine[0], curve.fine[1]), curve.power[0], atol=0.02)
    assert round_sizes(20, 40)[0] == 10
    assert round_sizes(10_000, 200)[-1] == 150_000
    assert round_sizes(10_000, 200)[0] == 100  # fewer than may be enough
    assert part_sizes(20) == [10, 14, 20]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 1.2}, "target=1.2 must be a number between 0 and 1"),
        ({"level": 0.0}, "level=0.0 must be a number between 0 and 1"),
        ({"confidence": 1}, "confidence=1 must be a number between 0 and 1"),
        ({"level": "a"}, "level='a' must be a number between 0 and 1, such as 0.05"),
        ({"target": None}, "target=None must be a number between 0 and 1, such as 0.8"),
        ({"target": 0.04}, "target=0.04 must be above the level: 0.8, for example"),
        ({"parts": 5}, "parts=5 must be a whole number of at least 20"),
        ({"sizes": [5]}, "sizes=5 must be a whole number of at least 10"),
        ({"sizes": []}, "sizes is empty: name one or more numbers of rows"),
        ({"y_kind": "odd"}, "y_kind='odd' is not an option"),
    ],
)
def test_messages(options, message):
    with pytest.raises(InputError, match=message):
        kmerf.power_curve(X, Y, **options)


def test_a_pilot_needs_twenty_rows():
    with pytest.raises(InputError, match="x has 19 usable rows, and a pilot needs 20: collect more before planning"):
        kmerf.power_curve(X[:19], Y[:19])


@pytest.mark.parametrize(
    ("option", "remedy"),
    [
        ("n_estimators", "method=kmerf.KMERF"),
        ("alpha", "level= is the level"),
        ("power", "target= is the power to reach"),
    ],
)
def test_options_of_others_are_explained(option, remedy):
    with pytest.raises(TypeError, match=rf"power_curve\(\) has no option {option}=: {remedy}"):
        kmerf.power_curve(X, Y, **{option: 3})


def test_a_quicker_way_that_is_no_option_is_not_advised(capsys, monkeypatch):
    monkeypatch.setattr("kmerf.execution.progress.Forecast.LONG", 0.0)
    x = np.random.default_rng(0).normal(size=(5000, 2))
    kmerf.power_curve(x, x[:, 0], method="dcorr", parts=20, rng=1)
    assert "This may take up to" in (said := capsys.readouterr().err)
    assert "rows=" not in said
