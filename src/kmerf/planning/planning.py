"""How many rows do I need? The power of a test by the number of rows, from a pilot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kmerf.core.arrays import read_only
from kmerf.core.errors import Argument, InputError, explain_unknown, share, whole
from kmerf.core.settings import LEVEL, as_plain
from kmerf.execution.parallel import Execution
from kmerf.methods.registry import choose_method
from kmerf.planning.pilot import Scores, fit_growth, interval, score_parts
from kmerf.questions.answer import Choice
from kmerf.reading import samples
from kmerf.reading.named_columns import several
from kmerf.results.power_curve import PowerCurve

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.core.streams import Seed
    from kmerf.execution.progress import Progress
    from kmerf.methods.protocol import Method

FEWEST_ROWS = 20  # of a pilot
SMALLEST_PART = 10
LARGEST_PART = 1000  # rows; of larger pilots there are many such parts
PARTS = 60
_FRACTIONS = (0.25, 0.35, 0.5, 0.7, 1.0)  # of the pilot, or of the largest part
_FURTHEST = 16  # times the pilot: beyond, no number of rows is given
_GRID = 200  # sizes from the fewest rows to the most
_LEADING = (10, 15, 20, 30, 50, 70)  # and ten times each, and so on


@explain_unknown
def power_curve(
    x: Any,
    y: Any,
    *,
    sizes: int | Iterable[int] | None = None,
    target: float = 0.8,
    level: float = LEVEL,
    confidence: float = 0.95,
    method: Method | str | None = None,
    parts: int = PARTS,
    categorical: Iterable[str | int] = (),
    keep: Iterable[str | int] = (),
    na: Any = (),
    dates: str = "auto",
    y_kind: str = "auto",
    missing_y: str = "auto",
    rng: Seed = None,
    n_jobs: int | None = None,
    backend: str = "threads",
    progress: bool | Progress = False,
) -> PowerCurve:
    """Estimate how many rows a test needs to detect a relation, from a pilot.

    Parameters
    ----------
    x, y
        The pilot, as in `independence`; for groups, y holds the labels. At least 20 rows.
    sizes
        Numbers of rows to give the power for; by default round numbers from a quarter of the pilot to 16 times it. The
        rows needed do not depend on them.
    target
        The power to reach.
    level
        Significance level of the test.
    confidence
        Confidence level of the interval. The interval accounts for the sampling variation of the pilot, not only for
        chance in the computation.
    method
        The test, as in `independence`.
    parts
        How many random subsamples of each of five sizes to test; each takes two fits.
    categorical, keep, na, dates, y_kind, missing_y, rng, n_jobs, backend, progress
        As in `independence`.

    Returns
    -------
    PowerCurve
        The rows needed (`needed`), the power by the number of rows with its interval, and whether the pilot is large
        enough to rely on (`conclusive`).

    Examples
    --------
    >>> import numpy as np
    >>> import kmerf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(80, 3))
    >>> y = 0.7 * x[:, 0] + rng.normal(size=80)
    >>> curve = kmerf.power_curve(x, y, method="dcorr", rng=1)
    >>> curve.conclusive, 20 <= curve.needed.rows <= 60
    (True, True)
    """
    target, level, confidence = share("target", target), share("level", level), share("confidence", confidence)
    if target <= level:
        raise InputError("must be above the level", argument=Argument("target", target), remedy="0.8, for example")
    parts = whole("parts", parts, at_least=20)
    sample = samples.read_independence(
        x,
        y,
        categorical=categorical,
        keep=keep,
        na=na,
        dates=dates,
        y_kind=y_kind,
        missing_y=missing_y,
        takes_blocks=False,
    )
    if sample.n < FEWEST_ROWS:
        finding = f"has {sample.n} usable rows, and a pilot needs {FEWEST_ROWS}"
        raise InputError(finding, argument="x", remedy="collect more before planning")
    rows = _sizes(sizes, sample.n)
    choice = Choice(choose_method(method), None, "within", Execution(rng, n_jobs, backend, progress))
    run = choice.run_on(sample, all_rows=True)
    scores = score_parts(sample, choice.method, part_sizes(sample.n), parts, run)
    growth = fit_growth(scores, sample.n, level)
    power, low, high = interval(growth, rows, confidence)
    grid = np.unique(np.geomspace(SMALLEST_PART, _FURTHEST * sample.n, _GRID).round()).astype(np.int64)
    return PowerCurve(
        method=choice.method.name,
        n=sample.n,
        sizes=rows,
        power=read_only(power),
        low=read_only(low),
        high=read_only(high),
        level=level,
        confidence=confidence,
        target=target,
        tried_sizes=read_only(np.array([each.size for each in scores])),
        tried_power=read_only(_rejected(scores, growth.critical)),
        subsamples=parts,
        fine=read_only(np.vstack([grid, *interval(growth, grid, confidence)])),
        settings={"method": as_plain(choice.method)},
        seed=run.seed,
        notes=sample.notes,
        events=sample.y.events,
    )


def part_sizes(n: int) -> list[int]:
    """Return the sizes of the parts of a pilot of n rows.

    >>> part_sizes(100), part_sizes(50_000)
    ([25, 35, 50, 70, 100], [250, 350, 500, 700, 1000])
    """
    most = min(n, LARGEST_PART)
    return sorted({max(SMALLEST_PART, round(fraction * most)) for fraction in _FRACTIONS})


def round_sizes(n: int) -> list[int]:
    """Return round numbers of rows from about a quarter of a pilot's to many times it.

    >>> round_sizes(100)
    [30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500]
    """
    decades = [first * 10**k for k in range(12) for first in _LEADING]
    return [size for size in decades if max(SMALLEST_PART, n / 4) <= size <= _FURTHEST * n]


def _sizes(sizes: int | Iterable[int] | None, n: int) -> Ints:
    given = round_sizes(n) if sizes is None else several(sizes)
    rows = sorted({whole("sizes", size, SMALLEST_PART) for size in given})
    if not rows:
        raise InputError("is empty", argument="sizes", remedy="name one or more numbers of rows")
    return read_only(np.array(rows, dtype=np.int64))


def _rejected(scores: Sequence[Scores], critical: float) -> Floats:
    return np.array([float(np.mean(each.observed >= critical)) for each in scores])
