"""What hyppo's tests share: import paths, what is read and what is refused, workers."""

import numpy as np
import pytest

import kmerf.compat.hyppo as package
from kmerf import InputError
from kmerf.compat.hyppo.base import threads
from kmerf.execution.parallel import worker_count

RNG = np.random.default_rng(2)
X, Y = RNG.normal(size=(30, 2)), RNG.normal(size=(30, 1))
HOLES = np.where(np.arange(30) < 2, np.nan, np.arange(30.0))
TESTS = ["CCA", "Dcorr", "HHG", "Hsic", "KMERF", "MGC", "RV"]


def star(module):
    found = {}
    exec(f"from {module} import *", found)
    return sorted(set(found) - {"__builtins__"})


def test_import_paths_are_hyppos():
    from kmerf.compat.hyppo.independence import Dcorr
    from kmerf.compat.hyppo.ksample import KSample

    assert Dcorr is package.Dcorr is package.independence.Dcorr
    assert KSample is package.KSample is package.ksample.KSample


def test_a_star_imports_the_classes_alone():
    assert star("kmerf.compat.hyppo.independence") == sorted(TESTS)
    assert star("kmerf.compat.hyppo.ksample") == ["KSample"]
    assert star("kmerf.compat.hyppo") == sorted([*TESTS, "KSample"])


@pytest.mark.parametrize("name", TESTS)
def test_missing_values_are_refused_as_in_hyppo(name):
    test = getattr(package, name)()
    for call in (test.test, test.statistic):
        with pytest.raises(InputError, match="x: values are missing, 2 in all: fill them in or leave their rows out"):
            call(HOLES, Y)
        with pytest.raises(InputError, match="y is missing in 2 of 30 rows: leave those rows out"):
            call(X, HOLES)
    with pytest.raises(InputError, match="samples: values are missing, 2 in all: .* or use kmerf.ksample"):
        package.KSample(name).test(HOLES, Y)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ((X,), "samples: 1 given: pass two or more arrays"),
        ((X, X[:3]), "sample 2 has 3 rows: give each group 4 rows or more; kmerf.ksample takes"),
        (({"a": [1.0, 2.0, 3.0]}, X[:, :1]), "sample 1 has 3 rows"),
        ((X, Y, 100), "samples: one is 100, which has no rows: pass arrays .* by name, as in reps=1000"),
        ((X, np.array(2.0)), r"samples: one is array\(2.\), which has no rows"),
    ],
)
def test_messages_about_samples(samples, message):
    for call in (package.KSample("Dcorr").test, package.KSample("Dcorr").statistic):
        with pytest.raises(InputError, match=message):
            call(*samples)


def test_workers_are_joblibs():
    cores = worker_count(-1)
    assert [threads(workers) for workers in (1, 5, np.int64(2), None)] == [1, 5, 2, 1]
    assert [threads(workers) for workers in (-1, -2, -1 - cores)] == [cores, max(1, cores - 1), 1]
    assert package.RV().test(X, Y, reps=9, workers=-2, random_state=1) == package.RV().test(X, Y, 9, random_state=1)


@pytest.mark.parametrize("workers", [0, 1.5, "2", True])
def test_other_workers_are_refused(workers):
    with pytest.raises(InputError, match="workers=.* must be a whole number other than 0: pass 1 or more, -1 for all"):
        package.RV().test(X, Y, workers=workers)
