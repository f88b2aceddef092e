"""Reading: a container or a file becomes columns, columns get roles and rulings, and a checked `Sample` is built.

May import `data` and all below. Only modules that read files know polars.
"""
