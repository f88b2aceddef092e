"""What pictures have in common."""

from kmerf.figures.canvas import COLOURS, safe


def test_colours_are_apart():
    assert len(set(COLOURS)) == len(COLOURS) == 7


def test_a_label_is_safe_short_and_no_formula():
    assert safe("$x$") == "\\$x\\$"
    assert safe("\u202e") == "\\u202e"
    assert safe("two\nlines") == "two\nlines"
    assert safe("abcdefghijkl", 5) == "ab…kl"
