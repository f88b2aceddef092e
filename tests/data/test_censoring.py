"""Scores of times and events, by their definition and against statsmodels, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from kmerf import InputError
from kmerf.data.sample import Followed, life_table, log_rank_scores, take_rows
from kmerf.reading.samples import read_independence

RNG = np.random.default_rng(3)
N = 60
TIME = np.round(RNG.exponential(5, N), 0) + 1  # with ties
EVENT = (RNG.random(N) < 0.6).astype(float)
FOLLOWED = Followed(TIME, EVENT)
X = RNG.normal(size=(N, 2))


def by_definition(weighted):
    """Go through all times for each row."""
    scores = []
    for t, d in zip(TIME, EVENT, strict=True):
        score, alive = 0.0, 1.0
        for s in sorted(set(TIME)):
            if s > t:
                break
            hazard = EVENT[s == TIME].sum() / (s <= TIME).sum()
            weight = 1 - 2 * alive if weighted else 1.0
            score += (d * weight if s == t else 0.0) - weight * hazard
            alive *= 1 - hazard
        scores.append(score)
    return np.array(scores)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_the_definition(weighted):
    raw = by_definition(weighted)
    found = log_rank_scores(FOLLOWED)[:, int(weighted)]
    np.testing.assert_allclose(found, (raw - raw.mean()) / raw.std(), atol=1e-12)


def test_the_first_score_makes_the_log_rank_test_of_statsmodels():
    from statsmodels.duration.survfunc import survdiff

    group = X[:, 0] > 0.3
    apart = by_definition(False)[group].sum()  # observed less expected events
    variance = 0.0
    for s in np.unique(TIME):
        risk, events = s <= TIME, EVENT[s == TIME].sum()
        n, share = risk.sum(), group[risk].mean()
        variance += events * share * (1 - share) * (n - events) / (n - 1) if n > 1 else 0.0
    assert apart**2 / variance == pytest.approx(survdiff(TIME, EVENT, group)[0])
    scores = log_rank_scores(FOLLOWED)[:, 0]
    assert scores[group].sum() * by_definition(False).std() == pytest.approx(apart)


def test_the_share_without_an_event_is_that_of_statsmodels():
    from statsmodels.duration.survfunc import SurvfuncRight

    theirs, ours = SurvfuncRight(TIME, EVENT), life_table(FOLLOWED)
    at = np.searchsorted(ours.times, theirs.surv_times)
    np.testing.assert_allclose(ours.surviving[at], theirs.surv_prob, atol=1e-12)


def test_only_the_order_of_times_counts_and_rows_keep_their_scores_in_any_order():
    found = log_rank_scores(FOLLOWED)
    np.testing.assert_allclose(log_rank_scores(Followed(TIME**3, EVENT)), found, atol=1e-12)
    order = RNG.permutation(N)
    np.testing.assert_allclose(log_rank_scores(FOLLOWED.take(order)), found[order], atol=1e-12)


def test_a_sample_has_the_scores_of_the_rows_that_are_left():
    table = pd.DataFrame({"week": TIME, "arrest": EVENT == 1, "a": X[:, 0]})
    sample = read_independence(table, ("week", "arrest"), y_kind="censored")
    assert sample.x.names == ("a",)
    assert sample.y.names == ("week, log-rank score", "week, early-late score")
    assert sample.y.kind == "censored"
    np.testing.assert_array_equal(sample.y.values, log_rank_scores(FOLLOWED))
    table.loc[:4, "week"] = np.nan
    left = read_independence(table, ("week", "arrest"), y_kind="censored")
    np.testing.assert_array_equal(left.y.values, log_rank_scores(Followed(TIME[5:], EVENT[5:])))
    arrays = read_independence(X, np.column_stack([TIME, EVENT]), y_kind="censored")
    np.testing.assert_array_equal(arrays.y.values, sample.y.values)
    part = take_rows(sample, np.array([5, 2]))
    assert part.y.followed.time.tolist() == TIME[[5, 2]].tolist()


def test_times_and_events_may_come_apart_or_in_a_structured_array():
    expected = read_independence(X, np.column_stack([TIME, EVENT]), y_kind="censored").y.values
    fields = np.array(list(zip(EVENT == 1, TIME, strict=True)), dtype=[("died", bool), ("days", float)])
    series = pd.Series(TIME, name="days"), pd.Series(EVENT == 1, name="died")
    for y in ((TIME, EVENT), [TIME.tolist(), (EVENT == 1).tolist()], (TIME, EVENT == 1), fields, series):
        sample = read_independence(X, y, y_kind="censored")
        np.testing.assert_array_equal(sample.y.values, expected)
    assert sample.y.columns == ("days", "died")
    assert read_independence(X, fields, y_kind="censored").y.columns == ("days", "died")
    nameless = pd.Series(TIME), pd.Series(EVENT)
    assert read_independence(X, nameless, y_kind="censored").y.columns == ("time", "event")


def test_series_that_come_apart_are_put_in_the_order_of_the_index_of_x():
    x = pd.DataFrame(X, columns=["a", "b"], index=np.arange(N) + 100)
    order = RNG.permutation(N)
    y = pd.Series(TIME, index=x.index, name="t").iloc[order], pd.Series(EVENT, index=x.index, name="e").iloc[order]
    sample = read_independence(x, y, y_kind="censored")
    np.testing.assert_array_equal(sample.y.followed.time, TIME)
    assert "The rows of y were reordered to match the index of x." in sample.notes
    in_dictionary = read_independence(x, {"t": y[0], "e": y[1]}, y_kind="censored")
    np.testing.assert_array_equal(in_dictionary.y.values, sample.y.values)


def test_two_columns_that_look_like_it_are_pointed_out():
    both = np.column_stack([TIME, EVENT])
    assert any("pass y_kind='censored' to read it so" in note for note in read_independence(X, both).notes)
    for y in (np.column_stack([TIME - 5, EVENT]), np.column_stack([TIME, TIME]), X):
        assert not any("censored" in note for note in read_independence(X, y).notes)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (TIME, r"y has 1 column \('y'\) with y_kind='censored': pass two, the time and then the event"),
        (np.column_stack([-TIME, EVENT]), "column 'y1' holds -.*, and a time is a number of at least 0"),
        (np.column_stack([TIME, TIME]), "column 'y2' holds .*, and an event is 1 or true"),
        (np.column_stack([TIME, 0 * TIME]), "column 'y2' has no events, and a test needs 2"),
        (np.column_stack([TIME, np.arange(N) == 3]), "column 'y2' has 1 event, and a test needs 2"),
        (
            pd.DataFrame({"t": ["5", "9"] * (N // 2), "e": EVENT}),
            "column 't' is text, such as '5', and times are numbers: convert it to numbers",
        ),
        (
            pd.DataFrame({"t": EVENT == 1, "e": TIME}),
            "column 't' is true or false, and a time is a number of at least 0: pass the time first, then the event",
        ),
        (np.column_stack([EVENT, TIME]), "column 'y2' holds .*: pass the time first, then the event"),
        (
            pd.DataFrame({"t": TIME, "e": ["dead", "alive"] * (N // 2)}),
            "column 'e' holds 'alive', and an event is 1 or true, a censored row 0 or false: say which value is the "
            r"event, such as table.assign\(event=table\['e'\] == 'dead'\)",
        ),
        (
            pd.DataFrame({"t": TIME, "status": 1 + EVENT}),
            r"column 'status' holds 2, .* such as table.assign\(event=table\['status'\] == 2\)",
        ),
        ((TIME, EVENT[1:]), "y has columns of different lengths, 59 to 60"),
        (np.column_stack([TIME, np.arange(N)]), "column 'y2' holds 2, .*: pass a column that says which rows had the"),
    ],
)
def test_messages(y, message):
    with pytest.raises(InputError, match=message):
        read_independence(X, y, y_kind="censored")
