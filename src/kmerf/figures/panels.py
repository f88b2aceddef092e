"""Pictures of a result, one a call: the null, the features, y along one of them, the rows, several results.

Each takes `ax=`, draws there with your own settings of matplotlib, and returns the axes; without it, a new figure is
made with the look of `kmerf.mplstyle`. `ax.figure.savefig("out.pdf")` writes a vector file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kmerf.core.arrays import without_rounding
from kmerf.core.errors import InputError, choose, whole
from kmerf.core.settings import LEVEL
from kmerf.figures.canvas import CHOSEN, COLOURS, GREY, MARKERS, PLAIN_BAR, axes_for, label
from kmerf.show.numbers import PLAIN, p_is_text, shown
from kmerf.show.tables import spread_head

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kmerf.results.parts import Effect, FeatureTests, Importances, NullResult
    from kmerf.results.views import Details, Profile

FAR = 1.5  # ranges of the permuted statistics beyond which the observed one is only pointed at
LEVELS = 12  # categories, those with most rows


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
    @property
    def effect(self) -> Effect | None: ...  # noqa: D102


def null(result: Outcome, *, ax: Axes | None = None) -> Axes:
    """Draw the permuted statistics and the observed one; where that is far away, an arrow points to it.

    >>> import kmerf
    >>> result = kmerf.independence(range(20), range(20), method="dcorr", rng=1)
    >>> null(result).get_xlabel()
    'statistic'
    """
    values = result.null.distribution
    if values is None:
        raise InputError("result has no permuted statistics to draw: test with null=Permutation().")
    values, statistic = without_rounding(values, result.statistic)
    ax = axes_for(ax, (4.6, 3.2))
    ax.hist(values, bins=min(40, max(10, values.size // 8)), color=PLAIN_BAR, edgecolor="white", linewidth=0.4)
    low, high = float(values.min()), float(values.max())
    far = high > low and statistic > high + FAR * (high - low)
    left, right = min(low, statistic), high + 0.6 * (high - low) if far else max(high, statistic)
    room = 0.06 * (right - left or 1.0)
    top = 1.22 * ax.get_ylim()[1]
    ax.set(xlim=(left - room, right + room), ylim=(0, top), xlabel="statistic", ylabel="permuted refits")
    observed = f"observed: {statistic:.3g}\n{p_is_text(result.null, PLAIN)}"
    text: dict[str, Any] = {"va": "top", "color": CHOSEN}
    if far:
        ax.text(right + room, 0.98 * top, observed, ha="right", **text)
        arrow = {"arrowstyle": "->", "color": CHOSEN, "linewidth": 2}
        ax.annotate("", (right + room, 0.5 * top), (high + 0.25 * (high - low), 0.5 * top), arrowprops=arrow)
    else:
        ax.axvline(statistic, color=CHOSEN, linewidth=2)
        late = statistic > (left + right) / 2
        at = statistic + (-1 if late else 1) * 0.015 * (right - left or 1.0)
        ax.text(at, 0.98 * top, observed, ha="right" if late else "left", **text)
    ax.set_title(f"{result.method}, {values.size} permutations", loc="left")
    return ax


def importances(result: Outcome, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """Draw the `most` important features: bars for means, lines for their intervals, family-wise p-values.

    The intervals of gains are the middle 95 % of trees.
    """
    whole("most", most)
    table, tests = result.importances, result.features
    if table is None:
        raise InputError(f"result has no importances: {result.method} has no forest. Use method=KMERF().")
    top = np.argsort(-table.mean, kind="stable")[:most]
    ax = axes_for(ax, (4.6, max(3.2, 0.9 + 0.26 * top.size)))
    called = np.zeros(len(table.names), bool) if tests is None else tests.adjusted_fwer <= LEVEL
    for at, i in enumerate(top):
        ax.barh(at, table.mean[i], color=CHOSEN if called[i] else PLAIN_BAR, height=0.68)
        ax.plot([table.low[i], table.high[i]], [at, at], color="#444444", linewidth=1.0)
        if tests is not None:
            beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": "small"}
            ax.text(1.02, at, PLAIN.p(tests.adjusted_fwer[i], tests.smallest), **beside)
    ax.set_yticks(np.arange(top.size), [label(table.names[i]) for i in top])
    loss = table.measure == "loss"
    what = "importance (lost if shuffled)" if loss else "importance"
    ax.set(xlabel=what, ylim=(top.size - 0.4, -0.6), xlim=(min(0.0, float(table.low[top].min())), None))
    more = f", {top.size} of {len(table.names)}" if top.size < len(table.names) else ""
    ax.set_title(f"Features{more}; lines: {spread_head(table)}", loc="left")
    if tests is not None:
        ax.text(1.02, 1.01, "p, family", transform=ax.transAxes, va="bottom", fontsize="small")
    return ax


def profile(result: Outcome, feature: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw y along one feature, by default the most important: rows as points, and what forests predict out of bag.

    The band is twice the standard error to both sides. For groups, the share of each is drawn. It needs a result with
    `details=True`, which has the most important features.
    """
    known = {} if result.details is None else {each.feature: each for each in result.details.profiles}
    if not known:
        raise InputError(
            "result has no profiles of features: test with details=True and a forest that has rows out of bag."
        )
    each = known[next(iter(known)) if feature is None else choose("feature", feature, list(known))]
    ax = axes_for(ax, (3.6, 2.8))
    _draw_profile(ax, each, result)
    ax.set(xlabel=label(each.feature), ylabel=y_label(result))
    return ax


