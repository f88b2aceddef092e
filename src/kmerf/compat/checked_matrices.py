"""Matrices of distances and similarities, given or computed, checked once before a test is built on them.

A distance is finite, symmetric, never negative, and zero from a row to itself; a similarity is finite and symmetric.
Its diagonal does not matter: the unbiased forms leave it out, the biased ones take it as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kmerf.core.errors import InputError

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats

Matrix: TypeAlias = "Callable[[str, Floats], Floats]"  # from the name of an argument and its values

ROUNDING = 1e-6  # of the largest entry: distances from products of rows are the roots of rounded zeros

NOT_DISTANCES = 'pass distances (n, n), or name a metric such as "euclidean"; Hsic takes similarities'
NOT_SIMILARITIES = 'pass similarities (n, n), or name a kernel such as "gaussian"; Dcorr takes distances'


def distance_matrix(metric: Any, argument: str, values: Floats, /, **options: Any) -> Floats:
    """Return the distances (n, n) between rows by scikit-learn's name of a metric, or by a function of all rows.

    None and "precomputed" say that the values are distances already. `argument` names the values in messages.

    >>> distance_matrix("cityblock", "x", np.array([[0.0, 0.0], [1.0, 2.0]]))
    array([[0., 3.],
           [3., 0.]])
    """
    from sklearn.metrics import pairwise_distances

    return _checked_distances(_made(metric, values, pairwise_distances, options), len(values), argument)


def kernel_matrix(metric: Any, argument: str, values: Floats, /, **options: Any) -> Floats:
    """Return the similarities (n, n) of rows by scikit-learn's name of a kernel, or by a function of all rows.

    None and "precomputed" say that the values are similarities already.

    >>> kernel_matrix("linear", "x", np.array([[1.0], [2.0]]))
    array([[1., 2.],
           [2., 4.]])
    """
    from sklearn.metrics.pairwise import pairwise_kernels

    matrix = _made(metric, values, pairwise_kernels, options)
    return _checked(matrix, len(values), argument, "similarities", NOT_SIMILARITIES)


def _made(metric: Any, values: Floats, by_name: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return what a function of all rows gives, or what a name stands for; the values themselves are one already."""
    if callable(metric):
        return metric(values, **options)
    return values if metric is None or metric == "precomputed" else by_name(values, metric=metric, **options)


def both(matrix: Matrix, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the matrices of x and of y."""
    return matrix("x", x), matrix("y", y)


def _checked_distances(matrix: Any, n: int, argument: str) -> Floats:
    """Return distances without what is rounding on their diagonal and below zero."""
    distances = _checked(matrix, n, argument, "distances", NOT_DISTANCES)
    rounding = ROUNDING * float(np.abs(distances).max())
    least, own = float(distances.min()), float(np.abs(np.diagonal(distances)).max())
    if least < -rounding:
        finding = f": its distances are negative, down to {least:.3g}"
    elif own > rounding:
        finding = f": its distances are not zero from each row to itself, but up to {own:.3g}"
    else:
        distances = np.maximum(distances, 0.0)
        np.fill_diagonal(distances, 0.0)
        return distances
    raise InputError(finding, argument=argument, remedy=NOT_DISTANCES)


def _checked(matrix: Any, n: int, argument: str, what: str, remedy: str) -> Floats:
    """Return a matrix of numbers (n, n) that is finite and symmetric but for rounding; refuse any other."""
    try:
        numbers = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        finding = f": its {what} are not numbers but of type {type(matrix).__name__}"
        raise InputError(finding, argument=argument, remedy=remedy) from None
    if numbers.shape != (n, n):
        finding = f": its {what} have shape {numbers.shape} and not {(n, n)}"
    elif not np.isfinite(numbers).all():
        finding = f": {int((~np.isfinite(numbers)).sum())} of its {what} are missing or infinite"
    elif (unequal := float(np.abs(numbers - numbers.T).max())) > ROUNDING * float(np.abs(numbers).max()):
        finding = f": its {what} are not symmetric, two that should be equal differ by {unequal:.3g}"
    else:
        return numbers
    raise InputError(finding, argument=argument, remedy=remedy)
