"""The rivals' statistics straight from their definitions: loops and dense matrices, nothing compiled."""

from __future__ import annotations

import numpy as np


def distance_matrix(points):
    """Euclidean distances, one pair at a time."""
    n = len(points)
    return np.array([[np.sqrt(((points[i] - points[j]) ** 2).sum()) for j in range(n)] for i in range(n)])


def u_centred(matrix):
    """Szekely and Rizzo's U-centring of a matrix whose diagonal is zero."""
    n = len(matrix)
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                rows = (matrix[i].sum() + matrix[:, j].sum()) / (n - 2)
                out[i, j] = matrix[i, j] - rows + matrix.sum() / ((n - 1) * (n - 2))
    return out


def unbiased_correlation(a, b):
    """Correlation of the entries of two U-centred matrices."""
    a, b = u_centred(a), u_centred(b)
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def gaussian(points, s):
    """One less the Gaussian kernel of scale s."""
    return 1.0 - np.exp(-(distance_matrix(points) ** 2) / (2.0 * s**2))


def median_distance(points):
    return float(np.median(distance_matrix(points)[np.triu_indices(len(points), 1)]))


def hhg(a, b):
    """Pearson's statistic of the table of every ordered pair (i, j), rows k counted one by one in each of its cells."""
    n = len(a)
    total = 0.0
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            table = np.zeros((2, 2))
            for k in range(n):
                if k not in (i, j):
                    table[int(a[i, k] > a[i, j]), int(b[i, k] > b[i, j])] += 1
            expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / (n - 2)
            if (expected > 0).all():
                total += ((table - expected) ** 2 / expected).sum()
    return float(total)


def canonical_correlation(x, y):
    """Root of the largest eigenvalue of S_xx^-1 S_xy S_yy^-1 S_yx."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    product = np.linalg.pinv(x.T @ x) @ (x.T @ y) @ np.linalg.pinv(y.T @ y) @ (y.T @ x)
    return float(np.sqrt(np.linalg.eigvals(product).real.max()))


def rv(x, y):
    """Sum of squared covariances over the sizes of both covariance matrices."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    return float(((x.T @ y) ** 2).sum() / np.sqrt(((x.T @ x) ** 2).sum() * ((y.T @ y) ** 2).sum()))
