"""A result at a glance: the statistic among permuted ones, features with their p-values, and how y moves with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kmerf.core.errors import InputError, whole
from kmerf.core.level import LEVEL
from kmerf.figures.style import CHOSEN, COLOURS, PLAIN_BAR, label
from kmerf.show.numbers import PLAIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kmerf.results.closer_look import Details
    from kmerf.results.parts import FeatureTests, Importances, NullResult
    from kmerf.results.views import Profile


class Outcome(Protocol):
    """What is drawn of a `Result`."""

    @property
    def question(self) -> str: ...  # noqa: D102
    @property
    def method(self) -> str: ...  # noqa: D102
    @property
    def statistic(self) -> float: ...  # noqa: D102
    @property
    def pvalue(self) -> float: ...  # noqa: D102
    @property
    def null(self) -> NullResult: ...  # noqa: D102
    @property
    def importances(self) -> Importances | None: ...  # noqa: D102
    @property
    def features(self) -> FeatureTests | None: ...  # noqa: D102
    @property
    def details(self) -> Details | None: ...  # noqa: D102
    @property
    def groups(self) -> dict[str, int]: ...  # noqa: D102


def plot_result(result: Outcome, *, most: int = 15) -> Figure:
    """Draw the statistic among the permuted ones, and the importances of the `most` important features.

    A bar is the mean share of the gains over trees, its line the middle 95 % of trees; those with a family-wise
    p-value of 0.05 or less are coloured.

    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(40, 3))
    >>> small = kmerf.KMERF(kmerf.ForestSpec(n_trees=20))
    >>> figure = plot_result(kmerf.independence(x, x[:, 0], method=small, rng=1))
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['statistic', 'importance']
    """
    from matplotlib.figure import Figure

    whole("most", most)
    drawn = result.null.distribution is not None
    table = result.importances
    if not drawn and table is None:
        raise InputError("result has neither permuted statistics nor importances, so there is nothing to draw.")
    lines = 0 if table is None else min(most, len(table.names))
    panels = int(drawn) + int(table is not None)
    figure = Figure(figsize=(4.6 * panels, max(3.2, 0.9 + 0.26 * lines)), layout="constrained", dpi=150)
    axes = list(figure.subplots(1, panels, squeeze=False).flat)
    if drawn:
        _draw_null(axes.pop(0), result)
    if table is not None:
        _draw_importances(axes.pop(0), table, result.features, most)
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return figure


def plot_features(result: Outcome, *, columns: int = 3) -> Figure:
    """Draw how y, or the share of each group, moves with the most important features.

    Points are means of the rows in a bin of the feature's values (larger for more rows), lines what the forest predicts
    for those rows out of bag. It needs a result with `details=True`.

    >>> import kmerf
    >>> x = np.random.default_rng(0).normal(size=(60, 3))
    >>> result = kmerf.independence(x, x[:, 0], null=kmerf.ChiSquare(), details=True, rng=1)
    >>> plot_features(result).axes[0].get_xlabel()
    'x1'
    """
    from matplotlib.figure import Figure

    whole("columns", columns)
    profiles = () if result.details is None else result.details.profiles
    if not profiles:
        raise InputError(
            "result has no profiles of features: test with details=True and a forest that has rows out of bag."
        )
    across = min(columns, len(profiles))
    down = -(-len(profiles) // across)
    figure = Figure(figsize=(3.0 * across + 0.6, 2.4 * down + 0.6), layout="constrained", dpi=150)
    axes = list(figure.subplots(down, across, squeeze=False, sharey=True).flat)
    labels = tuple(result.groups)
    for ax, each in zip(axes, profiles, strict=False):
        _draw_profile(ax, each, labels)
    for ax in axes[len(profiles) :]:
        ax.set_visible(False)
    figure.supylabel("share of each group" if labels else "mean of y", fontsize=9)
    handles, names = axes[0].get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(handles, names, loc="outside upper center", ncols=min(6, len(names)), frameon=False, fontsize=8)
    return figure


def _draw_null(ax: Axes, result: Outcome) -> None:
    values = result.null.distribution
    assert values is not None
    ax.hist(values, bins=min(40, max(10, values.size // 8)), color=PLAIN_BAR, edgecolor="white", linewidth=0.4)
    ax.axvline(result.statistic, color=CHOSEN, linewidth=2)
    left, right = min(values.min(), result.statistic), max(values.max(), result.statistic)
    room = 0.06 * (right - left or 1.0)
    top = 1.22 * ax.get_ylim()[1]
    ax.set(xlim=(left - room, right + room), ylim=(0, top), xlabel="statistic", ylabel="permuted refits")
    late = result.statistic > (left + right) / 2
    model = " (extrapolated)" if result.null.extrapolated else ""
    observed = f"observed: {result.statistic:.3g}\np = {PLAIN.p(result.pvalue)}{model}"
    text: dict[str, Any] = {"va": "top", "fontsize": 8.5, "color": CHOSEN}
    at = result.statistic + (-1 if late else 1) * 0.015 * (right - left or 1.0)
    ax.text(at, 0.98 * top, observed, ha="right" if late else "left", **text)
    ax.set_title(f"{result.method}, {values.size} permutations", fontsize=10, loc="left")


def _draw_importances(ax: Axes, table: Importances, tests: FeatureTests | None, most: int) -> None:
    top = np.argsort(-table.mean, kind="stable")[:most]
    called = np.zeros(len(table.names), bool) if tests is None else tests.adjusted_fwer <= LEVEL
    for at, i in enumerate(top):
        ax.barh(at, table.mean[i], color=CHOSEN if called[i] else PLAIN_BAR, height=0.68)
        ax.plot([table.low[i], table.high[i]], [at, at], color="#444444", linewidth=1.0)
        if tests is not None:
            ax.text(
                1.02, at, PLAIN.p(tests.adjusted_fwer[i]), transform=ax.get_yaxis_transform(), va="center", fontsize=7.5
            )
    ax.set_yticks(np.arange(top.size), [label(table.names[i]) for i in top])
    ax.set(xlabel="importance", ylim=(top.size - 0.4, -0.6), xlim=(0, None))
    more = f", {top.size} of {len(table.names)}" if top.size < len(table.names) else ""
    ax.set_title(f"Features{more}; lines: 95 % of trees", fontsize=10, loc="left")
    if tests is not None:
        ax.text(1.02, 1.01, "p, family", transform=ax.transAxes, va="bottom", fontsize=7.5)


def _draw_profile(ax: Axes, profile: Profile, labels: tuple[str, ...]) -> None:
    from matplotlib.ticker import MaxNLocator

    numbers = ~np.isnan(profile.at)
    places = _places(profile, numbers)
    area = 8.0 + 40.0 * profile.size / profile.size.max()
    names = labels or tuple(f"column {k + 1}" for k in range(profile.observed.shape[1]))
    for k, name in enumerate(names[: len(COLOURS)]):
        colour = COLOURS[k]
        ax.scatter(places, profile.observed[:, k], s=area, color=colour, alpha=0.55, linewidths=0)
        dash: dict[str, Any] = {"linestyle": "", "marker": "_", "markersize": 14, "color": colour}
        ax.plot(places[numbers], profile.predicted[numbers, k], color=colour, linewidth=1.6, label=label(name))
        ax.plot(places[~numbers], profile.predicted[~numbers, k], **dash)
    if numbers.any():
        ax.xaxis.set_major_locator(MaxNLocator(4))
        if not numbers.all():
            ax.text(places[-1], 0.01, "missing", ha="center", fontsize=7, transform=ax.get_xaxis_transform())
    else:
        names = tuple(label(name, 10) for name in profile.labels)
        ax.set_xticks(places, names, rotation=45 if len(names) > 4 else 0)
        ax.margins(x=0.12)
    ax.set_xlabel(label(profile.feature), fontsize=9)
    ax.tick_params(labelsize=7.5)
    ax.spines[["top", "right"]].set_visible(False)


def _places(profile: Profile, numbers: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return where bins stand: numbers at their value, missing ones to the right of them, categories side by side."""
    if not numbers.any():
        return np.arange(profile.size.size, dtype=np.float64)
    known = profile.at[numbers]
    return np.where(numbers, profile.at, known.max() + 0.15 * (np.ptp(known) or 1.0))
