"""Text from data is shown and never obeyed."""

import unicodedata

import pytest

from kmerf.core.safe_text import clean, short


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold] é 中", "plain [bold] é 中"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\tc\r", "a\\x0ab\\x09c\\x0d"),
        ("\u202eabc", "\\u202eabc"),
        ("a\u2028b", "a\\u2028b"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text, shown):
    assert clean(text) == shown


def test_no_control_of_any_kind_is_left():
    every = "".join(chr(code) for code in range(0x3000))
    assert not {unicodedata.category(c) for c in clean(every)} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_long_names_are_cut_in_the_middle():
    for most in (9, 10, 28):
        assert len(short("abcdefghij" * 5, most)) == most
    assert short("short") == "short"
    assert short("\x00" * 10).startswith("\\x00")
