"""Does y depend on x, given z?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kmerf.core.errors import Argument, InputError
from kmerf.data import read_sample
from kmerf.questions.adjusted import answer_given
from kmerf.questions.keywords import explain_unknown
from kmerf.questions.setup import Execution

if TYPE_CHECKING:
    from kmerf.core.streams import Seed
    from kmerf.results.single_result import Result


@explain_unknown
def conditional(
    x: Any,
    y: Any,
    *,
    given: Any,
    categorical: Iterable[str | int] = (),
    y_kind: str = "auto",
    missing_y: str = "raise",
    rng: Seed = None,
    n_jobs: int | None = None,
) -> Result:
    """Test whether y depends on x given z: is there a relation beyond the one that both have with z?

    What z explains of x and of y is removed, by regressions that are judged on rows they have not seen, and what is
    left of both is compared: levels, other shapes of dependence, and relations that vary with z. Where z takes few
    different values, rows of y are permuted among rows with the same z instead. The p-value is approximate: it holds as
    far as the regressions describe what z explains, which the result shows (`adjustment`), with a warning where the
    residuals still depend on z.

    Parameters
    ----------
    x, y
        As in `independence`: numbers or classes, one column or several. x may have missing values.
    given
        z: columns with as many rows as x, of numbers or categories, with missing values or without; or, where x is a
        table, the names of its columns that hold them.
    categorical, y_kind, missing_y, rng, n_jobs
        As in `independence`; `categorical` may name columns of z, too.

    Returns
    -------
    Result
        P-value, what z explains of x and y, how well y is predicted with x beyond z, and for several columns of x a
        p-value for each of them given z.

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(size=300)
    >>> x, y = age + rng.normal(size=300), age + rng.normal(size=300)
    >>> bool(np.corrcoef(x, y)[0, 1] > 0.3)  # they go together, because of age
    True
    >>> kmerf.conditional(x, y, given=age, rng=1).pvalue > 0.05
    True
    >>> kmerf.conditional(x, y + 0.5 * x, given=age, rng=1).pvalue < 0.001
    True
    """
    if given is None:
        raise InputError(
            "leaves nothing to compare given",
            argument=Argument("given", None),
            remedy="pass columns, or use independence",
        )
    sample = read_sample.read_independence(
        x, y, categorical=categorical, y_kind=y_kind, missing_y=missing_y, given=given
    )
    return answer_given(sample, "conditional", Execution(rng, n_jobs, "threads", False))
