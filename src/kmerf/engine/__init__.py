"""Engine: the compiled loops, with their formulas. Each has a slow and simple counterpart in the tests.

The only package that may import numba; it imports no other package.
"""
