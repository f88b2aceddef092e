"""Progress bars: how long it will take, and no promise where that is not known."""

import time

import pytest

from kmerf.core import parallel, progress


def test_a_bar_says_how_long_it_will_take_before_the_first_piece_is_done(capsys, monkeypatch):
    bar = progress.Bar("test")
    monkeypatch.setattr(bar, "_begun", time.monotonic() - 2.0)  # what was observed took two seconds
    parallel.run(abs, range(100), progress=bar)
    lines = capsys.readouterr().err.split("\r")
    assert lines[1] == f"test [{'.' * 30}] 0/100  about 3 min left "
    assert lines[-1].startswith(f"test [{'#' * 30}] 100/100  2.")


def test_a_bar_promises_nothing_of_short_work(capsys):
    parallel.run(abs, range(3), progress=progress.Bar("test"))
    assert "about" not in capsys.readouterr().err


def test_what_is_said_after_an_interruption_has_a_line_of_its_own(capsys, monkeypatch):
    bar = progress.Bar("test")
    monkeypatch.setattr(bar, "_begun", time.monotonic() - 2.0)

    def stop(number):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parallel.run(stop, range(5), progress=bar)
    written = capsys.readouterr().err
    assert written.endswith("left \n")
    bar.interrupt()
    assert capsys.readouterr().err == ""  # once


def test_outside_of_notebooks_the_bar_is_text():
    assert not progress.in_notebook()
    assert type(progress.as_progress(True, "test")) is progress.Bar
    assert progress.as_progress(False) is progress.no_progress
