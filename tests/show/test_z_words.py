"""What a result says about z."""

from __future__ import annotations

from dataclasses import replace

from kmerf.results.parts import Adjustment
from kmerf.show.words import adjustment_texts, z_names

FIT = Adjustment(("age", "sex"), 0.4, -0.01, 0.5, 0.6, None, "AUC", 0.6, 0.7)


def test_nothing_is_said_where_nothing_was_given():
    assert adjustment_texts(None) == []


def test_shares_and_scores():
    assert adjustment_texts(FIT) == [
        ("z explains", "0.40, 0.00", "of x and of y, for rows not seen; z: age, sex"),
        ("beyond z", "0.700", "AUC of y with x; 0.600 without"),
    ]
    assert len(adjustment_texts(replace(FIT, with_x=None))) == 1


def test_a_misfit_is_said():
    assert adjustment_texts(replace(FIT, lack_of_fit_y=0.01))[-1][0] == "warning"
    assert adjustment_texts(replace(FIT, lack_of_fit_x=0.011))[-1][0] == "beyond z"


def test_many_names_are_counted():
    many = replace(FIT, names=tuple(f"z{k}" for k in range(9)))
    assert z_names(many) == "z0, z1, z2, z3, z4, z5 and 3 more"
