"""The one walk over settings: through dataclasses, mappings and sequences, however deep."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kmerf
from kmerf.core.settings import as_plain, holds_matrix, walk
from kmerf.explain import explanation
from kmerf.explain.effects import check_interval
from kmerf.reading.samples import read_independence, read_ksample


@dataclass(frozen=True)
class Box:
    """Settings inside settings."""

    inside: Any


MATRIX = np.eye(30)
NESTED = {
    "itself": kmerf.KMERF(y_kernel=MATRIX),
    "a dataclass": Box(kmerf.KMERF(y_kernel=MATRIX)),
    "two dataclasses": Box(Box(kmerf.KMERF(y_kernel=MATRIX))),
    "a mapping": kmerf.Portfolio(numeric={"own": kmerf.KMERF(y_kernel=MATRIX)}),
    "a dataclass in a mapping": kmerf.Portfolio(numeric={"own": Box(kmerf.KMERF(y_kernel=MATRIX))}),
    "a list of mappings": Box([{"a": 1}, {"b": (MATRIX,)}]),
}


@pytest.mark.parametrize("settings", NESTED.values(), ids=NESTED)
def test_a_matrix_is_seen_wherever_it_is(settings):
    assert holds_matrix(settings)


@pytest.mark.parametrize("settings", [None, kmerf.KMERF(), kmerf.Portfolio(), Box([{"a": Box(1.0)}])])
def test_no_matrix_is_seen_where_there_is_none(settings):
    assert not holds_matrix(settings)


@pytest.mark.parametrize("settings", NESTED.values(), ids=NESTED)
def test_intervals_and_pairs_refuse_a_matrix_wherever_it_is(settings):
    x = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(kmerf.InputError, match="interval cannot be computed with a precomputed y_kernel"):
        check_interval(0.95, read_independence(x, x[:, 0]), settings)
    with pytest.raises(kmerf.InputError, match="pairwise=True cannot be computed with a precomputed y_kernel"):
        explanation.check_pairs(read_ksample(x, groups=np.repeat(["a", "b", "c"], 10)), settings, "free")


def test_the_walk_sees_every_value_once_and_in_order():
    assert [each for each in walk(Box([1, {"a": Box("b")}])) if isinstance(each, int | str)] == [1, "b"]
    assert len([each for each in walk(kmerf.Portfolio()) if isinstance(each, kmerf.ForestSpec)]) >= 3


def test_settings_become_plain_values():
    assert as_plain(Box({"a": np.int64(3), "b": Box(None)})) == {
        "class": "Box",
        "inside": {"a": 3, "b": {"class": "Box", "inside": None}},
    }
    assert as_plain(np.zeros((2, 3))) == "array of shape (2, 3)"


def test_settings_are_compared_and_hashed_by_their_values():
    kernel = np.eye(4)
    one, same, other = (kmerf.KMERF(y_kernel=each) for each in (kernel, kernel.copy(), 2 * kernel))
    assert (one == same) is True
    assert (one == other) is False
    assert (one == "KMERF") is False
    assert one != kmerf.KMERF()
    assert hash(one) == hash(same)
    assert len({one, same, other, kmerf.KMERF()}) == 3
    assert kmerf.KMERF(y_kernel=np.eye(4, dtype=int)) == one


def test_portfolios_are_compared_and_hashed_by_their_members():
    members = {"kernel": kmerf.KMERF(y_kernel=np.eye(3))}
    copied = {"kernel": kmerf.KMERF(y_kernel=np.eye(3))}
    assert kmerf.Portfolio(numeric=members) == kmerf.Portfolio(numeric=copied)
    assert hash(kmerf.Portfolio()) == hash(kmerf.Portfolio())
    assert len({kmerf.Portfolio(), kmerf.Portfolio(), kmerf.Portfolio().with_trees(5)}) == 2
    assert kmerf.Portfolio(weights={"linear": 2.0}) != kmerf.Portfolio()
