"""Pictures of the lower tail of p-values."""

import numpy as np
import pytest

from kmerf.figures import plot_tail


def test_the_share_of_p_values_at_or_below_each_level():
    pvalues = np.repeat([0.004, 0.5], [30, 70])
    (ax,) = plot_tail({"ours": pvalues}).axes
    line = next(line for line in ax.get_lines() if line.get_label() == "ours")
    levels, share = line.get_xdata(), line.get_ydata()
    assert np.isnan(share[levels < 0.004]).all()
    np.testing.assert_allclose(share[(levels >= 0.004) & (levels < 0.5)], 0.3)
    assert share[-1] == 1.0


def test_the_levels_of_decisions_are_marked():
    ax = plot_tail({"a": np.linspace(0.0, 1.0, 50), "b": np.linspace(0.0, 1.0, 90)}, title="t").axes[0]
    dotted = [line.get_xdata()[0] for line in ax.get_lines() if line.get_linestyle() == ":"]
    assert dotted == [0.01, 0.05]
    assert ax.get_title(loc="left") == "t"
    assert ax.get_xlim()[0] == pytest.approx(1e-3)
