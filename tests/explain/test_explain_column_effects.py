"""How strong the relation with each column is, and which way it goes."""

import numpy as np
import pandas as pd
import pytest

from kmerf.explain import column_effects as effects
from kmerf.reading.samples import read_independence, read_ksample


def table(n=200):
    rng = np.random.default_rng(1)
    x = pd.DataFrame({"up": rng.normal(size=n), "noise": rng.normal(size=n)})
    x["down"] = -x.up + 0.1 * rng.normal(size=n)
    x["bent"] = np.abs(x.up) * rng.choice([-1, 1], n)
    x["kind"] = np.where(x.up > 0.3, "big", "small")
    x["same"] = 1.0
    x["holes"] = np.where(rng.random(n) < 0.3, np.nan, x.up)
    return x


def test_numbers_rise_fall_bend_or_do_nothing():
    x = table()
    sample = read_independence(x, x.up + 0.1, categorical="kind")
    found = effects.column_effects(sample.x, sample.y, ["up", "kind"])
    by_name = dict(zip(sample.x.names, zip(found.sizes, found.directions, strict=True), strict=True))
    assert by_name["up"][0] > 0.95
    assert {name: way for name, (_, way) in by_name.items()} == {
        "up": "rises",
        "noise": "neither",
        "down": "falls",
        "bent": "neither",
        "kind": "highest in big",
        "same": "",
        "holes": "rises",
    }
    assert by_name["noise"][0] < 0.06
    assert by_name["holes"][0] > 0.9
    assert np.isnan(by_name["same"][0])
    squared = read_independence(x, x.bent**2, categorical="kind")
    assert effects.column_effects(squared.x, squared.y, []).sizes[3] > 0.9  # neither up nor down, and strong
    line = found.sketches["up"]
    assert len(line) == effects.PARTS
    assert np.all(np.diff(np.array(line), axis=0) > 0)
    assert set(found.sketches) == {"up", "kind"}


def test_events_come_sooner_or_later_along_a_column():
    x = table(n=400)
    rng = np.random.default_rng(2)
    until, cut = rng.exponential(np.exp(-x.up)), rng.exponential(1.5, size=400)
    y = np.column_stack([np.minimum(until, cut), until <= cut])
    sample = read_independence(x, y, categorical="kind", y_kind="censored")
    found = effects.column_effects(sample.x, sample.y, [])
    assert dict(zip(sample.x.names, found.directions, strict=True)) == {
        "up": "sooner",
        "noise": "neither",
        "down": "later",
        "bent": "neither",
        "kind": "soonest in big",
        "same": "",
        "holes": "sooner",
    }


def test_who_is_censored_does_not_make_a_direction():
    rng = np.random.default_rng(3)
    x = rng.normal(size=2000)
    until, cut = rng.exponential(size=2000), rng.exponential(np.exp(1.5 * x))
    y = np.column_stack([np.minimum(until, cut), until <= cut])
    sample = read_independence(x, y, y_kind="censored")
    assert effects.column_effects(sample.x, sample.y, []).directions == ("neither",)


def test_classes_are_compared_by_the_ranks_of_the_column():
    x = table()
    groups = np.where(x.up > 0, "b", "a")
    sample = read_ksample(x, groups=list(groups), categorical="kind")
    found = effects.column_effects(sample.x, sample.y, ["up"])
    assert found.directions[:3] == ("highest in b", found.directions[1], "highest in a")
    assert found.sizes[0] == pytest.approx(0.75, abs=0.02)  # two halves hold 3/4 of the variance of ranks
    assert found.sizes[4] > 0.4  # of two categories
    assert found.directions[4] == ""
    (low, middle, high), (_, other, _) = found.sketches["up"]
    assert low < middle < high < other


def test_what_lies_between_classes_is_the_slow_sum():
    rng = np.random.default_rng(0)
    values, classes = rng.normal(size=40), rng.integers(0, 4, 40)
    values += classes
    means = np.array([values[classes == k].mean() for k in range(4)])[classes]
    share = 1 - ((values - means) ** 2).sum() / ((values - values.mean()) ** 2).sum()
    assert effects.explained(values, classes) == pytest.approx(1 - (1 - share) * 39 / 36)
    assert effects.explained(np.ones(5), np.arange(5)) == 0.0


def test_sizes_of_unrelated_columns_are_about_zero_whatever_n():
    rng = np.random.default_rng(2)
    raw = [effects.explained(rng.normal(size=30), effects.parts(rng.normal(size=30))) for _ in range(200)]
    assert np.mean(raw) < 0.08  # half of them are cut at 0
    assert effects.cramer(np.arange(40) % 2, np.arange(40) % 2) == pytest.approx(1.0)
    assert np.mean([effects.cramer(rng.integers(0, 3, 60), rng.integers(0, 3, 60)) for _ in range(200)]) < 0.03
