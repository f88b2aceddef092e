"""The rooms and their order: imports go down only, each dependency has one door, and docs/architecture.md says so.

Every module is parsed, so imports inside functions and under TYPE_CHECKING count as much as those at the top.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "src" / "kmerf"
PAGE = ROOT.parents[1] / "docs" / "architecture.md"
TESTS = Path(__file__).resolve().parent

# Lowest first. A room may import from the layers before its own, and its modules may import each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("_version",),
    ("core",),
    ("execution",),
    ("storage", "simulations", "engine"),
    ("data", "results"),
    ("reading", "forests"),
    ("methods", "estimators"),
    ("nulls", "baselines"),
    ("explain",),
    ("adjustment",),
    ("questions",),
    ("screening", "planning", "comparing"),
    ("study", "show", "compat", "adapters"),
    ("pictures",),
    ("figures",),
    ("report",),
    ("demo",),
    ("__init__",),
    ("app",),
    ("cli",),
    ("__main__",),
)
RANK = {room: rank for rank, layer in enumerate(LAYERS) for room in layer}

# Rooms that may use less than all below them.
ONLY = {
    "simulations": {"core"},
    "engine": set(),
    "results": {"_version", "core", "storage"},
    "show": {"_version", "core", "results"},
    "reading": {"core", "execution", "data"},
    # The page to click asks as users do: by the public names, and the report.
    "app": {"__init__", "core", "report"},
}

# Results show themselves: imports upwards, inside the method that needs them.
UPWARDS = {"results": {"show", "figures", "report"}}

# Where each dependency may be imported: a room, or one module of it. numpy may be anywhere.
DOORS: dict[str, set[str]] = {
    "numba": {"engine"},
    # The demonstration is an edge, not a layer: it alone may also load scikit-learn's data sets (and no more of it).
    "sklearn": {"forests.sklearn_forest", "estimators", "compat.hyppo.base", "demo"},
    "joblib": {"execution.parallel"},
    "tqdm": {"execution.progress"},
    "narwhals": {"reading.containers", "reading.samples", "results.records"},
    "matplotlib": {"figures", "results"},  # results for a type
    "mpl_toolkits": {"figures"},
    # `execution.parallel` loads scipy's linear algebra so that threadpoolctl can hold it to one thread.
    "scipy": {
        "nulls",
        "methods",
        "comparing.evidence",
        "estimators",
        "adjustment",
        "explain.changes",
        "explain.effects",
        "explain.feature_importances",
        "explain.held_out",
        "explain.pair_effects",
        "execution.parallel",
    },
    "threadpoolctl": {"execution.parallel"},
    "causallearn": {"adapters.__init__"},
    "evidently": {"adapters.__init__"},
    "pgmpy": {"adapters.__init__"},
    "polars": {"reading"},
    "pandas": {"reading.formats"},
    "fastexcel": {"reading.formats"},
    "pyreadstat": {"reading.formats"},
    "zstandard": {"reading"},
    "jinja2": {"report", "app.answers"},
    "markupsafe": {"report", "app.answers"},
    "starlette": {"app.server"},
    "uvicorn": {"app.server"},
    "typer": {"cli"},
    "rich": {"cli"},
    "distributed": {"cli", "execution.parallel"},
}
ONLY_PART = {("demo", "sklearn"): "sklearn.datasets"}

LONGEST_CHAIN = 19

# Modules and rooms without a test file of their own, and where they are tested instead.
TESTED_ELSEWHERE = {
    "baselines": "tests/methods/test_baselines.py",
    "__main__": "tests/test_packaging.py runs it",
    "_version": "tests/test_packaging.py compares it with the package's",
    "demo": "tests/test_packaging.py runs it",
    "engine": "each kernel against its slow twin, several in a file",
    "cli": "as a user runs it, in tests/cli",
    "questions.hypotheses": "a file for each of its functions, in tests/questions",
}


@cache
def modules() -> dict[str, str]:
    """Return the source of every module by its name within kmerf: "demo", "engine.grow", "engine.__init__"."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(ROOT.rglob("*.py"))
    }


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


def room(module: str) -> str:
    return module.split(".")[0]


@cache
def import_nodes(source: str) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Return the imports anywhere in a module, in order, and whether each is for types alone."""
    found: list[tuple[ast.Import | ast.ImportFrom, bool]] = []

    def visit(node: ast.AST, types: bool) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, types))
        elif not isinstance(node, ast.expr):
            types = types or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
            for child in ast.iter_child_nodes(node):
                visit(child, types)

    visit(parsed(source), False)
    return found


def imports(source: str, known: set[str], *, types: bool = True) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything that a module imports; own modules as "kmerf.name"."""
    for node, for_types in import_nodes(source):
        if for_types and not types:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
            continue
        base = "." * node.level + (node.module or "")
        below = {f"{base}.{alias.name}" for alias in node.names}
        # `from kmerf.data import row_order` imports a module, `from kmerf.reading.row_order import serial` a name.
        inner = {name for name in below if within(name, known) in known}
        yield from ((node.lineno, name) for name in sorted(inner))
        if len(inner) < len(below):
            yield node.lineno, base


