"""Adjustment: what z explains of x and of y is removed, and what is left of both is compared.

Rows of x and y that depend on each other only through z leave residuals whose products average to zero. May import
`forests` and all below.
"""
