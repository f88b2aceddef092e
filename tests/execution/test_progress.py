"""Progress bars: how long it will take, and no promise where that is not known."""

import pytest

from kmerf.execution import parallel, progress


def test_a_bar_goes_by_the_pieces_and_not_by_what_came_before(capsys, monkeypatch):
    clock = iter([0.0, 100.0, 101.0, 110.0])  # made; begun, after compiling; one piece; all ten
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    bar = progress.Bar("test")
    bar.begin(10)
    bar(1, 10)
    bar(10, 10)
    lines = capsys.readouterr().err.split("\r")
    assert lines[1] == f"test [{'.' * 30}] 0/10  "
    assert lines[2].endswith("1/10  9 s left ")
    assert lines[3].endswith("10/10  10.0 s\n")


def test_a_bar_promises_nothing_before_the_first_piece(capsys):
    parallel.run(abs, range(3), progress=progress.Bar("test"))
    assert "about" not in capsys.readouterr().err


def test_what_is_said_after_an_interruption_has_a_line_of_its_own(capsys):
    bar = progress.Bar("test")

    def stop(number):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parallel.run(stop, range(5), progress=bar)
    written = capsys.readouterr().err
    assert written.endswith("0/5  \n")
    bar.interrupt()
    assert capsys.readouterr().err == ""  # once


def test_outside_of_notebooks_the_bar_is_text():
    assert not progress.in_notebook()
    assert type(progress.as_progress(True, "test")) is progress.Bar
    assert progress.as_progress(False) is progress.no_progress


def forecast(monkeypatch, seconds, total, first=0.0):
    """Return what is said where each piece takes so many seconds, and the first one some more."""
    said, shown, clock = [], [], [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    watch = progress.Forecast(lambda done, total: shown.append(done), "Quicker: less.", said.append)
    clock[0] = 500.0
    watch.begin(total)
    for done in range(1, total + 1):
        clock[0] += seconds + (first if done == 1 else 0.0)
        watch(done, total)
    assert shown == list(range(1, total + 1))
    return said


def test_long_work_is_announced_once_from_its_first_pieces(monkeypatch):
    assert forecast(monkeypatch, 1.0, 99) == ["This may take up to 95 s. Quicker: less."]
    assert forecast(monkeypatch, 30.0, 99) == ["This may take up to 49 min. Quicker: less."]
    assert forecast(monkeypatch, 0.1, 99) == []


def test_a_first_piece_that_loads_code_does_not_count(monkeypatch):
    assert forecast(monkeypatch, 0.1, 99, first=3.0) == []


def test_it_is_said_on_standard_error(capsys, monkeypatch):
    monkeypatch.setattr(progress.Forecast, "LONG", 0.0)
    parallel.run(abs, range(5), progress=progress.Forecast(progress.no_progress, "Quicker: less."))
    assert capsys.readouterr().err == "\nThis may take up to 0 s. Quicker: less.\n"


@pytest.mark.parametrize(("shown", "said"), [(False, "news\n"), (True, "news\n"), (progress.no_progress, "")])
def test_announcements_are_kept_from_those_who_show_progress_themselves(shown, said, capsys):
    progress.as_progress(shown)
    progress.announce("news")
    progress.as_progress(False)
    assert capsys.readouterr().err == said
