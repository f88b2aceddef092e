"""Fixtures that several files use."""

import pytest

from kmerf import study
from studies import PLAN


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """PLAN, computed the plain way."""
    path = tmp_path_factory.mktemp("plain") / "plan.sqlite"
    assert study.run(PLAN, path, n_jobs=1, backend="threads") == 2 * 4 * 25
    return study.load(path)
