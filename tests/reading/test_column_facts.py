"""How a column was read, in words."""

from kmerf.reading.containers import read
from kmerf.reading.rulings import facts_of, judge


def test_facts():
    table = {
        "a": [1.0, None, 2.0, 2.0],
        "c": [1, 1, 1, 1],
        "none": [None] * 4,
        "films": [[1], [2], [1], None],
        "name": ["n", "m", "o", "p"],
    }
    columns = read("x", table, strict=False)
    facts = {c.name: facts_of(c, "x", ruling) for c, ruling in zip(columns, judge(columns), strict=True)}
    assert facts["a"][1:] == ("x", "numeric", 1, 2, "", "")
    assert facts["c"].remark == "the same in every row"
    assert facts["none"].remark == "all missing"
    assert (facts["films"].role, facts["films"].distinct, facts["films"].missing) == ("left out", None, 1)
    assert (facts["name"].role, facts["name"].remark) == ("left out", "has a different text in every row")
    assert facts_of(columns[1], "groups").kind == "categorical"
    assert facts_of(columns[4], "y").kind == "categorical"
    assert facts_of(columns[0], "groups").remark == "numbers as labels"