def within(name: str, known: set[str]) -> str | None:
    """Return the module within kmerf that a full name stands for, or None for a dependency."""
    if name == "kmerf":
        return "__init__"
    if not name.startswith("kmerf."):
        return None
    module = name.removeprefix("kmerf.")
    return f"{module}.__init__" if f"{module}.__init__" in known else module


def problems(sources: dict[str, str]) -> list[str]:
    """Return what is wrong with the imports of these modules, one sentence each."""
    known = set(sources)
    wrong = []
    for module, source in sources.items():
        if room(module) not in RANK:
            wrong.append(f"kmerf.{module} is in no room: give {room(module)!r} its place in LAYERS and on the page.")
            continue
        for line, name in imports(source, known):
            where = f"kmerf.{module}, line {line}: imports {name}"
            if name.startswith("."):
                wrong.append(f"{where}: write it as an absolute import.")
                continue
            target = within(name, known)
            fault = _third_party(module, name) if target is None else _upward(room(module), room(target))
            if fault:
                wrong.append(f"{where}, {fault}")
    return wrong


def _upward(own: str, other: str) -> str | None:
    if own == other or other in UPWARDS.get(own, ()):
        return None
    if other not in RANK:
        return "which is in no room: give it one in LAYERS."
    if own in ONLY and other not in ONLY[own]:
        return f"but {own} may use only {', '.join(sorted(ONLY[own])) or 'no other room'}."
    if RANK[other] >= RANK[own]:
        return "which is not below it: move the shared part down, or pass the value as an argument."
    return None


def _third_party(module: str, name: str) -> str | None:
    top = name.split(".")[0]
    if top in sys.stdlib_module_names or top == "numpy":
        return None
    if top not in DOORS:
        return f"a dependency without a door: name its one place in DOORS, or do without {top}."
    if not {module, room(module)} & DOORS[top]:
        return f"but the door to {top} is {' or '.join(sorted(DOORS[top]))}: go through it."
    part = ONLY_PART.get((module, top))
    if part and name != part and not name.startswith(f"{part}."):
        return f"but may import only {part}."
    return None


def graph(sources: dict[str, str], *, types: bool) -> dict[str, set[str]]:
    """Return which modules each module imports, upwards aside; with `types`, also those imported for types alone."""
    known = set(sources)
    found = {}
    for module, source in sources.items():
        targets = {
            t for _, name in imports(source, known, types=types) if (t := within(name, known)) in known and t != module
        }
        found[module] = {t for t in targets if room(t) not in UPWARDS.get(room(module), ())}
    return found


@cache
def own_graph(*, types: bool = False) -> dict[str, set[str]]:
    return graph(modules(), types=types)


def cycle(edges: dict[str, set[str]]) -> list[str] | None:
    """Return one import cycle among the modules, or None."""
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str] | None:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return None
        for target in sorted(edges[module]):
            if found := visit(target, [*path, module]):
                return found
        done.add(module)
        return None

    return next((found for module in sorted(edges) if (found := visit(module, []))), None)


def longest_chain(edges: dict[str, set[str]]) -> list[str]:
    """Return the longest path of imports, each module importing the next."""
    known: dict[str, list[str]] = {}

    def chain(module: str) -> list[str]:
        if module not in known:
            known[module] = [module, *max((chain(target) for target in edges[module]), key=len, default=[])]
        return known[module]

    return max((chain(module) for module in edges), key=len)


def test_imports_go_down_only_and_through_the_doors():
    wrong = problems(modules())
    assert not wrong, "\n" + "\n".join(wrong)


def test_there_are_no_cycles_and_no_long_chains_of_imports():
    edges = own_graph()
    found = cycle(edges)
    assert found is None, f"import cycle: {' -> '.join(found or [])}"
    found = longest_chain(edges)
    assert len(found) <= LONGEST_CHAIN, f"{len(found)} modules: {' -> '.join(found)}"


def test_imports_upwards_are_made_only_when_they_are_needed():
    """At the top of a module they would be cycles."""
    sources = modules()
    for module, source in sources.items():
        top = {node.lineno for node in parsed(source).body if isinstance(node, ast.ImportFrom)}
        names = {name for line, name in imports(source, set(sources)) if line in top}
        rooms = {room(within(name, set(sources)) or "") for name in names}
        assert not rooms & UPWARDS.get(room(module), set()), module


def test_only_the_package_itself_imports_by_a_computed_name():
    """Such an import would pass unseen by the check above."""
    for module, source in modules().items():
        called = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(parsed(source))}
        assert module == "__init__" or not called & {"import_module", "__import__"}, module


