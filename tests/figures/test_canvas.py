"""What pictures are drawn on."""

from matplotlib.figure import Figure

from kmerf.figures.canvas import axes_for, figure_of, new_figure


def test_axes_that_are_given_are_used_and_others_are_made_in_our_style():
    own = Figure()
    ax = own.subplots()
    assert axes_for(ax, (3, 2)) is ax
    assert figure_of(ax) is own
    made = axes_for(None, (3, 2))
    assert figure_of(made).get_size_inches().tolist() == [3.0, 2.0]
    assert not made.spines["right"].get_visible()
    assert new_figure().get_dpi() == 150
