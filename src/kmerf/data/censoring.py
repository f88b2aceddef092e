"""Times until an event, some of them censored: two scores for each row, which tests take in the place of y.

A row is followed for a time T, which ends in an event (D = 1) or is censored before one (D = 0). With d(t) events at
time t among the Y(t) rows that are still followed, the score of a row is

    D w(T) - sum over t <= T of w(t) d(t) / Y(t),

its events less those that were to be expected, weighted by w. With w = 1 these are the scores of the log-rank test, the
martingale residuals of a model without columns, and low for rows that last long. With w = 1 - 2 S(t), S the share that
is without an event just before t (Kaplan-Meier), early and late events count with opposite signs: that shows hazards
that cross, where neither side does better overall. Only the order of the times matters.

A test that permutes the scores permutes the pairs (T, D), so it is exact where x is independent of the pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kmerf.core.arrays import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray


FEWEST_EVENTS = 2
_Z = 1.959963984540054  # the normal quantile of a 95 % interval


class Followed(NamedTuple):
    """How long each row was followed, and whether that ended in an event."""

    time: Floats
    event: Floats

    def take(self, order: NDArray[np.int64]) -> Followed:
        """Return the rows in another order."""
        return Followed(self.time[order], self.event[order])


class LifeTable(NamedTuple):
    """At each different time: how many are followed until then or longer, how many events, and S just after it."""

    times: Floats
    at_risk: Floats
    events: Floats
    surviving: Floats

    def interval(self, effective: Floats | None = None) -> tuple[Floats, Floats]:
        """Return the 95 % interval of S: Greenwood's variance on the scale of log(-log S), which stays inside 0 to 1.

        With weights, `effective` is the number of rows at risk that would say as much if they counted alike, for which
        Xie and Liu (2005) take (sum of weights)^2 / (sum of squared weights).
        """
        hazard = self.events / self.at_risk
        rows = self.at_risk if effective is None else effective
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(np.cumsum(hazard / (rows * (1.0 - hazard))))
            log = np.log(self.surviving)
            half = _Z * spread / log
            low, high = np.exp(-np.exp(np.log(-log) - half)), np.exp(-np.exp(np.log(-log) + half))
        inside = (self.surviving > 0.0) & (self.surviving < 1.0)
        return np.where(inside, low, self.surviving), np.where(inside, high, self.surviving)


def life_table(followed: Followed, weights: Floats | None = None) -> LifeTable:
    """Return the numbers at each time, and the Kaplan-Meier estimate of the share without an event; rows may weigh.

    >>> life_table(Followed(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 1.0, 0.0, 1.0]))).surviving.tolist()
    [0.75, 0.5, 0.0]
    """
    times, place = np.unique(followed.time, return_inverse=True)
    place = place.reshape(-1)
    each = np.ones(place.size) if weights is None else weights
    at_risk: Floats = np.asarray(np.bincount(place, each, minlength=times.size)[::-1].cumsum()[::-1], float)
    events: Floats = np.asarray(np.bincount(place, each * followed.event, minlength=times.size), float)
    return LifeTable(times, at_risk, events, np.asarray(np.cumprod(1.0 - events / at_risk)))


def log_rank_scores(followed: Followed) -> Floats:
    """Return the two scores of each row (n, 2), each with mean 0 and variance 1.

    >>> log_rank_scores(Followed(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 1.0, 0.0, 1.0])))[:, 0].round(2)
    array([ 1.26,  0.7 , -0.98, -0.98])
    """
    table = life_table(followed)
    place = np.searchsorted(table.times, followed.time)
    hazard = table.events / table.at_risk
    before = np.concatenate([[1.0], table.surviving[:-1]])
    scores = np.empty((followed.time.size, 2))
    for k, weight in enumerate((np.ones(before.size), 1.0 - 2.0 * before)):
        scores[:, k] = followed.event * weight[place] - np.cumsum(weight * hazard)[place]
    scores -= scores.mean(axis=0)
    spread = scores.std(axis=0)
    scaled: Floats = np.divide(scores, spread, out=np.zeros_like(scores), where=spread > 0.0)
    return scaled
