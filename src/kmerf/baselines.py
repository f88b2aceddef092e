"""Other tests of dependence, behind the same questions, nulls and results as KMERF.

>>> import kmerf
>>> from kmerf import baselines
>>> x = [[1], [2], [3], [4], [5], [6], [7]]
>>> y = [1, 4, 9, 16, 25, 36, 49]
>>> kmerf.independence(x, y, method=baselines.Dcorr(), null=kmerf.Permutation(199), rng=0).pvalue
0.005
"""

from __future__ import annotations

from kmerf.methods.column_scan import ColumnScan
from kmerf.methods.covariance_tests import CCA, RV, NormalisedCovariance
from kmerf.methods.distance_tests import HHG, Dcorr, Hsic
from kmerf.methods.mgc import MGC

__all__ = ["CCA", "HHG", "MGC", "RV", "ColumnScan", "Dcorr", "Hsic", "NormalisedCovariance"]
