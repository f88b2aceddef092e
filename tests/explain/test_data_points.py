"""Some rows as they are."""

import json

import numpy as np
import pandas as pd

from kmerf.explain import closer_look
from kmerf.reading.samples import read_independence, read_ksample
from kmerf.results.views import DataPoints


def test_few_rows_are_all_kept_as_they_are():
    table = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0], "kind": ["u", "v", "u", None], "out": [5.0, 6.0, 7.0, 8.0]})
    sample = read_independence(table, "out", categorical="kind")
    points = closer_look.thin(sample, [1, 0], seed=1)
    assert points.features == ("kind", "a")
    assert points.levels == (("u", "v"), ())
    assert np.array_equal(points.x, [[0, 1], [1, np.nan], [0, 3], [np.nan, 4]], equal_nan=True)
    assert points.y_names == ("out",)
    assert points.y.tolist() == [5.0, 6.0, 7.0, 8.0]
    again = DataPoints.from_dict(json.loads(json.dumps(points.to_dict(), allow_nan=False)))
    assert again.to_dict() == points.to_dict()


def test_of_many_rows_a_random_part_is_kept_and_rare_classes_with_them():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5000, 2))
    numbers = closer_look.thin(read_independence(x, x[:, 0]), [0], seed=1)
    assert numbers.rows.size == closer_look.PICTURED_ROWS
    assert (numbers.y == x[numbers.rows, 0]).all()
    again = closer_look.thin(read_independence(x, x[:, 0]), [0], seed=1)
    assert (again.rows == numbers.rows).all()
    labels = np.where(np.arange(5000) < 15, "rare", "common")
    groups = closer_look.thin(read_ksample(x, groups=list(labels)), [], seed=1)
    assert (groups.y == 1).sum() == 15  # "rare" comes second
    assert groups.x.shape == (groups.rows.size, 0)
