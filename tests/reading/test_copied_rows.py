"""Copied rows are found and used once; rows that are equal by chance stay."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.reading.copied_rows import rows_once
from kmerf.reading.samples import read_independence, read_ksample

FOREST = kmerf.KMERF(kmerf.ForestSpec(n_trees=50))


def normal(n, p=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.normal(size=n)


def copied(sample):
    return [note for note in sample.notes if "copies" in note or "several groups" in note or "same rows" in note]


@pytest.mark.parametrize("times", [2, 4])
@pytest.mark.parametrize("n", [30, 60])
@pytest.mark.parametrize("classes", [False, True])
def test_repeated_rows_are_used_once(times, n, classes):
    x, y = normal(n)
    y = np.where(y > 0, "a", "b") if classes else y
    sample = read_independence(np.tile(x, (times, 1)), np.tile(y, times))
    once = read_independence(x, y)
    assert np.array_equal(sample.x.values, once.x.values)
    assert np.array_equal(sample.y.values, once.y.values)
    assert sample.notes[0].startswith(f"{(times - 1) * n} of {times * n} rows are copies of other rows, equal in every")


def test_repeated_rows_give_the_answer_of_the_rows_themselves():
    x, y = normal(30)
    once = kmerf.independence(x, y, method=FOREST, rng=1)
    again = kmerf.independence(np.repeat(x, 4, axis=0), np.repeat(y, 4), method=FOREST, rng=1)
    assert (again.pvalue, again.statistic, again.n) == (once.pvalue, once.statistic, 30)
    assert again.effect.score == once.effect.score  # rows out of bag have no copies in bag
    assert any("copies" in note for note in again.notes)


def test_a_few_copies_are_found():
    x, y = normal(95)
    sample = read_independence(np.r_[x, x[:5]], np.r_[y, y[:5]])
    assert sample.n == 95
    assert len(copied(sample)) == 1


def test_rows_drawn_with_replacement_are_found():
    x, y = normal(80)
    rows = np.random.default_rng(1).integers(0, 80, size=80)
    assert read_independence(x[rows], y[rows]).n == np.unique(rows).size


def test_a_class_that_was_oversampled_is_found():
    x, y = normal(100)
    y = np.where(y > 1.2, "rare", "usual")
    rows = np.r_[np.arange(100), np.repeat(np.flatnonzero(y == "rare"), 8)]
    assert read_independence(x[rows], y[rows]).n == 100


def test_rounded_columns_have_copies_too_if_there_are_several():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(95, 3)).round(2)
    y = rng.normal(size=95).round(2)
    assert read_independence(x, y).n == 95
    sample = read_independence(np.r_[x, x[:6]], np.r_[y, y[:6]])
    assert sample.n == 95


def test_a_discrete_table_that_is_there_twice_is_halved_and_keeps_its_equal_rows():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, size=(200, 2)), rng.integers(0, 3, size=200)
    once = read_independence(x, y, y_kind="numeric")
    twice = read_independence(np.r_[x, x], np.r_[y, y], y_kind="numeric")
    assert once.n == 200
    assert not copied(once)
    assert np.array_equal(twice.x.values, once.x.values)
    assert np.array_equal(twice.y.values, once.y.values)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: (rng.integers(0, 4, size=(n, 3)), rng.integers(0, 2, size=n)),
        lambda rng, n: (rng.normal(size=(n, 2)).round(1), rng.normal(size=n).round()),
        lambda rng, n: (rng.poisson(30, size=(n, 1)), rng.integers(0, 2, size=n)),
        lambda rng, n: (np.sqrt(rng.integers(1, 60, size=(n, 1))), rng.integers(0, 2, size=n)),
        lambda rng, n: ((ages := rng.integers(20, 70, size=(n, 1))), 2.54 * ages[:, 0] + 1.0),
        lambda rng, n: (np.maximum(rng.normal(size=(n, 3)), 0.0), np.maximum(rng.normal(size=n), 0.0)),
        lambda rng, n: (np.tile(rng.normal(size=(n // 10, 3)), (10, 1)), rng.normal(size=n // 10 * 10)),
    ],
    ids=["codes", "rounded", "counts", "roots of counts", "another unit", "zeros", "replicates of a design"],
)
def test_rows_that_are_equal_by_chance_stay(draw, seed):
    rng = np.random.default_rng(seed)
    for n in (40, 300):
        x, y = draw(rng, n)
        sample = read_independence(x, y)
        assert sample.n == len(x)
        assert not copied(sample)


def test_heaped_values_in_two_groups_stay():
    rng = np.random.default_rng(0)
    inches = rng.normal(68, 4, size=(500, 1)).round()
    inches[:150] = (rng.normal(173, 10, size=(150, 1)).round() / 2.54).round(5)
    sample = read_ksample(inches[::2], inches[1::2])
    assert sample.n == 500
    assert not copied(sample)


@pytest.mark.parametrize("method", ["forest", "dcorr", None])
def test_identical_samples_do_not_differ(method):
    x, _ = normal(25)
    result = kmerf.ksample(x, x, method=method, rng=1)
    assert result.pvalue == 1.0
    assert "hold the same rows" in result.notes[0]


def test_identical_discrete_samples_do_not_differ_either():
    x = np.random.default_rng(0).integers(0, 6, size=(40, 2))
    assert kmerf.ksample(x, x[::-1], method="forest", rng=1).pvalue == 1.0


def test_identical_samples_under_every_null():
    x, _ = normal(25)
    for null in (kmerf.Permutation(19), kmerf.Extrapolated(), kmerf.ChiSquare()):
        assert kmerf.ksample(x, x, method=FOREST, null=null, rng=1).pvalue == 1.0


def test_identical_samples_given_z_do_not_differ():
    x, z = normal(40)
    with pytest.warns(kmerf.KmerfWarning, match="nothing is left to compare"):
        result = kmerf.ksample(x, x, given=np.r_[z, z], rng=1)
    assert result.pvalue == 1.0
    assert result.notes[0] == "The groups hold the same rows, so they do not differ."


def test_a_part_is_compared_with_the_rest():
    x, _ = normal(60)
    sample = read_ksample({"all": x, "treated": x[:20]})
    rest = read_ksample({"all": x[20:], "treated": x[:20]})
    assert sorted(sample.x.values[sample.y.codes == 1, 0]) == sorted(rest.x.values[rest.y.codes == 1, 0])
    assert np.bincount(sample.y.codes).tolist() == [40, 20]
    assert sample.notes[0] == "20 rows are in several groups. Each is used once, in the smallest of its groups."


def test_a_group_all_of_whose_rows_are_in_smaller_ones_is_left_out():
    x, _ = normal(60)
    sample = read_ksample({"all": x, "one": x[:30], "other": x[30:]})
    assert sample.y.labels == ("one", "other")
    assert sample.y.values.shape == (60, 2)
    assert sample.notes[0].endswith("so that group 'all' has no row.")


def test_a_group_that_would_have_one_row_keeps_its_copies():
    x, _ = normal(40)
    sample = read_ksample({"a": x, "b": np.r_[np.repeat(x[:1] + 9.0, 3, axis=0), x[:9] + 5.0, x[:9] + 5.0]})
    assert sample.n == 50
    alone = read_ksample({"a": np.repeat(x, 2, axis=0), "b": np.repeat(x[:1] + 9.0, 2, axis=0)})
    assert alone.n == 82
    assert "They are kept" in alone.notes[0]
    shared = read_ksample({"a": x[:20], "b": np.r_[x[:20], x[20:21]]})
    assert shared.n == 41
    assert "the p-value may be wrong" in shared.notes[0]


def test_equal_rows_given_z_differ_if_z_does():
    x, y = normal(40)
    z = np.arange(80.0)
    assert read_independence(np.r_[x, x], np.r_[y, y], given=z).n == 80
    assert read_independence(np.r_[x, x], np.r_[y, y], given=np.r_[z[:40], z[:40]]).n == 40


def test_blocks_say_what_belongs_together():
    x, y = normal(30)
    sample = read_independence(np.repeat(x, 2, axis=0), np.repeat(y, 2), blocks=np.zeros(60))
    assert sample.n == 60


def test_too_few_different_rows_are_refused():
    x, y = normal(3)
    with pytest.raises(kmerf.InputError, match="x has only 3 different rows: 27 of 30 .*needs at least 4"):
        kmerf.independence(np.repeat(x, 10, axis=0), np.repeat(y, 10))


def test_times_and_events_are_compared_not_scores():
    rng = np.random.default_rng(0)
    time, event = rng.exponential(size=60), np.r_[np.zeros(30), np.ones(30)]
    x = rng.normal(size=60)
    assert read_independence(x, (time, event), y_kind="censored").n == 60
    twice = read_independence(np.r_[x, x], (np.r_[time, time], np.r_[event, event]), y_kind="censored")
    assert twice.n == 60


def test_every_question_uses_rows_once():
    x, y = normal(40)
    table = pd.DataFrame(np.repeat(np.column_stack([x, y]), 3, axis=0), columns=["a", "b", "c", "y"])
    screened = kmerf.screen(table, "y", method="dcorr", rng=1)
    planned = kmerf.power_curve(table, "y", method="dcorr", rng=1)
    adjusted = kmerf.conditional(table[["a", "b"]], table["y"], given=table["c"], rng=1)
    for result in (screened, planned, adjusted):
        assert result.n == 40
        assert any("copies" in note for note in result.notes)


def test_hyppo_names_take_the_rows_as_they_are():
    from kmerf.compat.hyppo.base import read_groups, read_pair

    x, y = normal(20)
    assert read_pair(np.repeat(x, 2, axis=0), np.repeat(y, 2), "numeric").n == 40
    assert read_groups((x, x)).blocks is None


def test_large_tables_take_little():
    x = np.random.default_rng(0).integers(0, 4, size=(100_000, 6)).astype(float)
    sample = read_independence(x, x[:, 0], once=False)
    assert rows_once(sample) is sample
