"""Does y depend on x, given z?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import Argument, InputError, explain_unknown
from kmerf.execution.parallel import Execution
from kmerf.questions.answer import AskOptions, ask
from kmerf.reading import samples

if TYPE_CHECKING:
    from kmerf.core.streams import Seed
    from kmerf.execution.progress import Progress
    from kmerf.methods.protocol import Method
    from kmerf.nulls.definitions import Null
    from kmerf.results.single_result import Result


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
        allowed. If x is a table, you can pass the names of its columns.
    details
        Whether to keep the data of the leading columns, for the pictures of the report.
    margin
        As in `independence`, for what x adds to z.
    categorical, keep, na, dates, weights, weights_kind, rows, y_kind, missing_y, rng, n_jobs, progress
        As in `independence`; `categorical` may name columns of z, too.
    method, preset, null, blocks, exchange, importances, feature_groups, interval, pairwise, backend
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
        given=given,
    )
    options = AskOptions(
        method, preset, null, exchange, importances, feature_groups, interval, pairwise, details, rows, margin
    )
    return ask(sample, "conditional", options, Execution(rng, n_jobs, backend, progress))
