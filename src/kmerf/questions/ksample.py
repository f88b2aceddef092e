"""Do two or more groups come from the same distribution? Asked as: does the group depend on x?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import explain_unknown
from kmerf.execution.parallel import Execution
from kmerf.questions.answer import AskOptions, ask, asks_past
from kmerf.reading.samples import read_ksample

if TYPE_CHECKING:
    from kmerf.core.streams import Seed
    from kmerf.execution.progress import Progress
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null
    from kmerf.results.single_result import Result


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
