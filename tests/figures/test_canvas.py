"""What pictures are drawn on."""

import numpy as np
from matplotlib.figure import Figure

import kmerf
from kmerf.figures.canvas import axes_for, draw, figure_of, grid, new_figure, styled
from kmerf.pictures import of_answers
from kmerf.pictures import vocabulary as v
from kmerf.pictures.of_data import column_alone
from kmerf.results.views import SurvivalCurve, SurvivalCurves


def test_axes_that_are_given_are_used_and_others_are_made_in_our_style():
    own = Figure()
    ax = own.subplots()
    assert axes_for(ax, (3, 2)) is ax
    assert figure_of(ax) is own
    made = axes_for(None, (3, 2))
    assert figure_of(made).get_size_inches().tolist() == [3.0, 2.0]
    assert not made.spines["right"].get_visible()
    assert new_figure().get_dpi() == 150


def boxes(texts):
    """Return where texts of a figure that was drawn are, in pixels."""
    return [text.get_window_extent() for text in texts if text.get_text()]


def apart(one, other):
    return one.x1 <= other.x0 + 1 or other.x1 <= one.x0 + 1 or one.y1 <= other.y0 + 1 or other.y1 <= one.y0 + 1


def test_legends_and_numbers_at_risk_cover_nothing_and_are_not_cut():
    times = np.linspace(10.0, 3000.0, 20)
    curves = [
        SurvivalCurve(name, 12_000, 7_000, times, np.linspace(1.0, 0.3, 20), at_risk=np.linspace(12_000, 1, 20))
        for name in ("Observation alone", "Levamisole", "Levamisole and 5-FU")
    ]
    picture = of_answers.survival(SurvivalCurves("treatment", "days", tuple(curves)))
    with styled():
        ax = draw(picture, axes_for(None, (5.6, 4.2)))
    figure = figure_of(ax)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    around, edge = legend.get_window_extent(), figure.bbox
    assert edge.x0 <= around.x0
    assert around.x1 <= edge.x1
    every = boxes([*ax.texts, *ax.get_xticklabels(), ax.xaxis.label])
    assert all(apart(around, box) for box in every)
    assert all(apart(a, b) for i, a in enumerate(every) for b in every[:i])
    assert all(box.x0 >= 0 for box in every)


def test_names_below_narrow_pictures_do_not_cover_each_other():
    table = {"conservation": np.repeat(["lc", "domesticated", "vu", "en"], 5), "dose": np.arange(20.0)}
    figure = kmerf.describe(table).plot()
    figure.draw_without_rendering()
    names = figure.axes[0].get_xticklabels()
    assert {text.get_rotation() for text in names} == {40.0}
    wide = axes_for(None, (9.0, 3.0))
    description = kmerf.describe(table)
    draw(column_alone(description.columns[0], description.rows), wide)
    assert {text.get_rotation() for text in wide.get_xticklabels()} == {0.0}


def test_the_legend_of_cells_has_their_colour():
    cells = v.Cells(np.ones(2), np.arange(2.0), np.array([0.2, 0.4]), 0.4, role="cells", group=6, label="not clearly")
    axes = v.Axis((0.0, 2.0)), v.Axis((-1.0, 2.0))
    ax = draw(v.Picture("", *axes, (cells,)), new_figure().subplots())
    (handle,), _ = ax.get_legend_handles_labels()
    assert handle.get_facecolor()[0, 3] == 0.4


def test_a_grid_leaves_few_places_empty():
    picture = v.Picture("", v.Axis((0.0, 1.0)), v.Axis((0.0, 1.0)), ())
    for count, columns, (down, across) in (
        (4, 3, (2, 2)),
        (9, 4, (3, 3)),
        (5, 3, (2, 3)),
        (1, 3, (1, 1)),
        (12, 4, (3, 4)),
    ):
        shape = grid([picture] * count, columns, (2.0, 2.0)).axes[0].get_gridspec().get_geometry()
        assert shape == (down, across)


def test_a_percent_sign_stays_with_its_number_in_a_title():
    title = "p <= 0.01; R2 of ranks 0.845 (95 % interval 0.751 to 0.927); 93 rows"
    for inches in (2.5, 3.0, 3.5, 4.0, 4.5):
        ax = draw(
            v.Picture("", v.Axis((0.0, 1.0)), v.Axis((0.0, 1.0)), (), title), new_figure(figsize=(inches, 2)).subplots()
        )
        assert "\n%" not in ax.get_title(loc="left")
