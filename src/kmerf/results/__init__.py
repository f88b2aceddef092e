"""Results: the questions, and what they return: frozen values that go to JSON and back, and compute nothing.

`records` has the codec and what all results share. They may import `core` and `storage`. To show themselves they load
`show`, `figures` or `report` when asked: the only imports upwards.
"""
