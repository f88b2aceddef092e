"""Fixtures that several files use."""

import numpy as np
import pytest

from kmerf.core.errors import InputError
from kmerf.reading.files import read
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


@pytest.fixture
def check_refusal(make):
    """Return what checks that a file with this content is refused, with these words, in one line."""

    def check(content, says):
        with pytest.raises(InputError) as caught:
            read(make(content))
        assert says in str(caught.value)
        assert ": " in str(caught.value)
        assert "\n" not in str(caught.value)

    return check
