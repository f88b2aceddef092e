"""The code that computed a row: what changes it, and what does not."""

import shutil

import pytest

import test_architecture as architecture
from kmerf import KMERF, ChiSquare, Extrapolated, InputError, Permutation, Portfolio, rivals, study
from kmerf.storage import provenance
from kmerf.study import design
from studies import LINEAR, Slope

# Why a change of these changes no row: they raise, schedule, count and describe; the store has the design in its keys.
CHANGE_NO_ROW = {
    "_version",
    "core.errors",
    "core.level",
    "core.cluster",
    "core.parallel",
    "core.stopping",
    "core.progress",
    "core.provenance",
    "results.parts",
    "study.design",
    "study.version",
}
# They turn statistics into p-values, which only a test with a null has.
JUDGE = {"nulls.judging", "nulls.permutation", "nulls.combining"}
UNSEEN = [
    (None, CHANGE_NO_ROW | JUDGE),
    (Extrapolated(), CHANGE_NO_ROW),
    (Permutation(), CHANGE_NO_ROW),
    (ChiSquare(), CHANGE_NO_ROW),
]


@pytest.fixture
def copy(tmp_path):
    """The sources of kmerf, to be changed."""
    shutil.copytree(provenance.ROOT, tmp_path / "kmerf", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "kmerf"


def fresh_digest(modules, root):
    provenance.digest.cache_clear()
    return provenance.digest(frozenset(modules), root, design.HARMLESS)


def changed_digest(modules, root, module, text="\nX = 1\n"):
    """Return the digest with more text in a module."""
    file = root.joinpath(*module.split(".")).with_suffix(".py")
    before = file.read_text()
    file.write_text(before + text)
    found = fresh_digest(modules, root)
    file.write_text(before)
    provenance.digest.cache_clear()
    return found


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


def test_the_version_changes_with_code_and_with_nothing_else(copy):
    forest, rival = (design.rests_on(test) for test in ((KMERF(), None), (rivals.Dcorr(), ChiSquare())))
    plain = [fresh_digest(modules, copy) for modules in (forest, rival)]

    def same(module, text="\nX = 1\n"):
        after = [changed_digest(modules, copy, module, text) for modules in (forest, rival)]
        return [new == old for new, old in zip(after, plain, strict=True)]

    assert same("forests.correlation", "\n\n# a comment\n") == [True, True]
    for module in ("core.progress", "questions.independence", "study.__init__"):
        assert same(module) == [True, True]
    for module in ("simulations.two_sample", "study.replicate"):
        assert same(module) == [False, False]
    assert same("engine.grow")[0] is False
    assert same("methods.distance_tests")[1] is False
    assert same("nulls.chi_square") == [True, False]


@pytest.mark.parametrize(("null", "expected"), UNSEEN, ids=["none", "extrapolated", "permutation", "chi-square"])
def test_every_module_that_can_change_a_row_changes_the_version(copy, null, expected):
    """Each module that the default test imports is changed in turn: HARMLESS may hold no other than those above."""
    starts = design.rests_on((Portfolio(), null))
    edges = architecture.graph(architecture.modules(), types=False)
    reached, waiting = set(), [name.removeprefix("kmerf.") for name in starts]
    while waiting:
        if (module := waiting.pop()) not in reached:
            reached.add(module)
            waiting += edges[module]
    assert len(reached) > 50
    plain = fresh_digest(starts, copy)
    unseen = {module for module in reached if changed_digest(starts, copy, module) == plain}
    assert unseen == expected & reached


def test_what_is_harmless_exists():
    """A name that a move has left behind would let the module count."""
    modules = {f"kmerf.{name}".removesuffix(".__init__") for name in architecture.modules()}
    assert modules >= design.HARMLESS | design.ALWAYS | design.JUDGING


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("forests.correlation", "core.correlation"),
        ("methods.distance_tests", "nulls.distance_tests"),
        ("core.streams", "engine.streams"),
    ],
)
def test_a_module_can_move(copy, old, new):
    starts = design.rests_on((rivals.Dcorr(), Permutation()))
    before = fresh_digest(starts, copy)
    (old_room, name), new_room = old.split("."), new.split(".")[0]
    shutil.move(copy / old_room / f"{name}.py", copy / new_room / f"{name}.py")
    for file in copy.rglob("*.py"):
        text = file.read_text().replace(f"from kmerf.{old} import", f"from kmerf.{new} import")
        file.write_text(text.replace(f"from kmerf.{old_room} import {name}", f"from kmerf.{new_room} import {name}"))
    moved = {f"kmerf.{new}" if each == f"kmerf.{old}" else each for each in starts}
    assert fresh_digest(moved, copy) == before
    assert changed_digest(moved, copy, new) != before


def test_members_of_a_portfolio_count():
    own = Portfolio({"a": rivals.MGC()})
    assert design.code((own, None)) != design.code((Portfolio(), None))
    assert "kmerf.methods.mgc" in design.rests_on((own, None))
    assert "kmerf.methods.mgc" not in design.rests_on((Portfolio(), None))


def test_the_version_knows_where_a_test_comes_from():
    from sklearn.ensemble import RandomForestRegressor

    assert "+studies-" in design.code((Slope(), None))
    assert "+studies-" in design.code((Portfolio({"own": Slope()}), None))
    assert "+sklearn-1" in design.code((KMERF(RandomForestRegressor(5)), None))
    assert design.code((KMERF(), None)) != design.code((KMERF(), Permutation()))
