"""Text that is meant as something else."""

import pytest

from kmerf.core.safe_text import is_number
from kmerf.reading.text_cells import StrayCells, are_dates, number_fault


@pytest.mark.parametrize(
    ("stray", "says"),
    [
        (StrayCells("c", ["5 kg"], 1, 2, "5 kg", 2), "has numbers with signs or units"),
        (
            StrayCells("c", ["six"], 1, 9, "six", 3),
            "holds numbers, but 1 cell is not, such as 'six' in data row 3: put",
        ),
        (StrayCells("c", ["?"], 4, 9, "?", 3), "pass na='?' if that means missing, or categorical=['c']"),
    ],
)
def test_faults(stray, says):
    assert says in number_fault(stray).text


def test_words_are_no_fault():
    assert number_fault(StrayCells("c", ["a", "b"], 9, 10, "a", 1)) is None


def test_dates_and_numbers():
    assert are_dates(["2020-01-01", "2021-12-31T10:00:00Z"])
    assert are_dates(["01.02.2020", "3.4.21"])
    assert not are_dates(["2020-01-01", "soon"])
    assert not are_dates([])
    assert is_number("1e3")
    assert not is_number("1e3x")
