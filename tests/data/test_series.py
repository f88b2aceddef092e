"""Rows in time: what the past predicts is removed, lags are laid side by side, and what cannot be is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import kmerf
from kmerf.core.errors import rank_of
from kmerf.data import series
from kmerf.data.series import fit_filter, positions, read_lags, run_length, series_part
from kmerf.reading.samples import read_independence, read_ksample


def wave(phi, n, rng):
    return lfilter([1.0], [1.0, -phi], rng.normal(size=n + 200))[200:]


def unrelated(seed, n=80, phi=0.9):
    rng = np.random.default_rng(seed)
    return wave(phi, n, rng)[:, None], wave(phi, n, rng)


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    rain = wave(0.6, n, rng)
    river = np.concatenate([[0.0], rain[:-1]]) + 0.4 * wave(0.6, n, rng)
    return pd.DataFrame({"day": pd.date_range("2024-01-01", periods=n), "rain": rain, "river": river})


def test_order_keeps_the_level_where_shuffled_rows_do_not():
    plain, ordered = [], []
    for seed in range(60):
        x, y = unrelated(seed)
        plain.append(kmerf.independence(x, y, method="dcorr", null=kmerf.Permutation(99), rng=seed).pvalue)
        ordered.append(
            kmerf.independence(x, y, method="dcorr", null=kmerf.Permutation(99), order=True, rng=seed).pvalue
        )
    assert np.mean(np.array(plain) <= 0.05) > 0.3
    assert np.mean(np.array(ordered) <= 0.05) <= 0.13  # 0.05 and three standard errors


def test_a_relation_one_step_ago_is_found_with_its_lag_and_its_direction():
    result = kmerf.independence(table(), "river", order="day", lags=2, rng=1)
    assert result.pvalue <= 0.01
    assert result.features.names == ("rain", "rain (lag 1)", "rain (lag 2)")
    assert int(np.argmax(result.features.importance)) == 1
    assert result.settings["order"]["lags"] == [0, 1, 2]
    back = kmerf.independence(table(), "rain", order="day", lags=[1], method="dcorr", rng=1)
    assert back.features is None or back.pvalue > 0.05  # rain does not follow the river


def test_rows_are_put_in_the_order_of_time_whatever_that_of_the_table():
    rows = table()
    mixed = rows.sample(frac=1.0, random_state=3)
    one, two = (kmerf.independence(each, "river", order="day", lags=1, method="dcorr", rng=1) for each in (rows, mixed))
    assert (one.statistic, one.pvalue) == (two.statistic, two.pvalue)
    dates = kmerf.independence(rows[["rain"]], rows["river"], order=rows["day"], lags=1, method="dcorr", rng=1)
    by_row = kmerf.independence(rows[["rain", "river"]], "river", order=True, lags=1, method="dcorr", rng=1)
    assert one.pvalue == dates.pvalue == by_row.pvalue


def test_the_filter_is_least_squares_with_less_bias():
    y = wave(0.7, 300, np.random.default_rng(5))
    fitted = fit_filter(y, np.arange(300))
    slope = np.polyfit(y[:-1] - y.mean(), y[1:], 1)[0]
    assert fitted.p == 1
    assert fitted.weights[0] == pytest.approx(slope + (1 + 3 * slope) / 300, abs=1e-9)
    left = fitted.innovations(y, np.arange(300))
    assert np.isnan(left[0])
    assert abs(np.corrcoef(left[2:], left[1:-1])[0, 1]) < 0.12


def test_a_filter_sees_a_season_and_a_changing_spread():
    rng = np.random.default_rng(2)
    seasonal = lfilter([1.0], [1.0, *[0.0] * 11, -0.7], rng.normal(size=400))[160:]
    fitted = fit_filter(seasonal[:100], np.arange(100))
    assert 12 in (fitted.p, fitted.season)
    noise, spread = rng.normal(size=600), np.repeat([0.3, 2.0], 60)
    bursts = noise * np.tile(spread, 5)
    plain, scaled = (fit_filter(bursts, np.arange(600), spread=each) for each in (False, True))
    assert plain.spread is None
    assert scaled.spread is not None
    before, after = (np.abs(f.innovations(bursts, np.arange(600))) for f in (plain, scaled))
    memory = [np.corrcoef(each[20:-1], each[21:])[0, 1] for each in (before, after)]
    assert memory[1] < memory[0] / 2
    assert fit_filter(noise, np.arange(600), spread=True).plain


def test_many_short_series_do_not_lose_their_memory_to_their_means():
    rng = np.random.default_rng(4)
    y = np.concatenate([wave(0.8, 20, rng) for _ in range(60)])
    labels = np.repeat(np.arange(60), 20)
    found = positions(np.tile(np.arange(20.0), 60), labels, 20)
    means = np.bincount(labels, y) / 20
    few, many = (fit_filter(y - means[labels], found.places, 0.0, means=k).weights[0] for k in (1, 60))
    assert abs(many - 0.8) < abs(few - 0.8)
    assert many == pytest.approx(0.8, abs=0.08)


def test_kpss_and_dickey_fuller_agree_with_another_implementation():
    tools = pytest.importorskip("statsmodels.tsa.stattools")
    y = wave(0.6, 200, np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = tools.kpss(y, regression="c", nlags=int(4 * 2**0.25))[0]
    assert series.kpss(y) == pytest.approx(expected, rel=1e-6)
    fitted = fit_filter(y, np.arange(200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = tools.adfuller(y, maxlag=fitted.p - 1, autolag=None)
    assert fitted.t == pytest.approx(theirs[0], rel=1e-6)
    assert theirs[4]["1%"] < series.dickey_fuller_limit(200) < theirs[4]["5%"]  # the 2.5 % point


def test_steps_without_a_row_are_gaps_and_unequal_ones_are_refused():
    rows = table()
    gap = rows.drop(index=[20, 21, 40])
    result = kmerf.independence(gap, "river", order="day", lags=1, method="dcorr", rng=1)
    assert any("3 steps of time without a row" in note for note in result.notes)
    assert result.n < len(gap)
    uneven = rows.assign(day=np.cumsum(np.random.default_rng(0).uniform(0.5, 2.0, 60)))
    with pytest.raises(kmerf.InputError, match="order is not equally spaced") as error:
        kmerf.independence(uneven, "river", order="day")
    assert "resample" in str(error.value)
    twice = rows.assign(day=rows["day"].where(rows.index != 5, rows["day"][4]))
    with pytest.raises(kmerf.InputError, match="same time in two rows"):
        kmerf.independence(twice, "river", order="day")
    with pytest.raises(kmerf.InputError, match="missing in 1 rows"):
        kmerf.independence(rows.assign(day=rows["day"].where(rows.index != 5)), "river", order="day")


def test_months_are_equally_spaced():
    rows = table(48).assign(day=pd.date_range("2020-01-31", periods=48, freq="ME"))
    assert kmerf.independence(rows, "river", order="day", method="dcorr", rng=1).settings["order"]["rows"] >= 46


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ({"weights": "rain"}, "weights was passed together with order"),
        ({"importances": "conditional"}, "assumes independent rows"),
        ({"interval": 0.9}, "assumes independent rows"),
        ({"exchange": "whole", "blocks": np.repeat([0, 1], 30)}, "permuted within their series"),
        ({"rows": 30}, "would tear a series apart"),
        ({"lags": -1}, "must be a whole number"),
        ({"lags": [1, 1]}, "names a lag twice"),
        ({"lags": 50}, "with the past that is needed"),
        ({"lags": [0, 200]}, "with the past that is needed"),
        (
            {"permutations": np.array([np.roll(np.arange(60), k) for k in range(1, 30)])},
            "already defines how rows",
        ),
    ],
)
def test_options_that_do_not_go_with_an_order_are_refused(options, finding):
    rows = table().assign(more=np.arange(60) % 3 + 1.0, rain=lambda t: t["rain"] + 9)
    with pytest.raises(kmerf.InputError, match=finding):
        kmerf.independence(rows, "river", order="day", **options)


def test_lags_and_the_past_need_an_order():
    for options in ({"lags": 1}, {"given": "past"}):
        with pytest.raises(kmerf.InputError, match="needs order"):
            kmerf.independence(table()[["rain", "river"]], "river", **options)
    assert read_lags([7, 0]) == (0, 7)


def test_pairs_of_periods_are_refused_and_a_margin_is_decided():
    rows = table().assign(period=np.repeat(["a", "b", "c"], 20))
    with pytest.raises(kmerf.InputError, match="pairwise=True assumes independent rows"):
        kmerf.ksample(rows, groups="period", order="day", pairwise=True)
    result = kmerf.independence(table(), "river", order="day", lags=1, margin=0.05, rng=1)
    assert result.margin is not None


def test_given_the_past_asks_what_x_adds():
    rng = np.random.default_rng(2)
    x, y = wave(0.5, 150, rng), wave(0.8, 150, rng)
    nothing = kmerf.independence(x[:, None], y, order=True, lags=1, given="past", rng=1)
    assert nothing.pvalue > 0.05
    assert nothing.settings["given"][0].endswith("(lag 1)")
    assert nothing.settings["order"]["past"] is True
    adds = kmerf.independence(x[:, None], y + np.concatenate([[0.0], x[:-1]]), order=True, lags=1, given="past", rng=1)
    assert adds.pvalue < 0.01
    with pytest.raises(kmerf.InputError, match="needs a numeric y"):
        kmerf.independence(x[:, None], np.where(y > 0, "a", "b"), order=True, given="past")


def test_several_subjects_each_have_their_own_time():
    rng = np.random.default_rng(3)
    parts = []
    for subject in "abcdef":
        x = wave(0.7, 25, rng)
        y = np.concatenate([[0.0], x[:-1]]) + 3 * rng.normal() + 0.3 * rng.normal(size=25)
        parts.append(pd.DataFrame({"subject": subject, "day": np.arange(25), "dose": x, "mood": y}))
    rows = pd.concat(parts, ignore_index=True)
    result = kmerf.independence(rows, "mood", blocks="subject", order="day", lags=1, method="dcorr", rng=1)
    assert result.pvalue <= 0.01
    sample = series_part(read_independence(rows, "mood", blocks="subject", order="day"), 1).sample
    lag = sample.x.values[:, sample.x.names.index("dose (lag 1)")]
    assert not np.isnan(lag).any()  # the first day of each has no past, and is left out
    assert sample.n <= 6 * 24


def test_periods_before_and_after():
    rng = np.random.default_rng(0)
    level = np.repeat([0.0, 2.0], 50)
    rows = pd.DataFrame({"sales": wave(0.5, 100, rng) + level, "shop": wave(0.5, 100, rng)})
    rows["when"] = np.repeat(["before", "after"], 50)
    assert kmerf.ksample(rows, groups="when", order=True, rng=1).pvalue <= 0.01
    rows["sales"] -= level
    assert kmerf.ksample(rows, groups="when", order=True, rng=1).pvalue > 0.05
    sample = series_part(read_ksample(rows, groups="when", order=True)).sample
    assert set(sample.y.labels) == {"before", "after"}


def test_drift_and_shared_seasons_are_warned_of():
    rng = np.random.default_rng(0)
    walks = pd.DataFrame({"a": np.cumsum(rng.normal(size=120)), "b": np.cumsum(rng.normal(size=120))})
    notes = series_part(read_independence(walks, "b", order=True)).notes
    assert any("drift" in note and "'a'" in note and rank_of(note) == "doubt" for note in notes)
    months = np.arange(120)
    both = pd.DataFrame({k: np.sin(2 * np.pi * months / 12) + 0.3 * rng.normal(size=120) for k in "ab"})
    notes = series_part(read_independence(both, "b", order=True)).notes
    assert any("less a cycle of 12 rows" in note for note in notes)
    grown = pd.DataFrame(rng.normal(size=(120, 2)) * np.linspace(0.3, 3.0, 120)[:, None], columns=["a", "b"])
    notes = series_part(read_independence(grown, "b", order=True)).notes
    assert any("spread of both y and 'a'" in note and rank_of(note) == "doubt" for note in notes)
    each = lfilter([1.0], [1.0, *[0.0] * 11, -0.9], rng.normal(size=(2, 400)))[:, -120:]
    notes = series_part(read_independence(pd.DataFrame(each.T, columns=["a", "b"]), "b", order=True)).notes
    assert any("repeat every 12 rows" in note and "given" in note for note in notes)
    calm = pd.DataFrame(rng.normal(size=(120, 2)), columns=["a", "b"])
    assert not any("drift" in n or "repeat" in n for n in series_part(read_independence(calm, "b", order=True)).notes)


def test_runs_are_as_long_as_a_memory_that_both_have():
    rng = np.random.default_rng(0)
    slow, white = wave(0.9, 400, rng)[:, None], rng.normal(size=(400, 1))
    assert run_length(slow, white) == (1, 1)
    assert run_length(slow, wave(0.9, 400, rng)[:, None])[0] > 5


def test_a_screen_takes_an_order_and_lags():
    rows = table(80)
    found = kmerf.screen(
        rows.assign(noise=np.random.default_rng(0).normal(size=80)), "river", order="day", lags=1, rng=1
    )
    assert "rain (lag 1)" in found.selected
    assert found.settings["order"]["lags"] == [0, 1]


def test_the_note_on_time_is_an_answer():
    rng = np.random.default_rng(7)
    rows = pd.DataFrame(
        {"day": pd.date_range("2024-01-01", periods=80), "x": wave(0.95, 80, rng), "y": wave(0.95, 80, rng)}
    )
    result = kmerf.independence(rows[["day", "x", "y"]], "y", dates="drop", method="dcorr", rng=1)
    doubt = [note for note in result.notes if "order='day'" in note]
    assert any("the p-value may be too small: pass order='day'" in note for note in doubt)
    asked = kmerf.independence(rows, "y", dates="drop", order="day", method="dcorr", rng=1)
    assert any(f"p = {asked.pvalue:.2g}" in note for note in doubt)


def test_the_note_stays_if_rows_inside_blocks_are_alike():
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({"block": np.repeat(np.arange(8), 24), "x": wave(0.95, 192, rng), "y": wave(0.95, 192, rng)})
    result = kmerf.independence(rows, "y", blocks="block", method="dcorr", rng=1)
    assert any("inside blocks" in note and "order=True" in note for note in result.notes)
    calm = rows.assign(y=rng.normal(size=192))
    result = kmerf.independence(calm, "y", blocks="block", method="dcorr", rng=1)
    assert not any("inside blocks have similar" in note for note in result.notes)


def test_filters_of_periods_do_not_raise_levels():
    halves = np.repeat([-1e-9, 1e-9], 30)  # a centre per row, as periods have
    for seed in range(20):
        values = wave(-0.5 if seed % 2 else 0.0, 60, np.random.default_rng(seed))
        fitted = fit_filter(values, np.arange(60), halves + values.mean(), means=2)
        assert fitted.p >= 1
        assert fitted.weights.sum() >= -1e-9
        assert fitted.season_weight >= 0.0
    shy = fit_filter(values := wave(0.5, 60, np.random.default_rng(0)), np.arange(60))
    careful = fit_filter(values, np.arange(60), halves + values.mean())
    assert careful.weights.sum() > shy.weights.sum()


def test_a_season_of_x_is_looked_for_in_y_with_less_evidence():
    values = lfilter([1.0], [1.0, *[0.0] * 11, -0.4], np.random.default_rng(6).normal(size=200))[-60:]
    places = np.arange(60)
    assert fit_filter(values, places).season == 0
    assert fit_filter(values, places, other=series.Memory(True, (12,))).season == 12


def test_a_weak_memory_of_y_stays_if_x_has_none():
    values, places = wave(0.3, 60, np.random.default_rng(1)), np.arange(60)
    assert fit_filter(values, places).p == 1
    assert fit_filter(values, places, other=series.Memory(False, ())).p == 0


def test_two_series_that_wander_are_warned_of_in_nine_of_ten():
    warned = 0
    for seed in range(40):
        walks = np.cumsum(np.random.default_rng(seed).normal(size=(50, 2)), axis=0)
        notes = series_part(read_independence(walks[:, :1], walks[:, 1], order=True, once=False)).notes
        warned += any("drift" in note for note in notes)
    assert warned >= 36


def test_a_memory_is_seen_beside_gaps_and_many_gaps_are_refused():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"day": np.arange(200), "x": wave(0.9, 200, rng), "y": wave(0.9, 200, rng)})
    part = series_part(read_independence(rows[rng.random(200) > 0.25], "y", order="day"))
    assert any("less what its last value predicts" in note for note in part.notes)
    with pytest.raises(kmerf.InputError, match="has many gaps"):
        series_part(read_independence(rows[:33][rows["day"][:33] % 3 != 2], "y", order="day"))


def test_a_shared_week_is_seen_beside_gaps_and_not_named_if_it_is_given():
    rng = np.random.default_rng(1)
    days = np.arange(140)
    week = np.array([0.0, 0.0, 1.0, 1.0, 2.0, 5.0, 6.0])[days % 7]
    rows = pd.DataFrame({"day": days, "a": week + rng.normal(size=140), "b": week + rng.normal(size=140)})
    some = rows[rng.random(140) > 0.2]
    assert any("repeat every 7 rows" in n for n in series_part(read_independence(some, "b", order="day")).notes)
    rows["weekday"] = [f"d{k}" for k in days % 7]
    given = read_independence(rows, "b", given="weekday", order="day")
    assert not any("repeat" in n for n in series_part(given).notes)


def test_lines_count_more_if_rows_in_time_are_few():
    sample = series_part(read_independence(table(60), "river", order="day"), 1).sample
    assert sample.units == sample.n


def test_the_weight_of_a_season_is_raised_by_what_least_squares_lacks():
    weights = []
    for seed in range(60):
        noise = np.random.default_rng(seed).normal(size=260)
        fitted = fit_filter(lfilter([1.0], [1.0, *[0.0] * 11, -0.6], noise)[-60:], np.arange(60))
        weights += [fitted.season_weight] if fitted.season == 12 else []
    assert len(weights) > 30
    assert np.mean(weights) == pytest.approx(0.6, abs=0.07)


def test_long_stretches_of_one_value_are_not_fitted_perfectly():
    values = np.concatenate([np.zeros(80), np.random.default_rng(0).normal(size=20)])
    fitted = fit_filter(values, np.arange(100))
    assert fitted.p <= 4
    assert np.abs(fitted.weights).max(initial=0.0) < 2.0


def test_a_column_of_the_calendar_does_not_drift():
    assert series.period(np.arange(1898.0, 1994.0)) == 0
    for every in (4, 7, 12, 24):
        assert not series.drifts((np.arange(84.0) % every), np.arange(84))


def test_two_drifting_series_are_answered_by_their_differences():
    rng = np.random.default_rng(3)
    walks = pd.DataFrame(np.cumsum(rng.normal(size=(80, 2)), axis=0), columns=["a", "b"])
    result = kmerf.independence(walks, "b", order=True, method="dcorr", rng=1)
    steps = kmerf.independence(walks.diff(), "b", order=True, method="dcorr", rng=1)
    (note,) = [note for note in result.notes if "drift" in note]
    assert f"Of differences from row to row: p = {steps.pvalue:.2g}." in note
    assert rank_of(note) == "doubt"
    given = kmerf.independence(walks.assign(month=np.arange(80) % 12), "b", order=True, given="month", rng=1)
    (note,) = [note for note in given.notes if "drift" in note]
    assert "Test differences from row to row, table.diff() of the numeric columns, with order=True." in note


def test_the_answer_in_the_note_on_time_is_that_of_the_call_it_shows():
    rng = np.random.default_rng(7)
    days = pd.date_range("2024-01-01", periods=80)
    rows = pd.DataFrame({"day": days, "x": wave(0.95, 80, rng), "y": wave(0.95, 80, rng)})
    result = kmerf.independence(rows, "y", method="dcorr", rng=1)  # parts of the day are features here, not there
    asked = kmerf.independence(rows, "y", order="day", method="dcorr", rng=1)
    assert any(f"With order='day', which accounts for that: p = {asked.pvalue:.2g}" in note for note in result.notes)
    assert any("drift" in note for note in result.notes)
    only = kmerf.independence(rows[["day", "y"]], "y", method="dcorr", rng=1)
    assert not any("which accounts for that" in note for note in only.notes)


def test_columns_of_dates_and_units_keep_them_at_every_lag():
    rows = table().assign(when=lambda t: t["day"], month=lambda t: t["day"].dt.month)
    result = kmerf.independence(rows.drop(columns="day"), "river", order=True, lags=1, rng=1)
    assert {"rain (lag 1)", "when (weekday) (lag 1)"} <= set(result.features.names)


def test_steps_that_may_be_left_out_on_purpose_are_explained():
    rows = table(80).assign(day=pd.bdate_range("2024-01-01", periods=80))
    result = kmerf.independence(rows, "river", order="day", method="dcorr", rng=1)
    assert any("as trading days do, pass order=True." in note for note in result.notes)
