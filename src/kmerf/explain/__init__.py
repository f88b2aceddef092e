"""Explain: what goes with a p-value: which features, which members, how strong, which rows, which pairs of groups.

Made from the observed fit and the refits of the test. May import `nulls` and all below.
"""
