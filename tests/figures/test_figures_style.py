"""What pictures have in common."""

from kmerf.figures.canvas import COLOURS, label


def test_colours_are_apart():
    assert len(set(COLOURS)) == len(COLOURS) == 7


def test_a_label_is_safe_short_and_no_formula():
    assert label("$x$") == "\\$x\\$"
    assert label("\u202e") == "\\u202e"
    assert len(label("a" * 90)) == 22
    assert label("abcdefghijkl", 5) == "ab…kl"
