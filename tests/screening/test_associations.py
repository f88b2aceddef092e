"""All pairs of a table: what is found, p-values, missing values, workers, Ctrl-C and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.core.errors import InputError, KmerfWarning
from kmerf.nulls.definitions import benjamini_hochberg
from kmerf.screening.associations import DrawPlan


def a_table(n=120, seed=3):
    rng = np.random.default_rng(seed)
    dose = rng.normal(size=n)
    town = rng.choice(["Bern", "Genf", "Chur"], n)
    table = pd.DataFrame(
        {
            "dose": dose,
            "effect": -dose + rng.normal(size=n),
            "squared": dose**2 + 0.3 * rng.normal(size=n),
            "town": town,
            "height": rng.normal(size=n) + 2.0 * (town == "Chur"),
            "noise": rng.normal(size=n),
            "party": np.where(rng.random(n) < 0.8, town, "Bern"),
            "flag": rng.random(n) < 0.5,
        }
    )
    table.loc[rng.random(n) < 0.2, "height"] = np.nan
    return table.assign(same=1.0)


@pytest.fixture(scope="module")
def found():
    return kmerf.associations(a_table(), keep=["same"], rng=1)


def test_relations_of_all_types_are_found(found):
    pairs = {frozenset(pair) for pair in found.selected}
    known = [("dose", "effect"), ("dose", "squared"), ("town", "height"), ("town", "party")]
    assert {frozenset(pair) for pair in known} <= pairs
    rows = {frozenset((row.first, row.second)): row for row in found}
    ways = [rows[frozenset(pair)].direction for pair in known]
    assert ways == ["falls", "curved", "highest in Chur", ""]
    assert not [pair for pair in pairs if "noise" in pair and rows[pair].adjusted_bh > 0.05]


def test_pvalues_are_adjusted_and_never_below_what_permuting_gives(found):
    raw = found.pvalues if found.modelled is None else found.modelled
    expected = np.fmax(benjamini_hochberg(raw), found.pvalues)
    np.testing.assert_allclose(found.adjusted_bh, expected)
    tested = ~np.isnan(found.pvalues)
    assert (found.adjusted_bh >= found.pvalues)[tested].all()
    assert (found.pvalues >= 1 / (1 + found.draws))[tested].all()


def test_each_pair_has_the_rows_with_both_values(found):
    height = a_table()["height"].notna().sum()
    for row in found:
        if row.error is None:
            assert row.rows == (height if "height" in (row.first, row.second) else 120)
    assert any("missing values; each pair is tested on the rows that have both" in note for note in found.notes)


def test_a_constant_column_has_no_tests(found):
    wrong = [row for row in found if row.error]
    assert {row.second for row in wrong} == {"same"}
    assert "same: constant" in wrong[0].error
    assert found.tested == len(found) - 8 == 28


def test_the_result_does_not_depend_on_the_workers(found):
    again = kmerf.associations(a_table(), keep=["same"], rng=1, n_jobs=2)
    assert again == found


def test_it_keeps_its_level_and_uses_shared_nulls():
    pvalues = []
    for seed in range(10):
        result = kmerf.associations(np.random.default_rng(seed).normal(size=(25, 8)), rng=seed, n_jobs=1)
        assert (result.draws == 1120).all()  # all 28 pairs share them
        pvalues.append(result.pvalues)
    rate = np.mean(np.array(pvalues) <= 0.05)
    assert rate == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 280))


def test_two_columns_have_the_p_value_of_the_scan():
    table = a_table()[["dose", "squared"]]
    (row,) = kmerf.associations(table, rng=1)
    scan = kmerf.independence(table[["dose"]], table["squared"], method="scan", null=kmerf.Permutation(999), rng=1)
    assert row.pvalue == scan.pvalue == 0.001


def test_ctrl_c_keeps_the_pairs_that_are_done():
    def stop(done, total):
        if done >= total // 2:
            raise KeyboardInterrupt

    with pytest.warns(KmerfWarning, match="It was interrupted: 1[0-9] of 28 pairs"):
        part = kmerf.associations(a_table().drop(columns="same"), rng=1, n_jobs=1, progress=stop)
    assert part.interrupted
    assert 10 <= part.tested < 20
    done = part.pvalues[~np.isnan(part.pvalues)]
    assert (benjamini_hochberg(done) <= part.adjusted_bh[~np.isnan(part.pvalues)] + 1e-12).all()
    assert any(note.startswith("Interrupted:") for note in part.notes)


def test_draws_follow_a_rule():
    plan = DrawPlan(1000, 1225, 0.05)
    assert (plan.own, plan.shared(10), plan.shared(30), plan.shared(500)) == (1632, 4080, 12_240, 49_000)
    assert plan.null(plan.own).models_tail
    assert not plan.null(plan.shared(500)).models_tail
    few = DrawPlan(15, 10**6, 0.05)
    assert few.null(few.own) == kmerf.Permutation(999)


def test_a_sample_of_the_rows():
    assert kmerf.associations(a_table(), rows=50, rng=1).n == 50


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"a": [1.0, 2.0, 4.0, 3.0, 7.0]}, "table has 1 column that can be used: pass two or more"),
        ({"a": [1.0, 2.5, 3.0], "b": [2.0, 1.5, 7.0]}, "table has only 3 rows"),
        (np.ones((9, 2)), "fewer than two of its columns vary"),
    ],
)
def test_what_cannot_be_tested(table, message):
    with pytest.raises(InputError, match=message):
        kmerf.associations(table)


def test_copied_rows_count_once():
    once = a_table(40)
    twice = pd.concat([once, once], ignore_index=True)
    result = kmerf.associations(twice, keep=["same"], rng=1)
    assert result.n == 40
    assert "copies of other rows" in " ".join(result.notes)


def test_too_few_rows_in_common_are_said():
    table = a_table(30)[["dose", "effect", "noise"]]
    table.loc[:14, "dose"] = np.nan
    table.loc[17:, "effect"] = np.nan
    result = kmerf.associations(table, rng=1)
    assert result.errors["0"] == "only 2 rows have both values."
    assert result.tested == 2
    assert replace(result, errors={}).tested == 3
