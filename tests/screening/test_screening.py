"""Screens: real columns are selected, results depend on the seed alone, and what cannot be tested is refused."""

from __future__ import annotations

import io
import threading
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kmerf
from kmerf import baselines
from kmerf.core.errors import InputError, KmerfWarning
from kmerf.figures import plot_screen
from kmerf.nulls.definitions import Permutation, benjamini_hochberg, benjamini_yekutieli
from kmerf.screening.screening import screen

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))


def test_real_columns_of_a_table_are_selected(screened):
    assert set(screened.selected) == {"square", "coin", "kind"}
    assert "y" not in screened.names
    assert screened.ranking[:3] == screened.selected
    assert screened.tested == 13
    assert len(screened.ranking) == 13
    rows = {row.name: row for row in screened}
    assert len(screened) == len(rows) == 15
    assert rows["coin"].selected
    assert not rows["flag"].selected
    assert rows["square"].pvalue == screened.pvalues[screened.names.index("square")]
    assert screened.settings["method"]["class"] == "KMERF"


@pytest.mark.parametrize("method", [SMALL, baselines.Dcorr()])
def test_results_depend_on_the_seed_and_on_nothing_else(mixed_table, method):
    data = mixed_table[["noise0", "noise1", "coin", "flag", "kind", "constant", "y"]]
    one = screen(data, "y", method=method, rng=3, n_jobs=1)
    assert screen(data, "y", method=method, rng=3, n_jobs=3) == one
    assert screen(pl.from_pandas(data), "y", method=method, rng=3) == one
    assert screen(data, "y", method=method, rng=4) != one


def test_processes_give_the_same():
    x = np.random.default_rng(0).normal(size=(20, 3))
    for method in (SMALL, baselines.RV()):
        one = screen(x, x[:, 0], method=method, null=Permutation(30), rng=3)
        assert screen(x, x[:, 0], method=method, null=Permutation(30), rng=3, n_jobs=2, backend="loky") == one


def test_classes_make_it_a_comparison_of_groups():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 10))
    x[30:, 2] *= 6.0
    found = screen(x, np.repeat(["old", "new"], 30), method=kmerf.KMERF(kmerf.ForestSpec(n_trees=100)), rng=1)
    assert found.selected == ("x3",)
    assert found.groups == {"new": 30, "old": 30}
    assert "y categorical, 2 classes" in str(found)


@pytest.mark.parametrize(
    "method", [baselines.Dcorr(), baselines.Hsic(), baselines.CCA(), baselines.RV(), baselines.HHG()]
)
def test_baselines(mixed_table, method):
    data = mixed_table[["noise0", "noise1", "coin", "kind", "holes", "constant", "y"]]
    found = screen(data, "y", method=method, rng=1)
    assert {"coin", "kind"} <= set(found.selected)
    assert set(found.errors) == {"holes", "constant"}
    assert f"{method.name} cannot use them" in found.errors["holes"]
    single = kmerf.independence(data[["coin"]], data.y, method=method, null=Permutation(9))
    assert found.statistics[2] == pytest.approx(single.statistic, rel=1e-12)


def test_chi_square_needs_no_draws_and_warns_once():
    x = np.random.default_rng(0).normal(size=(30, 3))
    found = screen(x, x[:, 0], method=baselines.Dcorr(), null=kmerf.ChiSquare(), rng=1)
    assert found.selected == ("x1",)
    assert not found.draws.any()
    assert not found.notes
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        paper = kmerf.KMERF(kmerf.ForestSpec(n_trees=20), proximity="all")
        found = screen(x, x[:, 0] > 0, method=paper, null=kmerf.ChiSquare(), rng=1)
    assert [(w.category, w.filename) for w in caught] == [(KmerfWarning, __file__)]
    assert "not valid" in found.notes[0]


def test_it_says_so_where_p_values_cannot_be_small_enough():
    x = np.random.default_rng(0).normal(size=(20, 12))
    found = screen(x, x[:, 0], method=SMALL, null=Permutation(99), rng=1)
    assert "No p-value can be below 0.01, and a column selected alone needs 0.0042" in found.notes[-1]
    assert "null=Permutation(240)" in found.notes[-1]
    few = screen(x[:10], x[:10, 0], method=SMALL, rng=1)
    assert "fewer than 20 rows" in few.notes[0]
    assert few.settings["null"] == {"class": "Permutation", "n_resamples": None}


