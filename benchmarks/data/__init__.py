"""Data to measure tests on, and other tests to compare with."""
