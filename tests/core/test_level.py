"""The level that everything uses unless another is named."""

import inspect

from kmerf.core.settings import LEVEL
from kmerf.study import power


def test_it_is_the_conventional_one_and_studies_use_it():
    assert LEVEL == 0.05
    assert inspect.signature(power).parameters["level"].default == LEVEL
