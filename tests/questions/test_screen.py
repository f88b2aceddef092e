from __future__ import annotations

import io
import json
import threading
import warnings
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import kmerf
from kmerf import rivals
from kmerf.core.errors import InputError, KmerfError, KmerfWarning
from kmerf.data.read_sample import read_independence
from kmerf.figures import plot_screen
from kmerf.nulls.extrapolated import Extrapolated
from kmerf.nulls.multiplicity import benjamini_hochberg, benjamini_yekutieli
from kmerf.nulls.permutation import Permutation
from kmerf.nulls.resampling import resample
from kmerf.questions.screen_patterns import CLEAR, LOOK, find_patterns, ranked, two_looks
from kmerf.questions.screen_plan import read_units
from kmerf.questions.screen_sequential import sequential
from kmerf.questions.screening import make_plan, screen
from kmerf.questions.setup import Execution
from kmerf.results.screen_result import Screen

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))


def ranks(column):
    return np.argsort(np.argsort(column)) + 1.0


@pytest.fixture(scope="module")
def table():
    """Columns of every kind; y depends on `square`, `coin` and `kind`."""
    rng = np.random.default_rng(4)
    n = 80
    data = pd.DataFrame({f"noise{i}": rng.normal(size=n) for i in range(8)})
    data["square"] = rng.normal(size=n)
    data["coin"] = rng.integers(0, 2, n)
    data["flag"] = rng.random(n) < 0.5
    data["kind"] = pd.Categorical(rng.choice(["a", "b", "c"], n))
    data["holes"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    data["constant"] = 3.0
    data["empty"] = np.nan
    data["y"] = data.square**2 + 1.5 * data.coin + 2.0 * (data.kind == "b") + 0.3 * rng.normal(size=n)
    return data


@pytest.fixture(scope="module")
def found(table):
    return screen(table, "y", method=SMALL, rng=1)


# --- adjusting p-values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("adjust", "name"), [(benjamini_hochberg, "bh"), (benjamini_yekutieli, "by")])
def test_adjusted_p_values_are_scipys(adjust, name):
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 500):
        pvalues = np.round(rng.uniform(size=size) ** 2, 2)  # with ties
        np.testing.assert_allclose(adjust(pvalues), stats.false_discovery_control(pvalues, method=name), rtol=1e-12)


def test_tests_that_were_not_made_do_not_count():
    pvalues = np.array([0.02, np.nan, 0.01, 0.5, np.nan])
    for adjust in (benjamini_hochberg, benjamini_yekutieli):
        adjusted = adjust(pvalues)
        assert np.isnan(adjusted[[1, 4]]).all()
        np.testing.assert_array_equal(adjusted[[0, 2, 3]], adjust(pvalues[[0, 2, 3]]))


# --- one null for every column without ties ---------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [False, True])
def test_null_columns_are_rejected_as_often_as_the_level_says(classes):
    rng = np.random.default_rng(7 + classes)
    x = rng.exponential(size=(24, 600))
    y = np.repeat(["a", "b"], 12) if classes else rng.standard_t(2, size=24)
    found = screen(x, y, method=kmerf.KMERF(kmerf.ForestSpec(n_trees=10)), null=Permutation(1999), rng=2)
    for level in (0.05, 0.2, 0.5):
        # of the columns, and of the null that they share
        error = np.sqrt(level * (1 - level) * (1 / 600 + 1 / 2000))
        assert np.mean(found.pvalues <= level) == pytest.approx(level, abs=3 * error)


def test_every_order_of_a_column_with_the_exact_null():
    """All 120 columns of five ranks are the null distribution: no p-value is more frequent than it says."""
    x = np.array(list(permutations(range(5)))).T
    y = np.array([0.3, 1.0, 1.1, 4.0, 9.0])
    found = screen(x, y, method=SMALL, null=Permutation(1999), rng=0)
    for level in (0.1, 0.3, 0.6):
        assert np.mean(found.pvalues <= level) <= level + 3 * np.sqrt(level * (1 - level) * (1 / 120 + 1 / 2000))


