"""The tables of a result as values: heads and rows of text, which terminal, notebook and report each draw their way.

Names are as they are in the data; each surface makes them safe and cuts them to its width. A cell that ends with a star
rests on a model of the tail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.safe_text import short
from kmerf.core.settings import LEVEL
from kmerf.results.parts import FALLS, HUMP, RISES, U_SHAPE
from kmerf.show.change_words import short_change
from kmerf.show.facts import screened
from kmerf.show.numbers import PLAIN, spread_head
from kmerf.show.verdict import agreeing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kmerf.results.parts import FeatureTests, Importances, Member, Pair
    from kmerf.results.power_curve import PowerCurve
    from kmerf.results.screen_result import Associations, Screen
    from kmerf.results.single_result import Result
    from kmerf.show.numbers import Notation

_TESTED = ("importance", "p", "p, family")
STAR = "* depends on a model of the tail, because no permuted statistic was as large"


class Share(NamedTuple):
    """What a bar shows."""

    mean: float
    low: float
    high: float


class ShownRow(NamedTuple):
    """A row of a table."""

    names: tuple[str, ...]
    """What the row is about: one name, or two that are compared."""
    cells: tuple[str, ...]
    chosen: bool = False
    """Whether the row is significant, or carries the answer."""
    remark: str = ""
    share: Share | None = None
    """For a bar."""


class ShownTable(NamedTuple):
    """A table."""

    heads: tuple[str, ...]
    """Of the names, and of each cell."""
    rows: tuple[ShownRow, ...]
    more: str = ""
    """What was left out."""
    note: str = ""
    longest: float = 0.0
    """What the longest bar that could be stands for; 0 for the largest of the means."""
    remarks: str = ""
    """The head over the remarks."""

    @property
    def peak(self) -> float:
        """What a whole bar stands for."""
        return self.longest or max((row.share.mean for row in self.rows if row.share is not None), default=0.0)

    def columns(self) -> list[tuple[str, ...]]:
        """Return the heads and cells of each column of numbers, with blanks under the stars of others.

        >>> ShownTable(("name", "p"), (ShownRow(("a",), ("1e-9*",)), ShownRow(("b",), ("0.2",)))).columns()
        [('p', '1e-9*', '0.2 ')]
        """
        columns = []
        for head, *cells in zip(self.heads[1:], *(row.cells for row in self.rows), strict=True):
            starred = any(cell.endswith("*") for cell in cells)
            columns.append((head, *(f"{cell} " if starred and cell[-1:] != "*" else cell for cell in cells)))
        return columns


def member_table(
    result: Result, notation: Notation, *, question: bool = False, statistic: bool = True
) -> ShownTable | None:
    """Return the members of a combined test, with their `question` and `statistic` if wanted."""
    smallest = 0.0 if result.null.distribution is None else 1.0 / (1 + result.null.distribution.size)
    table = members_table(
        result.members, notation, agreeing(result), smallest=smallest, question=question, statistic=statistic
    )
    several = result.pvalue <= LEVEL and len(agreeing(result)) > 1
    return table if table is None or not several else table._replace(note=_agree_text(agreeing(result)))


def members_table(
    members: Sequence[Member],
    notation: Notation,
    best: Sequence[Member] = (),
    *,
    smallest: float = 0.0,
    question: bool = True,
    statistic: bool = False,
) -> ShownTable | None:
    """Return members as a table, those in `best` marked; None if there are none."""
    if not members:
        return None
    rows = tuple(
        ShownRow(
            (member.name,),
            (
                *([notation.general(member.statistic)] if statistic else []),
                notation.decimal(member.score, 2),
                notation.decimal(member.share, 2),
                notation.p(member.pvalue, smallest),
            ),
            member in best,
            member.question if question else "",
        )
        for member in members
    )
    return ShownTable(("member", *(["statistic"] if statistic else []), "score", "share", "p alone"), rows)


def _agree_text(members: Sequence[Member]) -> str:
    """Say that several members found it.

    >>> from kmerf.results.parts import Member
    >>> _agree_text([Member(name, 0.5, 9.0, 0.0, 0.01) for name in ("predict", "unseen", "linear")])
    'predict, unseen and linear agree: which of them leads may change with the seed.'
    """
    *names, last = (member.name for member in members)
    return f"{', '.join(names)} and {last} agree: which of them leads may change with the seed."


def measures_text(members: Sequence[Member]) -> str:
    """Say what the statistics of members are, those alike together; empty where they do not say."""
    names: dict[str, list[str]] = {}
    for member in members:
        names.setdefault(member.measures, []).append(member.name)
    return "; ".join(f"{', '.join(alike)}: {measures}" for measures, alike in names.items() if measures)


def feature_table(
    result: Result, notation: Notation, most: int, *, spread: bool = True, lost: bool = False, ways: bool = False
) -> ShownTable | None:
    """Return the `most` important features with their p-values.

    With `spread`, the interval is a cell (it is in the share of each row in any case); with `lost`, so is what is lost
    when the feature is shuffled, where that is known and the importances are gains. With `ways`, the change along the
    feature takes the place of the interval, and the share of rows without a value follows, if any is missing.
    """
    spread = spread and not (ways and result.changes)
    table, tests = result.importances, result.features
    if result.p == 1 and not result.untested:  # a single column has all of the importance, and the p-value of the test
        return None
    if table is None:
        return None if tests is None else _with_ways(_tested_features(tests, notation, most), result, notation, ways)
    gains = table.measure == "gain"
    shuffled = result.details.importances if lost and gains and result.details is not None else None
    rows = []
    for i in np.argsort(-table.mean, kind="stable")[:most].tolist():
        share = Share(float(table.mean[i]), float(table.low[i]), float(table.high[i]))
        cells = [notation.decimal(share.mean)]
        if spread:
            cells.append(f"{notation.decimal(share.low)} to {notation.decimal(share.high)}")
        if tests is not None:
            cells += _pvalues(tests, i, notation)
        if shuffled is not None:
            cells.append(notation.decimal(float(shuffled.mean[i])))
        chosen = tests is not None and bool(tests.adjusted_fwer[i] <= LEVEL)
        rows.append(ShownRow((table.names[i],), tuple(cells), chosen, share=share))
    heads = ["feature", "importance", *([spread_head(table)] if spread else [])]
    heads += ["p", "p, family"] if tests is not None else []
    heads += ["lost if permuted"] if shuffled is not None else []
    more = _more(len(table.names) - len(rows), "features")
    return _with_ways(ShownTable(tuple(heads), tuple(rows), more, untested_text(result)), result, notation, ways)


def _with_ways(table: ShownTable, result: Result, notation: Notation, ways: bool) -> ShownTable:
    """Add what changes with each feature, a row for each column of y, and the share of rows without a value."""
    known = [[change for change in result.changes if change.column == row.names[0]] for row in table.rows]
    if not ways or not any(known):
        return table
    several = any(len(changes) > 1 for changes in known)
    holes = any(change.missing for changes in known for change in changes)
    rows: list[ShownRow] = []
    for row, changes in zip(table.rows, known, strict=True):
        for k, change in enumerate(changes or [None]):
            cells = [short_change(change, notation)]
            if change is not None and several:
                cells = [f"{short(change.what, 20)} {cells[0]}"]
            if holes:
                cells.append("" if change is None else f"{100 * change.missing / (change.n + change.missing):.0f} %")
            first = row if k == 0 else ShownRow(("",), ("",) * len(row.cells), row.chosen)
            rows.append(first._replace(cells=(*first.cells, *cells)))
    heads = (*table.heads, "change (95 % interval)", *(["missing"] if holes else []))
    return table._replace(heads=heads, rows=tuple(rows))


def untested_text(result: Result) -> str:
    """Name the columns that have no p-value, as the blocks do not let them be tested; empty if all are tested."""
    names = ", ".join(short(name, 40) for name in list(result.untested)[:6])
    more = f" and {len(result.untested) - 6} more" if len(result.untested) > 6 else ""
    return f"{names}{more}: cannot be tested with these blocks" if names else ""


def _tested_features(tests: FeatureTests, notation: Notation, most: int) -> ShownTable:
    """Return the features with the smallest p-values, where there are no importances of a forest."""
    rows = tuple(_tested_row(tests, i, notation) for i in np.argsort(tests.pvalues, kind="stable")[:most].tolist())
    return ShownTable(("feature", *_TESTED), rows, _more(len(tests.names) - len(rows), "features"))


def group_table(tests: FeatureTests | None, notation: Notation) -> ShownTable | None:
    """Return the groups of features that were tested together."""
    if tests is None:
        return None
    sizes = [str(len(tests.members.get(name, ()))) for name in tests.names]
    rows = tuple(_tested_row(tests, i, notation, size) for i, size in enumerate(sizes))
    return ShownTable(("features together", "features", *_TESTED), rows)


def tests_table(tests: FeatureTests, notation: Notation) -> ShownTable | None:
    """Return features or groups of features by themselves, the most important first."""
    if tests.members:
        return group_table(tests, notation)
    order = np.argsort(-tests.importance, kind="stable")
    return ShownTable(("feature", *_TESTED), tuple(_tested_row(tests, i, notation) for i in order.tolist()))


def importances_table(table: Importances, notation: Notation) -> ShownTable:
    """Return importances with their intervals by themselves, the largest first."""
    rows = tuple(
        ShownRow(
            (table.names[i],),
            (notation.decimal(table.mean[i]), f"{notation.decimal(table.low[i])} to {notation.decimal(table.high[i])}"),
        )
        for i in np.argsort(-table.mean, kind="stable").tolist()
    )
    return ShownTable(("feature", "importance", spread_head(table)), rows)


def _tested_row(tests: FeatureTests, i: int, notation: Notation, *cells: str) -> ShownRow:
    cells = (*cells, notation.decimal(float(tests.importance[i])), *_pvalues(tests, i, notation))
    return ShownRow((tests.names[i],), cells, bool(tests.adjusted_fwer[i] <= LEVEL))


def _pvalues(tests: FeatureTests, i: int, notation: Notation) -> list[str]:
    return [notation.p(float(each[i]), tests.smallest) for each in (tests.pvalues, tests.adjusted_fwer)]


def pair_table(pairs: Sequence[Pair], notation: Notation, most: int) -> ShownTable | None:
    """Return the pairs of groups with the smallest p-values, those first; of equal ones, the largest statistic.

    Remarks say in which column the groups of a pair differ most, and by how much.
    """
    if not pairs:
        return None
    rows = tuple(
        ShownRow(
            (pair.first, pair.second),
            _pair_cells(pair, notation),
            pair.adjusted <= LEVEL,
            _pair_change(pair, notation),
        )
        for pair in sorted(pairs, key=lambda pair: (pair.pvalue, -pair.statistic))[:most]
    )
    return ShownTable(("groups", "statistic", "p", "p, Holm"), rows, _more(len(pairs) - len(rows), "pairs"))


def _pair_cells(pair: Pair, notation: Notation) -> tuple[str, ...]:
    pvalues = (notation.p(p, 0.0 if pair.bound is None else p) for p in (pair.pvalue, pair.adjusted))
    return notation.general(pair.statistic), *pvalues


def _pair_change(pair: Pair, notation: Notation) -> str:
    """Say in which column two groups differ most; empty if they do not."""
    if pair.change is None or pair.adjusted > LEVEL:
        return ""
    return f"{short(pair.change.what, 16)}, {short_change(pair.change, notation)}"


def screen_table(screen: Screen, notation: Notation, most: int, *, changes: bool = False) -> ShownTable:
    """Return the columns of a screen in their order (`Screen.order`); those that could not be tested come last.

    If no permuted statistic was as large, p is written as at most what permuting can give, and no adjusted p-value is
    smaller. Adjusted p-values with a star rest on what a model of the tail suggests below. With `changes`, direction
    and size in the units of the data are the remarks, in place of the direction and of one of the adjusted p-values.
    """
    changes = changes and bool(screen.changes)
    order = screen.order[:most]
    every = list(screen)
    sized = screen.effects is not None
    rows = []
    for row in (every[i] for i in order):
        cells = [notation.decimal(row.effect)] if sized else [notation.general(row.statistic, 4)]
        cells += [row.direction if row.selected else ""] if sized and not changes else []
        adjusted = (row.adjusted_bh,) if changes else (row.adjusted_bh, row.adjusted_by)
        cells = [*cells, notation.p(row.pvalue, row.bound or 0.0)]
        cells += [notation.p(p, row.bound or 0.0) + "*" * row.extrapolated for p in adjusted]
        change = short_change(screen.changes.get(row.name), notation) if changes else ""
        remark = (change or "selected") if row.selected else ""
        rows.append(ShownRow((row.name,), tuple(cells), row.selected, remark))
    measure = ["effect"] if sized else ["statistic"]
    way = ["direction"] if sized and not changes else []
    heads = ("column", *measure, *way, "p", "p, BH", *(() if changes else ("p, BY",)))
    notes = "; ".join(filter(None, (_note(rows), compared_note(screen) if changes else "")))
    more, above = _more(screen.tested - len(rows), screened(screen)), "change (95 %)" if changes else ""
    return ShownTable(heads, tuple(rows), more, notes, remarks=above)


def compared_note(screen: Screen) -> str:
    """Say what is compared if columns are numbers; empty if none of them is."""
    ordered = any(change.shape in (RISES, FALLS, U_SHAPE, HUMP) for change in screen.changes.values())
    return "change: rows up to the lower quartile of a column beside those from the upper one on" if ordered else ""


def associations_table(
    result: Associations, notation: Notation, most: int, letters: int = 60, *, narrow: bool = False
) -> ShownTable:
    """Return the pairs in the order of their ranking, with names of so many letters at most.

    A narrow table has the adjusted p-values alone.
    """
    every = list(result)
    holes = bool((result.rows != result.n).any())
    rows = []
    for row in (every[k] for k in result.ranking[: min(most, result.tested)].tolist()):
        pvalues = [notation.p(p, row.bound or 0.0) for p in (row.pvalue, row.adjusted_bh)]
        shown = [*pvalues[narrow:1], pvalues[1] + "*" * row.extrapolated]
        way = row.direction.replace("highest", "high") if row.selected else ""
        way = f"high in {short(way.removeprefix('high in '), letters // 2)}" if way.startswith("high in ") else way
        cells = [notation.decimal(row.effect, 2), way, *shown, *([f"{row.rows:,}"] if holes else [])]
        rows.append(ShownRow((short(row.first, letters), short(row.second, letters)), tuple(cells), row.selected))
    heads = ("columns", "effect", "direction", *(() if narrow else ("p",)), "p, BH", *(["rows"] if holes else []))
    return ShownTable(heads, tuple(rows), _more(result.tested - len(rows), "pairs"), _note(rows))


def curve_table(curve: PowerCurve) -> ShownTable:
    """Return power by the number of rows."""
    cells = zip(curve.sizes, curve.power, curve.low, curve.high, strict=True)
    rows = tuple(
        ShownRow(
            (f"{size:,}",),
            (PLAIN.decimal(power, 2), f"{low:.2f} to {high:.2f}"),
            chosen=bool(power >= curve.target),
            share=Share(float(power), float(low), float(high)),
        )
        for size, power, low, high in cells
    )
    return ShownTable(("rows", "power", f"{100 * curve.confidence:.0f} % interval"), rows, longest=1.0)


def _note(rows: Sequence[ShownRow]) -> str:
    return STAR if any(cell.endswith("*") for row in rows for cell in row.cells) else ""


def _more(count: int, what: str) -> str:
    return "" if count < 1 else "... and 1 more" if count == 1 else f"... and {count:,} more {what}"
