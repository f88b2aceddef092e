"""What users can call: all of it in one sorted list, documented as it is, and cheap to import."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import kmerf
from kmerf.nulls.judging import NULLS

HEAVY = ("numba", "sklearn", "scipy", "joblib", "narwhals", "matplotlib", "pandas")
# not built by users: each field is documented beside it, or by its name
RETURNED = {"Associations", "Comparison", "Description", "PowerCurve", "Reference", "Result", "Screen", "Table"}
RETURNED |= {"Timeline"}
PUBLIC = sorted(set(kmerf.__all__) - {"__version__"})


def ruff_order(name: str) -> tuple[int, str]:
    """Sort as ruff's RUF022 does: CONSTANTS, then Classes, then the rest."""
    return 0 if len(name) > 1 and name.isupper() else 1 if name[0].isupper() else 2, name


def submodules(package: str) -> list[Any]:
    try:
        home = importlib.import_module(package)
    except ModuleNotFoundError:
        return []
    names = [info.name for info in pkgutil.iter_modules(getattr(home, "__path__", []))]
    return [home, *(importlib.import_module(f"{package}.{name}") for name in names)]


def own(module: Any) -> list[tuple[str, Any]]:
    """Return the functions and classes that a module defines, without its private ones."""
    return [
        (name, value)
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def documented(value: Any) -> list[str] | None:
    """Return the names in the Parameters section of a docstring, or None where there is no such section."""
    text = inspect.getdoc(value) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n\S|\Z)", text, flags=re.DOTALL | re.MULTILINE)
    if section is None:
        return None
    heads = [line for line in section[1].splitlines() if line and not line[0].isspace()]
    return [name.strip(" *") for head in heads for name in head.split(":")[0].split(",")]


def accepted(value: Any) -> list[str]:
    return [name for name in inspect.signature(value).parameters if name not in ("self", "cls")]


def packages() -> list[Any]:
    """Return the packages within kmerf that list what they offer."""
    found = [importlib.import_module(f"kmerf.{i.name}") for i in pkgutil.iter_modules(kmerf.__path__) if i.ispkg]
    return [package for package in found if hasattr(package, "__all__")]


PACKAGES = packages()


# --- the list ---------------------------------------------------------------------------------------------------------


def test_the_list_is_sorted_and_says_the_same_as_dir():
    assert kmerf.__all__ == sorted(kmerf.__all__, key=ruff_order)
    assert dir(kmerf) == sorted(kmerf.__all__)
    assert set(kmerf._HOMES) == set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_each_can_be_imported_and_is_documented(name):
    value = getattr(kmerf, name)
    assert inspect.getdoc(value)
    generated = f"{name}("  # what `dataclass` writes for a class that has no docstring
    assert not (value.__doc__ or "").startswith(generated)


def test_unknown_names_raise_the_usual_error():
    with pytest.raises(AttributeError, match=r"module 'kmerf' has no attribute 'independance'"):
        kmerf.independance  # noqa: B018


def test_every_error_and_warning_is_public():
    from kmerf.core import errors

    kinds = [name for name, value in own(errors) if inspect.isclass(value) and issubclass(value, Exception)]
    assert set(kinds) <= set(kmerf.__all__)


def test_every_question_is_public():
    modules = submodules("kmerf.questions")
    asked = [
        name
        for module in modules
        for name, value in own(module)
        if getattr(value, "__annotations__", {}).get("return") == "Result"
    ]
    assert asked
    assert set(asked) - {"answer", "answer_given", "ask", "with_conditional_features", "with_pictures"} <= set(
        kmerf.__all__
    )  # which is how all of them are answered


def test_every_null_is_public():
    modules = submodules("kmerf.nulls")
    nulls = [
        name
        for module in modules
        for name, v in own(module)
        if is_dataclass(v) and "statistic" in _parameters(v, "judge")
    ]
    not_for_users = {"BesagClifford", "Stratified", "NormalLimit"}  # which screens and the test given z choose
    registered = {entry.make.__name__ for entry in NULLS.values()}
    assert set(nulls) - not_for_users == registered <= set(kmerf.__all__)


def test_every_package_with_a_list_of_its_own_is_public_or_all_it_lists_is():
    for package in PACKAGES:
        assert {package.__name__.removeprefix("kmerf.")} <= set(PUBLIC) or set(package.__all__) <= set(PUBLIC), package


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_lists_of_packages_are_sorted_and_documented(package):
    assert package.__doc__
    assert package.__all__ == sorted(package.__all__, key=ruff_order)
    for name in package.__all__:
        value = getattr(package, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
            assert not (value.__doc__ or "").startswith(f"{name}("), name
            named = documented(value)
            assert named is None or sorted(named) == sorted(accepted(value)), name


def test_every_method_is_public():
    found = [
        name
        for module in [*submodules("kmerf.methods.kmerf"), *submodules("kmerf.baselines")]
        for name, value in own(module)
        if is_dataclass(value) and "seed" in _parameters(value, "prepare")
    ]
    assert "KMERF" in found
    assert set(found) <= {*kmerf.__all__, *(name for package in PACKAGES for name in package.__all__)}


def _parameters(value: Any, method: str) -> list[str]:
    return list(inspect.signature(getattr(value, method)).parameters) if hasattr(value, method) else []


# --- the documentation ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in PUBLIC if inspect.isfunction(getattr(kmerf, name))])
def test_docstrings_of_functions_match_their_signatures(name):
    function = getattr(kmerf, name)
    named = documented(function)
    assert named is not None, f"{name} has no Parameters section"
    assert sorted(named) == sorted(accepted(function))


@pytest.mark.parametrize("name", [n for n in PUBLIC if is_dataclass(getattr(kmerf, n)) and n not in RETURNED])
def test_docstrings_of_settings_match_their_fields(name):
    settings = getattr(kmerf, name)
    named = documented(settings)
    held = [field.name for field in fields(settings)]
    assert accepted(settings) == held
    if named is None:  # short ones name their fields in a sentence
        assert set(held) <= set(re.findall(r"\w+", inspect.getdoc(settings) or ""))
    else:
        assert named == held


def test_parameters_are_read_from_docstrings():
    def example(a, b, *c, d):
        """Do nothing.

        Parameters
        ----------
        a
            One: of a kind.

            And more.
        b, *c
            Two.
        d : int
            Three.

        Returns
        -------
        e
            Four.
        """

    assert documented(example) == accepted(example) == ["a", "b", "c", "d"]


# --- the cost ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code", ["import kmerf", "import kmerf, kmerf.questions.answer, kmerf.methods.kmerf, kmerf.nulls.judging"]
)
def test_importing_loads_nothing_heavy(code):
    report = f"{code}\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