def y_label(result: Outcome) -> str:
    """Return what the axis of y is called."""
    if result.groups:
        return "share of each group"
    points = None if result.details is None else result.details.points
    return "mean of y" if points is None else label(points.y_names[0])


def row_map(result: Outcome, *, ax: Axes | None = None) -> Axes:
    """Draw the rows, close together where trees put them into the same leaves; it needs `details=True`."""
    embedding = None if result.details is None else result.details.embedding
    if embedding is None:
        raise InputError("result has no map of rows: test with details=True and a forest that has rows out of bag.")
    ax = axes_for(ax, (4.2, 3.6))
    x, y = embedding.points.T
    if result.groups:
        for k, name in enumerate(result.groups):
            mine = embedding.y == k
            style = k % len(COLOURS)
            ax.scatter(x[mine], y[mine], s=14, color=COLOURS[style], marker=MARKERS[style], label=label(name))
        ax.legend()
    else:
        dots = ax.scatter(x, y, s=14, c=embedding.y, cmap="viridis")
        ax.figure.colorbar(dots, ax=ax, label=y_label(result).removeprefix("mean of "))
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.set_title(f"Rows by likeness ({100 * sum(embedding.shares):.0f} % of it)", loc="left")
    return ax


def compare(results: Mapping[str, Outcome], *, ax: Axes | None = None) -> Axes:
    """Draw several results under each other: how sure each is (the p-value) and, in words beside it, how strong.

    >>> import kmerf
    >>> results = {name: kmerf.independence(range(20), range(20), method=name, rng=1) for name in ("dcorr", "hsic")}
    >>> [text.get_text() for text in compare(results).get_yticklabels()]
    ['dcorr', 'hsic']
    """
    if not results:
        raise InputError("results is empty: pass one result or more, by name.")
    ax = axes_for(ax, (4.6, 0.9 + 0.36 * len(results)))
    for at, result in enumerate(results.values()):
        height = -np.log10(max(result.null.bound or result.pvalue, 1e-16))
        ax.plot([0, height], [at, at], color=PLAIN_BAR, linewidth=1.4, zorder=1)
        chosen = result.pvalue <= LEVEL
        ax.plot(height, at, "o" if chosen else "s", color=CHOSEN if chosen else GREY, markersize=6)
        effect = result.effect
        strong = (
            ""
            if effect is None or effect.score is None
            else f", {effect.measure} {PLAIN.decimal(shown(effect, effect.score, effect.measure), 2)}"
        )
        beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": "small"}
        ax.text(1.02, at, f"{p_is_text(result.null, PLAIN)}{strong}", **beside)
    ax.axvline(-np.log10(LEVEL), color=GREY, linestyle="--", linewidth=1.0)
    ax.set_yticks(np.arange(len(results)), [label(name) for name in results])
    ax.set(xlabel="-log10 p-value (dashed: 0.05)", ylim=(len(results) - 0.4, -0.6), xlim=(0, None))
    return ax


