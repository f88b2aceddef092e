"""`compare`: how new rows differ from old ones, at once or window by window, and `Reference`: old rows to keep.

Windows are compared with the same reference one by one, so that another window costs nothing but itself. Their p-values
are dependent, as they share the reference; Holm's method and an expected number of false alarms hold all the same.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kmerf._version import __version__
from kmerf.comparing.column_changes import changed_pairs, changed_places, describe_column, written_number
from kmerf.comparing.evidence import distances, find_evidence, scores_of
from kmerf.comparing.matching import MAX_ROWS, OneTable, ReadingOptions, match, read_side
from kmerf.comparing.telling import MIN_COPIES, tell_apart
from kmerf.core.arrays import Floats
from kmerf.core.errors import Argument, InputError, choose, explain_unknown, share, whole
from kmerf.core.settings import LEVEL
from kmerf.core.streams import Seed, as_seed
from kmerf.data.sample import Sample
from kmerf.execution import parallel
from kmerf.execution.progress import Progress, Stretch, as_progress, begin, no_progress
from kmerf.nulls.definitions import benjamini_hochberg
from kmerf.reading.containers import Column, find
from kmerf.reading.dates import instants_of
from kmerf.results.comparison_result import RULES, Comparison, Timeline, UnlikeRow, Window, verdict_of
from kmerf.storage.saving import FilePath, check_path, write_text

MARGIN = 0.6
METHOD = "Comparison of tables"
UNLIKE_ROWS = 10
PIECES = 20  # of a comparison, as progress counts them: 13 for the tests, 5 for the forests, 2 for the columns
PERIODS = ("day", "week", "month", "quarter", "year")
FORMAT, FORMAT_VERSION = "kmerf reference", 1


@dataclass(frozen=True, eq=False)
class Reference:
    """Old rows to compare new rows with: a table, or a random sample of it.

    >>> import kmerf
    >>> reference = kmerf.Reference.of({"age": list(range(20, 60)), "arm": ["a", "b"] * 20})
    >>> reference.rows, reference.names
    (40, ('age', 'arm'))
    >>> kmerf.compare(reference, {"age": list(range(20, 60)), "arm": ["a"] * 40}, rng=1).verdict
    'different'
    """

    side: OneTable
    options: ReadingOptions
    seed: int

    @classmethod
    def of(
        cls,
        table: Any,
        *,
        rows: int = MAX_ROWS,
        drop: Sequence[str] = (),
        keep: Sequence[str] = (),
        categorical: Sequence[str] = (),
        na: Any = (),
        rng: Seed = 0,
    ) -> Reference:
        """Make a reference from a table, or from a random sample of `rows` rows; other arguments as in `compare`."""
        seed, most = as_seed(rng), whole("rows", rows, 20)
        options = ReadingOptions(_names(drop), _names(keep), _names(categorical), na)
        return cls(read_side("table", table, most, seed, options), options, seed)

    @property
    def rows(self) -> int:
        """Number of rows kept."""
        return self.side.n

    @property
    def total(self) -> int:
        """Number of rows of the table."""
        return self.side.total

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(each.name for each in self.side.columns)

    def __repr__(self) -> str:
        kept = f"{self.rows} rows" if self.rows == self.total else f"{self.rows} of {self.total} rows"
        return f"Reference({kept}, {len(self.names)} columns)"

    def append(self, timeline: Timeline, rows: Any, label: str, *, n_jobs: int | None = None, na: Any = ()) -> Timeline:
        """Return a timeline with one more window of new rows.

        Only the new window is computed. The other windows must have been compared with the same reference.
        """
        return append(timeline, self, rows, label, n_jobs=n_jobs, na=na)

    def save(self, path: FilePath) -> None:
        """Save the reference as JSON, with its version and a checksum."""
        columns = [
            {"name": c.name, "kind": c.kind, "unit": c.unit, "order": list(c.order), "ordered": c.ordered}
            | {"fault": c.fault is not None, "values": _plain_values(c)}
            for c in self.side.columns
        ]
        options = {
            "drop": list(self.options.drop),
            "keep": list(self.options.keep),
            "categorical": list(self.options.categorical),
        }
        body = {"total": self.total, "seed": self.seed, "options": options, "columns": columns}
        head = {"format": FORMAT, "version": FORMAT_VERSION, "kmerf": __version__, "checksum": _checksum(body)}
        write_text(path, json.dumps(head | {"reference": body}, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: FilePath) -> Reference:
        """Load a saved reference. A file that was altered, or that has another version, raises an error."""
        check_path(path)
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise _fault(path, f"could not be read ({error.strerror})", "look for the file") from None
        except (ValueError, RecursionError):
            raise _fault(path, "holds no JSON", "pass a file that Reference.save wrote") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise _fault(path, "holds no reference of kmerf", "pass a file that Reference.save wrote")
        if document.get("version") != FORMAT_VERSION:
            written = f"has version {document.get('version')}, by kmerf {document.get('kmerf')}"
            raise _fault(path, written, f"save it again with kmerf {__version__}")
        body = document.get("reference")
        if not isinstance(body, dict) or _checksum(body) != document.get("checksum"):
            raise _fault(path, "was changed or damaged: its checksum does not match", "save it again, or load a copy")
        try:
            columns = tuple(_column_of(each) for each in body["columns"])
            options = ReadingOptions(**{key: tuple(names) for key, names in body["options"].items()})
            side = OneTable(columns, int(body["total"]), np.arange(columns[0].n))
            if not columns or len({each.n for each in columns}) != 1:
                raise ValueError
            return cls(side, options, int(body["seed"]))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            finding = f"holds a reference that cannot be read ({type(error).__name__})"
            raise _fault(path, finding, "save it again, or load a copy") from None


def _plain_values(column: Column) -> list[Any]:
    if column.values.dtype.kind == "f":
        return [None if math.isnan(each) else each for each in column.values.tolist()]
    return [None if each is None else str(each) for each in column.values]


def _column_of(entry: dict[str, Any]) -> Column:
    numbers = entry["kind"] in ("numeric", "boolean")
    choose("kind", entry["kind"], ("numeric", "boolean", "text", "categorical", "date", "other"))
    values: Any
    if numbers:
        values = np.array([math.nan if each is None else float(each) for each in entry["values"]])
    else:
        values = np.array([None if each is None else str(each) for each in entry["values"]], dtype=object)
    kind: Any = "other" if entry["fault"] and entry["kind"] != "date" else entry["kind"]
    return Column(
        "reference", str(entry["name"]), kind, values, None, tuple(entry["order"]), entry["ordered"], entry["unit"]
    )


def _checksum(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _fault(path: FilePath, finding: str, remedy: str) -> InputError:
    return InputError(finding, argument=repr(os.fspath(path)), remedy=remedy)


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value))


class _Settings(NamedTuple):
    margin: float
    level: float
    most: int
    blocks: str | None
    n_jobs: int
    seed: int


@explain_unknown
def compare(
    reference: Any,
    current: Any,
    *,
    margin: float = MARGIN,
    level: float = LEVEL,
    blocks: str | None = None,
    by: str | None = None,
    time: str | None = None,
    window: int | None = None,
    expected_windows: float | None = None,
    drop: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    categorical: str | Sequence[str] = (),
    na: Any = (),
    rows: int = MAX_ROWS,
    rng: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | Progress = False,
) -> Any:
    """Compare two versions of a table: is there a difference, does it matter, and where is it?

    Parameters
    ----------
    reference
        The old rows: a dataframe, an array, a dictionary of columns, a table from `read_table`, the path of a file, or
        a `Reference`.
    current
        The new rows, in any of the same forms.
    margin
        The largest difference that does not matter to you, as the AUC of a forest that separates new rows from old
        ones, above 0.5 and below 1. With 0.6, the forest may be right for 60 of 100 pairs of an old and a new row.
    level
        Significance level of the tests.
    blocks
        The column whose equal values mark rows that belong together, such as the rows of one day or one customer. Whole
        blocks are permuted, and each block must be in only one of the tables.
    by
        Compare window by window: "day", "week", "month", "quarter" or "year", by the dates of the new rows, or the
        name of a column whose values define the windows. The result is a `Timeline`.
    time
        The column that holds the dates; by default, the only column of dates.
    window
        Compare windows of this many rows, in the order of the table.
    expected_windows
        For an endless stream of windows: at most one false alarm per this many windows on average, such as 200. By
        default, the probability of a false alarm in any window is at most the level.
    drop
        Columns to leave out.
    keep
        Columns to compare even if they look like ids.
    categorical
        Columns to read as categories.
    na
        Values that mean missing; {"age": 999} for one column.
    rows
        If a table has more rows, compare a random sample of this many.
    rng
        Seed. The same tables give the same answer.
    n_jobs
        Workers; all cores by default.
    progress
        Show a bar, or call this function with how much is done and how much there is; windows count one each.

    Returns
    -------
    Comparison
        With `by` or `window`, a `Timeline`.

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> old = {"age": rng.normal(50, 10, 400), "arm": rng.choice(["a", "b"], 400)}
    >>> new = {"age": rng.normal(58, 10, 400), "arm": rng.choice(["a", "b"], 400)}
    >>> c = kmerf.compare(old, new)
    >>> c.verdict, c.changed, c.columns[0].kind
    ('different', ('age',), 'level')
    """
    if isinstance(margin, bool) or not 0.5 < margin < 1.0:
        raise InputError(
            "must be above 0.5 and below 1", argument=Argument("margin", margin), remedy="0.6, for example"
        )
    share("level", level)
    options = ReadingOptions(_names(drop), _names(keep), _names(categorical), na)
    settings = _Settings(
        float(margin), float(level), whole("rows", rows, 20), blocks, parallel.worker_count(n_jobs), as_seed(rng)
    )
    if blocks is not None and not isinstance(blocks, str):
        raise InputError("is not the name of a column of both tables", argument="blocks", remedy="name it")
    if by is not None and window is not None:
        raise InputError("and window are two ways to cut the rows", argument=Argument("by", by), remedy="pass one")
    if by is None and window is None:
        for name, given in (("time", time), ("expected_windows", expected_windows)):
            if given is not None:
                raise InputError("is for windows", argument=Argument(name, given), remedy="pass by or window too")
    shown = as_progress(progress, METHOD)
    old, options = _old_side(reference, settings, options)
    if by is None and window is None:
        new = read_side("current", current, settings.most, settings.seed, options)
        return _compare_sides(old, new, options, settings, progress=shown)
    return _timeline(old, current, options, settings, by, time, window, expected_windows, shown)


def column_pvalue(old: Any, new: Any, *, categorical: bool = False, seed: int = 0) -> float:
    """Return the p-value of one column alone.

    >>> round(column_pvalue([1.0, 2, 3, 4, 5, 6, 7, 8], [11.0, 12, 13, 14, 15, 16, 17, 18]), 4) < 0.01
    True
    """
    options = ReadingOptions(keep=("x",), categorical=("x",) if categorical else ())
    sides = [read_side(name, {"x": each}, MAX_ROWS, seed, options) for name, each in (("old", old), ("new", new))]
    sample = match(sides[0], sides[1], options).sample
    return float(find_evidence(sample, seed).columns[0])


def _old_side(reference: Any, settings: _Settings, options: ReadingOptions) -> tuple[OneTable, ReadingOptions]:
    if not isinstance(reference, Reference):
        return read_side("reference", reference, settings.most, settings.seed, options), options
    stored = reference.options
    merged = ReadingOptions(
        (*stored.drop, *options.drop),
        (*stored.keep, *options.keep),
        (*stored.categorical, *options.categorical),
        options.na,
    )
    side = reference.side._replace(
        columns=tuple(each for each in reference.side.columns if each.name not in merged.drop)
    )
    return side, merged


def _compare_sides(
    old: OneTable,
    new: OneTable,
    options: ReadingOptions,
    settings: _Settings,
    below: float | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    sample, schema, codes = match(old, new, options, settings.blocks)
    assert sample.y.codes is not None
    current = sample.y.codes == 1
    begin(progress, PIECES)
    evidence = find_evidence(sample, settings.seed, below, Stretch(progress, 0, PIECES, 13))
    told = tell_apart(sample, settings.seed, settings.n_jobs, Stretch(progress, 13, PIECES, 5))
    adjusted = np.maximum(benjamini_hochberg(evidence.columns), evidence.pvalue)
    columns = [
        describe_column(
            sample.x, j, current, evidence.kinds[j], evidence.columns[j], adjusted[j], schema.new_levels.get(name, ())
        )
        for j, name in enumerate(sample.x.names)
    ]
    pairs = changed_pairs(sample.x, current, evidence.pvalue, settings.seed)
    joint = [each for pair in pairs if pair.adjusted <= settings.level for each in (pair.first, pair.second)]
    for k, each in enumerate(columns):
        together = any(name == each.name or name.startswith(f"{each.name} = ") for name in joint)
        if each.adjusted > settings.level and together:
            columns[k] = replace(each, kind="only jointly")
    columns.sort(key=lambda each: (each.pvalue, -abs(each.effect)))
    notes: list[str] = [
        f"Of {side.total:,} {word} rows, a random sample of {side.n:,} was compared."
        for side, word in ((old, "old"), (new, "new"))
        if side.n < side.total
    ]
    if told.copies >= MIN_COPIES:
        notes.append(f"{100 * told.copies:.0f} % of the new rows are the same as an old one, in every column.")
    swapped = changed_places(sample.x, current, [each.name for each in columns if each.adjusted <= settings.level])
    notes += [swapped] if swapped else []
    notes += codes
    unlike = _unlike(sample, told.scores, current, new)
    progress(PIECES, PIECES)
    return Comparison(
        method=METHOD,
        n=sample.n,
        pvalue=evidence.pvalue,
        level=settings.level,
        auc=told.auc,
        auc_low=told.low,
        auc_high=told.high,
        margin=settings.margin,
        share_bound=told.share if evidence.pvalue <= settings.level else 0.0,
        schema_changes=schema,
        columns=tuple(columns),
        pairs=pairs,
        unlike_rows=unlike,
        rows_before=old.n,
        rows_after=new.n,
        total_before=old.total,
        total_after=new.total,
        members=evidence.members,
        blocks=None if sample.blocks is None else int(sample.blocks.max()) + 1,
        reading=(*old.reading, *new.reading),
        settings={"resamples": evidence.resamples, "rows": settings.most, "blocks": settings.blocks},
        seed=settings.seed,
        notes=tuple(notes),
    )


def _unlike(sample: Sample, scores: Floats, current: Any, new: OneTable) -> tuple[UnlikeRow, ...]:
    """Return the new rows that are least like old ones, and the columns that are most unusual in them.

    Log odds of being new count, and how rare it is for an old row to lie so far from the middle.
    """
    rows = np.flatnonzero(current)
    far = distances(scores_of(sample.x))
    old_far = np.sort(far[~current])
    rare = (old_far.size - np.searchsorted(old_far, far[rows]) + 0.5) / (old_far.size + 1.0)
    odds = np.log(scores[rows] + 1e-3) - np.log(1.0 - scores[rows] + 1e-3)
    beyond = np.log(np.maximum(far[rows] / max(float(old_far[-1]), 1e-12), 1.0))  # further than any old row
    unlike = odds - np.log(rare) + 3.0 * beyond
    top = rows[np.argsort(-unlike, kind="stable")[:UNLIKE_ROWS]]
    x, rarity = sample.x, np.zeros((top.size, sample.x.p))
    for j in range(x.p):
        values = x.column(j)
        old, mine = values[~current], values[top]
        for k, value in enumerate(mine):
            if math.isnan(value):
                share = float(np.isnan(old).mean())
            elif x.categories[j]:
                share = float((old == value).mean())
            else:
                below, above = float((old <= value).mean()), float((old >= value).mean())
                share = min(1.0, 2.0 * min(below, above))
            rarity[k, j] = -math.log(share + 0.5 / old.size)
    start = int((~current).sum())
    found = []
    for k, row in enumerate(top.tolist()):
        best = np.argsort(-rarity[k], kind="stable")[:3]
        because = tuple(f"{x.names[j]} {_shown(x, j, row)}" for j in best if rarity[k, j] > 1.0)
        found.append(UnlikeRow(int(new.rows[row - start]), float(scores[row]), because))
    return tuple(found)


def _shown(x: Any, j: int, row: int) -> str:
    value = float(x.column(j)[row])
    if math.isnan(value):
        return "missing"
    return str(x.categories[j][int(value)]) if x.categories[j] else written_number(value)


# --- windows ----------------------------------------------------------------------------------------------------------


def _timeline(
    old: OneTable,
    current: Any,
    options: ReadingOptions,
    settings: _Settings,
    by: str | None,
    time: str | None,
    size: int | None,
    expected: float | None,
    progress: Progress,
) -> Timeline:
    new = read_side("current", current, 10**9, settings.seed, options)
    parts = list(_by_size(new, whole("window", size, 4)) if size is not None else _by_label(new, str(by), time))
    if not parts:
        raise InputError("has no rows in any window", argument="current", remedy="look at its dates")
    labels = {by} if by not in PERIODS else set()
    old = old._replace(columns=tuple(each for each in old.columns if each.name not in labels))
    empty = new_timeline(old, settings, len(parts), expected)
    windows = []
    begin(progress, len(parts))
    for label, part in parts:
        windows.append(_window(old, part, label, options, settings, empty))
        progress(len(windows), len(parts))
    return empty.with_windows(tuple(windows), (*old.reading, *new.reading))


def new_timeline(old: OneTable, settings: Any, planned: int, expected: float | None) -> Timeline:
    """Return a timeline without windows yet."""
    if expected is not None and (isinstance(expected, bool) or not expected >= 1.0):
        remedy = "200, for example"
        raise InputError("must be at least 1", argument=Argument("expected_windows", expected), remedy=remedy)
    rule = RULES[0] if expected is None else RULES[1]
    return Timeline(
        method=METHOD,
        n=0,
        windows=(),
        level=settings.level,
        margin=settings.margin,
        rows_before=old.n,
        rule=rule,
        expected_windows=200.0 if expected is None else float(expected),
        settings={"planned": planned, "rows": settings.most, "blocks": settings.blocks},
        seed=settings.seed,
    )


def _window(
    old: OneTable, part: OneTable, label: str, options: ReadingOptions, settings: _Settings, line: Timeline
) -> Window:
    planned = max(int(line.settings["planned"]), len(line.windows) + 1)
    below = line.threshold / planned if line.rule == "family" else line.threshold
    if part.n > settings.most:
        rng = np.random.default_rng([settings.seed, part.n])
        keep = np.zeros(part.n, np.bool_)
        keep[rng.choice(part.n, settings.most, replace=False)] = True
        part = part.some(keep)._replace(total=part.n)
    try:
        c = _compare_sides(old, part, options, settings, below)
    except InputError as error:
        if part.n >= 4:
            raise
        del error
        return Window(label, part.n, 1.0, 0.5, 0.0, 1.0, 0.0, (), verdict_of(1.0, (0.0, 1.0), 0.05, settings.margin))
    ends, broken = (c.auc_low, c.auc_high), c.schema_changes.broken
    return Window(label, part.total, c.pvalue, c.auc, *ends, c.share_bound, c.changed, c.verdict, broken, c.smallest)


def append(
    timeline: Timeline, reference: Reference, rows: Any, label: str, *, n_jobs: int | None = None, **options: Any
) -> Timeline:
    """Return a timeline with one more window, which costs only that window.

    `reference` is the one that the other windows were compared with; `options` are those of `compare` that say how rows
    are read.
    """
    reading = ReadingOptions(**{name: _names(value) if name != "na" else value for name, value in options.items()})
    settings = _Settings(
        timeline.margin,
        timeline.level,
        int(timeline.settings.get("rows", MAX_ROWS)),
        timeline.settings.get("blocks"),
        parallel.worker_count(n_jobs),
        timeline.seed,
    )
    if any(each.label == label for each in timeline.windows):
        raise InputError("is there already", argument=Argument("label", label), remedy="give the window another")
    old, merged = _old_side(reference, settings, reading)
    new = read_side("rows", rows, settings.most, settings.seed, merged)
    windows = (*timeline.windows, _window(old, new, label, merged, settings, timeline))
    return timeline.with_windows(windows, new.reading)


def _by_size(new: OneTable, size: int) -> Iterator[tuple[str, OneTable]]:
    number = np.arange(new.n) // size
    for k in range(int(number[-1]) + 1):
        keep = number == k
        if keep.sum() >= min(size, max(4, size // 2)) or k == 0:  # a short rest says little
            yield f"rows {k * size} to {min((k + 1) * size, new.n) - 1}", new.some(keep)


def _by_label(new: OneTable, by: str, time: str | None) -> Iterator[tuple[str, OneTable]]:
    if by in PERIODS and new.named(by) is None:
        labels = _periods(_dates(new, time), by)
    else:
        column = find("by", by, list(new.columns))
        labels = np.array([None if gap else str(v) for v, gap in zip(column.values, column.missing, strict=True)])
        if column.kind == "numeric":
            labels = np.array([None if math.isnan(v) else f"{v:g}" for v in column.values], dtype=object)
        new = new._replace(columns=tuple(each for each in new.columns if each.name != column.name))
    missing = np.array([each is None for each in labels])
    if missing.any():
        finding = f": {int(missing.sum())} rows have no {by}"
        raise InputError(finding, argument=Argument("by", by), remedy="fill in, or leave such rows out")
    numbers = _as_numbers(labels)
    order = np.unique(labels.astype(str)) if numbers is None else labels[np.unique(numbers, return_index=True)[1]]
    for label in order.tolist():
        yield label, new.some(labels == label)


def _as_numbers(labels: Any) -> Floats | None:
    try:
        return np.array([float(each) for each in labels])
    except ValueError:
        return None


def _dates(new: OneTable, time: str | None) -> Floats:
    dates = [each for each in new.columns if each.kind == "date"]
    if time is not None:
        column = find("time", time, list(new.columns))
    elif len(dates) == 1:
        column = dates[0]
    else:
        names = ", ".join(repr(each.name) for each in dates)
        finding = f": {names} hold dates" if dates else ": no column holds dates"
        raise InputError(finding, argument="time", remedy="name the column that says when rows are from")
    points = instants_of(column)
    if points is None or points.kind != "date":
        raise column.error("does not hold dates such as 2024-01-31", "name another with time")
    return points.seconds


def _periods(seconds: Floats, by: str) -> Any:
    found: dict[float, str | None] = {}
    for day in np.unique(np.floor(seconds / 86400.0)).tolist():
        if math.isnan(day):
            continue
        date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
        year, week, _ = date.isocalendar()
        found[day] = {
            "day": date.isoformat(),
            "week": f"{year}-W{week:02d}",
            "month": f"{date:%Y-%m}",
            "quarter": f"{date.year}-Q{(date.month + 2) // 3}",
            "year": str(date.year),
        }[by]
    return np.array([found.get(day) for day in np.floor(seconds / 86400.0).tolist()], dtype=object)
