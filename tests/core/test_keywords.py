"""Options that people know from other libraries."""

import inspect

import pytest

import kmerf
from kmerf.core.errors import KNOWN_ELSEWHERE

QUESTIONS = [kmerf.independence, kmerf.ksample, kmerf.screen, kmerf.check_calibration]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", sorted(KNOWN_ELSEWHERE))
def test_names_of_other_libraries_are_explained(question, name):
    assert name not in inspect.signature(question).parameters
    with pytest.raises(TypeError, match=f"has no option {name}=: ") as raised:
        question([1, 2, 3, 4], [1, 2, 3, 4], **{name: 1})
    assert KNOWN_ELSEWHERE[name] in str(raised.value)


@pytest.mark.parametrize("question", QUESTIONS[:3])
def test_permutations_are_an_option_of_tests(question):
    assert "permutations" in inspect.signature(question).parameters


def test_a_check_of_calibration_says_where_permutations_are_set():
    with pytest.raises(TypeError, match=r"has no option permutations=: null=kmerf\.Permutation\(999\)"):
        kmerf.check_calibration([1, 2, 3, 4], [1, 2, 3, 4], permutations=99)


def test_all_unknown_options_are_named_at_once():
    with pytest.raises(TypeError, match=r"random_state=: rng=.*no option progres=: did you mean progress=\?"):
        kmerf.independence([1, 2], [1, 2], random_state=1, progres=True)


def test_a_censored_outcome_of_groups_is_a_question_of_independence():
    with pytest.raises(TypeError, match=r"ksample\(\) has no option y_kind=: .* use kmerf.independence\(.*censored"):
        kmerf.ksample([1, 2], [1, 2], y_kind="censored")
    assert "y_kind" in inspect.signature(kmerf.independence).parameters


def test_signatures_and_docstrings_stay():
    assert "rng" in inspect.signature(kmerf.independence).parameters
    assert kmerf.screen.__doc__.startswith("Test")
