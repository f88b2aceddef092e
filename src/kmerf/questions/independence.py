"""Does y depend on x?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import explain_unknown
from kmerf.execution.parallel import Execution
from kmerf.questions.answer import AskOptions, ask, asks_past
from kmerf.reading import samples

if TYPE_CHECKING:
    from kmerf.core.streams import Seed
    from kmerf.execution.progress import Progress
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null
    from kmerf.results.single_result import Result


@explain_unknown
def independence(
    x: Any,
    y: Any,
    *,
    method: Method | str | None = None,
    preset: str | None = None,
    null: Null | str | None = None,
    categorical: Iterable[str | int] = (),
    keep: Iterable[str | int] = (),
    na: Any = (),
    dates: str = "auto",
    weights: Any = None,
    weights_kind: str = "auto",
    rows: int | None = None,
    y_kind: str = "auto",
    missing_y: str = "auto",
    blocks: Any = None,
    exchange: str = "auto",
    order: Any = None,
    lags: Any = None,
    permutations: Any = None,
    given: Any = None,
    importances: str = "marginal",
    feature_groups: Mapping[str, Any] | None = None,
    interval: float | None = None,
    pairwise: bool = False,
    details: bool = False,
    margin: float | None = None,
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
) -> Result:
    """Test whether y depends on x.

    Parameters
    ----------
    x
        The features, one row an observation: an array, a list, a dictionary of columns, or a table of pandas, polars or
        pyarrow. Missing values are used as they are. Or a formula, "outcome ~ age + sex" or "outcome ~ .", with the
        table as y.
    y
        What may depend on them: numbers, one column or several, or classes. Or, where x is a table, the name of its
        column (or columns) that holds y.
    method
        The test, as a value (`KMERF(...)`) or by its name in the shell ("forest", "dcorr", "hhg"). By default a
        `Portfolio`: forests that look for different things, and tests without one, as one test.
    preset
        "paper" for the paper's own test, `KMERF(proximity="all")`, instead. Its p-value is the valid one, from refits;
        the paper's is `null=ChiSquare()`.
    null
        How to find the p-value, as a value or by name ("sequential", "extrapolated", "permutation", "chi-square"). By
        default `Sequential(B)`: exact, from refits on permuted y, of which it takes 19 if there is no effect, up to B
        if there may be one: 999 for small data (150 rows and 5 columns), 399 or 99 for larger ones. `Permutation(999)`
        takes them all, and is the default below 20 rows and for methods that refit nothing. `Extrapolated(99)` goes
        on below 0.01 by a model of the tail; `ChiSquare()` is the paper's, fast and not always valid.
    categorical
        Columns to read as categories, by name or position, where their type does not say so. In tables, text with few
        different values is read so by itself.
    keep
        Columns of a table to use even if they look like row numbers, ids or free text, which are left out with a note.
        Arrays and lists are used as they are.
    na
        Values that mean missing, besides None and NaN: "?", 999, a list, or for single columns `{"age": 999}`.
    dates
        What becomes of dates and times of a table: "auto" for elapsed time and, where the span allows, month, weekday
        and hour; "elapsed" for that alone; "drop" to leave them out; "day-first" or "month-first" for 05/03/2021.
    weights
        How often each row was seen, or a sampling weight of each row: numbers, or the name of a column. Frequencies are
        exact, as if the rows were repeated. With sampling weights, rows are kept with a probability proportional to
        them, by the seed.
    weights_kind
        "frequencies" or "sampling"; by default whole numbers are frequencies and others sampling weights.
    rows
        Test a random sample of this many rows, drawn with the seed, if all would take too long.
    y_kind
        "numeric" or "categorical"; by default numbers with more than two values are numeric, all else is categorical.
        "censored": y is two columns, how long a row was followed, and whether that ended in an event (1 or true) or was
        censored before one (0 or false); or `(times, events)`, or a structured array as scikit-survival has them.
    missing_y
        What to do with rows whose y is missing: "drop" or "raise"; by default those of tables are dropped with a note,
        and arrays are refused.
    blocks
        A label for each row, or the name of the column of x that holds them, where not all rows may be exchanged
        under the null: repeated measures, pairs, batches. Several columns, or a list of names, the outermost first,
        are blocks inside blocks, or crossed ones: rows belong together that agree in all. Not for `ChiSquare`.
    exchange
        What is tested with blocks. "within": does y move with x inside blocks? Rows change places inside their block,
        and block means are removed first. "between": do blocks with another x have another y? Each block counts once,
        by its means, and blocks change places; their sizes may differ. By default it is "between" if x or y is constant
        within every block, and "within" if all columns of x vary there. "whole": blocks of one size change places row
        for row, for rows with an order. Blocks that lie inside others change places with blocks of the same outer one.
    order
        When each row was observed, if rows are a series: the name of a column of times or dates, times themselves, or
        True if rows are in the order of time. What the past of y predicts is removed first, so that rows can change
        places (docs/series.md). With blocks, each block is a series. Times must be equally spaced; gaps may occur.
    lags
        With `order`: how long ago x may have acted, in steps. 2 is now and up to two steps ago, [7] a week ago in days;
        each column at each lag is a feature. For the other direction, exchange x and y.
    permutations
        Row orders of your own, for designs that only you know: an array (B, n) counted from 0, or a function that draws
        one with a numpy Generator. They must be as likely as the observed order if x and y are independent.
    given
        What x and y are compared given, as in `conditional`: columns with as many rows, or names of columns of x. Uses
        a separate test; options that it does not support are refused. With `order`, "past" is y's own past: does x add
        to it?
    importances
        How columns are ranked. "marginal": by the share of y's variance that the forests no longer predict, out of bag,
        when a column is shuffled, with an interval; its p-value is that of the share that its splits predict out of
        bag, about the same number. "gain": by the share of the gain of splits, which favours columns with many values,
        with the same p-values. "conditional": p-values say whether y depends on a column given all others, so that a
        column that is only a proxy of another has a large one.
    feature_groups
        Sets of features whose importances are also tested together: `{"blood": ["sodium", "iron"]}`.
    interval
        A level such as 0.95, for an interval from 60 half-samples of the rows that holds the expected kernel
        correlation at least that often. It takes about a third as long as the default null.
    pairwise
        Whether to test every two of three or more classes as well: k (k - 1) / 2 more tests, on fewer rows each, with
        enough refits that Holm's method can call a pair significant.
    details
        Whether to look closer at the forest: out-of-bag permutation importances, the share of each row in the
        statistic, and how y moves with the most important features. It takes about as long as a few refits.
    margin
        The smallest effect that matters: a share of the variance of y's ranks, or an AUC for classes. The result then
        says whether the effect is below it, above it, or undecided (docs/changes.md).
    rng
        A seed, a numpy Generator, or None for a new seed, which the result records.
    n_jobs
        Workers; all cores by default. The result does not depend on it.
    backend
        "threads", or a joblib back end by name: "loky" for processes.
    progress
        True for a bar on standard error, or a function that is called with the number of steps done and their total.

    Returns
    -------
    Result
        Statistic, p-value, importances with p-values and the size of the effect with its 95 % interval;
        `statistic, pvalue = independence(x, y)` works too.

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 3))
    >>> y = x[:, 1] ** 2 + 0.1 * rng.normal(size=60)
    >>> result = kmerf.independence(x, y, rng=1)
    >>> result.pvalue < 0.01
    True
    >>> result.features.significant(0.05)
    ('x2',)
    """
    past = asks_past(given, x)
    sample = samples.read_independence(
        x,
        y,
        categorical=categorical,
        keep=keep,
        na=na,
        dates=dates,
        weights=weights,
        weights_kind=weights_kind,
        y_kind=y_kind,
        missing_y=missing_y,
        blocks=blocks,
        given=None if past else given,
        order=order,
        permutations=permutations,
        takes_blocks=importances != "conditional",
    )
    options = AskOptions(
        method, preset, null, exchange, importances, feature_groups, interval, pairwise, details, rows, margin
    )
    options = options._replace(lags=lags, past=past)
    return ask(sample, "independence", options, Execution(rng, n_jobs, backend, progress))
