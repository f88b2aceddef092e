"""Screening: one test per column, with shared permutations, early stopping and a store. May import `questions`."""
