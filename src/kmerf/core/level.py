"""The level at which a test is called significant wherever nobody names another: the one place for 0.05."""

LEVEL = 0.05
