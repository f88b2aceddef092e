"""The picture that answers a question: which column, what stands on its axes, and what its caption says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kmerf
import views
from kmerf.pictures import of_answers
from kmerf.results.parts import Pair

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
HOW = {"method": SMALL, "null": kmerf.Permutation(19), "details": True, "rng": 1, "n_jobs": 1}


def table(n=120, seed=0):
    rng = np.random.default_rng(seed)
    feed = rng.choice(["corn", "oats", "soy"], n)
    age = rng.normal(10.0, 2.0, n)
    weight = 100.0 + 30.0 * (feed == "soy") + 5.0 * age + rng.normal(size=n)
    return {"feed": feed, "age": age, "weight": weight, "height": age + rng.normal(size=n)}


def only(pictures):
    (picture,) = pictures
    return picture


def roles(picture):
    return {mark.role for mark in picture.marks}


def test_numbers_by_category_have_points_means_intervals_and_counts():
    data = table()
    result = kmerf.independence({"feed": data["feed"], "weight": data["weight"]}, "weight", **HOW)
    picture = only(of_answers.answer(result))
    assert (picture.x.label, picture.y.label) == ("feed", "weight")
    assert picture.x.names == ("corn", "oats", "soy")
    assert {"raw", "estimate", "interval", "mark"} <= roles(picture)
    counts = [mark.text for mark in picture.marks if mark.role == "mark"]
    sizes = [int((data["feed"] == name).sum()) for name in picture.x.names]
    assert counts == [f"n = {sizes[0]}", *map(str, sizes[1:])]
    (means,) = (mark for mark in picture.marks if mark.role == "estimate")
    expected = [data["weight"][data["feed"] == name].mean() for name in picture.x.names]
    np.testing.assert_allclose(means.columns[1], expected)
    assert picture.title.endswith("; 120 rows")
    assert "R2" in picture.title


def test_given_z_the_means_are_adjusted():
    data = table()
    result = kmerf.independence(
        {"feed": data["feed"]}, data["weight"], given={"age": data["age"]}, details=True, rng=1, n_jobs=1
    )
    picture = only(of_answers.answer(result))
    assert picture.y.label == "y, adjusted"
    assert "adjusted mean" in picture.caption
    raw = np.concatenate([mark.columns[1] for mark in picture.marks if mark.role == "raw"])
    assert raw.std() < data["weight"].std()  # what age does is gone


def test_every_column_of_y_has_a_picture():
    data = table()
    x = {name: data[name] for name in ("feed", "age")}
    result = kmerf.independence(x, {name: data[name] for name in ("weight", "height")}, **HOW)
    pictures = of_answers.answer(result)
    assert [picture.y.label for picture in pictures] == ["weight", "height"]
    assert not any(picture.title for picture in pictures)


def test_two_classes_are_shares_along_a_column_and_groups_are_values_by_group():
    data = table()
    heavy = np.where(data["weight"] > np.median(data["weight"]), "yes", "no")
    asked = {"age": data["age"], "heavy": heavy}
    result = kmerf.independence(asked, "heavy", **HOW)
    picture = only(of_answers.answer(result))
    assert (picture.x.label, picture.y.label) == ("age", "share with heavy = yes")
    assert "the share among rows with about that value, and its 95 % interval" in picture.caption
    assert "%" in picture.y.texts[1]
    groups = kmerf.ksample(asked, groups="heavy", **HOW)
    strips = only(of_answers.answer(groups))
    assert (strips.x.label, strips.y.label) == ("heavy", "age")
    assert strips.x.names == ("no", "yes")


def test_a_column_with_two_values_is_bars_of_shares():
    rng = np.random.default_rng(0)
    smoke = rng.integers(0, 2, 200).astype(float)
    low = np.where(rng.random(200) < 0.2 + 0.4 * smoke, "yes", "no")
    picture = only(of_answers.answer(kmerf.independence({"smoke": smoke, "low": low}, "low", **HOW)))
    assert picture.x.names == ("0", "1")
    (bars,) = (mark for mark in picture.marks if mark.role == "stack")
    np.testing.assert_allclose(bars.columns[3], [(low[smoke == k] == "yes").mean() for k in (0, 1)])


def test_units_stand_on_the_axes():
    data = table()
    result = kmerf.independence({"age": data["age"], "weight": data["weight"]}, "weight", **HOW)
    picture = only(of_answers.answer(replace(result, units={"age": "years", "weight": "kg"})))
    assert (picture.x.label, picture.y.label) == ("age, years", "weight, kg")


def test_the_picture_is_that_of_the_first_sentence():
    data = table()
    result = kmerf.independence({name: data[name] for name in ("feed", "age", "weight")}, "weight", **HOW)
    for names in (("age", "feed"), ("feed", "age")):
        changes = tuple(next(each for each in result.changes if each.column == name) for name in names)
        told = replace(result, changes=changes)
        assert [each.feature for each in of_answers.profiles_of(told)] == list(names)
        assert only(of_answers.answer(told)).x.label == names[0]


def test_results_without_details_have_no_picture():
    assert of_answers.answer(views.result()) == []


@pytest.mark.parametrize(
    ("differ", "letters"),
    [
        ([], {"a": "a", "b": "a", "c": "a"}),
        ([("a", "b"), ("a", "c"), ("b", "c")], {"a": "a", "b": "b", "c": "c"}),
        ([("a", "c")], {"a": "a", "b": "ab", "c": "b"}),
    ],
)
def test_groups_share_a_letter_if_they_do_not_differ(differ, letters):
    pairs = [
        Pair(first, second, 1.0, p, p)
        for first, second in ("ab", "ac", "bc")
        for p in [0.01 if (first, second) in differ else 0.5]
    ]
    assert of_answers.letters_of("abc", pairs) == letters


def test_letters_of_many_groups_agree_with_all_pairs():
    rng = np.random.default_rng(0)
    groups = list("abcdef")
    for _ in range(50):
        pairs = [Pair(a, b, 1.0, p, p) for i, a in enumerate(groups) for b in groups[:i] for p in [rng.random() ** 3]]
        letters = of_answers.letters_of(groups, pairs)
        for pair in pairs:
            together = bool(set(letters[pair.first]) & set(letters[pair.second]))
            assert together == (pair.adjusted > 0.05)


def test_there_are_no_letters_if_too_few_permutations_could_call_any_pair_different():
    pairs = [Pair(a, b, 1.0, 0.01, 0.15, bound=0.01) for k, a in enumerate("abcdef") for b in "abcdef"[:k]]
    assert of_answers.letters_of("abcdef", pairs) == {}
    assert set(of_answers.letters_of("abcdef", [replace(pair, bound=0.001) for pair in pairs]).values()) == {"a"}
