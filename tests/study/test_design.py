"""Studies are values: what cannot be is refused, and each cell has its key."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from kmerf import KMERF, ChiSquare, InputError, Permutation, Portfolio, baselines, study
from kmerf.storage import provenance
from kmerf.storage.provenance import canonical
from kmerf.study.design import StudyTest
from studies import LINEAR, PLAN, Slope


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tests": {}}, "tests is empty: a study needs at least one test and one source"),
        ({"data": []}, "data is empty"),
        ({"tests": {"KMERF": KMERF}}, r"tests\['KMERF'\]=<class .*> cannot be used: pass a value such as kmerf.KMERF"),
        ({"tests": {"KMERF": KMERF(y_kernel=np.eye(20)), "slope": Slope()}}, "has settings that cannot be compared"),
        ({"data": [LINEAR, replace(LINEAR, kappa=1)]}, "the same source twice"),
        ({"data": ["linear"]}, "data='linear' cannot be used"),
        ({"replicates": 0}, "replicates=0 must be a whole number of at least 1"),
        ({"seed": -1}, "seed=-1 must be a whole number of at least 0"),
        ({"pvalue": {"slop": ChiSquare()}}, "pvalue='slop' is not an option; did you mean 'slope'"),
        ({"pvalue": {"slope": "chi2"}}, r"pvalue\['slope'\]='chi2' cannot be used"),
    ],
)
def test_a_study_that_cannot_be_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(PLAN, **changes)


def test_a_study_can_be_sent_and_kept():
    assert pickle.loads(pickle.dumps(PLAN)) == PLAN


def test_the_public_names_are_sorted():
    assert study.__all__ == sorted(study.__all__)
    assert all(hasattr(study, name) for name in study.__all__)


def test_a_test_is_known_by_its_settings_and_its_class_and_not_by_its_module():
    """So a module of kmerf can move. What others define is known by its module too."""
    known = StudyTest(KMERF(), Permutation()).identity
    assert known == json.dumps(
        [["kmerf", canonical(KMERF())], ["kmerf", canonical(Permutation())]], separators=(",", ":")
    )
    assert "kmerf." not in known
    assert StudyTest(Slope(), None).identity.startswith('[["studies",')
    assert StudyTest(Portfolio({"a": baselines.MGC()}), None).identity != StudyTest(Portfolio(), None).identity


def test_rows_of_other_code_are_not_mixed_in(tmp_path, monkeypatch):
    path = tmp_path / "a.sqlite"
    plan = study.Study({"slope": Slope()}, [LINEAR], replicates=5)
    assert study.run(plan, path, n_jobs=1) == 5
    monkeypatch.setattr(provenance, "__version__", "99.0")
    with pytest.raises(InputError, match="no rows of this study by this version of the code"):
        study.power(plan, path)
    assert study.run(plan, path, n_jobs=1) == 5
    assert [cell.replicate.size for cell in study.cells(plan, path)] == [5]
    assert len(set(study.load(path)["code"])) == 2
