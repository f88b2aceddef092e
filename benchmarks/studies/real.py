"""On how many real questions does each test find the relation? Writes docs/real.md and its picture.

    python -m benchmarks.data.library --store library --questions questions.csv --outside outside.csv outside.npz
    python -m benchmarks.studies.real --store library [--tables-only | --large large]

Ours has weights that were fitted without the table at hand (and on the library's other tables and relations). Every
test has its own p-value, by rank among 99 permutations of the same rows. Tests that depend on the units of columns are
given them standardised, as ranks, and as they are; the best of the three counts. What is found of relations that were
left out of the fit goes to docs/power.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.data.library import NEWER, ONE_FOREST, PAPER, RIVALS, SCALED, scaled_name
from benchmarks.pages import marks
from benchmarks.pages.marks import DOCS
from benchmarks.studies.fit_weights import LEVEL, SOURCES, DataSet, Design, Weights, final_weights, left_out, read
from kmerf.methods.portfolio import CLASSES, NUMERIC
from kmerf.methods.protocol import SCALES

OURS = "default, table left out"
KINDS = ("numbers", "classes")
OF_KIND = {"numbers": "numeric y", "classes": "categorical y"}
OWN = "R"  # a source with enough questions of each kind of y to judge them apart; the other has too few
OTHER = "outside"
BOTH = f"both kinds of y, {SOURCES[OTHER]}"
FEWEST = 40  # questions that a share rests on
BOOTSTRAPS = 4000
JUDGED = 60  # data sets of each relation and size
ALL = 10**6  # of them, where they are judged alone

Array = np.ndarray
Row = tuple[str, Array, Array]
"""A test, the share that it finds of each table, and the share that ours finds of the same data sets."""


def by_table(found: Array, sets: Sequence[DataSet]) -> Array:
    """Return the share of questions and draws that are found, of each table."""
    tables: dict[str, list[bool]] = {}
    for each, yes in zip(sets, found, strict=True):
        tables.setdefault(each.family, []).append(bool(yes))
    return np.array([np.mean(tables[name]) for name in sorted(tables)])


def interval(shares: Array) -> tuple[float, float]:
    """Return a 95 % interval of the mean, from tables drawn with replacement."""
    rng = np.random.default_rng(0)
    means = shares[rng.integers(shares.size, size=(BOOTSTRAPS, shares.size))].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def judged(sets: list[DataSet], classes: bool) -> tuple[list[DataSet], Array]:
    """Return the data sets with such a y, and our p-values by weights fitted without the family of each."""
    chosen = [each for each in sets if each.classes == classes]
    return chosen, left_out(Design.of(chosen, list(CLASSES if classes else NUMERIC)))[0]


def judged_alone(sets: list[DataSet], store: Path, classes: bool) -> tuple[list[DataSet], Array]:
    """Return the data sets of another store, which none is fitted to, and our p-values as in `judged`."""
    more = [replace(each, replicate=JUDGED + each.replicate) for each in read(store, ALL)[0]]
    chosen, pvalues = judged([*sets, *more], classes)
    own = [k for k, each in enumerate(chosen) if each.replicate >= JUDGED]
    return [chosen[k] for k in own], pvalues[own]


def rows(chosen: list[DataSet], pvalues: Array, source: str) -> list[Row]:
    """Return what each test finds in each real table of a source, ours first, then the best first.

    Of a test in several scalings only the one that finds most is taken, so it is a little flattered.
    """
    real = [k for k, each in enumerate(chosen) if each.source == source]
    tables, ours = [chosen[k] for k in real], pvalues[real] <= LEVEL
    others: dict[str, Row] = {}
    for name in (PAPER, *RIVALS, *NEWER):
        # CCA cannot be computed with too many columns, and finds nothing there; others may not have been tried.
        tried = [k for k, each in enumerate(tables) if name in each.observed or name == "CCA"]
        if len(tried) >= FEWEST:
            own = [tables[k] for k in tried]
            found = np.array([each.pvalue(name) <= LEVEL for each in own])
            row = name, by_table(found, own), by_table(ours[tried], own)
            before = others.setdefault(test_of(name), row)
            others[test_of(name)] = max(before, row, key=lambda row: row[1].mean())
    everywhere = by_table(ours, tables)
    return [(OURS, everywhere, everywhere), *sorted(others.values(), key=lambda row: -row[1].mean())]


def both_kinds(*judged: tuple[list[DataSet], Array]) -> tuple[list[DataSet], Array]:
    """Return the data sets of all kinds of y together, each question as a table of its own."""
    chosen = [replace(each, family=f"{each.family}, {each.classes}") for sets, _ in judged for each in sets]
    return chosen, np.concatenate([pvalues for _, pvalues in judged])


def test_of(name: str) -> str:
    """Return the test of which a name says the scaling too.

    >>> test_of("Dcorr, ranks")
    'Dcorr'
    """
    return name.split(", ")[0]


def bold(values: Sequence[float | None], digits: int = 2) -> list[str]:
    """Return numbers as text, the largest in bold; None is empty.

    >>> bold([0.5, None, 0.25])
    ['**0.50**', '', '0.25']
    """
    texts = ["" if value is None else f"{value:.{digits}f}" for value in values]
    largest = max((text for text in texts if text), key=float)
    return [f"**{text}**" if text == largest else text for text in texts]


def titled(each: DataSet) -> str:
    """Return with which questions a data set is judged."""
    return BOTH if each.source == OTHER else f"{OF_KIND[KINDS[each.classes]]}, {SOURCES[each.source]}"


def scalings(sets: Sequence[DataSet]) -> str:
    """Return what tests that depend on units find in each scaling of the columns, by kind of y and source."""
    lines = []
    for title in dict.fromkeys([*(f"{OF_KIND[kind]}, {SOURCES[OWN]}" for kind in KINDS), BOTH]):
        own = [each for each in sets if titled(each) == title]
        for test in SCALED if own else ():
            shares = [
                np.mean([each.pvalue(scaled_name(test, scale)) <= LEVEL for each in own]).item() for scale in SCALES
            ]
            lines.append([title, test, *bold(shares)])
    return marks.table(["questions", "test", "standardised", "ranks", "own units"], lines)


def by_source(sets: Sequence[DataSet]) -> str:
    """Return what weights find that were fitted to one source alone; the family at hand is always left out."""
    fits: dict[str, Callable[[DataSet], bool] | None] = {
        "all": None,
        **{SOURCES[source]: partial(_is_of, source) for source in SOURCES if source in {each.source for each in sets}},
    }
    found: dict[str, dict[str, list[Array]]] = {}
    for classes in (False, True):
        chosen = [each for each in sets if each.classes == classes]
        design = Design.of(chosen, list(CLASSES if classes else NUMERIC))
        by_fit = {name: left_out(design, fitted_to)[0] <= LEVEL for name, fitted_to in fits.items()}
        by_fit["equal weights"] = design.pvalues(Weights.equal(design.names)) <= LEVEL
        titles = [titled(each) for each in chosen]
        for title in dict.fromkeys(titles):
            own = [k for k, each in enumerate(titles) if each == title]
            for name, each in by_fit.items():
                shares = by_table(each[own], [chosen[k] for k in own])
                found.setdefault(title, {}).setdefault(name, []).append(shares)
    means = {title: [float(np.concatenate(each).mean()) for each in by_fit.values()] for title, by_fit in found.items()}
    lines = [[title, *bold(shares, 3)] for title, shares in means.items()]
    return marks.table(["judged on", *(f"fitted on {name}" for name in fits), "equal weights"], lines)


def _is_of(source: str, each: DataSet) -> bool:
    return each.source == source


def _beyond(found: list[Row]) -> tuple[float, float, float]:
    """Return how much more ours finds than the best other test, and an interval."""
    more = found[1][2] - found[1][1]
    return (float(more.mean()), *interval(more))


class Family(NamedTuple):
    """What is found of a relation that was left out of the fit, by ours and by the baselines."""

    name: str
    size: int
    ours: float
    rivals: dict[str, float]
    unflattered: float
    """What the best rival finds in one half of the data sets, chosen by the other half; the mean of both ways."""


def families(chosen: list[DataSet], pvalues: Array) -> list[Family]:
    """Return what is found of each relation."""
    members: dict[str, list[int]] = {}
    for k, each in enumerate(chosen):
        if not each.real:
            members.setdefault(each.family, []).append(k)
    found = []
    names = (PAPER, *RIVALS)
    for family, own in sorted(members.items()):
        each = np.array([[chosen[k].pvalue(name) <= LEVEL for name in names] for k in own])
        halves = each[::2].mean(axis=0), each[1::2].mean(axis=0)
        unflattered = (halves[1][halves[0].argmax()] + halves[0][halves[1].argmax()]) / 2
        rivals = dict(zip(names, each.mean(axis=0).tolist(), strict=True))
        found.append(Family(family, len(own), float(np.mean(pvalues[own] <= LEVEL)), rivals, float(unflattered)))
    return found


def summary(parts: dict[str, list[Family]]) -> str:
    """Return the means over families, a line for each kind of y and one for both."""
    names = list(dict.fromkeys(test_of(name) for name in (PAPER, *RIVALS)))
    lines = []
    both = [each for of_one_kind in parts.values() for each in of_one_kind]
    for kind, found in {**parts, "both": both}.items():
        ours = np.array([each.ours for each in found])
        best = np.mean([max(each.rivals.values()) for each in found])
        error = ours.std() / (ours.size - 1) ** 0.5
        means = {name: float(np.mean([each.rivals[name] for each in found])) for name in (PAPER, *RIVALS)}
        each_test = [max(mean for name, mean in means.items() if test_of(name) == test) for test in names]
        first, *cells = bold([float(ours.mean()), *each_test])
        halves = np.mean([each.unflattered for each in found])
        lines.append(
            [f"{kind}, {ours.size} families", f"{first} ± {error:.3f}", *cells, f"{best:.3f}", f"{halves:.3f}"]
        )
    heads = ["share found", "default", *(LABELS.get(name, name) for name in names)]
    return marks.table([*heads, "best other test of each family, picked by the same data", "by other data"], lines)


def by_family(found: list[Family]) -> str:
    """Return a line for each family, those first where ours is farthest behind."""
    lines = []
    for each in sorted(found, key=lambda each: each.ours - max(each.rivals.values())):
        best = max(each.rivals, key=lambda name: each.rivals[name])
        rival = f"{LABELS.get(best, best)} {each.rivals[best]:.2f}"
        lines.append([each.name.replace("_", " "), str(each.size), f"{each.ours:.2f}", rival])
    return marks.table(["relation", "data sets", "default", "best other test"], lines)


def many_rows(sets: Sequence[DataSet]) -> str:
    """Return what is found of faint relations in many rows, which took no part in the fit, with the final weights."""
    by_cell: dict[tuple[str, int], list[DataSet]] = {}
    for each in sets:
        by_cell.setdefault((each.label, each.n), []).append(each)
    rivals = [name for name in (ONE_FOREST, PAPER, *RIVALS) if any(name in each.observed for each in sets)]
    members, weights = final_weights(False)
    lines = []
    for (label, n), own in sorted(by_cell.items(), key=lambda item: (item[0][1], item[0][0])):
        ours = float(np.mean(Design.of(own, members).pvalues(weights) <= LEVEL))
        shares = [
            float(np.mean([each.pvalue(name) <= LEVEL for each in own])) if name in own[0].observed else None
            for name in rivals
        ]
        lines.append([str(n), label.replace("_", " "), *bold([ours, *shares])])
    return marks.table(["n", "relation", "default", *(LABELS.get(name, name) for name in rivals)], lines)


def table(found: list[Row]) -> str:
    """Return the rows as a table of the page, with what ours finds beyond each; the largest share is bold."""
    lines = []
    means = bold([float(shares.mean()) for _, shares, _ in found], 3)
    for (name, shares, ours), mean in zip(found, means, strict=True):
        low, high = interval(shares)
        more = ours - shares
        few, many = interval(more)
        beyond = "" if name == OURS else f"{more.mean():+.3f} ({few:+.3f} to {many:+.3f})"
        lines.append([LABELS.get(name, name), f"{shares.size}", mean, f"{low:.3f} to {high:.3f}", beyond])
    return marks.table(
        ["test", "tables", "found", "95 % interval over tables", "kmerf beyond it, same data sets"], lines
    )


def overview(parts: dict[str, list[Row]]) -> str:
    """Return what each test finds, a line for each kind of y and source, and what ours finds beyond the best other."""
    order = list(dict.fromkeys(test_of(name) for found in parts.values() for name, *_ in found if name != OURS))
    lines = []
    for kind, found in parts.items():
        shares = {name if name == OURS else test_of(name): values for name, values, _ in found}
        low, high = interval(shares[OURS])
        others = [float(shares[name].mean()) if name in shares else None for name in order]
        ours, *cells = bold([float(shares[OURS].mean()), *others])
        beyond = "{:+.2f} ({:+.2f} to {:+.2f})".format(*_beyond(found))
        lines.append([f"{kind}, {shares[OURS].size} questions", f"{ours} ({low:.2f} to {high:.2f})", *cells, beyond])
    heads = ["share found", "default", *(LABELS.get(name, name) for name in order)]
    return marks.table([*heads, "kmerf beyond the best other test"], lines)


LABELS = {PAPER: "paper's KMERF"}


def draw(path: Path, parts: dict[str, list[Row]]) -> None:
    """Draw what each test finds, with intervals."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    rows_of = [len(found) for found in parts.values()]
    figure, axes = plt.subplots(
        len(parts), 1, figsize=(7, 0.32 * sum(rows_of) + len(parts)), height_ratios=rows_of, layout="constrained"
    )
    for ax, (title, found) in zip(axes, parts.items(), strict=True):
        for place, (name, shares, _) in enumerate(reversed(found)):
            low, high = interval(shares)
            colour = "#00796b" if name == OURS else "#777777"
            ax.plot([low, high], [place, place], color=colour, linewidth=2)
            ax.plot(shares.mean(), place, "o", color=colour)
        ax.set_yticks(range(len(found)), [LABELS.get(name, name) for name, *_ in reversed(found)])
        ax.set(title=title, xlim=(0, 1), xlabel="share of real questions detected at level 0.05")
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("library"))
    parser.add_argument(
        "--large", type=Path, help="a store of benchmarks/data/library.py --large; nothing else is written"
    )
    parser.add_argument("--tables-only", action="store_true", help="write what real tables show, and no more")
    options = parser.parse_args()
    if options.large is not None:
        marks.write(DOCS / "power.md", {"many_rows": many_rows(read(options.large, ALL)[0])})
        return
    sets, digest = read(options.store, JUDGED)
    of_numbers, of_classes = judged(sets, False), judged(sets, True)
    if not options.tables_only:
        left = {"numbers": families(*of_numbers), "groups": families(*of_classes)}
        found = {f"left_out_{kind}": by_family(each) for kind, each in left.items()}
        marks.write(DOCS / "power.md", {"left_out": summary(left), **found})
    by_kind = zip(KINDS, (of_numbers, of_classes), strict=True)
    parts = {f"{OF_KIND[kind]}, {SOURCES[OWN]}": rows(*each, OWN) for kind, each in by_kind}
    tables = {f"{kind}_R": table(each) for kind, each in zip(KINDS, parts.values(), strict=True)}
    parts[BOTH] = rows(*both_kinds(of_numbers, of_classes), OTHER)
    counts = {f"n_{kind}_R": sum(titled(each) == f"{OF_KIND[kind]}, {SOURCES[OWN]}" for each in sets) for kind in KINDS}
    marks.write(
        DOCS / "real.md",
        {
            **tables,
            **{name: f"{count} data sets" for name, count in counts.items()},
            "overview": overview(parts),
            "scalings": scalings(sets),
            "by_source": by_source(sets),
            "n_relations": f"{len({each.place for each in sets if not each.real})} cells",
            "digest": digest[:16],
        },
    )
    draw(DOCS / "images" / "real.png", parts)


if __name__ == "__main__":
    main()
