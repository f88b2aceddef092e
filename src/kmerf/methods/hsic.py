"""The Hilbert-Schmidt independence criterion (Gretton et al. 2005), normalised and unbiased, with Gaussian kernels.

    c(x, y) / sqrt(c(x, x) c(y, y)),   with c the mean product of the U-centred kernels exp(-|u - v|^2 / 2 s^2).

The scale s is the median distance between different rows (1 where that is zero). It belongs to the data at hand: x has
its own and y has its own, and then the statistic does not depend on the units of either. hyppo takes the scale of x for
both; a y in thousandths then has a kernel that is all but linear, a y in thousands one that is all but zero. Published
tables were made that way, so `bandwidth="hyppo"` does the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kmerf.core.errors import choose
from kmerf.methods import pair_matrices as pairs
from kmerf.methods.permutable import PermutableProblem, matrices
from kmerf.methods.protocol import Method, Wording

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats
    from kmerf.data.sample import Sample


@dataclass(frozen=True)
class Hsic(Method):
    """Kernel correlation with Gaussian kernels.

    Parameters
    ----------
    bandwidth
        "median": each of x and y has the median of its own distances. "hyppo": both have that of x, which makes the
        statistic equal to that of `hyppo.independence.Hsic`. For groups the two agree, as a kernel of one-hot labels
        has only two values; so `ksample` agrees with `hyppo.ksample.KSample("Hsic")` in either case.

    >>> import kmerf
    >>> result = kmerf.independence(range(8), range(8), method=Hsic(), null=kmerf.ChiSquare())
    >>> round(result.statistic, 12), round(result.pvalue, 4)
    (1.0, 0.0027)

    """

    bandwidth: str = "median"

    name: ClassVar[str] = "Hsic"
    most_rows: ClassVar[int] = 2000  # it compares all pairs

    def __post_init__(self) -> None:
        choose("bandwidth", self.bandwidth, ["median", "hyppo"])

    def wording(self, classes: bool) -> Wording:
        """Say what it asks."""
        asks = "Do rows that are near each other in x have near y, and the farther apart, the less?"
        return Wording(asks, measures="a correlation")

    def prepare(self, sample: Sample, seed: int) -> PermutableProblem:
        """Find the scales and centre the kernels."""
        from kmerf.engine.pairs import GAUSSIAN

        x, y = matrices(sample, self.name)
        of_x = _scale(x)
        of_y = of_x if self.bandwidth == "hyppo" else _scale(y)
        return PermutableProblem(self.name, pairs.correlation(x, y, GAUSSIAN, (of_x, of_y)), chi_square=True)


def _scale(values: Floats) -> float:
    return 1.0 / (2.0 * (pairs.median_distance(values) or 1.0) ** 2)
