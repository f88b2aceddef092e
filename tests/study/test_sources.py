"""Sources of data check their settings."""

import numpy as np
import pytest

from kmerf import InputError, study
from kmerf.storage.provenance import canonical


@pytest.mark.parametrize("source", [study.Simulated, study.Rotated, study.Mixed])
def test_sources_check_their_settings(source):
    name = "claw" if source is study.Mixed else "linear"
    with pytest.raises(InputError, match="name='lineal' is not an option"):
        source("lineal")
    with pytest.raises(InputError, match="definition='none' is not an option"):
        source(name, definition="none")
    with pytest.raises(InputError, match="n=3 is too few"):
        source(name, n=3)
    assert canonical(source(name, n=np.int64(20), p=np.int32(3))) == canonical(source(name, n=20, p=3))