def test_the_shared_null_is_that_of_permuting_y_against_each_column():
    rng = np.random.default_rng(3)
    n, size = 25, 400
    y = rng.normal(size=n)
    plain = SMALL.prepare(read_independence(np.arange(1.0, n + 1), y), 1)
    shared = resample(plain, size, kmerf.nulls.resampling.Run(1)).statistics[:, 0]
    for seed in (2, 3):
        column = ranks(rng.normal(size=n))
        own = resample(
            SMALL.prepare(read_independence(column, y), seed), size, kmerf.nulls.resampling.Run(seed)
        ).statistics[:, 0]
        assert stats.ks_2samp(shared, own).pvalue > 0.01


def test_the_statistic_of_a_sorted_column_is_that_of_the_column():
    """In distribution: trees draw rows by their place, so that only their random choices differ."""
    rng = np.random.default_rng(5)
    y = rng.normal(size=30)
    plain = SMALL.prepare(read_independence(np.arange(1.0, 31), y), 1)
    for _ in range(3):
        column = ranks(y + 2.0 * rng.normal(size=30))
        own = SMALL.prepare(read_independence(column, y), 2)
        as_sorted = [plain.fit(np.argsort(column), refit).statistic for refit in range(200)]
        as_given = [own.fit(np.arange(30), refit).statistic for refit in range(200)]
        assert stats.ks_2samp(as_sorted, as_given).pvalue > 0.01


def test_only_the_order_of_values_matters():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(30, 12))
    y = x[:, 0] + rng.normal(size=30)
    a, b = (screen(columns, y, method=SMALL, rng=1) for columns in (x, np.exp(3 * x)))
    np.testing.assert_array_equal(a.pvalues, b.pvalues)
    np.testing.assert_array_equal(a.statistics, b.statistics)


def test_columns_of_one_pattern_share_a_null_and_others_have_their_own():
    rng = np.random.default_rng(8)
    x = np.column_stack([rng.permutation(np.arange(30) < 10) for _ in range(12)] + [rng.permutation(30) for _ in "ab"])
    units = read_units(read_independence(x, rng.normal(size=30)).x, None)
    patterns = find_patterns(units, 1)
    assert [len(pattern.orders) for pattern in patterns] == [12, 2]
    assert len({pattern.seed for pattern in patterns}) == 2
    for pattern in patterns:
        for unit in units:
            if unit.number in pattern.orders:
                order = pattern.orders[unit.number]
                np.testing.assert_array_equal(pattern.x.values[:, 0], ranked(unit.x.values[:, 0])[order])


def test_tied_rows_stand_in_random_order():
    x = read_independence(np.repeat([0.0, 1.0], 50), np.arange(100)).x
    orders = [find_patterns(read_units(x, None), seed)[0].orders[0] for seed in (1, 2)]
    assert all(sorted(order[:50]) == list(range(50)) for order in orders)
    assert not np.array_equal(*orders)


def test_null_columns_with_ties_and_gaps_keep_the_level():
    rng = np.random.default_rng(11)
    x = np.round(rng.normal(size=(25, 200)), 1)
    x[rng.random(x.shape) < 0.1] = np.nan
    found = screen(
        x, rng.normal(size=25), method=kmerf.KMERF(kmerf.ForestSpec(n_trees=10)), null=Permutation(99), rng=1
    )
    assert len(set(found.draws)) > 5  # most stop early
    for level in (0.05, 0.2):
        assert np.mean(found.pvalues <= level) == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / 200))


def test_no_p_value_is_below_one_over_the_number_of_arrangements_of_x():
    x = np.zeros((40, 1))
    x[:2] = 1.0
    y = np.r_[50.0, 51.0, np.linspace(0, 1, 38)]
    found = screen(x, y, method=SMALL, null=Extrapolated(19), rng=1)
    assert found.pvalues[0] >= 1 / 780
    assert found.extrapolated[0]


# --- what comes out ---------------------------------------------------------------------------------------------------


def test_real_columns_of_a_table_are_selected(found):
    assert set(found.selected) == {"square", "coin", "kind"}
    assert "y" not in found.names
    assert found.ranking[:3] == found.selected
    assert found.tested == 13
    assert len(found.ranking) == 13
    rows = {row.name: row for row in found}
    assert len(found) == len(rows) == 15
    assert rows["coin"].selected
    assert not rows["flag"].selected
    assert rows["square"].pvalue == found.pvalues[found.names.index("square")]
    assert found.settings["method"]["class"] == "KMERF"


