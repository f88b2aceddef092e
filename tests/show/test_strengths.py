"""How strong a relation is, in one word."""

from kmerf.results.parts import Effect
from kmerf.show.numbers import STRENGTHS, strength


def test_the_robust_score_decides():
    assert STRENGTHS == ("none", "faint", "moderate", "strong")
    assert strength(Effect(measure="R2", score=0.9, rank_score=0.009)) == "none"
    assert strength(Effect(measure="R2", score=0.05)) == "faint"
    assert strength(Effect(measure="AUC", score=0.65)) == "moderate"
    assert strength(Effect(measure="mean AUC", score=0.62)) == "moderate"
    assert strength(Effect(measure="AUC", score=0.2, about="beyond z")) is None


def test_a_relation_of_numbers_and_groups_has_one_word_whichever_is_y():
    """Groups of 5 and 95 %, d = 0.8: a strong difference that explains little."""
    as_numbers = Effect(measure="R2", score=0.03, rank_score=0.027, auc=0.72, auc_measure="AUC")
    as_groups = Effect(measure="AUC", score=0.72, rank_score=0.027)
    assert strength(as_numbers) == strength(as_groups) == "strong"
    assert strength(Effect(0.3)) is None
