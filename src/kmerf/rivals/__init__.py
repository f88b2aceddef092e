"""Other tests of dependence, behind the same questions, nulls and results as KMERF.

>>> import kmerf
>>> from kmerf import rivals
>>> x = [[1], [2], [3], [4], [5], [6], [7]]
>>> kmerf.independence(x, [1, 4, 9, 16, 25, 36, 49], method=rivals.Dcorr(), null=kmerf.Permutation(199), rng=0).pvalue
0.005
"""

from __future__ import annotations

from kmerf.rivals.cca import CCA, NormalisedCovariance
from kmerf.rivals.dcorr import Dcorr
from kmerf.rivals.hhg import HHG
from kmerf.rivals.hsic import Hsic
from kmerf.rivals.mgc import MGC
from kmerf.rivals.rv import RV

__all__ = ["CCA", "HHG", "MGC", "RV", "Dcorr", "Hsic", "NormalisedCovariance"]
