"""Nulls: how a statistic becomes a p-value, and several statistics or p-values are taken together.

A null is a value that says what it needs; nobody asks for its type. May import `methods` and all below.
"""
