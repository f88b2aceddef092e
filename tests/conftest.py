"""What several tests share."""

import warnings

import pytest


@pytest.fixture(scope="session")
def hyppo():
    """The published implementation; what it imports warns of its own deprecations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import hyppo.independence
        import hyppo.ksample
    return hyppo
