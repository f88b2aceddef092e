from __future__ import annotations

import io
import os
import subprocess
import sys

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.figures import plot_rotations, plot_simulations
from kmerf.simulations import SIMULATIONS

TITLES = [entry.title for entry in SIMULATIONS.values()]


def clouds(figure, name):
    ax = figure.axes[list(SIMULATIONS).index(name)]
    return [np.asarray(c.get_offsets()) for c in ax.collections]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.fixture(scope="module")
def relations():
    return plot_simulations()


def test_twenty_panels_with_both_clouds(relations):
    assert [ax.get_title(loc="left").replace("\n", " ") for ax in relations.axes] == TITLES
    assert legend(relations) == ["without noise", "with noise"]
    for ax in relations.axes:
        assert [len(c.get_offsets()) for c in ax.collections] == [1000, 100]


def test_dark_points_are_the_relation(relations):
    clear, noisy = clouds(relations, "circle")
    np.testing.assert_allclose((clear**2).sum(axis=1), 1)
    assert np.ptp((noisy**2).sum(axis=1)) > 0.5
    clear, _ = clouds(relations, "spiral")
    u = np.hypot(*clear.T)
    np.testing.assert_allclose(clear[:, 0], u * np.cos(np.pi * u), atol=1e-9)


def test_kappa_and_definition_reach_the_data():
    quiet = plot_simulations("published", kappa=0.0, n_clear=20, n_noisy=30)
    clear, noisy = clouds(quiet, "joint_normal")
    assert clear.shape == (20, 2)
    assert noisy.shape == (30, 2)
    np.testing.assert_array_equal(noisy[:, 0], noisy[:, 1])
    with pytest.raises(InputError, match="definition='both'"):
        plot_simulations("both")


def test_same_seed_same_picture(relations):
    again, other = plot_simulations(), plot_simulations(rng=1)
    np.testing.assert_array_equal(clouds(again, "linear")[0], clouds(relations, "linear")[0])
    assert not np.array_equal(clouds(other, "linear")[0], clouds(relations, "linear")[0])


def test_rotations_are_normalised_turns_of_the_same_points():
    figure = plot_rotations(angle=25.0, n=200)
    assert [ax.get_title(loc="left").replace("\n", " ") for ax in figure.axes] == TITLES
    assert legend(figure) == ["as drawn", "turned by 25°"]
    for name in SIMULATIONS:
        both = np.vstack(clouds(figure, name))
        assert both.shape == (400, 2)
        np.testing.assert_allclose([both.min(axis=0), both.max(axis=0)], [[0, 0], [1, 1]], atol=1e-12)
    # The line y = x is turned from 45 to 70 degrees; scaling both clouds alike keeps the ratio of their slopes.
    drawn, turned = (np.polyfit(*cloud.T, 1)[0] for cloud in clouds(figure, "linear"))
    assert turned / drawn == pytest.approx(np.tan(np.radians(70)), rel=1e-6)


def test_pictures_can_be_saved():
    for figure in (plot_simulations(n_clear=50), plot_rotations(n=50)):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=40)
        assert buffer.getvalue().startswith(b"\x89PNG")


def test_matplotlib_is_imported_late_and_pyplot_never():
    code = """
import sys
import kmerf.figures as figures
assert "matplotlib" not in sys.modules
figures.plot_rotations(n=20).savefig(__import__("io").BytesIO(), dpi=20)
assert "matplotlib.pyplot" not in sys.modules
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
