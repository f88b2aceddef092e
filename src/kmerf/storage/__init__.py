"""Storage: files that are written whole or not at all, SQLite files, and what a stored value depends on.

May import `core` and `execution`.
"""
