"""Data: any container becomes a checked `Sample` of features and a response, and says which rows may be exchanged.

Checked once here and trusted everywhere above. May import `core`; narwhals only in `columns`.
"""
