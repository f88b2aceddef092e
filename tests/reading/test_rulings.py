"""What becomes of the columns of a table, in small copies of tables on which it went wrong."""

import numpy as np
import pandas as pd
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.containers import read
from kmerf.reading.rulings import judge, typed
from kmerf.reading.samples import read_independence, read_ksample

RNG = np.random.default_rng(0)
N = 40


def penguins():
    return pd.DataFrame(
        {
            "rownames": range(1, N + 1),
            "species": ["Adelie", "Gentoo"] * (N // 2),
            "bill": RNG.normal(size=N),
            "body": RNG.normal(size=N),
        }
    )


def ruled(table, **options):
    return {each.column.name: each for each in judge([typed(c) for c in read("x", table, strict=False)], **options)}


def test_row_numbers_with_a_name_are_left_out_and_can_be_kept():
    sample = read_independence(penguins(), "body")
    assert sample.x.names == ("species", "bill")
    assert sample.notes == (
        "Left out of x: 'rownames' (counts the rows); pass keep=['rownames'] to use it.",
        "Text read as categories: 'species'.",
    )
    assert read_independence(penguins(), "body", keep="rownames").x.names == ("rownames", "species", "bill")
    assert read_independence(penguins().to_numpy()[:, [0, 2]].astype(float), penguins()["body"].to_numpy()).x.p == 2


@pytest.mark.parametrize(
    ("name", "values", "used"),
    [
        ("id", range(1, 31), False),  # pbc
        ("patient", RNG.permutation(30) + 500, False),
        ("Unnamed: 0", range(30), False),
        ("anything", range(30), False),
        ("year", range(1990, 2020), True),
        ("dose", RNG.permutation(30), True),
        ("id", np.arange(30) // 2, True),
        ("score", np.arange(30) / 2, True),
    ],
)
def test_counters_and_ids(name, values, used):
    assert ruled({name: list(values), "a": [1.0, 2.0] * 15})[name].use is used


def test_a_short_count_may_be_a_dose_unless_it_is_called_a_counter():
    assert ruled({"dose": [1, 2, 3, 4, 5], "a": [1.0, 2, 1, 2, 1]})["dose"].use
    assert not ruled({"obs": [1, 2, 3, 4, 5], "a": [1.0, 2, 1, 2, 1]})["obs"].use
    assert ruled({"obs": [1, 2, 3, 4, 5]})["obs"].use  # the only column


def starwars():
    return pd.DataFrame(
        {
            "name": [f"n{i}" for i in range(N)],
            "homeworld": [f"w{i % 25}" for i in range(N)],
            "sex": ["male", "female", None, "none"] * (N // 4),
            "films": [["a"], ["b", "c"]] * (N // 2),
            "born": [f"19{i + 10}-01-01" for i in range(N)],
            "height": ["172", "unknown", "96", "150"] * (N // 4),
            "mass": ["77", "1,358", "49", "60"] * (N // 4),
            "y": RNG.normal(size=N),
        }
    )


def test_all_that_the_user_must_decide_is_said_at_once():
    with pytest.raises(InputError) as caught:
        read_independence(starwars(), "y")
    assert len(caught.value.problems) == 2
    assert "column 'height' holds numbers, but 10 cells are not, such as 'unknown' in data row 2" in str(caught.value)
    assert "column 'mass' holds '1,358', which is 1358 if the comma separates thousands" in str(caught.value)


def test_the_rest_is_decided_with_a_note():
    table = starwars().drop(columns=["height", "mass"])
    sample = read_independence(table, "y")
    assert sample.x.names == ("sex", "born (elapsed)")
    assert sample.notes[0] == (
        "Left out of x: 'name' (has a different text in every row), 'homeworld' (is text with 25 different values), "
        "'films' (holds ['a'] in row 0 (counted from 0)); "
        "pass keep=['name', 'homeworld'] to use them."
    )


def test_lists_that_are_named_are_refused():
    for name in ("films",):
        with pytest.raises(InputError, match=f"column '{name}' holds"):
            read_independence(starwars()[[name, "sex", "y"]], "y", keep=name)
    assert ruled({"d": ["2020-01-01", "2020-01-02"] * 5, "a": [1.0, 2] * 5}, declared={"d"})["d"].use


def test_numbers_as_text_are_asked_about():
    with pytest.raises(InputError, match="column 'a' holds numbers as text, such as '1'"):
        read_independence({"a": ["1", "2"] * 5, "b": [1.0, 2] * 5}, list(range(10)))


def test_nothing_left_says_why():
    table = {"id": range(1, 31), "name": [f"n{i}" for i in range(30)], "y": RNG.normal(size=30)}
    table = {name: list(values) for name, values in table.items()}
    with pytest.raises(InputError, match=r"no columns are left, 'id' counts the rows; 'name' has a different .* keep="):
        read_independence(table, "y")


def warpbreaks():
    return pd.DataFrame({"breaks": RNG.normal(size=54), "tension": ["None", "Low", "High"] * 18})


def test_a_category_called_none_is_kept_and_pointed_out():
    sample = read_independence(warpbreaks(), "breaks")
    assert (sample.n, sample.x.categories) == (54, (("High", "Low", "None"),))
    note = "Column 'tension' has 'None' in 18 rows, read as a value; pass na='None' if that means missing."
    assert note in sample.notes
    assert read_ksample(warpbreaks(), groups="tension").n == 54
    assert read_independence(warpbreaks(), "breaks", na="None").x.missing == (18,)
    assert read_independence(warpbreaks(), "breaks", na={"tension": ["None"]}).x.missing == (18,)
    assert read_independence(warpbreaks(), "breaks", na={"breaks": "None"}).x.missing == (0,)


def test_rows_without_y_are_dropped_and_told_by_group():
    table = warpbreaks()
    table.loc[table.tension == "None", "breaks"] = np.nan
    sample = read_independence(table, "breaks")
    assert sample.notes[0] == "18 rows without a value in 'breaks' dropped, among them 18 of 18 with tension 'None'."
    with pytest.raises(InputError, match="y is missing in 18 rows"):
        read_independence(table, "breaks", missing_y="raise")
    with pytest.raises(InputError, match="y is missing in 18 rows"):
        read_independence(RNG.normal(size=54), table["breaks"].to_numpy())


def test_numbers_that_look_like_codes_are_pointed_out():
    table = pd.DataFrame({"age": [31.0, 45, 28, 999, 60, 999] * 5, "y": RNG.normal(size=30)})
    assert "Column 'age' has '999' in 10 rows, read as a value; pass na='999' if" in " ".join(
        read_independence(table, "y").notes
    )
    assert read_independence(table, "y", na=999).x.missing == (10,)


def test_samples_follow_the_same_rules():
    tables = [penguins().drop(columns="rownames").assign(species=["a", "b"] * (N // 2)) for _ in range(2)]
    sample = read_ksample(*tables)
    assert sample.x.kinds == ("categorical", "numeric", "numeric")
    assert sample.notes == ("Text read as categories: 'species'.",)


def test_y_among_x_is_refused():
    table = penguins()
    with pytest.raises(InputError, match="x: column 'body' is y itself"):
        read_independence(table, table["body"])
    with pytest.raises(InputError, match="x: column 'species' is y itself"):
        read_independence(table, table["species"].tolist())
    assert "body" in read_independence(table, table["body"], keep="body").x.names


def test_two_values_are_classes_unless_said_otherwise():
    low = [0, 1] * 20  # birthwt
    sample = read_independence(penguins()["bill"], low)
    assert sample.y.labels == ("0", "1")
    note = "y has two values, 0 and 1, and is read as classes; pass y_kind='numeric' to read it as numbers."
    assert sample.notes == (note,)
    assert read_independence(penguins()["bill"], low, y_kind="numeric").y.kind == "numeric"
    assert read_independence(penguins()["bill"], np.column_stack([low, low])).y.kind == "numeric"


def test_several_numbers_in_a_cell_are_named_and_not_kept_as_labels():
    table = {"bp": [f"{100 + i}/{60 + i % 30}" for i in range(30)], "a": [i * 7 % 11 for i in range(30)]}
    (note,) = read_independence(table, [i * 5 % 13 for i in range(30)]).notes
    assert note == "Left out of x: 'bp' (has several numbers in a cell, such as '100/60', to be split)."
