"""Local covariances of two matrices for all pairs of scales at once, in O(n^2)."""

from __future__ import annotations

from kmerf.engine.compiling import kernel


@kernel
def local_covariances(a, scale_a, b, scale_b, order, out):
    """Fill `out` (k, l) with the sums of a_ij b_ij over the pairs up to each scale of a, and each of b.

    `scale_a` (n, n) is the scale from which on a pair counts in a, from 0; rows and columns of b come in `order`.
    """
    n = a.shape[0]
    out[:] = 0.0
    for i in range(n):
        row = order[i]
        for j in range(n):
            column = order[j]
            out[scale_a[i, j], scale_b[row, column]] += a[i, j] * b[row, column]
    for k in range(out.shape[0]):
        run = 0.0
        for m in range(out.shape[1]):
            run += out[k, m]
            out[k, m] = run + (out[k - 1, m] if k > 0 else 0.0)


@kernel
def local_sums(a, scale, out):
    """Fill `out` (k,) with the sums of a_ij over the pairs up to each scale."""
    out[:] = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[scale[i, j]] += a[i, j]
    for k in range(1, out.size):
        out[k] += out[k - 1]
