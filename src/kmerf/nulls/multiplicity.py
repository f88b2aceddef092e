"""P-values of many tests, adjusted so that selecting those at or below a level keeps an error rate there.

With m tests and p_(1) <= ... <= p_(m), Benjamini and Hochberg (1995) adjust p_(i) to min_{k >= i} m p_(k) / k. That
controls the false discovery rate where p-values are independent or positively dependent. Benjamini and Yekutieli (2001)
multiply by 1 + 1/2 + ... + 1/m: that holds whatever the dependence. Holm (1979) adjusts p_(i) to max_{k <= i}
(m - k + 1) p_(k), which controls the probability of any false selection at all, whatever the dependence.

In a screen, p-values from the same B null statistics are positively dependent, if nothing else ties the columns
together. Where y does not depend on column j, T_j and the null statistics are exchangeable: which of the 1 + B is T_j
tells nothing about what they are. The larger p_j, the smaller is the one that is T_j, and the larger are the others,
with which every other column is compared, and so every other p-value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats


def benjamini_hochberg(pvalues: Floats) -> Floats:
    """Adjust p-values for the false discovery rate; NaN stands for a test that was not made.

    >>> benjamini_hochberg(np.array([0.01, 0.02, 0.04, np.nan])).round(3).tolist()
    [0.03, 0.03, 0.04, nan]
    """
    tested = np.flatnonzero(~np.isnan(pvalues))
    order = tested[np.argsort(pvalues[tested], kind="stable")]
    raised = pvalues[order] * order.size / np.arange(1, order.size + 1)
    adjusted = np.full(pvalues.shape, np.nan)
    adjusted[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)
    return adjusted


def benjamini_yekutieli(pvalues: Floats) -> Floats:
    """Adjust p-values for the false discovery rate, however they depend on each other.

    >>> benjamini_yekutieli(np.array([0.01, 0.02, 0.04, np.nan])).round(3).tolist()
    [0.055, 0.055, 0.073, nan]
    """
    tested = int((~np.isnan(pvalues)).sum())
    harmonic = float((1.0 / np.arange(1, tested + 1)).sum())
    return np.minimum(benjamini_hochberg(pvalues) * harmonic, 1.0)


def holm(pvalues: Floats) -> Floats:
    """Adjust p-values for the probability of one false selection or more.

    >>> holm(np.array([0.01, 0.04, 0.02])).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(pvalues, kind="stable")
    raised = pvalues[order] * np.arange(order.size, 0, -1)
    adjusted = np.empty(pvalues.shape)
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return adjusted
