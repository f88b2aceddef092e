"""Problems that permute without fitting: permuting is reordering y."""

import pickle
import warnings

import numpy as np
import pytest

import kmerf
from kmerf import InputError
from kmerf.methods.protocol import observe

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # hyppo imports names that scipy has deprecated

from baseline_cases import METHODS, make, make_tied, names, prepare, statistic


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2), (20, 20)])
@pytest.mark.parametrize("make", [make, make_tied])
@pytest.mark.parametrize("method", METHODS, ids=names)
def test_permuted_is_observed_on_reordered_y(method, make, p, q):
    x, y = make(p, q, 45)
    ready = prepare(method, x, y)
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(len(x))
        assert ready.fit(order, 1).statistic == pytest.approx(statistic(method, x, y[order]), rel=1e-9, abs=1e-12)
    assert ready.fit(np.arange(ready.n), 5).statistic == observe(ready).statistic


@pytest.mark.parametrize("method", METHODS, ids=names)
def test_problems_can_be_sent_to_other_processes(method):
    ready = prepare(method, *make(2, 2))
    copy = pickle.loads(pickle.dumps(ready))
    assert observe(copy).statistic == observe(ready).statistic


@pytest.mark.parametrize("method", [each for each in METHODS if each.name != "Column scan"], ids=names)
def test_missing_values_are_refused(method):
    x, y = make(2, 1)
    x[3, 1] = np.nan
    with pytest.raises(InputError, match=rf"'x2', and {method.name} cannot use them: fill"):
        kmerf.independence(x, y, method=method)
