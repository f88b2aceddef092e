"""Fixtures that several files use."""

import numpy as np
import pytest

from sample_tables import SCORE, SERIES, VISITS


@pytest.fixture(params=SERIES)
def series(request):
    return SERIES[request.param]


@pytest.fixture
def plain():
    """A sample that is in order, for tests that spoil one thing."""
    return np.column_stack([VISITS, SCORE]), np.array(SCORE)