def test_no_two_classes_share_a_name():
    homes = defaultdict(list)
    ours = {module: source for module, source in modules().items() if room(module) != "compat"}  # others' names
    for module, source in ours.items():
        for node in ast.walk(parsed(source)):
            if isinstance(node, ast.ClassDef):
                homes[node.name.lstrip("_")].append(module)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_no_two_modules_share_a_name():
    names = Counter(module.split(".")[-1] for module in modules() if room(module) != "compat")  # others' names
    assert {name for name, count in names.items() if count > 1} == {"__init__"}


def test_every_room_says_what_it_is_for():
    for module, source in modules().items():
        if module.endswith(".__init__"):
            assert ast.get_docstring(parsed(source)), module


def test_every_module_has_a_test_file_of_its_name():
    """In the folder of its room; the room comes first in the name where two modules have the same."""
    lacking = []
    for module in modules():
        *path, name = module.split(".")
        files = [TESTS.joinpath(*path, f"test_{each}.py") for each in (name, "_".join((*path, name)))]
        if name != "__init__" and not any(file.exists() for file in files):
            lacking.append(module)
    unexplained = [each for each in lacking if not {each, room(each)} & set(TESTED_ELSEWHERE)]
    assert not unexplained, f"no test file: {', '.join(unexplained)}"


def test_no_two_test_files_share_a_name():
    """pytest could not import both."""
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_names_every_room_in_order():
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    rooms = {module.split(".")[0] for module in modules() if "." in module}
    assert [name for name, _, _ in rows] == [name for layer in LAYERS for name in layer if name in rooms]


def test_the_page_tells_which_rooms_each_room_imports():
    """The last column is what the code does, not what it may do."""
    used = defaultdict(set)
    for module, targets in own_graph(types=True).items():
        used[room(module)] |= {room(target) for target in targets} - {room(module), "_version"}
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", below)) for name, _, below in rows}
    assert told == {name: used[name] for name in told}


# --- the check itself -------------------------------------------------------------------------------------------------

BASE = {
    "__init__": "",
    "core.errors": "",
    "core.parallel": "",
    "data.sample": "",
    "forests.growing": "",
    "nulls.judging": "",
    "engine.__init__": "",
    "engine.grow": "",
}


@pytest.mark.parametrize(
    ("module", "source", "says"),
    [
        ("data.sample", "from kmerf.forests.growing import grow", "not below it"),
        ("data.sample", "from kmerf.forests import growing", "not below it"),
        ("data.sample", "import kmerf.nulls.judging", "not below it"),
        ("data.sample", "import kmerf", "not below it"),
        ("data.sample", "def f():\n    from kmerf.forests.growing import grow", "line 2"),
        ("data.sample", "if TYPE_CHECKING:\n    from kmerf.nulls.judging import judge", "line 2"),
        ("data.sample", "from . import errors", "absolute"),
        ("engine.grow", "from kmerf.core.errors import InputError", "no other room"),
        ("simulations.relations", "from kmerf.reading.samples import Sample", "only core"),
        ("show.text", "from kmerf.nulls.judging import judge", "only _version, core, results"),
        ("forests.growing", "from numba import njit", "door to numba is engine"),
        ("forests.growing", "def f():\n    import scipy.stats", "door to scipy"),
        ("demo", "from sklearn.ensemble import RandomForestRegressor", "only sklearn.datasets"),
        ("forests.growing", "import torch", "without a door"),
        ("surprise.part", "", "give 'surprise' its place in LAYERS"),
    ],
)
def test_the_check_finds(module, source, says):
    wrong = problems({**BASE, module: source})
    assert len(wrong) == 1
    assert says in wrong[0]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("forests.growing", "from kmerf.core import parallel\nfrom kmerf.core.errors import InputError\nimport math"),
        ("engine.grow", "from numba import njit"),
        ("engine.leaves", "from kmerf.engine.grow import Rules\nfrom kmerf.engine import grow"),
        ("demo", "from sklearn.datasets import load_wine"),
        ("results.result", "def f():\n    from kmerf.show.text import result_lines"),
    ],
)
def test_the_check_allows(module, source):
    assert problems({**BASE, "show.text": "", module: source}) == []


def test_the_check_finds_cycles_and_chains():
    assert cycle(graph(BASE, types=False)) is None
    sources = {
        **BASE,
        "engine.grow": "from kmerf.engine.leaves import a",
        "engine.leaves": "import kmerf.engine.grow",
    }
    assert cycle(graph(sources, types=False)) == ["engine.grow", "engine.leaves", "engine.grow"]
    sources["engine.leaves"] = "from kmerf.core.errors import b"
    assert longest_chain(graph(sources, types=False)) == ["engine.grow", "engine.leaves", "core.errors"]
