"""The answer names columns that determine y alone, and says what remains without them."""

import numpy as np
import pandas as pd

import kmerf

RNG = np.random.default_rng(0)
AGE = RNG.normal(size=40)
WAGE = np.exp(AGE + 0.2 * RNG.normal(size=40))


def notes(table, y, method="dcorr"):
    return kmerf.independence(table, y, method=method, null=kmerf.Permutation(19), rng=1, n_jobs=1).notes


def test_what_remains_without_a_copy():
    table = pd.DataFrame({"wage": WAGE, "logwage": np.log(WAGE), "age": AGE, "luck": RNG.normal(size=40)})
    assert notes(table, "wage") == ("Column 'logwage' alone determines y. Without it, p <= 0.05.",)
    forest = kmerf.KMERF(kmerf.ForestSpec(n_trees=10))
    assert "Without it, p <= 0.05 and R2 0." in " ".join(notes(table, "wage", forest))
    assert notes(table.drop(columns="logwage"), "wage") == ()
    assert notes(table[["logwage", "age"]].to_numpy(), WAGE) == ()  # columns of arrays were chosen


def test_nothing_else_is_left():
    table = pd.DataFrame({"wage": WAGE, "logwage": np.log(WAGE), "debt": -WAGE})
    assert notes(table, "wage") == ("Columns 'logwage' and 'debt' alone determine y, and no other column is left.",)
