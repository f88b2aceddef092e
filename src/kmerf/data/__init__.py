"""Data: the checked values that a test is given (`Sample`), and which of their rows may be exchanged.

May import `core`.
"""
