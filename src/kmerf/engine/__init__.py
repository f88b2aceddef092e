"""Compiled kernels: numpy in, numpy out, no validation. Each file stands alone, since numba caches by file."""
