"""How strong a relation is, in one word."""

from kmerf.results.parts import Effect
from kmerf.show.strengths import STRENGTHS, strength


def test_the_robust_score_decides():
    assert STRENGTHS == ("none", "faint", "moderate", "strong")
    assert strength(Effect(measure="R2", score=0.9, rank_score=0.01)) == "none"
    assert strength(Effect(measure="R2", score=0.05)) == "faint"
    assert strength(Effect(measure="AUC", score=0.65)) == "moderate"
    assert strength(Effect(0.3)) is None
