"""Pictures, each made by one call; matplotlib is imported only when one is drawn.

`answer` and `survival` draw what was found, and `plot_...` several things side by side; they return figures. `null`,
`importances`, `profile`, `map` and `compare` draw one thing each and return matplotlib's axes. With `ax=` they can be
arranged in one figure. All show themselves in notebooks.
Colours are those of Okabe and Ito, which differ for every kind of colour vision.

Each function makes a picture of `kmerf.pictures` and draws it. Those that take `ax=` draw there with your own settings
of matplotlib; without it, a new figure is made with the look of `kmerf.mplstyle`. `ax.figure.savefig("out.pdf")` writes
a vector file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kmerf import study
from kmerf.core.errors import InputError, choose, whole
from kmerf.pictures import of_answers, of_data, of_studies
from kmerf.show.numbers import PLAIN, p_is_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kmerf.pictures.vocabulary import Picture
    from kmerf.results.comparison_result import Comparison, Timeline
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Associations, Screen
    from kmerf.results.single_result import Result
    from kmerf.results.views import Description, Profile
    from kmerf.simulations.relations import Seed

__all__ = [
    "answer",
    "compare",
    "importances",
    "map",
    "null",
    "plot_associations",
    "plot_comparison",
    "plot_features",
    "plot_power",
    "plot_result",
    "plot_rotations",
    "plot_screen",
    "plot_simulations",
    "plot_study",
    "plot_tail",
    "plot_timeline",
    "profile",
    "survival",
]


def _draw(picture: Picture, ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Draw a picture on axes, or on a new figure of a size in inches; matplotlib is imported only here."""
    from kmerf.figures.canvas import axes_for, draw, styled

    if ax is not None:
        return draw(picture, ax)
    with styled():
        return draw(picture, axes_for(None, size))


def _figure(ax: Axes) -> Figure:
    from kmerf.figures.canvas import figure_of

    return figure_of(ax)


def null(result: Result, *, ax: Axes | None = None) -> Axes:
    """Draw the permuted statistics and the observed one; the axis is broken if that is far away.

    >>> import kmerf
    >>> result = kmerf.independence(range(20), range(20), method="dcorr", rng=1)
    >>> null(result).get_xlabel()
    'statistic'
    """
    return _draw(_null(result), ax, (4.6, 3.2))


def _null(result: Result) -> Picture:
    values = result.null.distribution
    if values is None:
        raise InputError("has no permuted statistics to draw", argument="result", remedy="test with null=Permutation()")
    words = f"observed: {result.statistic:.3g}\n{p_is_text(result.null, PLAIN)}"
    title = f"{result.method}, {values.size} permutations"
    return of_answers.null_distribution(values, result.statistic, words, title)


