"""Execution: workers, progress, signals, and what a machine can bear. May import `core`."""
