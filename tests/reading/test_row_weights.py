"""Weights of rows."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.core.errors import InputError, rank_of
from kmerf.data.sample import equal_rows
from kmerf.reading.samples import read_independence, read_ksample

COUNTS = pd.DataFrame({"hair": ["b", "b", "r", "r"], "eye": ["u", "v", "u", "v"], "Freq": [20, 5, 4, 18]})


def test_frequencies_are_the_same_as_repeated_rows():
    repeated = COUNTS.loc[COUNTS.index.repeat(COUNTS["Freq"]), ["hair", "eye"]].reset_index(drop=True)
    plain = read_independence(repeated, "eye", once=False)
    weighted = read_independence(COUNTS, "eye", weights="Freq")
    np.testing.assert_array_equal(weighted.x.values, plain.x.values)
    np.testing.assert_array_equal(weighted.y.values, plain.y.values)
    assert weighted.n == 47
    result = kmerf.independence(COUNTS, "eye", weights="Freq", method="dcorr", rng=1)
    assert result.pvalue < 0.01
    groups = read_ksample(COUNTS, groups="hair", weights=COUNTS["Freq"].to_numpy())
    assert groups.n == 47


def test_frequencies_and_strata_go_together():
    sample = read_independence(COUNTS.assign(arm=list("abab")), "eye", weights="Freq", given="arm")
    assert sample.n == 47
    assert len(np.unique(sample.z.values, axis=0)) == 2


def test_a_column_of_counts_is_asked_about():
    notes = [note for note in read_independence(COUNTS, "eye").notes if "seems to hold frequencies" in note]
    assert rank_of(notes[0]) == "doubt"
    assert "weights='Freq'" in notes[0]
    assert not any("seems to hold" in note for note in read_independence(COUNTS, "eye", weights="Freq").notes)


def test_several_columns_of_counts_are_asked_about():
    table = {
        "age": list("aabbcc"),
        "drinks": list("ynynyn"),
        "ncases": [0, 3, 1, 4, 2, 9],
        "ncontrols": [9, 8, 7, 5, 6, 2],
    }
    (note,) = [note for note in read_independence(table, "ncases").notes if "count observations" in note]
    assert rank_of(note) == "doubt"
    assert "'ncontrols' and 'ncases'" in note


def test_sampling_weights_keep_rows_in_proportion():
    rng = np.random.default_rng(0)
    n = 4000
    weights = np.where(np.arange(n) % 2, 1.0, 0.25)
    sample = read_independence({"a": rng.normal(size=n), "w": weights}, rng.normal(size=n), weights="w")
    kept = equal_rows(sample, 1)
    assert abs(kept.n - (n / 2 + n / 8)) < 4 * np.sqrt(n * 0.25 * 0.75 / 2)
    assert kept.sampling_weights is None
    result = kmerf.independence(
        {"a": rng.normal(size=80), "w": rng.random(80)}, rng.normal(size=80), weights="w", method="dcorr", rng=1
    )
    assert result.n < 80
    assert any(note.startswith("Sampling weights:") for note in result.notes)


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        ([1, -1, 2, 3, 4, 5], {}, "weights are 0 or more"),
        ([1, np.nan, 2, 3, 4, 5], {}, "missing in 1 rows"),
        ([1.5, 1, 2, 3, 4, 5], {"weights_kind": "frequencies"}, "whole number of times"),
        ([1203, 998, 2004, 1500, 1999, 1777], {}, "may be counts of equal rows or sampling weights"),
        (list("abcdef"), {}, "weights are numbers"),
        ([1, 2], {}, "weights has 2 rows"),
        ([0.5, 1, 2, 3, 4, 5], {"blocks": list("aabbcc")}, "whole blocks would have to be drawn"),
        ([1, 1, 2, 3, 4, 5], {"given": np.arange(6.0)}, "weights was passed together with given"),
        ([1, 1, 2, 3, 4, 5], {"order": range(6)}, "weights was passed together with order"),
        ([0.5, 1, 2, 3, 4, 5], {"order": range(6)}, "weights was passed together with order"),
        ([1, 1, 2, 3, 4, 5], {"permutations": np.arange(6)[None]}, "permutations was passed together with weights"),
    ],
)
def test_what_is_refused(weights, options, message):
    with pytest.raises(InputError, match=message):
        read_independence({"a": [1.0, 2, 3, 4, 5, 6]}, [3.0, 1, 2, 5, 4, 6], weights=weights, **options)
