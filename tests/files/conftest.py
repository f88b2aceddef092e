from __future__ import annotations

import pytest


@pytest.fixture
def make(tmp_path):
    """Return what writes a file and gives its path."""

    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write
