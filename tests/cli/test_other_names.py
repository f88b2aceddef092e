"""Options of other commands and libraries."""

import pytest

from kmerf.cli.shell_words import KNOWN_ELSEWHERE, known_elsewhere


@pytest.mark.parametrize("option", ["--n_jobs", "--n-jobs", "--N-Jobs"])
def test_spelling_does_not_matter(option):
    assert known_elsewhere("independence", option) == "--jobs is the number of workers"


def test_what_is_not_known_is_left_to_the_parser():
    assert known_elsewhere("independence", "--colour") is None
    assert known_elsewhere("screen", "--y") is None


def test_every_hint_names_an_option():
    assert all(hint.startswith("--") for hint in KNOWN_ELSEWHERE.values())
