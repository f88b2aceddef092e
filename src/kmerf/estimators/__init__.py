"""Estimators for scikit-learn: the kernel that a forest learns, as a tool for other models.

May import `core`, `data` and `forests`; scikit-learn's base classes and scipy's sparse matrices.
"""
