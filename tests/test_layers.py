"""Imports go down only, and each dependency has one door.

Every module is parsed, so imports inside functions and under TYPE_CHECKING count as much as those at the top.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "src" / "kmerf"

# Lowest first. A module may import from the layers before its own. `name.*` is a package, whose modules may also
# import each other; other modules of one layer may not.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "_version", "multiplicity", "wish", "plain"),
    ("saving",),
    ("progress",),
    ("parallel",),
    ("columns",),
    ("tables",),
    ("files.*", "where.*", "ordering"),
    ("choosing",),
    ("intake",),
    ("exchange", "targets", "sets"),
    ("engine.*",),
    ("forest",),
    ("plugin", "importance"),
    ("kernel",),
    ("statistic", "multiscale", "grown"),
    ("method",),
    ("maximum",),
    ("null",),
    ("significance", "oob", "rows", "profile", "effect", "embedding"),
    ("details", "pairwise", "members"),
    ("printing",),
    ("tabulating",),
    ("kmerf",),
    ("rivals.*",),
    ("trend", "moments"),
    ("portfolio",),
    ("result",),
    ("reasons",),
    ("questions",),
    ("screening.*",),
    ("simulations.*",),
    ("study.*",),
    ("figures.*",),
    ("report.*",),
    ("demo",),
    ("cli.*",),
    ("__init__", "__main__"),
)

# Layers that may use less than all below them.
ALONE = {"simulations.*": {"errors"}}

# Imports upwards, inside the method that needs them: results can draw themselves, and write their own page.
LATE = {
    ("result", "figures.outcome"),
    ("result", "report.__init__"),
    ("screening.result", "figures.screening"),
    ("screening.result", "report.__init__"),
}

# Where each dependency may be imported; numpy may be anywhere.
DOORS: dict[str, set[str]] = {
    "numba": {"engine.*"},
    # The demonstration is an edge, not a layer: it alone may also load scikit-learn's data sets (and no more of it).
    "sklearn": {"plugin", "demo"},
    "joblib": {"parallel"},
    "narwhals": {"tables", "columns"},
    "matplotlib": {"figures.*", "result", "screening.result"},  # the last two for a type
    "mpl_toolkits": {"figures.*"},
    # `study.replicate` loads scipy's linear algebra so that threadpoolctl can hold it to one thread.
    "scipy": {"null", "multiscale", "effect", "rivals.*", "study.replicate"},
    "threadpoolctl": {"study.replicate"},
    "polars": {"files.*"},
    "zstandard": {"files.*"},
    "jinja2": {"report.*"},
    "markupsafe": {"report.*"},
    "typer": {"cli.*"},
    "rich": {"cli.*"},
    "distributed": {"cli.*"},
}
ONLY_PART = {("demo", "sklearn"): "sklearn.datasets"}

RANK = {entry: rank for rank, layer in enumerate(LAYERS) for entry in layer}


def modules() -> dict[str, str]:
    """Return the source of every module by its name within kmerf: "forest", "engine.grow", "engine.__init__"."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(ROOT.rglob("*.py"))
    }


def entry(module: str) -> str:
    """Return the entry of the declared order that a module belongs to."""
    return f"{module.split('.')[0]}.*" if "." in module else module


def imports(source: str, known: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything imported anywhere in a module; own modules as "kmerf.name"."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            below = {f"{base}.{alias.name}" for alias in node.names}
            # `from kmerf import tables` imports a module, `from kmerf.data.sample import Sample` a name in one.
            inner = {name for name in below if name.removeprefix("kmerf.") in known or _is_package(name, known)}
            yield from ((node.lineno, name) for name in sorted(inner))
            if len(inner) < len(below):
                yield node.lineno, base


def _is_package(name: str, known: set[str]) -> bool:
    return f"{name.removeprefix('kmerf.')}.__init__" in known


def within(name: str, known: set[str]) -> str | None:
    """Return the module within kmerf that a full name stands for, or None for a dependency."""
    if name == "kmerf":
        return "__init__"
    if not name.startswith("kmerf."):
        return None
    module = name.removeprefix("kmerf.")
    return f"{module}.__init__" if _is_package(name, known) else module


def problems(sources: dict[str, str]) -> list[str]:
    """Return what is wrong with the imports of these modules, one sentence each."""
    known = set(sources)
    found = []
    for module, source in sources.items():
        if entry(module) not in RANK:
            found.append(
                f"kmerf.{module} has no layer: add {entry(module)!r} to LAYERS in tests/test_layers.py, just above the "
                "highest layer that it imports from."
            )
            continue
        for line, name in imports(source, known):
            where = f"kmerf.{module}, line {line}: imports {name}"
            if name.startswith("."):
                found.append(f"{where}: write it as an absolute import.")
                continue
            target = within(name, known)
            wrong = _third_party(module, name) if target is None else _upward(module, target)
            if wrong:
                found.append(f"{where}, {wrong}")
    return found


def _upward(module: str, target: str) -> str | None:
    own, other = entry(module), entry(target)
    if (module, target) in LATE:
        return None
    if other not in RANK:
        return "which has no layer: give it one in LAYERS."
    if own in ALONE and other != own and other not in ALONE[own]:
        return f"but {own} stands alone: it may use only {', '.join(sorted(ALONE[own]))}."
    if own == other and own.endswith(".*"):
        return None  # within one package; cycles are looked for separately
    if RANK[other] >= RANK[own]:
        return "which is not below it: move the shared part down, or pass the value as an argument."
    return None


def _third_party(module: str, name: str) -> str | None:
    top = name.split(".")[0]
    if top in sys.stdlib_module_names or top == "numpy":
        return None
    if top not in DOORS:
        return f"a dependency without a door: name its one module in DOORS, or do without {top}."
    if not {module, entry(module)} & DOORS[top]:
        return f"but the door to {top} is {' or '.join(sorted(DOORS[top]))}: go through it."
    part = ONLY_PART.get((module, top))
    if part and name != part and not name.startswith(f"{part}."):
        return f"but may import only {part}."
    return None


def cycle(sources: dict[str, str]) -> list[str] | None:
    """Return one import cycle among the modules, or None."""
    known = set(sources)
    graph = {
        module: {t for _, name in imports(source, known) if (t := within(name, known)) in known and t != module}
        - {late for early, late in LATE if early == module}
        for module, source in sources.items()
    }
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str] | None:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return None
        for target in sorted(graph[module]):
            if found := visit(target, [*path, module]):
                return found
        done.add(module)
        return None

    return next((found for module in sorted(graph) if (found := visit(module, []))), None)


