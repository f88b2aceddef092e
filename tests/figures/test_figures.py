"""One picture a call: axes in, axes out."""

import numpy as np
import pytest

import kmerf
import views
from kmerf import figures
from kmerf.figures.canvas import COLOURS, MARKERS, STYLE
from kmerf.results.parts import Effect

SMALL = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))


@pytest.fixture(scope="module")
def numeric():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    x[:5, 0] = np.nan
    y = np.nan_to_num(x[:, 0]) + 0.1 * rng.normal(size=60)
    return kmerf.independence(x, y, method=SMALL, null=kmerf.Permutation(39), details=True, rng=1)


@pytest.fixture(scope="module")
def grouped():
    x = np.random.default_rng(0).normal(size=(60, 3))
    x[30:] += 1.0
    return kmerf.ksample(x[:30], x[30:], method=SMALL, null=kmerf.Permutation(39), details=True, rng=1)


def drawings(result):
    return {
        "null": lambda **how: figures.null(result, **how),
        "importances": lambda **how: figures.importances(result, **how),
        "profile": lambda **how: figures.profile(result, **how),
        "map": lambda **how: figures.map(result, **how),
        "compare": lambda **how: figures.compare({"a": result, "b": result}, **how),
    }


@pytest.mark.parametrize("name", ["null", "importances", "profile", "map", "compare"])
def test_each_draws_on_the_axes_given_and_returns_them(numeric, grouped, name, tmp_path):
    from matplotlib.figure import Figure

    figure = Figure()
    for result, ax in zip((numeric, grouped), figure.subplots(1, 2), strict=True):
        drawn = drawings(result)[name](ax=ax)
        assert drawn is ax
        assert ax.has_data()
        assert ax.spines["top"].get_visible()  # the user's settings are kept
    own = drawings(numeric)[name]()
    assert not own.spines["top"].get_visible()  # our style file
    own.figure.savefig(tmp_path / "out.svg")
    vector = (tmp_path / "out.svg").read_text()
    assert "<text" in vector or name == "map"


def test_a_profile_has_the_rows_the_curve_and_a_band(numeric):
    ax = figures.profile(numeric, "x1")
    points, band = ax.collections
    assert len(points.get_offsets()) == 60
    assert len(band.get_paths()) == 1
    assert [text.get_text() for text in ax.get_xticklabels()][-1] == "missing"
    with pytest.raises(kmerf.InputError, match="feature='x9'"):
        figures.profile(numeric, "x9")


def test_the_axis_is_broken_if_the_observed_value_is_far_away():
    near, far = (figures.null(views.result(statistic=at)) for at in (1.5, 50.0))
    assert len(near.lines) == 1
    line, slashes = far.lines
    assert far.get_xlim()[1] < 3.0  # the permuted ones can still be seen
    assert max(slashes.get_xdata()) < line.get_xdata()[0]
    assert far.get_xticklabels()[-1].get_text() == "50"  # the value itself stands below its line
    assert "observed: 50" in far.texts[0].get_text()


def test_categories_have_rows_a_box_and_their_means():
    rng = np.random.default_rng(0)
    table = {"kind": rng.choice(["a", "b"], 60), "y": rng.normal(size=60)}
    how = {"method": SMALL, "null": kmerf.ChiSquare(), "categorical": ["kind"], "details": True, "rng": 1}
    ax = figures.profile(kmerf.independence(table, "y", **how))
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b"]
    assert sum(len(points.get_offsets()) for points in ax.collections) == 60 + 2  # rows, and two means
    assert len(ax.patches) == 2  # boxes
    assert len(ax.lines) == 4  # two medians, two intervals
    assert ax.get_ylabel() == "y"


def test_results_beside_each_other():
    ax = figures.compare({"one": views.result(1e-5, 0.4), "two": views.result(0.3)})
    assert [text.get_text() for text in ax.texts] == ["p = 1.0e-05, R2 0.400", "p = 0.300"]
    with pytest.raises(kmerf.InputError, match="results is empty"):
        figures.compare({})


def test_what_cannot_be_drawn_is_said():
    plain = views.result(null=views.null(size=None), importances=None)
    for draw, says in (
        (figures.null, "no permuted statistics"),
        (figures.importances, "no importances"),
        (figures.profile, "details=True"),
        (figures.map, "no map of rows"),
    ):
        with pytest.raises(kmerf.InputError, match=says):
            draw(plain)


def test_plots_take_axes(numeric):
    from matplotlib.figure import Figure

    figure = Figure()
    ax = figure.subplots()
    assert numeric.plot(ax=ax) is figure
    assert ax.get_xlabel() == numeric.details.profiles[0].feature  # the answer comes first
    other = Figure()
    assert views.screen().plot(ax=other.subplots()) is other


def seen(colour, kind):
    """Return a colour as people without red, green or blue cones see it."""
    matrices = {
        "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
        "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    }  # Machado, Oliveira and Fernandes (2009), severity 1, on linear light
    light = (np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255) ** 2.2
    return np.clip(np.array(matrices[kind]) @ light, 0, 1) ** (1 / 2.2)


@pytest.mark.parametrize("kind", ["protan", "deutan", "tritan"])
def test_groups_differ_for_every_kind_of_colour_vision(kind):
    shown = [seen(colour, kind) for colour in COLOURS]
    apart = [np.linalg.norm(a - b) for i, a in enumerate(shown) for b in shown[:i]]
    assert min(apart) > 0.1
    assert len(set(MARKERS)) == len(MARKERS) == len(COLOURS)  # and in grey, by their markers


def test_there_is_one_style_file():
    assert STYLE.exists()
    assert [path.name for path in STYLE.parent.glob("*.mplstyle")] == ["kmerf.mplstyle"]


def test_statistics_that_differ_only_by_rounding_can_be_drawn():
    ids = {"id": [f"p{k}" for k in range(20)], "y": np.random.default_rng(0).normal(size=20)}
    result = kmerf.independence(ids, "y", categorical=["id"], method="rv", rng=1)
    assert 0.0 < np.ptp(result.null.distribution) < 1e-12
    assert [patch.get_height() for patch in figures.null(result).patches] == [999.0]


def test_results_beside_each_other_are_named_by_what_they_measure():
    gained = Effect(measure="AUC", score=0.011, low=0.0, high=0.029, about="beyond z")
    ax = figures.compare({"one": views.result(0.065, effect=gained)})
    assert [text.get_text() for text in ax.texts] == ["p = 0.065, AUC gained over the covariates 0.011"]
    assert ax.figure.get_figwidth() > 6.0  # so that words leave space for the lines
