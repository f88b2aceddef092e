"""Forests: grow them, see which leaf each row fell into, and take from that kernels, correlations and predictions.

Reads down: `spec`, `growing`, `leaves`, `proximity` and `response_kernels`, `correlation`, `measuring`, `fitted`. May
import `core`, `data` and `engine`; scikit-learn only in `sklearn_forest`.
"""