def test_columns_that_cannot_be_tested_are_reported(found):
    assert found.errors == {
        "constant": "constant, so nothing can depend on it: leave it out.",
        "empty": "missing in every row: fill it in, or leave it out.",
    }
    rows = {row.name: row for row in found}
    assert np.isnan(rows["empty"].pvalue)
    assert rows["empty"].error == found.errors["empty"]
    assert rows["square"].error is None
    np.testing.assert_allclose(found.adjusted_bh[:13], benjamini_hochberg(found.pvalues[:13]))


def test_it_prints_as_a_table(found):
    text = str(found)
    assert text.startswith("Screen of 15 columns (KMERF)")
    assert "selected        3   at a false discovery rate of 0.05" in text
    assert "tested         13   2 could not be" in text
    assert "... and 3 more" in text
    assert "note: not tested: constant: constant" in text
    assert "* below what the permutations can show" in text
    order = [line.split()[0] for line in text.splitlines() if line.endswith("selected")]
    assert tuple(order) == found.selected


def test_many_errors_are_cut_short(found):
    errors = {f"c{i}": "bad" for i in range(8)}
    assert "note: and 3 more were not tested" in str(replace(found, errors=errors))


def test_json_round_trip_is_lossless(found):
    text = json.dumps(found.to_dict(), allow_nan=False)
    again = Screen.from_dict(json.loads(text))
    assert again == found
    assert hash(again) == hash(found)
    assert again.selected == found.selected
    np.testing.assert_array_equal(again.pvalues, found.pvalues)
    assert json.dumps(again.to_dict(), allow_nan=False) == text


def test_a_result_is_frozen_and_compares(found):
    with pytest.raises(AttributeError):
        found.fdr = 0.5
    assert found != replace(found, fdr=0.5)
    assert len(replace(found, fdr=0.9).selected) > 3


@pytest.mark.parametrize("method", [SMALL, rivals.Dcorr()])
def test_results_depend_on_the_seed_and_on_nothing_else(table, method):
    data = table[["noise0", "noise1", "coin", "flag", "kind", "constant", "y"]]
    one = screen(data, "y", method=method, rng=3, n_jobs=1)
    assert screen(data, "y", method=method, rng=3, n_jobs=3) == one
    assert screen(pl.from_pandas(data), "y", method=method, rng=3) == one
    assert screen(data, "y", method=method, rng=4) != one


def test_processes_give_the_same():
    x = np.random.default_rng(0).normal(size=(20, 3))
    for method in (SMALL, rivals.RV()):
        one = screen(x, x[:, 0], method=method, null=Permutation(30), rng=3)
        assert screen(x, x[:, 0], method=method, null=Permutation(30), rng=3, n_jobs=2, backend="loky") == one


def test_the_null_of_a_pattern_does_not_depend_on_what_else_is_tested(table):
    both = screen(table[["coin", "flag", "y"]], "y", method=SMALL, rng=3)
    alone = screen(table[["coin", "y"]], "y", method=SMALL, rng=3)
    assert both.pvalues[0] == alone.pvalues[0]


# --- sets, rivals, nulls ----------------------------------------------------------------------------------------------


def test_sets_of_columns(table):
    table = table.iloc[:50]
    sets = {"noise": ["noise0", "noise1"], "mixed": ["kind", "square", "holes"], "one": "coin", "dull": ["constant"]}
    found = screen(table, "y", sets=sets, method=SMALL, rng=1)
    assert found.names == tuple(sets)
    assert set(found.selected) == {"mixed", "one"}
    assert list(found.errors) == ["dull"]
    assert found.settings["sets"]["one"] == ["coin"]
    assert str(found).startswith("Screen of 4 sets of columns")
    assert Screen.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    by_place = screen(table, "y", sets={"noise": [0, 1], "mixed": [11, 8, 12], "one": [9]}, method=SMALL, rng=1)
    np.testing.assert_array_equal(by_place.statistics, found.statistics[:3])


def test_classes_make_it_a_comparison_of_groups():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 10))
    x[30:, 2] *= 6.0
    found = screen(x, np.repeat(["old", "new"], 30), method=kmerf.KMERF(kmerf.ForestSpec(n_trees=100)), rng=1)
    assert found.selected == ("x3",)
    assert found.groups == {"new": 30, "old": 30}
    assert "y categorical, 2 classes" in str(found)


