"""What memory there is, and what does not fit into it."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kmerf
from kmerf.core.errors import InputError
from kmerf.execution import parallel

LIMITED = """
import resource
import numpy as np
import kmerf
x = np.arange(20_000.0)
resource.setrlimit(resource.RLIMIT_AS, (9 * 10**9, resource.getrlimit(resource.RLIMIT_AS)[1]))
try:
    kmerf.independence(x, x % 7, method="mgc", rng=1, n_jobs=1)
except kmerf.InputError as error:
    print(error)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the limit is enforced by Linux")
def test_a_limit_of_the_process_is_known():
    places = {"PYTHONPATH": str(Path(kmerf.__file__).parent.parent)}
    command = [sys.executable, "-c", LIMITED]
    done = subprocess.run(command, env=os.environ | places, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("x has 20,000 rows, for which MGC needs 36.0 GB of memory, and "), done.stderr
    free = float(done.stdout.partition("of memory, and ")[2].split()[0])
    assert free < 9.0


@pytest.mark.parametrize(("free", "rows"), [(1e9, 2000), (4e9, 5000), (1.0, 100)])
def test_the_advised_sample_fits(monkeypatch, free, rows):
    monkeypatch.setattr(parallel, "free_memory", lambda: free)
    with pytest.raises(InputError, match=rf"pass rows={rows} to test a random sample of them"):
        parallel.check_pairs("MGC", 100_000, 40.0)


def test_what_is_not_known_is_no_limit(monkeypatch):
    monkeypatch.setattr(parallel.Path, "read_text", lambda self: "max")
    assert parallel._free_on_machine() == math.inf
    assert parallel._cgroup_limit() == math.inf
    parallel.check_pairs("MGC", 1000, 8.0)