def _draw_profile(ax: Axes, profile: Profile, result: Outcome) -> None:
    numbers = ~np.isnan(profile.at)
    shown = np.sort(np.argsort(-profile.size, kind="stable")[:LEVELS]) if not numbers.any() else np.arange(numbers.size)
    numbers, places = numbers[shown], _places(profile, shown, numbers[shown])
    labels = tuple(result.groups)
    names = labels or ("prediction",)
    area = 8.0 + 40.0 * profile.size[shown] / profile.size.max()
    raw = None if labels else _raw(profile, result)
    if raw is not None:
        across, up = raw if numbers.any() else _beside(raw, profile, result, shown)
        ax.scatter(across, up, s=6, color=COLOURS[0], alpha=0.35, linewidths=0)
    for k, name in enumerate(names[: len(COLOURS)]):
        colour, mean = COLOURS[k] if labels else CHOSEN, profile.predicted[shown, k]
        if raw is None:
            ax.scatter(places, profile.observed[shown, k], s=area, color=colour, alpha=0.55, linewidths=0)
        dash: dict[str, Any] = {"linestyle": "", "marker": "_", "markersize": 14, "color": colour}
        ax.plot(places[numbers], mean[numbers], color=colour, linewidth=1.6, label=label(name))
        ax.plot(places[~numbers], mean[~numbers], **dash)
        if profile.error is not None and not labels:
            half = 2 * np.nan_to_num(profile.error[shown, k])
            band: dict[str, Any] = {"color": colour, "alpha": 0.2, "linewidth": 0}
            ax.fill_between(places[numbers], (mean - half)[numbers], (mean + half)[numbers], **band)
    _profile_ticks(ax, profile, shown, places, numbers)


def _profile_ticks(
    ax: Axes, profile: Profile, shown: NDArray[Any], places: NDArray[np.float64], numbers: NDArray[np.bool_]
) -> None:
    from matplotlib.ticker import MaxNLocator

    if numbers.any():
        whole_numbers = bool((profile.at[shown][numbers] % 1 == 0).all())
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=whole_numbers))
        if not numbers.all():
            ax.text(places[-1], 0.01, "missing", ha="center", fontsize="small", transform=ax.get_xaxis_transform())
    else:
        names = tuple(label(profile.labels[b], 20) for b in shown)
        turned = len(names) > 4
        ax.set_xticks(places, names, rotation=40 if turned else 0, ha="right" if turned else "center")
        ax.margins(x=0.12)


def _raw(profile: Profile, result: Outcome) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    points = None if result.details is None else result.details.points
    if points is None or profile.feature not in points.features:
        return None
    return points.x[:, points.features.index(profile.feature)], points.y


def _beside(
    raw: tuple[NDArray[np.float64], NDArray[np.float64]], profile: Profile, result: Outcome, shown: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return rows of the categories shown, a little apart from each other so that they do not cover each other."""
    assert result.details is not None
    assert result.details.points is not None
    levels = result.details.points.levels[result.details.points.features.index(profile.feature)]
    codes = np.where(np.isnan(raw[0]), len(levels), raw[0])
    place = {([*levels, "missing"]).index(profile.labels[b]): at for at, b in enumerate(shown)}
    drawn = np.isin(codes, list(place))
    across = np.array([place[int(code)] for code in codes[drawn]], dtype=np.float64)
    return across + 0.4 * ((np.arange(across.size) * 0.618034) % 1.0 - 0.5), raw[1][drawn]


def _places(profile: Profile, shown: NDArray[Any], numbers: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return where bins stand: numbers at their value, missing ones to the right of them, categories side by side."""
    if not numbers.any():
        return np.arange(shown.size, dtype=np.float64)
    known = profile.at[shown][numbers]
    return np.asarray(np.where(numbers, profile.at[shown], known.max() + 0.15 * (np.ptp(known) or 1.0)))