def test_progress_ends_where_it_should(mixed_table):
    for method in (SMALL, baselines.RV()):
        seen = []
        screen(
            mixed_table, "y", method=method, rng=1, progress=lambda done, total, seen=seen: seen.append((done, total))
        )
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert seen[-1][0] == seen[-1][1]
        assert sum(done == total for done, total in seen) == 1


def test_what_is_done_is_returned_when_it_is_interrupted():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, size=(100, 30)).astype(float), rng.normal(size=100)
    x[:, 0] += 2 * (y > 0)

    def interrupt(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.warns(kmerf.KmerfWarning, match="interrupted: 3 of 30 columns"):
        part = screen(x, y, rng=1, n_jobs=1, progress=interrupt)
    assert part.interrupted
    assert part.tested == 3
    assert part.selected == ("x1",)
    assert any(note.startswith("Interrupted: 3 of 30 were tested") for note in part.notes)
    whole = screen(x, y, rng=1, n_jobs=1)
    assert not whole.interrupted
    assert whole.pvalues[:3].tolist() == part.pvalues[:3].tolist()


@pytest.mark.parametrize("method", [kmerf.KMERF(), baselines.MGC()])
@pytest.mark.filterwarnings("ignore:The screen was interrupted")
def test_interrupts_are_answered(method):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(100, 2000)), rng.normal(size=100)

    def interrupt(done, total):
        raise KeyboardInterrupt

    before = threading.active_count()
    if isinstance(method, baselines.MGC):  # each column is a task of its own
        assert screen(x, y, method=method, rng=1, n_jobs=2, progress=interrupt).interrupted
    else:
        with pytest.raises(KeyboardInterrupt):
            screen(x, y, method=method, rng=1, n_jobs=2, progress=interrupt)
    assert threading.active_count() == before


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
        ({"method": baselines.MGC(), "null": kmerf.ChiSquare()}, "needs an unbiased kernel correlation"),
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

    with pytest.raises(InputError, match=r"^forest=RandomForestClassifier\(\) is a classifier and y is numeric"):
        screen(X, X[:, 0], method=kmerf.KMERF(RandomForestClassifier(5)))


def test_a_method_may_fail_on_some_columns():
    x = X.copy()
    x[0, 1] = np.nan
    found = screen(x, X[:, 0], method=kmerf.KMERF(kmerf.ForestSpec(n_trees=10), y_kernel="forest"), rng=1)
    assert list(found.errors) == ["x2"]
    assert "x has missing values" in found.errors["x2"]


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
        modelled=None,
        adjusted_bh=benjamini_hochberg(pvalues),
        adjusted_by=benjamini_yekutieli(pvalues),
        extrapolated=pvalues < 1e-5,
        draws=np.full(size, 99),
        errors={"gene7": "constant"},
        effects=None,
    )


@pytest.mark.parametrize("size", [20, 20_000])
def test_the_picture_names_what_is_selected(screened, size):
    result = many(screened, size)
    figure = plot_screen(result, labels=15)
    ax = figure.axes[0]
    named = list(result.selected[:15]) if size > 30 else []  # the axis names all of a few
    assert [text.get_text() for text in ax.texts] == named
    assert ax.lines[0].get_ydata()[0] == pytest.approx(-np.log10(result.threshold))
    assert "1 not tested" in ax.get_title(loc="left")
    drawn = sum(len(dots.get_offsets()) for dots in ax.collections)
    assert drawn == size
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    assert (names == list(result.names)) == (size == 20)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=50)
    assert buffer.getvalue().startswith(b"\x89PNG")


def test_the_picture_of_nothing(screened):
    nothing = replace(screened, adjusted_bh=np.where(np.isnan(screened.adjusted_bh), np.nan, 1.0))
    assert nothing.selected == ()
    assert nothing.threshold == pytest.approx(0.05 / 13)
    assert not plot_screen(nothing).axes[0].texts
    with pytest.raises(InputError, match="labels=-1 must be"):
        plot_screen(screened, labels=-1)


def test_a_portfolio_that_learns_nothing_can_screen():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 12))
    y = x[:, 3] + 0.3 * rng.normal(size=40)
    method = kmerf.Portfolio({"distance": kmerf.baselines.Dcorr(), "local": kmerf.baselines.HHG()})
    found = kmerf.screen(x, y, method=method, null=kmerf.Permutation(999), rng=1)
    assert found.selected == ("x4",)
