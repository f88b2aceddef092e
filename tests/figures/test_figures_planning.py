"""The picture of a power curve."""

import numpy as np

from power_curves import made_curve


def test_the_picture_has_the_curve_the_parts_and_the_rows_needed():
    figure = made_curve().plot()
    (ax,) = figure.axes
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(lines["power"].get_ydata(), made_curve().power)
    np.testing.assert_array_equal(lines["parts of the pilot"].get_xdata(), [25, 50])
    assert [text.get_text() for text in ax.texts] == ["200"]
    assert ax.get_xscale() == "log"


def test_axes_of_the_user_are_used_and_no_rows_are_marked_where_none_are_enough():
    ax = made_curve().plot().axes[0]
    ax.clear()
    figure = made_curve(power=(0.1, 0.1, 0.2)).plot(ax=ax)
    assert figure.axes == [ax]
    assert len(ax.texts) == 0
