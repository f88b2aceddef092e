"""The picture of a power curve."""

import numpy as np

from power_curves import made_curve


def test_the_picture_has_the_curve_the_parts_and_the_rows_needed():
    curve = made_curve(low=(0.1, 0.3, 0.85), tried_sizes=(25, 50, 100), tried_power=(0.2, 0.5, 1.0))
    figure = curve.plot()
    (ax,) = figure.axes
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(lines["power"].get_ydata(), curve.fine[1])
    parts = next(each for each in ax.collections if each.get_label() == "parts of the pilot")
    np.testing.assert_array_equal(parts.get_offsets()[:, 0], [25, 50])
    assert [text.get_text() for text in ax.texts] == ["200"]
    assert ax.get_xscale() == "log"
    figure.draw_without_rendering()
    shown = {text.get_text() for text in ax.get_xticklabels(which="both")}
    assert {"50", "100", "200"} <= shown
    assert not any("times" in text for text in shown)


def test_axes_of_the_user_are_used_and_no_rows_are_marked_where_none_are_enough():
    ax = made_curve().plot().axes[0]
    ax.clear()
    for unknown in (made_curve(power=(0.1, 0.1, 0.2)), made_curve()):  # not conclusive either
        figure = unknown.plot(ax=ax)
        assert figure.axes == [ax]
        assert len(ax.texts) == 0
