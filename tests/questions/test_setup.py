"""From what the user chose to a test that is ready: defaults, checks and warnings."""

import pytest
from sklearn.ensemble import RandomForestRegressor

import kmerf
from questions_asked import FEW, PAPER, SMALL, data


@pytest.mark.parametrize("bad", [-1, 2**64, 1.5, "seed", True])
def test_bad_seeds_are_refused(bad):
    with pytest.raises(kmerf.InputError, match="rng=.* must be a whole number from 0"):
        kmerf.independence(*data(), rng=bad)


def test_methods_and_nulls_are_values():
    with pytest.raises(kmerf.InputError, match=r"method=7 cannot be used: pass a value such as kmerf.KMERF\(\)"):
        kmerf.independence(*data(), method=7)
    with pytest.raises(kmerf.InputError, match=r"pass a value such as kmerf.Permutation\(\)"):
        kmerf.independence(*data(), null=kmerf.Permutation)
    with pytest.raises(kmerf.InputError, match="n_jobs=0 must be"):
        kmerf.independence(*data(), n_jobs=0)
    with pytest.raises(kmerf.InputError, match="backend='lokky' is not known"):
        kmerf.independence(*data(), null=FEW, n_jobs=2, backend="lokky")
    with pytest.raises(kmerf.InputError, match="did you mean 'oob'"):
        kmerf.KMERF(proximity="OOB ")


def test_tiny_samples_are_told_of_their_exact_test():
    x, y = data(n=12)
    result = kmerf.independence(x, y, method=SMALL, rng=0)
    assert result.null.distribution.size == 999
    assert "exact permutation test" in result.notes[-1]


def test_rivals_are_permuted_often_since_nothing_is_fitted():
    result = kmerf.independence(*data(), method=kmerf.baselines.Dcorr(), rng=0)
    assert result.settings["null"] == {"class": "Permutation", "n_resamples": 999}


@pytest.mark.parametrize(
    ("method", "x_columns", "labels", "reason"),
    [
        (PAPER, 3, True, "y has repeated values"),
        (PAPER, 10, False, "x has 10 columns"),
        (kmerf.KMERF(proximity="all", forest=kmerf.ForestSpec(min_samples_leaf=5)), 3, False, "leaves hold several"),
        (kmerf.KMERF(proximity="all", forest=kmerf.ForestSpec(max_depth=2)), 3, False, "leaves hold several"),
        (kmerf.KMERF(RandomForestRegressor(20, min_samples_leaf=5), "all"), 3, False, "leaves hold several"),
    ],
)
def test_the_published_p_value_warns_where_it_is_known_to_fail(method, x_columns, labels, reason):
    x, y = data(p=x_columns)
    with pytest.warns(kmerf.KmerfWarning, match=f"not valid: {reason}.*proximity='oob'"):
        result = kmerf.independence(x, y > 0.5 if labels else y, method=method, null=kmerf.ChiSquare(), rng=0)
    assert reason in result.notes[-1]


def test_the_published_p_value_is_still_to_be_had():
    x, y = data()
    assert kmerf.independence(x, y, method=PAPER, null=kmerf.ChiSquare(), rng=0).pvalue < 1e-5
