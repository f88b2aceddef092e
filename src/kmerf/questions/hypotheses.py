"""The three tests: does y depend on x; do groups differ in x (does the group depend on x?); does y depend on x given z.

Each reads a `Sample` and asks the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import Argument, InputError, explain_unknown
from kmerf.execution.parallel import Execution
from kmerf.questions.answer import AskOptions, ask, asks_past
from kmerf.reading.samples import read_independence, read_ksample

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
        The features, one row per observation: an array, a list, a dictionary of columns, or a pandas, polars or pyarrow
        table. Missing values are allowed. Or a formula, "outcome ~ age + sex" or "outcome ~ .", with the table as y.
    y
        The outcome: one or more numeric columns, or classes. If x is a table, y may be the name of the column (or
        columns) of x that holds it.
    method
        The test, as a value (`KMERF(...)`) or by its name in the shell ("forest", "dcorr", "hhg"). The default is a
        `Portfolio`, which combines several forests and faster tests into one test.
    preset
        "paper" uses the published test, `KMERF(proximity="all")`, with a valid p-value from refits. For the published
        p-value, add `null=ChiSquare()`.
    null
        How to compute the p-value, as a value or by name ("sequential", "extrapolated", "permutation", "chi-square").
        The default, `Sequential(B)`, is valid at every level. It refits to permuted y: as few as 19 times if there is
        no effect, and up to B times if there may be one. B is 999 for small data (150 rows and 5 columns), and 399 or
        99 for larger data. `Permutation(999)` always uses all permutations; it is the default below 20 rows and for
        methods without refits. `Extrapolated(99)` extends p-values below 0.01 with a tail model. `ChiSquare()` is the
        published approximation: fast, but not always valid.
    categorical
        Columns to read as categories, by name or position, if their type does not show it. In tables, text with few
        distinct values is read as categories by default.
    keep
        Columns of a table to use even if they look like row numbers, ids or free text. Without `keep`, kmerf leaves
        such columns out with a note. Arrays and lists are used as they are.
    na
        Values that mean missing, besides None and NaN: "?", 999, a list, or for single columns `{"age": 999}`.
    dates
        How to use dates and times of a table: "auto" for elapsed time and, if the span allows, month, weekday and hour;
        "elapsed" for elapsed time alone; "drop" to leave them out; "day-first" or "month-first" for 05/03/2021.
    weights
        The frequency or the sampling weight of each row: numbers, or the name of a column. Frequencies are exact, as if
        the rows were repeated. With sampling weights, kmerf keeps each row with a probability proportional to its
        weight, using the seed.
    weights_kind
        "frequencies" or "sampling". By default, whole numbers are frequencies and other numbers are sampling weights.
    rows
        Test a random sample of this many rows, drawn with the seed, if all rows would take too long.
    y_kind
        "numeric" or "categorical". By default, numbers with more than two values are numeric and everything else is
        categorical. "censored": y has two columns, the follow-up time and whether it ended in an event (1 or true) or
        was censored (0 or false). It may also be `(times, events)`, or a structured array as in scikit-survival.
    missing_y
        What to do with rows whose y is missing: "drop" or "raise". By default, such rows of a table are dropped with a
        note, and arrays raise an error.
    blocks
        A label per row, or the name of the column of x that holds them, if not all rows are exchangeable under the
        null: repeated measures, pairs, batches. Several columns, or a list of names, the outermost first, are nested or
        crossed blocks: rows belong together if they agree in all of them. `ChiSquare` does not support blocks.
    exchange
        What to test with blocks. "within": does y depend on x inside blocks? Rows are permuted inside their block, and
        block means are removed first. "between": do blocks with a different x have a different y? Each block counts
        once, by its means, and blocks are permuted; their sizes may differ. The default is "between" if x or y is
        constant within every block, and "within" if all columns of x vary within blocks. "whole": blocks of equal size
        are permuted as units, row for row, for ordered rows. Nested blocks are permuted within their outer block.
    order
        When each row was observed, if rows are a time series: the name of a column of times or dates, the times
        themselves, or True if rows are in time order. kmerf first removes what the past of y predicts, so that rows can
        be permuted (docs/series.md). With blocks, each block is a series. Times must be equally spaced; gaps may occur.
    lags
        With `order`: how many steps ago x may have acted. 2 means now and up to two steps ago; with daily rows, [7]
        means a week ago. Each column at each lag is a feature. For the other direction, swap x and y.
    permutations
        Your own row orders, for designs that kmerf does not cover: an array (B, n) counted from 0, or a function that
        draws one with a numpy Generator. They must be as likely as the observed order if x and y are independent.
    given
        Covariates to adjust for, as in `conditional`: columns with as many rows as x, or names of columns of x. This
        uses a separate test, and raises an error for options that it does not support. With `order`, "past" is the past
        of y itself: does x add to it?
    importances
        How to rank columns. "marginal": by the share of y's variance that the forests no longer predict, out of bag,
        when a column is permuted, with an interval. The p-value is for the share that splits on the column predict out
        of bag, which is about the same number. "gain": by the share of the gain of splits, which favours columns with
        many values, with the same p-values. "conditional": the p-value tests whether y depends on a column given all
        others, so a column that is only a proxy for another has a large one.
    feature_groups
        Sets of features whose importances are also tested together: `{"blood": ["sodium", "iron"]}`.
    interval
        A confidence level such as 0.95, for a conservative interval for the expected kernel correlation, from 60
        half-samples of the rows. It takes about a third as long as the default null.
    pairwise
        Whether to also test each pair of three or more classes: k (k - 1) / 2 more tests, on fewer rows each, with
        enough refits for a pair to be significant by Holm's method.
    details
        Whether to examine the forest: out-of-bag permutation importances, the contribution of each row to the
        statistic, and how y changes with the most important features. It takes about as long as a few refits.
    margin
        The smallest effect that matters: a share of the variance of y's ranks, or an AUC for classes. The result then
        reports whether the effect is below it, above it, or undecided (docs/changes.md).
    rng
        A seed, a numpy Generator, or None for a new seed. The result records the seed.
    n_jobs
        Number of workers; all cores by default. The result does not depend on it.
    backend
        "threads", or the name of a joblib backend, such as "loky" for processes.
    progress
        True for a progress bar on standard error, or a function that receives the number of steps done and their total.

    Returns
    -------
    Result
        Statistic, p-value, importances with p-values, and the effect with its 95 % interval. You can also write
        `statistic, pvalue = independence(x, y)`.

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
    sample = read_independence(
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


@explain_unknown
def ksample(
    *samples: Any,
    groups: Any = None,
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
    """Test whether two or more groups come from the same distribution.

    Parameters
    ----------
    samples
        Two or more samples with the same columns, or one dictionary of named samples; or one table together with
        `groups`. The order of the groups does not matter.
    groups
        The name of the column of the table that holds the groups, or one label per row.
    missing_y
        What to do with rows whose group is missing: "drop" or "raise", as in `independence`.
    pairwise
        Whether to also test each pair of three or more groups, to see which differ: k (k - 1) / 2 more tests, on fewer
        rows each, with p-values adjusted by Holm's method and enough refits for that.
    given
        Covariates to adjust for, such as age and sex, as in `independence`: names of columns, or columns with the rows
        of all samples, one sample below the other.
    method, preset, null, categorical, keep, na, dates, weights, weights_kind
        As in `independence`.
    order, lags, permutations
        As in `independence`. Groups may be periods, such as before and after a change (docs/how-to/time.md).
    rows, blocks, exchange, importances, feature_groups, interval, details, margin
        As in `independence`.
    rng, n_jobs, backend, progress
        As in `independence`. With several samples, `blocks` lists the labels of their rows, one sample below the other:
        `ksample(before, after, blocks=[*subjects, *subjects])` compares paired samples.

    Returns
    -------
    Result
        Statistic, p-value, and importances with p-values, which show the features in which the groups differ.

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(40, 2)), rng.normal(size=(50, 2))
    >>> b[:, 0] *= 4.0
    >>> result = kmerf.ksample(a, b, rng=1)
    >>> result.pvalue, result.groups
    (0.001, {'1': 40, '2': 50})
    """
    past = asks_past(given, samples[0] if samples else None)
    sample = read_ksample(
        *samples,
        groups=groups,
        categorical=categorical,
        keep=keep,
        na=na,
        dates=dates,
        weights=weights,
        weights_kind=weights_kind,
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
    return ask(sample, "ksample", options, Execution(rng, n_jobs, backend, progress))


@explain_unknown
def conditional(
    x: Any,
    y: Any,
    *,
    given: Any,
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
    """Test whether y depends on x given z: is there a relation beyond what z explains?

    `independence(x, y, given=z)` runs the same test with the same options.

    The test removes what z explains of x and of y and compares the residuals: levels, other shapes of dependence, and
    relations that vary with z. If rows share their values of z (a category, or a number with at least two rows per
    value on average), it removes the means of rows with the same z and permutes y among these rows. The p-value is then
    exact. Otherwise it removes z by regression, and the p-value is approximate: it is valid as far as the regressions
    describe what z explains. The result reports how much they explain (`adjustment`), with a warning if the residuals
    still depend on z. If z has both kinds of columns, such as subjects with two rows each and age, the test does both.

    Parameters
    ----------
    x, y
        As in `independence`: numbers or classes, one column or several. x may have missing values.
    given
        z, the covariates to adjust for: numeric or categorical columns with as many rows as x. Missing values are
        allowed. If x is a table, you can pass the names of its columns. With `order`, "past" is the past of y.
    order, lags
        As in `independence`, for rows in time order.
    details
        Whether to keep the data of the leading columns, for the pictures of the report.
    margin
        As in `independence`, for what x adds to z.
    categorical, keep, na, dates, weights, weights_kind, rows, y_kind, missing_y, rng, n_jobs, progress
        As in `independence`; `categorical` may name columns of z, too.
    method, preset, null, blocks, exchange, permutations, importances, feature_groups, interval, pairwise, backend
        As in `independence(x, y, given=z)`. An option that the conditional test does not support raises an error.

    Returns
    -------
    Result
        P-value, what z explains of x and of y, how much x adds to the prediction of y from z, and, if x has several
        columns, a p-value per column given z.

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(size=300)
    >>> x, y = age + rng.normal(size=300), age + rng.normal(size=300)
    >>> bool(np.corrcoef(x, y)[0, 1] > 0.3)  # they are correlated, because of age
    True
    >>> kmerf.conditional(x, y, given=age, rng=1).pvalue > 0.05
    True
    >>> kmerf.conditional(x, y + 0.5 * x, given=age, rng=1).pvalue < 0.001
    True
    """
    if given is None:
        raise InputError(
            "names no covariates",
            argument=Argument("given", None),
            remedy="pass columns, or use independence",
        )
    past = asks_past(given, x)
    sample = read_independence(
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
    return ask(sample, "conditional", options, Execution(rng, n_jobs, backend, progress))
