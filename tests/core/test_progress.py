"""Progress bars: how long it will take, and no promise where that is not known."""


import pytest

from kmerf.core import parallel, progress


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
