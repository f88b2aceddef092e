"""Tests of times and events: against Cox's model, and as members of the default."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import kmerf
from kmerf import InputError
from kmerf.methods.column_tests import EachColumn, HazardColumn
from kmerf.methods.portfolio import CENSORED
from kmerf.methods.protocol import observe
from kmerf.methods.ridge import Hazard
from kmerf.reading.samples import read_independence

COLUMN = EachColumn(2, "location")


def followed(effect, seed=0, n=120, p=3, shape=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    until = rng.weibull(np.ones(n) if shape is None else shape(x), size=n) * np.exp(-effect * x[:, 1])
    cut = rng.exponential(2.0, size=n)
    return x, np.column_stack([np.minimum(until, cut), until <= cut])


@pytest.mark.parametrize("effect", [0.0, 0.15, 0.3])
def test_the_p_value_is_about_that_of_the_score_test_of_statsmodels(effect):
    from scipy.stats import chi2
    from statsmodels.duration.hazard_regression import PHReg

    x, y = followed(effect, seed=4)
    model = PHReg(y[:, 0], x, status=y[:, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score, information = model.score(np.zeros(3)), -model.hessian(np.zeros(3))
    theirs = chi2.sf(score @ np.linalg.solve(information, score), 3)
    ours = kmerf.independence(x, y, y_kind="censored", method=Hazard(), null=kmerf.Permutation(999), rng=1).pvalue
    assert ours == pytest.approx(theirs, abs=0.08)


def test_crossing_hazards_are_seen_by_the_second_score_alone():
    x, y = followed(0.0, seed=1, n=300, shape=lambda x: np.where(x[:, 0] > 0, 3.0, 0.7))
    sample = read_independence(x, y, y_kind="censored")
    statistics = [observe(method.prepare(sample, 1)).statistics[0] for method in (Hazard(), Hazard(crossing=True))]
    assert statistics[1] > 0.1
    assert statistics[0] < 0.5 * statistics[1]


def test_columns_are_judged_by_the_first_score():
    x, y = followed(1.0)
    sample = read_independence(x, y, y_kind="censored")
    plain = read_independence(x, sample.y.values[:, 0])
    found, expected = HazardColumn().prepare(sample, 1), EachColumn(2, "location").prepare(plain, 1)
    np.testing.assert_array_equal(observe(found).statistics, observe(expected).statistics)


def test_the_default_finds_who_fares_worse_and_why():
    x, y = followed(1.2)
    result = kmerf.independence(x, y, y_kind="censored", method=kmerf.Portfolio().with_trees(20), rng=1)
    assert result.pvalue < 0.01
    assert result.importances.ranking[0] == "x2"
    assert [member.name for member in result.members] == list(CENSORED)
    assert result.y_kind == "censored"
    assert "y time-to-event" in result.in_full()
    assert kmerf.Result.from_dict(result.to_dict()) == result


def test_two_columns_that_act_only_together_are_found():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(100, 5))
    times = rng.exponential(size=100) * np.exp(-1.2 * np.sign(x[:, 1] * x[:, 2]))
    y = np.column_stack([np.minimum(times, 3.0), times <= 3.0])
    result = kmerf.independence(x, y, y_kind="censored", method=kmerf.Portfolio().with_trees(20), rng=1)
    assert result.pvalue <= 0.01
    assert max(result.members, key=lambda member: member.score).name == "interaction"


def test_screens_take_times_and_events():
    x, y = followed(1.2)
    found = kmerf.screen(x, y, y_kind="censored", method="dcorr", null=kmerf.Permutation(199), rng=1)
    assert found.ranking[0] == "x2"
    assert "y time-to-event" in str(found)


def test_a_censored_outcome_that_x_has_nothing_to_do_with_is_rejected_as_often_as_it_should():
    """Ranks are exact; this would fail if the scores of permuted pairs were not permuted scores."""
    rejected = 0
    for seed in range(60):
        x, y = followed(0.0, seed=seed, n=40)
        null = kmerf.Permutation(19)
        rejected += kmerf.independence(x, y, y_kind="censored", method=Hazard(), null=null, rng=seed).pvalue <= 0.2
    assert 4 <= rejected <= 22  # 12 expected, three standard errors


@pytest.mark.parametrize("method", [Hazard(), Hazard(crossing=True), HazardColumn()])
def test_other_outcomes_are_refused(method):
    with pytest.raises(InputError, match="is for times until an event: pass times and events with y_kind='censored'"):
        kmerf.independence(np.arange(30.0), np.arange(30.0), method=method)
    assert method.wording(False).question.endswith("?")


def test_what_is_said_of_a_statistic_is_what_is_computed():
    """The statistic is that of `EachColumn`, and so are its words."""
    x, y = followed(1.0, seed=1, n=60)
    sample = read_independence(x, y, y_kind="censored")
    first = replace(sample, y=replace(sample.y, values=sample.y.values[:, :1], names=sample.y.names[:1]))
    order = np.arange(60)
    own, other = (
        each.fit(order, 0).statistic for each in (HazardColumn().prepare(sample, 1), COLUMN.prepare(first, 1))
    )
    assert own == other
    assert HazardColumn().wording(False).measures == COLUMN.wording(False).measures
