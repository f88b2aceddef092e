"""Columns that determine y alone, in small copies of tables that had one."""

import numpy as np
import pandas as pd

from kmerf.questions.answer import find_leaks
from kmerf.reading.samples import read_independence

RNG = np.random.default_rng(0)
N = 60
BWT = RNG.normal(3000, 700, N)
WAGE = RNG.lognormal(4, 0.4, N)


def leaks(table, y, **options):
    return find_leaks(read_independence(table, y, **options))


def test_copies_of_numbers():
    table = pd.DataFrame({"wage": WAGE, "logwage": np.log(WAGE), "debt": -WAGE, "age": RNG.normal(size=N)})
    assert leaks(table, "wage") == ("logwage", "debt")
    table["logwage"] += 0.1 * RNG.normal(size=N)
    assert leaks(table, "wage") == ("debt",)


def test_what_classes_were_made_from():
    table = pd.DataFrame({"low": (BWT < 2500).astype(int), "bwt": BWT, "age": RNG.normal(size=N)})
    assert leaks(table, "low") == ("bwt",)
    assert leaks(table.assign(bwt=BWT + 200 * RNG.normal(size=N)), "low") == ()
    assert leaks(table.assign(code=np.where(BWT < 2500, "lo", "hi")), "low") == ("bwt", "code")


def test_categories_inside_of_which_y_is_constant():
    size = RNG.integers(0, 4, N)
    table = pd.DataFrame({"y": size * 1.5, "size": np.array(["s", "m", "l", "x"])[size], "a": RNG.normal(size=N)})
    assert leaks(table, "y") == ("size",)


def test_chance_and_lone_columns_are_no_leaks():
    assert leaks({"a": [1.0, 2, 3, 4], "b": [2.0, 1, 2, 1]}, [1.0, 2, 3, 4.5]) == ()
    assert leaks({"logwage": np.log(WAGE)}, WAGE) == ()
    false = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 12)
        if len(set(y)) == 2:
            false += bool(leaks({f"a{j}": rng.normal(size=12) for j in range(8)}, y))
    assert false == 0


def test_missing_cells():
    hidden = np.where(np.arange(N) % 3 == 0, np.nan, np.log(WAGE))
    assert leaks({"logwage": hidden, "b": RNG.normal(size=N)}, WAGE) == ()
    few = np.where(np.arange(N) % 20 == 0, np.nan, np.log(WAGE))
    assert leaks({"logwage": few, "b": RNG.normal(size=N)}, WAGE) == ("logwage",)
