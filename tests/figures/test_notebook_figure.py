"""Figures show themselves."""

import os

import pytest

from kmerf import InputError
from kmerf.figures.canvas import new_figure


def test_a_figure_has_a_picture_and_keeps_its_text(tmp_path):
    figure = new_figure(figsize=(2, 1))
    figure.subplots().set_xlabel("plain letters")
    assert figure._repr_png_().startswith(b"\x89PNG")
    figure.savefig(tmp_path / "out.svg")
    assert "plain letters" in (tmp_path / "out.svg").read_text()  # not only the shapes of its letters


def test_a_picture_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    figure = new_figure(figsize=(2, 1))
    for name in ("out.png", "out.pdf", "out.svg"):
        place = tmp_path / name
        place.write_text("before")

        def fail(*paths):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", fail)
            with pytest.raises(InputError, match=r"out\..* could not be written \(No space left on device\)"):
                figure.savefig(place)
        assert place.read_text() == "before"
        figure.savefig(place)
        assert place.read_bytes()[:5] in (b"\x89PNG\r", b"%PDF-", b"<?xml")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.pdf", "out.png", "out.svg"]


def test_names_without_an_ending_and_formats_are_as_in_matplotlib(tmp_path):
    figure = new_figure(figsize=(2, 1))
    figure.savefig(tmp_path / "plain")
    figure.savefig(str(tmp_path / "other"), format="svg")
    assert (tmp_path / "plain.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "other").read_bytes().startswith(b"<?xml")
    with pytest.raises(InputError, match="fname='a\\\\x00b' holds a null character"):
        figure.savefig("a\0b")
