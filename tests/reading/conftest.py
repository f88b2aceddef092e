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


@pytest.fixture
def make(tmp_path):
    """Return what writes a file and gives its path."""

    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write
