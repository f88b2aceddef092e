"""Core: what every room needs and no statistician would ask for: arrays, seeds, settings, errors, workers, files.

It knows nothing of tests. It may import numpy and the standard library; joblib only in `parallel`.
"""
