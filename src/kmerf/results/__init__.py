"""Results: what a test or a screen returns. Frozen values that go to JSON and back, and compute nothing.

They may import `core`. To show themselves they load `show`, `figures` or `report` when asked: the only imports upwards.
"""