def importances(result: Result, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """Draw the `most` important features: bars for means, lines for their intervals, family-wise p-values.

    The intervals of gains are the middle 95 % of trees.
    """
    whole("most", most)
    table = result.importances
    if table is None:
        finding = f"has no importances: {result.method} has no forest"
        raise InputError(finding, argument="result", remedy="use method=KMERF()")
    height = max(3.2, 0.9 + 0.26 * min(most, len(table.names)))
    return _draw(of_answers.importances(table, result.features, most), ax, (4.6, height))


def profile(result: Result, feature: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw y along one feature, by default the most important: rows as points, and what forests predict out of bag.

    The band is twice the standard error to both sides. Categories have a box for the middle half of their rows. For
    groups, the share of each is drawn, and of two the share of the second. It needs a result with `details=True`, which
    has the most important features.
    """
    profiles = {each.feature: each for each in _profiles(result)}
    name = next(iter(profiles)) if feature is None else choose("feature", feature, list(profiles))
    return _draw(_profile(result, profiles[name]), ax, (3.6, 2.8))


def plot_features(result: Result, *, columns: int = 3) -> Figure:
    """Draw how y, or the share of each group, moves with the most important features, as `profile` does.

    Lines are what the forest predicts out of bag. It needs a result with `details=True`.

    >>> import numpy as np
    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(60, 3))
    >>> result = kmerf.independence(x, x[:, 0], null=kmerf.ChiSquare(), details=True, rng=1)
    >>> plot_features(result).axes[0].get_xlabel()
    'x1'
    """
    from kmerf.figures.canvas import grid

    whole("columns", columns)
    pictures = [_profile(result, each) for each in _profiles(result)]
    return grid(pictures, columns, (3.1, 2.6), y=pictures[0].y.label, sharey=True)


def _profiles(result: Result) -> Sequence[Profile]:
    profiles = () if result.details is None else result.details.profiles
    if not profiles:
        remedy = "test with details=True and a forest that has rows out of bag"
        raise InputError("has no profiles of features", argument="result", remedy=remedy)
    return profiles


def _profile(result: Result, each: Profile) -> Picture:
    points = None if result.details is None else result.details.points
    y = "group" if result.groups else _y_name(result) or "mean of y"
    look = of_answers.look_of(result)._replace(rows=False)
    return of_data.beside(each, points, list(result.groups), y, look=look)


def _y_name(result: Result) -> str:
    points = None if result.details is None else result.details.points
    return "" if points is None else points.y_names[0]


def map(result: Result, *, ax: Axes | None = None) -> Axes:
    """Draw the rows, close together where trees put them into the same leaves; it needs `details=True`."""
    embedding = None if result.details is None else result.details.embedding
    if embedding is None:
        remedy = "test with details=True and a forest that has rows out of bag"
        raise InputError("has no map of rows", argument="result", remedy=remedy)
    picture = of_answers.row_map(embedding, list(result.groups), _y_name(result) or "y")
    return _draw(picture, ax, (4.2, 3.6))


def survival(result: Result, *, ax: Axes | None = None) -> Figure:
    """Draw the share of rows without an event against time, by the most important column.

    Bands are 95 % intervals; below the axis are the numbers of rows at risk. The result must be of a censored y, with
    `details=True`. Numbers with more than five values are cut where the two sides differ most, so the distance of the
    curves is not a test. Of categories the five with most rows are drawn. Given z, rows are weighted so that z is
    spread alike in all curves.

    >>> import numpy as np
    >>> import kmerf
    >>> x = np.arange(40.0)
    >>> y = np.column_stack([50.0 - x, np.arange(40) % 4 > 0])
    >>> forest = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    >>> result = kmerf.independence(x, y, y_kind="censored", method=forest, details=True, rng=1)
    >>> survival(result).axes[0].get_xlabel()
    'y1'
    """
    curves = None if result.details is None else result.details.survival
    if curves is None:
        remedy = "test with y_kind='censored' and details=True"
        raise InputError("has no survival curves", argument="result", remedy=remedy)
    return _figure(_draw(of_answers.survival(curves), ax, (5.6, 4.2)))


def answer(result: Result, *, ax: Axes | None = None) -> Figure:
    """Draw the answer: the most important column beside y, with estimates, 95 % intervals, and numbers of rows.

    The title has the p-value, the effect with its interval, and the number of rows. Groups that were compared two by
    two have letters: those that share one do not differ. Given z, rows and means have z removed; with blocks, lines
    join the rows of a block. A censored y has curves of survival, and a y of several columns a picture for each. It
    needs a result with `details=True`. With `ax`, the first picture is drawn there.

    >>> import numpy as np
    >>> import kmerf
    >>> groups = np.repeat(["a", "b"], 20)
    >>> small = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    >>> result = kmerf.ksample(np.arange(40.0), groups=groups, method=small, details=True, rng=1)
    >>> [text.get_text() for text in answer(result).axes[0].get_xticklabels()]
    ['a', 'b']
    """
    pictures = of_answers.answer(result)
    if not pictures:
        remedy = "test with details=True and a forest that has rows out of bag"
        raise InputError("has no data to draw", argument="result", remedy=remedy)
    if ax is not None or len(pictures) == 1:
        return _figure(_draw(pictures[0], ax, (5.6, 4.2)))
    from kmerf.figures.canvas import grid

    figure = grid(pictures, 3, (3.1, 2.8))
    figure.suptitle(of_answers.title_of(result), fontsize=10)
    return figure


def compare(results: Mapping[str, Result], *, ax: Axes | None = None) -> Axes:
    """Draw several results under each other: how sure each is (the p-value) and, in words beside it, how strong.

    >>> import kmerf
    >>> results = {name: kmerf.independence(range(20), range(20), method=name, rng=1) for name in ("dcorr", "hsic")}
    >>> [text.get_text() for text in compare(results).get_yticklabels()]
    ['dcorr', 'hsic']
    """
    if not results:
        raise InputError("is empty", argument="results", remedy="pass one result or more, by name")
    picture = of_answers.compare(results)
    width, height = picture.size
    return _draw(picture, ax, (0.0115 * width, 0.01 * height))


def plot_result(result: Result, *, most: int = 15, ax: Axes | None = None) -> Figure:
    """Draw the answer, the statistic among the permuted ones, and the importances of the `most` important features.

    The answer is that of `kmerf.figures.answer`, if the result has details. A bar is the importance of a feature and
    its line an interval, as the title says; those with a family-wise p-value of 0.05 or less are coloured. A single
    feature has no importances. With `ax`, the first picture is drawn there; `kmerf.figures.answer`,
    `kmerf.figures.null` and `kmerf.figures.importances` draw each by itself.

    >>> import numpy as np
    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(40, 3))
    >>> small = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    >>> figure = plot_result(kmerf.independence(x, x[:, 0], method=small, rng=1))
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['statistic', 'importance (lost if permuted)']
    """
    whole("most", most)
    table = result.importances if result.p > 1 else None
    pictures = of_answers.answer(result)
    pictures += [] if result.null.distribution is None else [_null(result)]
    pictures += [] if table is None else [of_answers.importances(table, result.features, most)]
    if not pictures:
        finding = "has neither permuted statistics nor importances, so there is nothing to draw"
        ways = "report() shows its data" if result.adjustment else "test with null=Permutation() or method=KMERF()"
        raise InputError(finding, argument="result", remedy=ways)
    if ax is not None:
        return _figure(_draw(pictures[0], ax, (4.6, 3.2)))
    from kmerf.figures.canvas import grid

    lines = 0 if table is None else min(most, len(table.names))
    return grid(pictures, 3, (4.6, max(3.2, 0.9 + 0.26 * lines)), shared=False)


def plot_screen(result: Screen, *, labels: int = 20, ax: Axes | None = None) -> Figure:
    """Draw -log10 of the p-values in the order of the columns, and the p-value up to which columns are selected.

    Up to 30 columns are named on the axis; of more, the `labels` selected ones with the smallest p-values. A triangle
    is a p-value from a model of the tail; a cross on the axis is a column that could not be tested.

    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(30, 4))
    >>> figure = plot_screen(kmerf.screen(x, x[:, 0], method="dcorr", rng=1))
    >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
    ['x1', 'x2', 'x3', 'x4']
    """
    whole("labels", labels, at_least=0)
    return _figure(_draw(of_studies.screen(result, labels), ax, (9.0, 4.4)))


def plot_comparison(comparison: Comparison, *, most: int = 12) -> Figure:
    """Draw the columns with the clearest changes, old rows beside new ones."""
    from kmerf.figures.canvas import draw, new_figure, styled

    whole("most", most)
    columns = comparison.columns[:most]
    wide = min(4, len(columns))
    high = -(-len(columns) // wide)
    with styled():
        figure = new_figure(figsize=(2.9 * wide, 2.3 * high), layout="constrained")
        for k, column in enumerate(columns):
            changed = column.adjusted <= comparison.level or column.kind == "only jointly"
            draw(of_answers.overlay(column, changed=changed), figure.add_subplot(high, wide, k + 1), legend=k == 0)
    return figure


def plot_timeline(timeline: Timeline, *, ax: Axes | None = None) -> Figure:
    """Draw the AUC of each window with its interval, and where the change began."""
    if not timeline.windows:
        raise InputError("has no windows", argument="timeline", remedy="append one first")
    return _figure(_draw(of_answers.timeline(timeline), ax, (7.2, 3.0)))


def plot_associations(result: Associations, *, most: int = 40, ax: Axes | None = None) -> Figure:
    """Draw the effects of all pairs of columns as a heat map; the darker a square, the larger the effect.

    Columns that belong together stand side by side. Small grey squares are pairs that are not clearly related. If
    there are more than `most` columns, those with the largest effects are drawn.
    """
    picture = of_studies.heat_map(result, whole("most", most, at_least=2))
    width, height = (0.0108 * each for each in picture.size)
    return _figure(_draw(picture, ax, (max(5.0, width), max(4.4, height + 0.8))))


def plot_description(description: Description, *, columns: int = 4) -> Figure:
    """Draw what each column of a table holds: a histogram of numbers, or rows of the most frequent labels.

    >>> import kmerf
    >>> figure = plot_description(kmerf.describe({"dose": [0.5, 1.5, 0.7], "arm": ["a", "b", "a"]}))
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['dose', 'arm']
    """
    from kmerf.figures.canvas import grid

    whole("columns", columns)
    every = [of_data.column_alone(column, description.rows) for column in description.columns]
    pictures = [picture for picture in every if picture is not None]
    if not pictures:
        raise InputError("has no column that can be drawn", argument="description", remedy="see its remarks")
    return grid(pictures, columns, (2.6, 2.2), shared=False)


def plot_power_curve(curve: PowerCurve, *, ax: Axes | None = None) -> Figure:
    """Draw a power curve with its interval, the target, and the shares found in parts of the pilot."""
    return _figure(_draw(of_studies.power_curve(curve), ax, (5.2, 3.4)))


def plot_tail(pvalues: Mapping[str, NDArray[np.float64]], *, lowest: float = 1e-3, title: str = "") -> Figure:
    """Draw the share of p-values at or below each level against the level, both on a logarithmic scale.

    A test that keeps its level follows the diagonal; above it there are too many rejections. The grey band holds 95 %
    of what chance gives a test that keeps its level exactly, for the smallest number of p-values drawn.

    >>> figure = plot_tail({"uniform": np.random.default_rng(0).uniform(size=500)})
    >>> figure.axes[0].get_xlabel()
    'level'
    """
    return _figure(_draw(of_studies.tail(pvalues, lowest, title), None, (4.4, 4.0)))


def plot_study(
    plan: study.Study, path: str | os.PathLike[str], *, against: str = "p", rules: dict[str, str] | None = None
) -> Figure:
    """Draw the power of every test of a study from its store, against dimension ("p") or sample size ("n").

    A test is drawn by the empirical null unless `rules` names "pvalue" for it: `{"Dcorr": "pvalue"}`.
    """
    return plot_power(study.power(plan, path), against=against, rules=rules)


def plot_power(
    found: Sequence[study.Power], *, against: str = "p", rules: dict[str, str] | None = None, columns: int = 5
) -> Figure:
    """Draw powers with Monte Carlo intervals, one panel for each simulation and one line for each test.

    Lines differ in colour, marker and dash, so they can be told apart in grey and by the colour-blind. The first test
    is drawn last and thickest.

    >>> from kmerf.study import Power, Simulated
    >>> cells = [Power("KMERF", Simulated("linear", p=p), "pvalue", 0.05, 9, p, 0.1, (0, 1), (0, 1)) for p in (3, 5)]
    >>> [ax.get_title(loc="left") for ax in plot_power(cells, rules={"KMERF": "pvalue"}).axes if ax.get_visible()]
    ['Linear']
    """
    from kmerf.figures.canvas import grid

    choose("against", against, of_studies.AGAINST)
    cells = [cell for cell in found if cell.rule == (rules or {}).get(cell.test, "published")]
    if not cells:
        raise InputError("has no power for these rules", argument="found", remedy="see Power.rule")
    lines = {(cell.test, cell.rule): cell.test for cell in cells}
    pictures = [
        of_studies.power_panel(
            [cell for cell in cells if cell.data.name == name], lines, against, of_studies.simulation_title(name)
        )
        for name in dict.fromkeys(cell.data.name for cell in cells)
    ]
    y = f"power at level {cells[0].level:g}"
    return grid(pictures, columns, (2.3, 2.2), x=of_studies.AGAINST[against], y=y, sharey=True)


def plot_simulations(
    definition: str = "paper", rng: Seed = 0, *, kappa: float = 0.5, n_noisy: int = 100, n_clear: int = 1000
) -> Figure:
    """Draw all 20 relations: noisy points (light) over points without noise (dark).

    `kappa` is 0.5 because at 1, the default of `simulate`, a few noisy points set the scale and flatten the relation
    under them, the sines most. Noise terms without κ are as they are. In the last two relations nothing counts as
    noise, so both clouds have the same law.

    >>> len(plot_simulations(n_clear=50).axes)
    20
    """
    return _relations(of_studies.relations(definition, rng, kappa, n_noisy, n_clear))


def plot_rotations(angle: float = 10.0, definition: str = "paper", rng: Seed = 0, *, n: int = 1000) -> Figure:
    """Draw all 20 relations without noise (dark), and the same points turned by `angle` degrees (orange).

    As in `rotated` it is the raw coordinates that turn, counter-clockwise. Only then is each panel min-max
    normalised, both clouds together, so an angle is not drawn true where x and y have different ranges: the cubic,
    whose y runs a hundred times as far as its x, comes out as two lines.

    >>> len(plot_rotations(n=50).axes)
    20
    """
    return _relations(of_studies.rotations(angle, definition, rng, n))


def _relations(pictures: Sequence[Picture]) -> Figure:
    from kmerf.figures.canvas import grid

    return grid(pictures, 5, (2.3, 2.5), x="x", y="y", subplot_kw={"box_aspect": 1})
