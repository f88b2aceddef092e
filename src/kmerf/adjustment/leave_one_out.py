"""Ridge regression, judged by the rows that it leaves out.

With B = U D V' the functions of z, centred, and h = D^2 / (D^2 + n penalty), the fit is U h U' t, row i has leverage
l_i = 1/n + sum_k U_ik^2 h_k, and what it would leave of t_i, had it not seen row i, is (t_i - fit_i) / (1 - l_i). All
penalties share one decomposition. Of the penalties the smallest is taken whose error is within one per cent of the
smallest error: a little too much noise costs power, a little too much smoothing costs validity.

If targets and functions have lost the means of strata, row i has the share s_i = 1 / (rows of its stratum) in a mean.
The same argument gives (t_i - fit_i) / (1 - l_i / (1 - s_i)), with l_i the sum without 1/n.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from kmerf.core.arrays import Bools, Floats

PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, np.inf)

COARSER = 3.0  # times the penalty: what a regression of half the rows might choose

_SLACK = 0.01
_SMALL = 1e-10  # an eigenvalue that is rounding, as a share of the largest
_MOST_LEVERAGE = 0.999


@dataclass(frozen=True, eq=False)
class RidgeFits:
    """What regressions of some targets left of rows they had not seen, the penalty of each, and what it spent."""

    residuals: Floats  # (n, q)
    coarse: Floats  # the same with a penalty COARSER times as large (n, q)
    penalties: Floats  # (q,)
    freedom: Floats  # (q,), degrees of freedom: the sum of the leverages
    beyond: Floats  # (q,), those of them that another decomposition would not spend

    def with_columns(self, chosen: Bools, other: RidgeFits) -> RidgeFits:
        """Return these fits with some columns (q,) replaced by those of others."""
        parts = []
        for field in fields(self):
            values = getattr(self, field.name).copy()
            values[..., chosen] = getattr(other, field.name)
            parts.append(values)
        return RidgeFits(*parts)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The functions of z as orthogonal directions U (n, k), with their squared lengths D^2 (k,)."""

    directions: Floats
    squares: Floats
    own: Floats | None = None  # the share of each row in the mean of its stratum (n,), where there are strata

    @classmethod
    def of(cls, functions: Floats, own: Floats | None = None) -> Decomposition:
        """Decompose functions (n, k), by the eigenvectors of their products."""
        centred = functions - functions.mean(axis=0)
        squares, vectors = np.linalg.eigh(centred.T @ centred)
        kept = squares > _SMALL * max(float(squares.max(initial=0.0)), np.finfo(np.float64).tiny)
        directions = centred @ vectors[:, kept] / np.sqrt(squares[kept])
        return cls(np.ascontiguousarray(directions), squares[kept], own)

    def leave_one_out(
        self, targets: Floats, penalties: tuple[float, ...] = PENALTIES, other: Decomposition | None = None
    ) -> RidgeFits:
        """Regress centred targets (n, q), each with a penalty of its own; `other` is what will be removed later."""
        along = self.directions.T @ targets
        fits = [self._left(targets, along, penalty) for penalty in penalties]
        errors = np.array([(left**2).mean(axis=0) for left in fits])
        chosen = (errors <= (1.0 + _SLACK) * errors.min(axis=0)).argmax(axis=0)
        left = np.column_stack([fits[k][:, j] for j, k in enumerate(chosen)])
        kept = np.array([self._kept(penalty) for penalty in penalties])
        outside = 1.0 if other is None else 1.0 - ((other.directions.T @ self.directions) ** 2).sum(axis=0)
        freedom, beyond = 1.0 + kept.sum(axis=1), (kept * outside).sum(axis=1)
        taken = np.array(penalties)[chosen]
        coarse = np.empty_like(left)
        for penalty in np.unique(taken):
            some = taken == penalty
            coarse[:, some] = self._left(targets[:, some], along[:, some], COARSER * penalty)
        return RidgeFits(left, coarse, taken, freedom[chosen], beyond[chosen])

    def fitted(self, target: Floats, penalty: float) -> Floats:
        """Return the fit of one target (n,) to its own rows."""
        return np.asarray(self.directions @ (self._kept(penalty) * (self.directions.T @ target)))

    def outside(self, targets: Floats) -> Floats:
        """Return what a regression without a penalty leaves of the rows that it has seen (n, q)."""
        return np.asarray(targets - self.directions @ (self.directions.T @ targets))

    def _kept(self, penalty: float) -> Floats:
        if not np.isfinite(penalty):
            return np.zeros_like(self.squares)
        return np.asarray(self.squares / (self.squares + self.directions.shape[0] * penalty))

    def _left(self, targets: Floats, along: Floats, penalty: float) -> Floats:
        kept = self._kept(penalty)
        fit = self.directions @ (kept[:, None] * along)
        leverage = (self.directions**2) @ kept
        if self.own is None:
            leverage += 1.0 / targets.shape[0]
        else:  # a row alone in its stratum has no residual
            leverage /= np.where(self.own < 1.0, 1.0 - self.own, 1.0)
        return np.asarray((targets - fit) / (1.0 - np.minimum(leverage, _MOST_LEVERAGE))[:, None])
