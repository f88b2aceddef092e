"""The docs: the examples of the first pages run, those of the guides name what there is, and the reference has all.

`make docs` runs the examples of every page, the guides and the gallery too; CI calls it for each change.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import kmerf

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def hook(name: str) -> ModuleType:
    """Load one of the files that `mkdocs.yml` names as hooks."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / "hooks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


examples, project = hook("examples"), hook("project")
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]


# The examples themselves may not warn; what they use, such as a cluster, may do so in threads of its own.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", examples.FIRST)
def test_examples_run(page: str) -> None:
    shown = examples.run((DOCS / page).read_text(encoding="utf-8"), page)
    assert "{ .text .output }" in shown


def test_examples_of_guides_name_what_there_is() -> None:
    calls = 0
    for page in (page for page in PAGES if examples.has_examples(page) and page not in examples.FIRST):
        blocks = examples.BLOCK.finditer((DOCS / page).read_text(encoding="utf-8"))
        parsed = (ast.parse(block["code"] or block["check"]) for block in blocks if block["language"] != "sh")
        for call in (node for tree in parsed for node in ast.walk(tree) if isinstance(node, ast.Call)):
            home, _, name = ast.unparse(call.func).rpartition(".")
            if home == "kmerf":
                accepted = inspect.signature(getattr(kmerf, name)).parameters
                assert {word.arg for word in call.keywords} <= set(accepted), f"{page}: {ast.unparse(call)}"
                calls += 1
    assert calls > 50


def test_ci_runs_the_examples_of_all_pages() -> None:
    assert "run: make docs" in (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_an_example_that_fails_or_warns_is_an_error_that_names_its_place() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)The example at how-to/x.md:3 failed.*ZeroDivisionError"):
        examples.run("# x\n\n```python\n1 / 0\n```\n", "how-to/x.md")
    with pytest.raises(RuntimeError, match="UserWarning: careful"):
        examples.run("```python\nimport warnings\nwarnings.warn('careful')\n```\n", "how-to/x.md")
    with pytest.raises(ValueError, match="a block is marked 'python no-run'"):
        examples.run("```python no-run\n1\n```\n", "how-to/x.md")


def test_pages_of_evidence_open_with_what_was_found_and_a_picture() -> None:
    pages = re.findall(
        r"^      - .*: (\S+\.md)$", NAV.partition("  - Evidence:\n")[2].partition("  - Project:")[0], re.M
    )
    assert len(pages) >= 17
    for page in pages:
        opening = (DOCS / page).read_text(encoding="utf-8").partition("\n## ")[0]
        assert "**In short.**" in opening, page
        assert "](images/" in opening, page


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_examples_show_what_they_print_and_draw() -> None:
    page = "```python\nx = 2\n```\n\n```python\nprint(x + 1)\n```\n\n```sh\necho four\n```\n\n```text\n5\n```\n"
    shown = examples.run(page, "how-to/x.md")
    assert re.findall(r"^``` \{ \.text \.output \}\n(.*?)\n```", shown, flags=re.MULTILINE) == ["3", "four"]
    drawn = examples.run("```python\nfrom pathlib import Path\nPath('a.png').write_bytes(b'x')\n```\n", "how-to/x.md")
    assert drawn.count('<img class="plot" alt="a" src="data:image/png;base64,eA==">') == 1
    with pytest.raises(RuntimeError, match=r"The commands on how-to/x.md ended with 3"):
        examples.run("```sh\nexit 3\n```\n", "how-to/x.md")


def test_checks_are_run_after_the_blocks_above_them_and_not_shown() -> None:
    page = "```python\nx = 2\nprint(x)\n```\n\n<!-- check\nassert x == {x}\nassert printed == '2\\n'\n-->\n\nTwo.\n"
    assert "assert" not in examples.run(page.replace("{x}", "2"), "how-to/x.md")
    with pytest.raises(RuntimeError, match=r"(?s)The example at how-to/x.md:6 failed.*AssertionError"):
        examples.run(page.replace("{x}", "3"), "how-to/x.md")


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"(\S+\.md)$", NAV, flags=re.MULTILINE)
    made = set(project.PAGES.values())
    assert sorted(set(listed) - made) == PAGES
    assert len(listed) == len(set(listed))


def test_links_of_the_project_files_hold_inside_the_site() -> None:
    for source in project.PAGES:
        text = project.page(ROOT, source)
        for link in re.findall(r"\]\(([^)#:]+)[)#]", text):
            assert link in project.PAGES.values() or (DOCS / link).is_file(), (source, link)


def test_the_method_page_has_all_members_of_the_default() -> None:
    method = (DOCS / "method.md").read_text(encoding="utf-8")
    default = kmerf.Portfolio()
    for name in (*default.numeric, *default.classes):
        assert f"\n| `{name}` |" in method, f"docs/method.md has no row for the member {name}"


def test_the_reference_has_all_that_users_can_call() -> None:
    reference = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md"))
    told = re.findall(r"^::: (\S+)$", reference, flags=re.MULTILINE)
    assert {f"kmerf.{name}" for name in kmerf.__all__ if name != "__version__"} <= set(told)
    for name in told:
        home, _, last = name.rpartition(".")
        assert hasattr(importlib.import_module(home), last), name


def test_the_page_of_the_command_line_has_every_command_and_option() -> None:
    from typer.main import get_command

    from kmerf.cli.app import app

    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    commands = get_command(app).commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        assert f"`kmerf {name}" in page, name
        options = {word for each in command.params for word in each.opts if word.startswith("--")}
        assert sorted(word for word in options if not re.search(rf"{word}\b", page)) == [], name


def test_the_page_of_the_json_has_every_key() -> None:
    page = (DOCS / "json.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+)`", page))
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    groups, y = np.repeat([0, 1, 2, 3], 10), x[:, 0] + rng.normal(size=40)
    forest = kmerf.KMERF(kmerf.ForestSpec(n_trees=5))
    few = kmerf.Permutation(19)
    answers = [
        kmerf.independence(x, y, method=forest, null=few, margin=0.1, rng=1),
        kmerf.ksample(x, groups=groups, method="dcorr", null=few, pairwise=True, rng=1),
        kmerf.conditional(x[:, 0], y, given=x[:, 1], rng=1),
        kmerf.screen(x, y, rng=1),
        kmerf.associations(x, rng=1),
        kmerf.compare({"a": x[:, 0].tolist()}, {"a": x[:, 1].tolist()}),
        kmerf.compare({"a": x[:, 0].tolist()}, {"a": x[:, 1].tolist()}, window=20),
    ]
    for answer in answers:
        keys = set(_keys(answer.to_dict(), by_name={"settings", "groups", "members", "forests", "changes", "sketches"}))
        assert sorted(keys - listed) == [], type(answer).__name__


def _keys(value: object, by_name: set[str]) -> Iterator[str]:
    """Yield the keys of a document, without what stands below keys whose own keys are names."""
    if isinstance(value, list):
        for each in value[:2]:
            yield from _keys(each, by_name)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in by_name or isinstance(inner, list):
                yield from _keys(inner, by_name)