@pytest.mark.parametrize("method", [rivals.Dcorr(), rivals.Hsic(), rivals.CCA(), rivals.RV(), rivals.HHG()])
def test_rivals(table, method):
    data = table[["noise0", "noise1", "coin", "kind", "holes", "constant", "y"]]
    found = screen(data, "y", method=method, rng=1)
    assert {"coin", "kind"} <= set(found.selected)
    assert set(found.errors) == {"holes", "constant"}
    assert f"{method.name} cannot use them" in found.errors["holes"]
    single = kmerf.independence(data[["coin"]], data.y, method=method, null=Permutation(9))
    assert found.statistics[2] == pytest.approx(single.statistic, rel=1e-12)


def test_null_columns_of_rivals_keep_the_level_though_they_stop_early():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(20, 600)), rng.normal(size=20)
    found = screen(x, y, method=rivals.RV(), null=Permutation(399), rng=1)
    assert found.draws.mean() < 150
    for level in (0.05, 0.2):
        assert np.mean(found.pvalues <= level) == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / 600))


def test_sequential_stopping_by_hand():
    draws = [0.0, 5.0, 1.0, 0.5, 1.0 - 1e-14, 9.0, 0.0, 0.0]
    stopped = sequential(Permutation(8), 1.0, draws, n=10, stop=3)  # the third is equal but for rounding
    assert stopped.pvalue == 3 / 5
    assert stopped.distribution.size == 5
    assert stopped.standard_error == pytest.approx(0.6 * np.sqrt(0.4 / 3))
    assert sequential(Permutation(8), 1.0, draws, n=10, stop=5).pvalue == 5 / 9  # four of eight
    assert sequential(Permutation(4), 1.0, draws, n=10, stop=3).pvalue == 3 / 5  # two of four
    assert sequential(Permutation(8), 10.0, draws, n=10).pvalue == 1 / 9
    with pytest.raises(KmerfError, match="not a finite number"):
        sequential(Permutation(8), 1.0, [0.0, np.nan], n=10)


def test_sequential_p_values_are_never_too_frequent():
    rng = np.random.default_rng(0)
    pvalues = np.array(
        [sequential(Permutation(99), rng.random(), iter(rng.random, 2), n=9).pvalue for _ in range(4000)]
    )
    for level in (0.02, 0.05, 0.1, 0.5):
        assert np.mean(pvalues <= level) <= level + 3 * np.sqrt(level * (1 - level) / 4000)


def test_a_forest_that_never_saw_y_is_not_grown_again():
    from sklearn.ensemble import RandomTreesEmbedding

    x = np.random.default_rng(0).normal(size=(30, 3))
    method = kmerf.KMERF(RandomTreesEmbedding(20, max_depth=3), proximity="all")
    found = screen(x, x[:, 0], method=method, rng=1)
    assert found.selected == ("x1",)
    assert found.draws.max() == 999


def test_chi_square_needs_no_draws_and_warns_once():
    x = np.random.default_rng(0).normal(size=(30, 3))
    found = screen(x, x[:, 0], method=rivals.Dcorr(), null=kmerf.ChiSquare(), rng=1)
    assert found.selected == ("x1",)
    assert not found.draws.any()
    assert not found.notes
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        paper = kmerf.KMERF(kmerf.ForestSpec(n_trees=20), proximity="all")
        found = screen(x, x[:, 0] > 0, method=paper, null=kmerf.ChiSquare(), rng=1)
    assert [(w.category, w.filename) for w in caught] == [(KmerfWarning, __file__)]
    assert "not valid" in found.notes[0]


def test_the_number_of_draws_grows_with_the_number_of_columns():
    x = np.random.default_rng(0).normal(size=(20, 60))
    assert screen(x, x[:, 0], method=kmerf.KMERF(kmerf.ForestSpec(n_trees=5)), rng=1).draws.max() == 1200
    plan = make_plan(read_independence(x, x[:, 0]), 0.05, SMALL, None, Execution(1, 1, "threads", False))
    assert plan.null(20_000, 20_000) == Extrapolated(99_999)
    assert plan.null(3, 20_000) == Extrapolated(999)
    rival = make_plan(read_independence(x, x[:, 0]), 0.05, rivals.RV(), None, Execution(1, 1, "threads", False))
    assert rival.null(1, 1000) == Permutation(20_000)


