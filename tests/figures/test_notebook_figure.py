"""Figures show themselves."""

from kmerf.figures.canvas import new_figure


def test_a_figure_has_a_picture_and_keeps_its_text(tmp_path):
    figure = new_figure(figsize=(2, 1))
    figure.subplots().set_xlabel("plain letters")
    assert figure._repr_png_().startswith(b"\x89PNG")
    figure.savefig(tmp_path / "out.svg")
    assert "plain letters" in (tmp_path / "out.svg").read_text()  # not only the shapes of its letters
