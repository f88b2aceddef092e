"""Compatibility with other libraries: their names and signatures, with kmerf's tests behind them.

May import every package below it; scikit-learn only for distances and kernels of other kinds.
"""
