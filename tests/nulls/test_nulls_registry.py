"""Names of nulls: one list for Python and for the shell."""

import numpy as np
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.nulls.judging import NULLS, choose_null, needs_single


def test_values_and_names():
    assert choose_null("chi-square") == kmerf.ChiSquare()
    assert choose_null(kmerf.Permutation(19)) == kmerf.Permutation(19)
    assert choose_null(None) is None


def test_only_the_chi_square_null_needs_a_single_statistic():
    assert {name for name in NULLS if needs_single(choose_null(name))} == {"chi-square"}


def test_what_is_no_null():
    with pytest.raises(InputError, match="pass a value such as"):
        choose_null(kmerf.Permutation)


@pytest.mark.parametrize("name", NULLS)
def test_every_name_makes_a_null_that_judges(name):
    entry = NULLS[name]
    null = entry()
    assert (entry.name, type(null)) == (name, entry.make)
    assert entry.help
    assert getattr(kmerf, entry.make.__name__) is entry.make
    assert choose_null(name) == null
    assert entry.permutes == (null.n_resamples > 0)
    assert entry.needs_unbiased == null.needs_unbiased
    assert null.interim_analyses[-1] == (null.n_resamples, 0.0)
    permuted = np.random.default_rng(1).normal(size=null.n_resamples)
    small, large = (null.judge(statistic, permuted, 50).pvalue for statistic in (9.0, -9.0))
    assert 0.0 < small < 0.05 < large <= 1.0


@pytest.mark.parametrize("name", NULLS)
def test_every_name_answers_a_question(name):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 1))
    method = kmerf.KMERF(kmerf.ForestSpec(n_trees=10), proximity="oob")
    found = kmerf.independence(x, x[:, 0] + 0.1 * rng.normal(size=40), method=method, null=name, rng=1)
    assert found.settings["null"]["class"] == NULLS[name].make.__name__
    assert found.pvalue < 0.05
