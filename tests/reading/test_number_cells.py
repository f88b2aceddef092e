"""Numbers as people write them."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.reading.number_cells import NumberMarks, WrittenNumbers, number_marks, written_numbers
from kmerf.reading.samples import read_independence
from kmerf.reading.text_cells import Fault


@pytest.mark.parametrize(
    ("texts", "numbers", "unit"),
    [
        (["12.3%", "8%"], [12.3, 8.0], "%"),
        (["58.1 kg", "60 kg"], [58.1, 60.0], "kg"),
        (["$30,096", "$1,200"], [30096.0, 1200.0], "$"),
        (["-$5.50", "($1,000.25)"], [-5.5, -1000.25], "$"),
        (["1 234,5", "17,25"], [1234.5, 17.25], ""),
        (["1.234,5 €", "2,5 €"], [1234.5, 2.5], "€"),
        (["1,234", "56.7"], [1234.0, 56.7], ""),
        (["1,234,567", "1,200"], [1234567.0, 1200.0], ""),
        (["0,123", "1,234"], [0.123, 1.234], ""),
        (["1'234.5", "2"], [1234.5, 2.0], ""),
        (["1 day", "2 days"], [1.0, 2.0], "days"),
        (["0", "12 mg/dL"], [0.0, 12.0], "mg/dL"),
        (["1\u00a0234", "5"], [1234.0, 5.0], ""),
    ],
)
def test_what_is_recognised(texts, numbers, unit):
    written = written_numbers(texts)
    assert isinstance(written, WrittenNumbers)
    assert list(written.numbers.values()) == numbers
    assert written.unit == unit


@pytest.mark.parametrize("texts", [["1,234", "5,678"], ["1,200", "950"]])
def test_a_comma_that_may_be_either_is_asked_about(texts):
    fault = written_numbers(texts)
    assert isinstance(fault, Fault)
    assert fault.ambiguous
    assert "if the comma separates thousands" in fault.finding
    assert "thousands=','" in fault.remedy
    assert "decimal=','" in fault.remedy
    assert written_numbers(texts, NumberMarks(thousands=",")).numbers["1,234" if "1,234" in texts else "1,200"] > 1000
    assert written_numbers(texts, NumberMarks(decimal=",")).numbers[texts[0]] < 2
    assert written_numbers(texts, hint=",").numbers[texts[0]] < 2


@pytest.mark.parametrize("texts", [["a", "b"], ["1st", "2nd"], ["3A", "3B"], ["10-20", "20-30"], ["12:30"], ["B12"]])
def test_text_stays_text(texts):
    assert written_numbers(texts) is None


def test_units_that_differ_are_refused():
    assert "different units" in written_numbers(["5 kg", "300 g"]).finding
    assert "none in others" in written_numbers(["5 kg", "300"]).finding


def test_marks_are_checked():
    assert number_marks(",", "space") == (",", " ")
    for decimal, thousands in ((";", None), (",", ","), (None, "x")):
        with pytest.raises(InputError):
            number_marks(decimal, thousands)
    assert "is not a number with" in written_numbers(["58.1", "2.55"], NumberMarks(decimal=",")).finding


def percent_table():
    rng = np.random.default_rng(0)
    fat = np.concatenate([rng.normal(15, 2, 40), rng.normal(18, 2, 40)])
    return fat.round(1), pd.DataFrame({"fat": [f"{v:.1f}%" for v in fat], "arm": ["a"] * 40 + ["b"] * 40})


def test_a_percentage_as_y_is_a_number_and_keeps_its_unit():
    fat, table = percent_table()
    sample = read_independence(table, "fat")
    np.testing.assert_allclose(sample.y.values[:, 0], fat)
    assert sample.column_units == {"fat": "%"}
    assert any("Read as numbers: 'fat' (unit %)" in note for note in sample.notes)
    result = kmerf.independence(table, "fat", method="dcorr", rng=1)
    assert result.pvalue < 0.01
    assert result.units == {"fat": "%"}
    assert kmerf.Result.from_dict(result.to_dict()).units == {"fat": "%"}


def test_one_column_tells_what_commas_mean_in_another():
    n = 24
    table = pd.DataFrame(
        {"a": [f"{i},{i % 7}5" for i in range(n)], "b": [f"{i},234" for i in range(1, n + 1)], "y": np.arange(n) % 5}
    )
    sample = read_independence(table, "y")
    assert sample.x.column(1)[:2].tolist() == [1.234, 2.234]


def test_text_y_that_hardly_repeats_is_refused():
    table = {"y": [f"person {i}" for i in range(40)], "x": list(range(40))}
    table["y"][1] = table["y"][0]
    with pytest.raises(InputError, match="39 different texts in 40 rows, and looks like names"):
        read_independence(table, "y")


def test_an_array_of_text_is_read_like_a_dataframe():
    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.normal(size=40).astype(str), np.array(["u", "v"])[rng.integers(2, size=40)]])
    y = rng.normal(size=40)
    sample = read_independence(rows, y)
    table = pd.DataFrame({"x1": rows[:, 0].astype(float), "x2": rows[:, 1]})
    np.testing.assert_array_equal(sample.x.values, read_independence(table, y).x.values)
    assert sample.x.kinds == ("numeric", "categorical")
