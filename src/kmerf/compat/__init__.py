"""Ways over from other libraries: their names and signatures, with our tests behind them.

May import every package below it; scikit-learn only for distances and kernels of other kinds.
"""
