"""The code that computed a row."""

import shutil

import pytest

from kmerf import KMERF, ChiSquare, InputError, Permutation, rivals, study
from kmerf.study import version
from studies import LINEAR, Slope


def test_rows_of_other_code_are_not_mixed_in(tmp_path, monkeypatch):
    path = tmp_path / "a.sqlite"
    plan = study.Study({"slope": Slope()}, [LINEAR], replicates=5)
    assert study.run(plan, path, n_jobs=1) == 5
    monkeypatch.setattr(version, "__version__", "99.0")
    with pytest.raises(InputError, match="no rows of this study by this version of the code"):
        study.power(plan, path)
    assert study.run(plan, path, n_jobs=1) == 5
    assert [cell.replicate.size for cell in study.cells(plan, path)] == [5]
    assert len(set(study.load(path)["code"])) == 2


def test_the_version_changes_with_code_and_with_nothing_else(tmp_path, monkeypatch):
    copy = tmp_path / "kmerf"
    shutil.copytree(version.ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(version, "ROOT", copy)
    forest, rival = (KMERF(), None), (rivals.Dcorr(), ChiSquare())

    def codes(name, text):
        version.digest.cache_clear()
        file = copy / name
        before = file.read_text()
        file.write_text(before + text)
        found = version.code(forest), version.code(rival)
        file.write_text(before)
        return found

    plain = codes("statistic.py", "")
    assert codes("statistic.py", "\n\n# a comment\n") == plain
    for name in ("progress.py", "questions.py", "study/__init__.py"):
        assert codes(name, "\nX = 1\n") == plain
    for name in ("simulations/two_sample.py", "study/replicate.py"):
        changed = codes(name, "\nX = 1\n")
        assert changed[0] != plain[0]
        assert changed[1] != plain[1]
    assert codes("engine/grow.py", "\nX = 1\n")[0] != plain[0]
    changed = codes("rivals/dcorr.py", "\nX = 1\n")
    assert (changed[0], changed[1] == plain[1]) == (plain[0], False)
    version.digest.cache_clear()


def test_the_version_knows_where_a_test_comes_from():
    from sklearn.ensemble import RandomForestRegressor

    assert "+test_study-" in version.code((Slope(), None))
    assert "+sklearn-1" in version.code((KMERF(RandomForestRegressor(5)), None))
    assert version.code((KMERF(), None)) != version.code((KMERF(), Permutation()))