def test_imports_go_down_only_and_through_the_doors():
    found = problems(modules())
    assert not found, "\n" + "\n".join(found)


def test_there_are_no_cycles():
    found = cycle(modules())
    assert found is None, f"import cycle: {' -> '.join(found or [])}"


def test_imports_upwards_are_made_only_when_they_are_needed():
    """At the top of a module they would be cycles."""
    sources = modules()
    for module, late in LATE:
        top = ast.Module([node for node in ast.parse(sources[module]).body if isinstance(node, ast.ImportFrom)], [])
        assert late not in {within(name, set(sources)) for _, name in imports(ast.unparse(top), set(sources))}


def test_only_the_package_itself_imports_by_a_computed_name():
    """Such an import would pass unseen by the check above."""
    for module, source in modules().items():
        called = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(ast.parse(source))}
        assert module == "__init__" or not called & {"import_module", "__import__"}, module


# --- the check itself -------------------------------------------------------------------------------------------------

BASE = {"__init__": "", "errors": "", "tables": "", "forest": "", "null": "", "engine.__init__": "", "engine.grow": ""}


@pytest.mark.parametrize(
    ("module", "source", "says"),
    [
        ("tables", "from kmerf.forests.growing import ForestSpec", "not below it"),
        ("tables", "from kmerf import forest", "not below it"),
        ("tables", "import kmerf.nulls.pvalue", "not below it"),
        ("tables", "import kmerf", "not below it"),
        ("tables", "def f():\n    from kmerf.forests.growing import ForestSpec", "line 2"),
        ("tables", "if TYPE_CHECKING:\n    from kmerf.nulls.pvalue import Null", "line 2"),
        ("tables", "from . import errors", "absolute"),
        ("plugin", "from kmerf import importance", "not below it"),
        ("simulations.independence", "from kmerf.data.sample import Sample", "stands alone"),
        ("forest", "from numba import njit", "door to numba is engine.*"),
        ("forest", "def f():\n    import scipy.stats", "door to scipy"),
        ("demo", "from sklearn.ensemble import RandomForestRegressor", "only sklearn.datasets"),
        ("forest", "import torch", "without a door"),
        ("surprise", "", "add 'surprise' to LAYERS in tests/test_layers.py"),
        ("surprise.part", "", "add 'surprise.*' to LAYERS"),
    ],
)
def test_the_check_finds(module, source, says):
    found = problems({**BASE, "importance": "", module: source})
    assert len(found) == 1
    assert says in found[0]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "forest",
            "from kmerf import parallel, tables\nfrom kmerf.core.errors import InputError\nimport numpy as np, math",
        ),
        ("engine.grow", "from numba import njit"),
        ("engine.leaves", "from kmerf.engine.grow import Rules\nfrom kmerf.engine import grow"),
        ("demo", "from sklearn.datasets import load_wine"),
    ],
)
def test_the_check_allows(module, source):
    assert problems({**BASE, "parallel": "", module: source}) == []


def test_the_check_finds_cycles():
    assert cycle(BASE) is None
    sources = {**BASE, "engine.grow": "from kmerf.engine.leaves import a", "engine.leaves": "import kmerf.engine.grow"}
    assert cycle(sources) == ["engine.grow", "engine.leaves", "engine.grow"]
