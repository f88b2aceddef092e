"""What x, y and z are called, and what is said about them."""

from __future__ import annotations

from dataclasses import replace

import views
from kmerf.methods.portfolio import NUMERIC
from kmerf.results.parts import Adjustment
from kmerf.show.words import adjustment_texts, asked_of, carried_by, screen_y_text, untested, y_name, y_text, z_names


def test_numbers_say_how_many_columns_they_have():
    assert y_text(views.result()) == "y numeric"
    assert y_text(views.result(q=2)) == "y numeric, 2 columns"


def test_classes_and_groups_are_named_with_their_sizes():
    classes = views.result(y_kind="categorical", groups={"yes": 3, "no": 4})
    assert y_text(classes) == "y categorical, 2 classes: yes (3), no (4)"
    assert y_text(classes, names=False) == "y categorical, 2 classes"
    assert y_text(views.grouped(groups="abc"), names=False) == "3 groups"


def test_many_groups_are_counted_and_hostile_names_spelled_out():
    many = y_text(views.grouped(groups=[f"g{i}" for i in range(9)]))
    assert many.startswith("9 groups: g0 (20), ")
    assert many.endswith("g5 (20) and 3 more")
    assert y_text(views.grouped(groups=["\x1b[31m", "b" * 50])) == (
        "2 groups: \\x1b[31m (20), bbbbbbbbbb…bbbbbbbbb (20)"
    )


def test_a_censored_y_counts_its_events():
    assert y_text(views.result(y_kind="censored", n=1228, events=165)) == (
        "y time-to-event: 165 events, 1,063 censored"
    )
    assert screen_y_text(views.screen(y_kind="censored", events=1)) == "y time-to-event: 1 event, 49 censored"
    assert y_text(views.result(y_kind="censored")) == "y time-to-event"  # of an older version


def test_a_screen_has_a_y_too():
    assert screen_y_text(views.screen()) == "y numeric"
    assert screen_y_text(views.screen(groups={"a": 1, "b": 2})) == "y categorical, 2 classes"


def test_y_is_called_by_its_columns():
    assert y_name(["weight"]) == "weight"
    assert y_name(["a", "b", "c"]) == "a and b and c"
    assert y_name(list("abcde")) == "a, b and 3 more"
    assert y_name(["\u202e"]) == "\\u202e"


def test_questions_about_several_columns_have_their_grammar():
    asked = asked_of("Does y rise or fall with some column?", "weight and height", several=True)
    assert asked == "Do weight and height rise or fall with some column?"
    assert asked_of("Does y rise or fall with some column?", "weight") == "Does weight rise or fall with some column?"
    whole = asked_of(NUMERIC["monotone"].method.wording(False).question, "weight and height", several=True)
    assert whole.endswith("level, spread, shape, or how they depend on each other?")
    found = carried_by(NUMERIC["distribution"].method.wording(False).meaning, "weight and height", several=True)
    assert found.endswith("their spread, their shape, or how they depend on each other")


FIT = Adjustment(("age", "sex"), 0.4, -0.01, 0.5, 0.6, None, "AUC", 0.6, 0.7)


def test_nothing_is_said_where_nothing_was_given():
    assert adjustment_texts(None) == []


def test_shares_and_scores():
    assert adjustment_texts(FIT) == [
        ("z explains", "0.40, 0.00", "of x and of y, for unseen rows; z: age and sex"),
        ("beyond z", "0.700", "AUC of y with x; 0.600 without"),
    ]
    assert len(adjustment_texts(replace(FIT, with_x=None))) == 1
    shares = "of x and of y, explained by rows with the same z, for unseen rows; z: age and sex"
    assert adjustment_texts(replace(FIT, strata=9))[0] == ("strata", "0.40, 0.00", shares)


def test_a_misfit_is_said():
    assert adjustment_texts(replace(FIT, lack_of_fit_y=0.01))[-1][0] == "warning"
    assert adjustment_texts(replace(FIT, lack_of_fit_y=0.01), 0.1)[-1][0] == "warning"
    assert adjustment_texts(replace(FIT, lack_of_fit_y=0.01), 0.11)[-1][0] == "beyond z"  # a large p is not too small
    assert adjustment_texts(replace(FIT, lack_of_fit_x=0.011))[-1][0] == "beyond z"


def test_many_names_are_counted():
    many = replace(FIT, names=tuple(f"z{k}" for k in range(9)))
    assert z_names(many) == "z0, z1, z2, z3, z4, z5 and 3 more"


def test_columns_that_were_not_tested_are_grouped_by_the_reason():
    constant = {f"c{i}": "constant." for i in range(38)}
    outcome = replace(views.screen(), errors=constant | {"late": "not tested: the screen was interrupted."})
    assert untested(outcome) == [
        ("c0, c1, c2, c3, c4 and 33 more", "constant."),
        ("late", "the screen was interrupted."),
    ]
    several = untested(replace(outcome, errors={f"e{i}": f"why {i}" for i in range(9)}))
    assert several[0] == ("e0", "why 0")
    assert several[5:] == [("e5, e6, e7 and e8", "for other reasons, in `errors`.")]