def test_it_says_so_where_p_values_cannot_be_small_enough():
    x = np.random.default_rng(0).normal(size=(20, 12))
    found = screen(x, x[:, 0], method=SMALL, null=Permutation(99), rng=1)
    assert "No p-value can be below 0.01, and a column selected alone needs 0.0042" in found.notes[-1]
    assert "null=Permutation(240)" in found.notes[-1]
    few = screen(x[:10], x[:10, 0], method=SMALL, rng=1)
    assert "fewer than 20 rows" in few.notes[0]
    assert few.settings["null"] == {"class": "Permutation", "n_resamples": None}


def test_progress_ends_where_it_should(table):
    for method in (SMALL, rivals.RV()):
        seen = []
        screen(table, "y", method=method, rng=1, progress=lambda done, total, seen=seen: seen.append((done, total)))
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert seen[-1][0] == seen[-1][1]
        assert sum(done == total for done, total in seen) == 1


@pytest.mark.parametrize("method", [kmerf.KMERF(), rivals.MGC()])
def test_interrupts_are_answered(method):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(100, 2000)), rng.normal(size=100)

    def interrupt(done, total):
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        screen(x, y, method=method, rng=1, n_jobs=2, progress=interrupt)
    assert threading.active_count() == before


# --- what is refused --------------------------------------------------------------------------------------------------

X = np.random.default_rng(0).normal(size=(12, 3))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"fdr": 0}, "fdr=0 must be a number between 0 and 1, such as 0.05."),
        ({"fdr": "5 %"}, "fdr='5 %' must be a number between 0 and 1"),
        ({"fdr": True}, "fdr=True must be"),
        ({"sets": {}}, "sets={} must name sets of columns"),
        ({"sets": ["x1"]}, "sets=['x1'] must name sets of columns"),
        ({"sets": {"a": []}}, "sets['a'] has no columns"),
        ({"sets": {"a": ["x1", 0]}}, "sets['a'] lists a column twice"),
        ({"sets": {"a": ["x9"]}}, "sets['a']: there is no column 'x9'; did you mean 'x"),
        ({"sets": {"a": [3]}}, "sets['a']: there is no column 3"),
        ({"sets": {1: ["x1"], "1": ["x2"]}}, "two sets have the same name"),
        ({"method": kmerf.KMERF}, "method=<class 'kmerf.methods.kmerf.KMERF'> cannot be used"),
        ({"null": 99}, "null=99 cannot be used"),
        ({"method": rivals.MGC(), "null": kmerf.ChiSquare()}, "needs an unbiased kernel correlation"),
        ({"method": kmerf.KMERF(y_kernel="discrete")}, "all values of y differ"),
        ({"n_jobs": 0}, "n_jobs=0 must be"),
        ({"y_kind": "number"}, "y_kind='number' is not an option"),
    ],
)
def test_wrong_arguments(options, says):
    with pytest.raises(InputError) as error:
        screen(X, X[:, 0], **options)
    assert says in str(error.value)


def test_where_no_column_can_be_tested_that_is_an_error():
    x = pd.DataFrame({"a": [1.0] * 12, "b": X[:, 0]})
    with pytest.raises(InputError, match="none of its 1 columns or sets can be tested; the first, 'flat': constant"):
        screen(x, X[:, 1], sets={"flat": ["a"]})
    from sklearn.ensemble import RandomForestClassifier

    with pytest.raises(InputError, match="none of its 3 .* the first, 'x1': forest=RandomForestClassifier is a classi"):
        screen(X, X[:, 0], method=kmerf.KMERF(RandomForestClassifier(5)))


def test_a_method_may_fail_on_some_columns():
    x = X.copy()
    x[0, 1] = np.nan
    found = screen(x, X[:, 0], method=kmerf.KMERF(kmerf.ForestSpec(n_trees=10), y_kernel="forest"), rng=1)
    assert list(found.errors) == ["x2"]
    assert "x has missing values" in found.errors["x2"]


