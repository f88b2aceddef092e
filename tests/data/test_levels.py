"""Categories with many levels as columns of numbers: the commonest ones and the rest, or all."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.data import sample
from kmerf.data.sample import all_levels, common_levels
from kmerf.reading.samples import read_features


def table(n=200, levels=50, seed=0):
    rng = np.random.default_rng(seed)
    town = np.array([f"town {code:03}" for code in rng.integers(0, levels, n)], dtype=object)
    town[:levels] = [f"town {code:03}" for code in range(levels)]
    town[[3, 150]] = None
    return {"a": rng.normal(size=n), "town": town, "sex": np.where(rng.random(n) < 0.5, "f", "m")}


def read(data):
    return read_features(data, categorical=["town", "sex"])


def test_many_levels_are_one_column_of_codes():
    data = table()
    x = read(data)
    assert x.levels.tolist() == [0, 50, 0, 0]
    assert x.column_of.tolist() == [0, 1, 2, 2]
    named = [None if np.isnan(code) else x.categories[1][int(code)] for code in x.values[:, 1]]
    assert named == data["town"].tolist()
    assert np.array_equal(x.column(1), x.values[:, 1], equal_nan=True)
    assert x.column(2).tolist() == [float(label == "m") for label in data["sex"]]


@pytest.mark.parametrize("levels", [32, 33])
def test_up_to_32_levels_have_a_column_each(levels):
    x = read_features({"town": np.arange(66) % levels}, categorical="town")
    assert x.values.shape[1] == (32 if levels == 32 else 1)
    assert x.levels.tolist() == ([0] * 32 if levels == 32 else [33])


def test_the_commonest_levels_and_the_rest():
    data = table()
    x = common_levels(read(data))
    assert x.column_of.tolist() == [0, *[1] * 32, 2, 2]
    assert not x.levels.any()
    assert np.isnan(x.values[[3, 150], 1:33]).all()
    known = [town for town in data["town"] if town is not None]
    ranked = sorted(set(known), key=lambda town: (-known.count(town), town))
    for i in set(range(200)) - {3, 150}:
        place = min(ranked.index(data["town"][i]), 31)
        assert x.values[i, 1:33].tolist() == [float(k == place) for k in range(32)]


def test_all_levels():
    data = table()
    x = all_levels(read(data))
    assert x.values.shape == (200, 53)
    labels = [None if np.isnan(row[1]) else x.categories[1][int(row[1:51].argmax())] for row in x.values]
    assert labels == data["town"].tolist()
    assert np.array_equal(x.column(1), read(data).column(1), equal_nan=True)


def test_what_has_no_codes_stays_as_it_is():
    x = read({key: values for key, values in table().items() if key != "town"} | {"town": ["u", "v"] * 100})
    assert common_levels(x) is x
    assert all_levels(x) is x


def test_more_cells_than_memory_are_refused(monkeypatch):
    monkeypatch.setattr(sample, "MOST_CELLS", 9999)
    with pytest.raises(InputError, match="given: 50 categories in 200 rows are 0 GB of numbers here: merge rare"):
        all_levels(read(table()), "given")
