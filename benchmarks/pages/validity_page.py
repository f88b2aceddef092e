"""Write the numbers and figures of docs/validity.md, and the README's level, from the store of studies/validity.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.pages import marks
from benchmarks.pages.marks import DOCS, README, table
from benchmarks.studies.validity import FURTHER, LEVELS, REFITTED, ROWS, Nothing, default_plans, extras, plans
from kmerf import KMERF, ChiSquare, ForestSpec, study
from kmerf.nulls.definitions import Permutation, holm
from kmerf.results.parts import NullResult

LABELS = ("published (all, chi-square)", "oob, chi-square", *REFITTED)


def pvalues(plan: study.Study, store: Path) -> dict[tuple[str, Nothing], np.ndarray]:
    return {(cell.test, cell.data): cell.pvalue for cell in study.cells(plan, store) if cell.pvalue.size}


def rate(values: np.ndarray, level: float) -> str:
    return f"{np.mean(values <= level):.3f}"


def excess(values: np.ndarray, level: float) -> float:
    """Return the exact one-sided binomial p-value of as many rejections, were the level kept."""
    from scipy.stats import binom

    return float(binom.sf(np.sum(values <= level) - 1, values.size, level))


def main_table(found: dict[tuple[str, Nothing], np.ndarray], level: float) -> str:
    lines = [f"| n | p | y | x | R | {' | '.join(LABELS)} |", "|---" * (5 + len(LABELS)) + "|"]
    for row in ROWS:
        if (REFITTED[0], row) not in found:
            continue
        cells = [rate(found[label, row], level) for label in LABELS]
        size = found[REFITTED[0], row].size
        lines.append(f"| {row.n} | {row.p} | {row.y} | {row.x} | {size} | {' | '.join(cells)} |")
    overall = [np.mean([np.mean(v <= level) for (test, _), v in found.items() if test == label]) for label in LABELS]
    lines.append(f"| | | **mean of rows** | | | {' | '.join(f'**{share:.4f}**' for share in overall)} |")
    return "\n".join(lines)


def verdict(found: dict[tuple[str, Nothing], np.ndarray]) -> str:
    """Is any row above nominal if forests are refitted, by a simultaneous test over all rows, kernels and levels?"""
    places = [(key, level) for key in found if key[0] in REFITTED for level in LEVELS]
    adjusted = holm(np.array([excess(found[key], level) for key, level in places]))
    k = int(np.argmin(adjusted))
    (test, row), level = places[k]
    values = found[test, row]
    means = [np.mean([np.mean(v <= 0.05) for (label, _), v in found.items() if label == name]) for name in REFITTED]
    return (
        f"{len(places)} cells with refits (rows x kernels x levels), each against its level by an exact "
        f"one-sided binomial test: the smallest p-value after Holm's adjustment is {adjusted[k]:.3f} "
        f"({test}, y {row.y}, x {row.x}, n = {row.n}, p = {row.p}, level {level:g}: "
        f"{int(np.sum(values <= level))} of {values.size}). "
        + ("No cell is above nominal. " if adjusted[k] > 0.05 else "**That cell is above nominal.** ")
        + "Mean over rows at level 0.05: "
        + ", ".join(f"{name} {mean:.4f}" for name, mean in zip(REFITTED, means, strict=True))
        + "."
    )


def write_default(store: Path) -> None:
    """Write the table of the default test alone."""
    rates: dict[Nothing, np.ndarray] = {}
    for plan in default_plans():
        rates |= {row: values for (_, row), values in pvalues(plan, store).items()}
    rows = []
    for row in (each for each in ROWS if each in rates):
        shares = [rate(rates[row], level) for level in LEVELS]
        rows.append([str(row.n), str(row.p), row.y, row.x, str(rates[row].size), *shares])
    together = np.concatenate(list(rates.values()))
    means = [f"**{np.mean([np.mean(each <= level) for each in rates.values()]):.4f}**" for level in LEVELS]
    rows.append(["", "", "**mean of rows**", "", str(together.size), *means])
    cells = [(row, level) for row in rates for level in LEVELS]
    adjusted = holm(np.array([excess(rates[row], level) for row, level in cells]))
    worst, level = cells[int(np.argmin(adjusted))]
    low = int(np.sum(together <= FURTHER))
    verdict = (
        f"{len(cells)} cells (rows x levels): the smallest p-value after Holm's adjustment is {adjusted.min():.3f} "
        f"(y {worst.y}, x {worst.x}, n = {worst.n}, p = {worst.p}, level {level:g}), so "
        + ("no cell is above nominal. " if adjusted.min() > 0.05 else "**that cell is above nominal**. ")
        + f"Of all {together.size} p-values {low} were at or below {FURTHER:g}, where "
        f"{FURTHER * together.size:.1f} are expected of a test that uses its level fully."
    )
    level_figure(rates)
    heads = ["n", "p", "y", "x", "R", *(f"level {each:g}" for each in LEVELS)]
    marks.write(DOCS / "validity.md", {"default_now": table(heads, rows), "default_verdict": verdict})
    overall = float(np.mean([np.mean(each <= 0.05) for each in rates.values()]))
    for page in (README, DOCS / "evidence.md"):
        marks.write(page, {"level": f"{overall:.3f}"})


def level_figure(rates: dict[Nothing, np.ndarray], level: float = 0.05) -> None:
    """Draw the share of true nulls rejected in each kind of data, with two standard errors of a test of this level."""
    from matplotlib.figure import Figure

    rows = [row for row in ROWS if row in rates]
    shares = np.array([np.mean(rates[row] <= level) for row in rows])
    errors = np.array([np.sqrt(level * (1 - level) / rates[row].size) for row in rows])
    figure = Figure(figsize=(7.2, 3.4), layout="constrained", dpi=150)
    ax = figure.subplots()
    places = np.arange(len(rows))
    ax.vlines(places, np.maximum(level - 2 * errors, 0), level + 2 * errors, color="#cccccc", linewidth=6)
    ax.axhline(level, color="#777777", linewidth=1)
    ax.scatter(places, shares, s=22, color="#0072b2", zorder=3)
    ax.set_ylim(0, max(0.15, 1.1 * float(shares.max())))
    ax.set_xticks([])
    ax.set_xlabel(f"{len(rows)} kinds of data without an effect, in the order of the table")
    ax.set_ylabel(f"share rejected at level {level:g}")
    ax.set_title("Blue: the default test. Grey: where 95 % of valid tests lie", fontsize=10, loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(DOCS / "images" / "validity_default.png")


def extra_table(store: Path) -> str:
    lines = ["| test | n | p | y | R | level 0.05 | level 0.01 |", "|---|---|---|---|---|---|---|"]
    for _, plan in extras():
        for (test, row), values in pvalues(plan, store).items():
            cells = " | ".join(rate(values, level) for level in LEVELS)
            lines.append(f"| {test} | {row.n} | {row.p} | {row.y} | {values.size} | {cells} |")
    return "\n".join(lines)


def scatter_figure(size: int = 120, resamples: int = 199) -> None:
    """Chi-square against permutation p-values of the same data: does one stand for the other?"""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.4), layout="constrained", dpi=150)
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    for ax, kind in zip(axes, ("all", "either", "oob"), strict=True):
        for y, colour, marker in (("normal", "#0072b2", "o"), ("binary", "#d55e00", "^")):
            pairs = np.array([_both(kind, y, seed, resamples) for seed in range(size // 2)])
            ax.scatter(
                pairs[:, 1], pairs[:, 0], s=14, color=colour, marker=marker, alpha=0.7, label=f"y {y}", linewidths=0
            )
        ax.plot([0, 1], [0, 1], color="#777777", linewidth=1)
        ax.set_title(f'proximity="{kind}"', fontsize=10)
        ax.set_xlabel("permutation p-value")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("chi-square p-value")
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(DOCS / "images" / "validity_scatter.png")


def _both(kind: str, y: str, seed: int, resamples: int) -> tuple[float, float]:
    from kmerf.methods.protocol import observe
    from kmerf.nulls.judging import Run, judge_fit

    sample = Nothing(60, 5, y).draw(np.random.default_rng(seed))
    problem = KMERF(ForestSpec(n_trees=100), kind).prepare(sample, seed)
    observed = observe(problem)
    found: list[NullResult] = [
        judge_fit(null, problem, observed, Run(seed, n_jobs=2)) for null in (ChiSquare(), Permutation(resamples))
    ]
    return found[0].pvalue, found[1].pvalue


def tail_table(draws: int = 100_000, size: int = 99) -> str:
    """How often four models of the tail give p <= a, over a, when the permuted statistics follow ideal laws.

    The observed statistic is the largest of 100 exchangeable ones with probability 1/100; given that, p is S(T) over
    S(largest permuted) over 100 for each model's S.
    """
    from scipy.special import fdtrc, gdtrc

    from kmerf.nulls.definitions import scores, scores_among

    def pearson(z: np.ndarray, rest: np.ndarray) -> np.ndarray:
        skew = np.clip((rest**3).mean(axis=1), 0.05, np.sqrt(8))
        shape = 4 / skew**2
        return gdtrc(1.0, shape, np.maximum(shape + np.sqrt(shape) * z, 0.0))

    def exponential(z: np.ndarray, rest: np.ndarray) -> np.ndarray:
        top = np.sort(rest, axis=1)[:, -20:]
        return np.exp(-z / ((top - top[:, :1]).sum(axis=1) / 19))

    def exponential_on_scores(z: np.ndarray, rest: np.ndarray) -> np.ndarray:
        found = scores_among(z[None], rest.T)[0]
        top = -np.sort(-scores(rest.T), axis=0)
        m = (1 + size) // 10
        beyond = np.maximum(found - top[0], 0.0)
        return (1.0 + beyond / (m * (top[:m] - top[m]).mean(axis=0))) ** -m

    models = {
        "kmerf's": exponential_on_scores,
        "F(1, 50)": lambda z, rest: fdtrc(1.0, (1 + size) / 2, 1 + np.sqrt(2) * z),
        "Pearson III": pearson,
        "exponential": exponential,
    }
    laws = {
        "chi-square(1)": lambda rng, shape: rng.chisquare(1, shape),
        "chi-square(2)": lambda rng, shape: rng.chisquare(2, shape),
        "chi-square(5)": lambda rng, shape: rng.chisquare(5, shape),
        "normal": lambda rng, shape: rng.normal(size=shape),
        "log-normal(0.5)": lambda rng, shape: np.exp(0.5 * rng.normal(size=shape)),
        "t(5)": lambda rng, shape: rng.standard_t(5, shape),
    }
    heads = [f"{model}, {level:g}" for model in models for level in (1e-3, 1e-4)]
    lines = [f"| statistics follow | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    rng = np.random.default_rng(0)
    for law, draw in laws.items():
        hits = np.zeros((len(models), 2))
        for _ in range(10):
            values = np.sort(draw(rng, (draws // 10, size + 1)), axis=1)
            rest = values[:, :-1]
            middle, spread = rest.mean(axis=1), rest.std(axis=1, ddof=1)
            z = [(values[:, k] - middle) / spread for k in (-1, -2)]
            rest = (rest - middle[:, None]) / spread[:, None]
            for k, tail in enumerate(models.values()):
                p = tail(z[0], rest) / np.maximum(tail(z[1], rest), 1e-300) / (size + 1)
                hits[k] += [np.sum(p <= 1e-3), np.sum(p <= 1e-4)]
        rates = hits / draws / (size + 1) / [1e-3, 1e-4]
        lines.append(f"| {law} | {' | '.join(f'{rate:.2f}' for rate in rates.ravel())} |")
    return "\n".join(lines)


def write(store: Path) -> None:
    found: dict[tuple[str, Nothing], np.ndarray] = {}
    for plan in plans():
        found |= pvalues(plan, store)
    (DOCS / "images").mkdir(exist_ok=True)
    scatter_figure()
    facts = {
        "verdict": verdict(found),
        "table_05": main_table(found, 0.05),
        "table_01": main_table(found, 0.01),
        "extras": extra_table(store),
        "tails": tail_table(),
        "rows": str(len({row for _, row in found})),
    }
    marks.write(DOCS / "validity.md", facts)
