"""Show: one view of a result, which terminal, notebook, report and figures all take: words, numbers, tables.

May import `results` and `core`, and nothing that computes.
"""
