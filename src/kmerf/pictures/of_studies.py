"""Pictures of many tests: a screen, power by rows or dimension, the lower tail of p-values, the 20 simulations.

The relations of the simulations have p = 1, so that a data set is a plain scatter of y against x. The relation itself
comes from `noiseless`, which also strikes out the noise terms that carry no κ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.pictures import vocabulary as v
from kmerf.show.numbers import PLAIN
from kmerf.simulations import SIMULATIONS, noiseless, rotate, simulate

if TYPE_CHECKING:
    from kmerf.core.arrays import Bools, Floats
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Associations, Screen
    from kmerf.simulations.relations import Seed
    from kmerf.study import Power

AGAINST = {"p": "dimension p", "n": "sample size n"}
RULES = {"published": "empirical null", "pvalue": "own p-value"}
NAMED = 30  # columns that can each have their name on the axis
LONGEST = 18  # letters of a name
TALL = 0.062  # height of a name, as a part of the picture


def screen(result: Screen, labels: int) -> v.Picture:
    """Show -log10 of the p-values in the order of the columns; the first of the selected have their names."""
    size = len(result)
    heights = heights_of(result.adjusted_from)
    selected, failed = result.adjusted_bh <= result.fdr, np.isnan(heights)
    line = -float(np.log10(result.threshold))
    top = 1.18 * max(float(np.nanmax(heights, initial=0.0)), line, 1.0)
    limits = (0.5 - 0.02 * size, 1.02 * size + 0.5)
    words, leaders = _names(result, heights, 0 if size <= NAMED else labels, limits, top)  # named once, on the axis
    places = np.arange(1.0, size + 1.0)
    radius = float(np.clip(35.0 / np.sqrt(size), 1.4, 4.2))

    def dots(some: Bools, marker: str, role: str, label: str = "") -> list[v.Mark]:
        at = np.nan_to_num(heights[some])  # what was not tested stands on the axis
        return [v.Points(places[some], at, radius, marker, role=role, label=label)] if some.any() else []

    model = result.extrapolated
    marks: list[v.Mark] = [
        v.Rule(line, role="threshold", label=f"selected up to {PLAIN.p_is(result.threshold)}"),
        *dots(~selected & ~failed & ~model, "o", "dots"),
        *dots(~selected & ~failed & model, "^", "dots", "p from a model of the tail"),
        *dots(selected & ~model, "o", "dots chosen"),
        *dots(selected & model, "^", "dots chosen", "p from a model of the tail"),
        *dots(failed, "x", "axis", "not tested"),
        *leaders,
        *words,
    ]
    what = "set" if "sets" in result.settings else "column"
    if size <= NAMED:
        x = v.Axis(limits, what, tuple(places), result.names)
    else:
        x = v.Axis(limits, f"{what}, in the order given", tuple(at for at in v.ticks(*limits) if 0 <= at <= size))
    top = max([top, *(each.y + 0.06 * top for each in words)])
    fail = f"; {len(result.errors)} not tested" if result.errors else ""
    rate = f"selected at a false discovery rate of {result.fdr:g}{fail}"
    title = f"{result.method}: {len(result.selected)} of {result.tested} {rate}"
    text = f"Minus log10 of the p-values of {size} columns, in their order."
    y = v.Axis((0.0, top), "-log10 p-value")
    return v.Picture(text, x, y, tuple(marks), title, size=(760.0, 320.0), legend="outside")


def heights_of(pvalues: Floats) -> Floats:
    """Return -log10 of p-values."""
    return np.asarray(-np.log10(np.maximum(pvalues, 1e-300)))


def _names(
    result: Screen, heights: Floats, most: int, limits: tuple[float, float], top: float
) -> tuple[list[v.Words], list[v.Segments]]:
    """Name the best of the selected columns; a name that would cover a point or another name moves up."""
    place = {name: i for i, name in enumerate(result.names)}
    left, right = limits
    at = [(place[name] + 1.0, float(heights[place[name]])) for name in result.selected[:500]]
    taken = [(x, 0.0, y - 0.014 * top, y + 0.014 * top) for x, y in at]  # middle, half width, bottom and top
    words, leaders = [], []
    for name, (x, y) in zip(result.selected[:most], at, strict=False):
        label = short(name, LONGEST)
        half = 0.0052 * (len(label) + 1) * (right - left)
        middle = min(max(x, left + half), right - half)
        bottom = y + 0.018 * top
        while any(abs(middle - u) < half + w and bottom < b and bottom + TALL * top > a for u, w, a, b in taken):
            bottom += 0.012 * top
        taken.append((middle, half, bottom, bottom + TALL * top))
        words.append(v.Words(middle, bottom, label, role="mark"))
        if bottom > y + 0.04 * top:
            leaders.append(v.Segments(x, middle, y, bottom, role="grid"))
    return words, leaders


def heat_map(result: Associations, most: int) -> v.Picture:
    """Show the effects of all pairs, columns that belong together side by side; of many, the `most` related ones."""
    effects = result.matrix()
    np.fill_diagonal(effects, np.nan)
    strongest = np.argsort(-np.nanmax(effects, axis=1, initial=0.0), kind="stable")[:most]
    order = [j for j in result.order.tolist() if j in set(strongest.tolist())]
    place = {j: k for k, j in enumerate(order)}
    size = len(order)
    groups: dict[tuple[int, bool], list[tuple[float, float, float, str]]] = {}
    for (i, j), row, sign in zip(result.pairs.tolist(), result, result.signs.tolist(), strict=True):
        if i in place and j in place and row.effect == row.effect:
            way = f", {row.direction}" if row.direction and row.selected else ""
            says = f"{short(row.first, 40)} and {short(row.second, 40)}: {row.effect:.2f}{way}"
            for a, b in ((i, j), (j, i)):
                cell = place[a] + 1.0, float(size - place[b]), max(row.effect, 0.08 if row.selected else 0.3), says
                groups.setdefault((sign if row.selected else 0, row.selected), []).append(cell)
    labels = {1: "rise together", -1: "one falls as the other rises", 0: "related without a direction"}
    marks = []
    for (sign, selected), cells in sorted(groups.items(), reverse=True):
        x, y, strength, titles = zip(*cells, strict=True)
        group = {1: 0, -1: 1, 0: 2}[sign] if selected else 6
        label = labels[sign] if selected else "not clearly related"
        width = 0.94 if selected else 0.4
        marks.append(v.Cells(x, y, np.array(strength), width, tuple(titles), role="cells", group=group, label=label))
    places = tuple(np.arange(1.0, size + 1.0))
    names = tuple(short(result.names[j], v.LABEL_LETTERS) for j in order)
    limits = (0.5, size + 0.5)
    left_out = len(result.names) - size
    text = f"Heat map of the effects of {size} columns on each other; the strongest pair: " + (
        " and ".join(result.selected[0]) if result.selected else "none"
    )
    return v.Picture(
        text,
        v.Axis(limits, "", places, names),
        v.Axis(limits, "", places, names[::-1]),
        tuple(marks),
        title="Effects from 0 (pale) to 1 (dark)",
        note=f"The {size} columns with the largest effects; {left_out} more are not drawn." if left_out else "",
        size=(max(640.0, 150.0 + 24.0 * size), max(360.0, 80.0 + 24.0 * size)),
        legend="outside",
    )


def pvalue_histogram(result: Screen) -> v.Picture:
    """Show how p-values are spread, and the flat line that they would follow if y depended on no column."""
    pvalues = result.pvalues[~np.isnan(result.pvalues)]
    flat = pvalues.size / 20
    bars, y, most = v.histogram(pvalues, np.linspace(0.0, 1.0, 21), "columns", 1.1)
    words = v.Words(1.0, flat + 0.02 * most, "expected by chance", "end", role="observed")
    text = f"Histogram of {pvalues.size} p-values; by chance alone about {flat:.3g} would be in each bar."
    marks = bars, v.Rule(flat, role="threshold"), words
    return v.Picture(text, v.Axis((0.0, 1.0), "p-value"), y, marks, size=v.WIDE)


def simulation_title(name: str) -> str:
    """Return the name of a simulation as it is shown."""
    return SIMULATIONS[name].title if name in SIMULATIONS else name.replace("_", " ")


def power_panel(
    cells: Sequence[Power], lines: Mapping[tuple[str, str], str], against: str, title: str = ""
) -> v.Picture:
    """Show the power of every test on one simulation, with Monte Carlo intervals; the first test is in front.

    `lines` has the name of each line, by its test and the rule by which that is judged.
    """
    at = sorted({getattr(cell.data, against) for cell in cells})
    wide = (at[-1] - at[0]) or 1.0
    marks: list[v.Mark] = [v.Rule(cells[0].level, role="threshold level")]
    for k, line in reversed(list(enumerate(lines))):
        own = [cell for cell in cells if (cell.test, cell.rule) == line]
        own.sort(key=lambda cell: int(getattr(cell.data, against)))
        if own:
            aside = 0.03 * wide * (k - (len(lines) - 1) / 2.0) if len(own) == 1 else 0.0  # side by side at one place
            marks += _power_line(own, against, k % v.GROUPS, lines[line], aside)
    few = at if len(at) <= 5 else [at[0], at[len(at) // 2], at[-1]]
    x = v.Axis((at[0] - 0.06 * wide, at[-1] + 0.06 * wide), AGAINST[against], tuple(map(float, few)))
    y = v.Axis((0.0, 1.03), "power", (0.0, 0.5, 1.0))
    text = f"Power against {AGAINST[against]}: " + "; ".join(f"{short(c.test)} {c.power:.2f}" for c in cells[:12])
    return v.Picture(text, x, y, tuple(marks), title, size=(300.0, 200.0))


def _power_line(cells: Sequence[Power], against: str, group: int, label: str, aside: float) -> tuple[v.Mark, v.Mark]:
    places = [getattr(cell.data, against) for cell in cells]
    x = np.array(places) + aside
    low, high = np.array([cell.interval for cell in cells]).T
    titles = tuple(
        f"{short(cell.test)}: {cell.power:.3f} ({a:.3f} to {b:.3f}) at {against} = {place}"
        for cell, a, b, place in zip(cells, low, high, places, strict=True)
    )
    line = v.Line(x, [cell.power for cell in cells], titles=titles, role="series", group=group, label=label)
    return v.Segments(x, x, low, high, role="series", group=group), line


def power_curve(curve: PowerCurve) -> v.Picture:
    """Show a power curve with its interval, the target, and the shares found in parts of the pilot."""
    sizes, power, low, high = curve.fine
    parts = curve.tried_sizes < curve.n  # the pilot itself is found or not, which is not a share
    dashed = "Dashed lines: the target power and the level (horizontal), and the rows of the pilot (vertical)."
    between = f"{100 * curve.confidence:g} % interval"
    interval = f"Line and band: the power and its {between}."
    marks: list[v.Mark] = [
        v.Rule(curve.target, role="apart"),
        v.Rule(curve.level, role="apart"),
        v.Rule(float(curve.n), upright=True, role="apart", label="rows of the pilot", says=dashed),
        v.Band(sizes, low, high, role="series", group=0, label=between, says=interval),
        v.Line(sizes, power, role="series", group=0, label="power"),
    ]
    if parts.any():
        tried = "Points: the share of parts of the pilot in which the test rejects."
        at = curve.tried_sizes[parts], curve.tried_power[parts]
        marks.append(v.Points(*at, 2.8, "o", role="tried", group=1, label="parts of the pilot", says=tried))
    rows = curve.needed.rows
    if curve.conclusive:
        enough = f"Diamond: the {rows:,.0f} rows that give the power."
        marks.append(v.Points(rows, curve.target, 3.6, "D", role="needed", group=0, says=enough))
        marks.append(v.Words(1.05 * rows, curve.target - 0.02, f"{rows:,.0f}", "start", above=False, role="mark"))
    ends = np.concatenate([sizes, curve.tried_sizes])
    x = v.Axis((0.93 * float(ends.min()), 1.07 * float(ends.max())), "rows", log=True)
    y = v.Axis((0.0, 1.03), f"power at level {curve.level:g}")
    text = f"Power by the number of rows, {power[0]:.2f} at {sizes[0]:.0f} and {power[-1]:.2f} at {sizes[-1]:.0f}."
    return v.Picture(text, x, y, tuple(marks), size=v.WIDE, legend="lower right")


def tail(pvalues: Mapping[str, Floats], lowest: float, title: str) -> v.Picture:
    """Show the share of p-values at or below each level against the level, and what chance gives."""
    levels = np.geomspace(lowest, 1.0, 200)
    half = 1.96 * np.sqrt(levels * (1 - levels) / min(values.size for values in pvalues.values()))
    floor = lowest / 4
    chance = "Grey line: a test that keeps its level exactly; band: where 95 % of such tests lie."
    marks: list[v.Mark] = [
        v.Band(levels, np.maximum(levels - half, floor), np.minimum(levels + half, 1.1), role="chance", says=chance),
        v.Line([lowest, 1.0], [lowest, 1.0], role="chance"),
        *(v.Rule(level, upright=True, role="level") for level in (0.01, LEVEL)),
    ]
    for k, (name, values) in enumerate(pvalues.items()):
        share = np.searchsorted(np.sort(values), levels, side="right") / values.size
        says = "Lines: the share of p-values at or below each level."
        line = np.where(share > 0, share, np.nan)
        marks.append(v.Line(levels, line, role="series", group=k % v.GROUPS, label=name, says=says))
    axes = v.Axis((lowest, 1.0), "level", log=True), v.Axis((floor, 1.1), "share rejected", log=True)
    text = f"Share of p-values at or below each level, for {', '.join(pvalues)}."
    return v.Picture(text, *axes, tuple(marks), title, size=(440.0, 400.0), legend="lower right")


def relations(definition: str, rng: Seed, kappa: float, n_noisy: int, n_clear: int) -> list[v.Picture]:
    """Show all 20 relations: noisy points over points without noise."""
    stream = np.random.default_rng(rng)
    pictures = []
    for name in SIMULATIONS:
        clear = np.hstack(noiseless(name, n_clear, 1, definition=definition, rng=stream))
        noisy = np.hstack(simulate(name, n_noisy, 1, kappa=kappa, definition=definition, rng=stream))
        clouds = _cloud(clear, "clear", "without noise"), _cloud(noisy, "noisy", "with noise", 2.8)
        pictures.append(_relation(name, clouds))
    return pictures


def rotations(angle: float, definition: str, rng: Seed, n: int) -> list[v.Picture]:
    """Show all 20 relations without noise, and the same points turned by `angle` degrees."""
    stream = np.random.default_rng(rng)
    pictures = []
    for name in SIMULATIONS:
        z = np.hstack(noiseless(name, n, 1, definition=definition, rng=stream))
        both = np.vstack([z, rotate(z, angle)])
        low, high = both.min(axis=0), both.max(axis=0)
        both = (both - low) / (high - low)
        clouds = _cloud(both[:n], "clear", "as drawn"), _cloud(both[n:], "turned", f"turned by {angle:g}°")
        pictures.append(_relation(name, clouds))
    return pictures


def _cloud(z: Floats, role: str, label: str, radius: float | None = None) -> v.Points:
    few = 5.4 if len(np.unique(z, axis=0)) < 10 else 1.55  # large if all points fall on a few places
    return v.Points(z[:, 0], z[:, 1], few if radius is None else radius, "o", role=role, label=label)


def _relation(name: str, clouds: tuple[v.Points, v.Points]) -> v.Picture:
    def axis(values: Floats) -> v.Axis:
        low, high = float(values.min()), float(values.max())
        room = 0.08 * ((high - low) or 1.0)
        return v.Axis((low - room, high + room), ticks=())

    x, y = (axis(np.concatenate([getattr(cloud, side) for cloud in clouds])) for side in "xy")
    title = SIMULATIONS[name].title
    return v.Picture(f"{title}: {' and '.join(cloud.label for cloud in clouds)}.", x, y, clouds, title, legend="")