# --- the picture ------------------------------------------------------------------------------------------------------


def many(found, size):
    rng = np.random.default_rng(0)
    pvalues = rng.uniform(size=size)
    pvalues[::500] = 1e-9
    pvalues[7] = np.nan
    return replace(
        found,
        names=tuple(f"gene{i}" for i in range(size)),
        statistics=rng.normal(size=size),
        pvalues=pvalues,
        adjusted_bh=benjamini_hochberg(pvalues),
        adjusted_by=benjamini_yekutieli(pvalues),
        extrapolated=pvalues < 1e-5,
        draws=np.full(size, 99),
        errors={"gene7": "constant"},
    )


@pytest.mark.parametrize("size", [20, 20_000])
def test_the_picture_names_what_is_selected(found, size):
    result = many(found, size)
    figure = plot_screen(result, labels=15)
    ax = figure.axes[0]
    assert [text.get_text() for text in ax.texts] == list(result.selected[:15])
    assert ax.lines[0].get_ydata()[0] == pytest.approx(-np.log10(result.threshold))
    assert "1 not tested" in ax.get_title()
    drawn = sum(len(dots.get_offsets()) for dots in ax.collections)
    assert drawn == size
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    assert (names == list(result.names)) == (size == 20)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=50)
    assert buffer.getvalue().startswith(b"\x89PNG")


def test_the_picture_of_nothing(found):
    nothing = replace(found, adjusted_bh=np.where(np.isnan(found.adjusted_bh), np.nan, 1.0))
    assert nothing.selected == ()
    assert nothing.threshold == pytest.approx(0.05 / 13)
    assert not plot_screen(nothing).axes[0].texts
    with pytest.raises(InputError, match="labels=-1 must be"):
        plot_screen(found, labels=-1)


def test_a_portfolio_that_learns_nothing_can_screen():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 12))
    y = x[:, 3] + 0.3 * rng.normal(size=40)
    method = kmerf.Portfolio({"distance": kmerf.rivals.Dcorr(), "local": kmerf.rivals.HHG()})
    found = kmerf.screen(x, y, method=method, null=kmerf.Permutation(999), rng=1)
    assert found.selected == ("x4",)


def test_a_portfolio_can_screen_columns_with_ties_of_their_own():
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=(40, 3)) * [1.0, 2.0, 3.0])
    y = x[:, 1] + 0.3 * rng.normal(size=40)
    method = kmerf.Portfolio({"mean": SMALL, "distance": kmerf.rivals.Dcorr()})
    found = kmerf.screen(x, y, method=method, null=kmerf.Permutation(99), rng=1)
    assert found.selected == ("x2",)


def test_a_combined_test_needs_few_draws_where_nothing_is_near():
    """Columns with ties of their own: those far from any relation stop at the first look, the others go on."""
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(size=(40, 6)) * np.arange(2.0, 8.0))
    y = x[:, 1] + 0.3 * rng.normal(size=40)
    method = kmerf.Portfolio({"mean": SMALL, "distance": kmerf.rivals.Dcorr()})
    found = kmerf.screen(x, y, method=method, null=kmerf.Permutation(499), rng=1)
    assert found.draws[1] == 499
    assert found.pvalues[1] == 1 / 500
    stopped = found.draws == LOOK
    assert stopped.sum() >= 3
    assert (found.pvalues[stopped] > CLEAR).all()
    assert set(found.draws.tolist()) <= {LOOK, 499}


def test_p_values_in_two_looks_are_valid():
    """Exchangeable rows of three statistics, one of them heavy-tailed; levels on both sides of the stop."""
    rng = np.random.default_rng(2)
    levels = np.array([1.0, 1.0, 0.3])
    pvalues = []
    for _ in range(1500):
        t = np.c_[rng.normal(size=(400, 2)), rng.standard_t(2, size=400)]
        pvalues.append(two_looks(kmerf.Permutation(399), t[0], t[1:], levels, 50)[1].pvalue)
    for level in (0.01, 0.05, 0.1, 0.2, 0.5):
        assert np.mean(np.array(pvalues) <= level) < level + 3 * np.sqrt(level * (1 - level) / 1500)
    assert np.mean(np.array(pvalues) <= 0.05) > 0.03
