"""Pages: numbers that scripts measured stand between marks, and one module rewrites them."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BEGIN, END = (re.compile(rf"<!-- ([\w-]+):{which} -->") for which in ("begin", "end"))


SCRIPTS = sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.glob("benchmarks/**/*.py"))


def outside_marks(text: str) -> str:
    for name in BEGIN.findall(text):
        text = re.sub(rf"<!-- {name}:begin -->.*?<!-- {name}:end -->", "", text, flags=re.DOTALL)
    return text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_marks_come_in_pairs_and_do_not_overlap(page):
    text = page.read_text(encoding="utf-8")
    assert BEGIN.findall(text) == END.findall(text)
    assert len(BEGIN.findall(text)) == len(set(BEGIN.findall(text)))
    assert not BEGIN.search(outside_marks(text))
    # A comment at the start of a line makes the rest of that line HTML, and Markdown there would be shown as it is.
    assert not re.search(r"^<!-- [\w-]+:begin -->.", text, flags=re.MULTILINE)


def test_every_number_in_the_tables_of_the_readme_is_between_marks():
    text = outside_marks((ROOT / "README.md").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert lines  # of the table of what can be called
    assert [line for line in lines if re.search(r"\d", re.sub(r"`[^`]*`", "", line))] == []


@pytest.mark.parametrize("name", ["power", "validity", "reproduction", "importance", "peptides"])
def test_every_table_of_a_measured_page_is_between_marks(name):
    text = outside_marks((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    assert [line for line in text.splitlines() if line.startswith("|")] == []


def test_parts_are_rewritten_and_the_prose_is_left(tmp_path):
    from benchmarks.pages import marks

    page = tmp_path / "page.md"
    page.write_text("Of <!-- n:begin -->1<!-- n:end --> cells:\n\n<!-- t:begin -->\nold\n<!-- t:end -->\n\nEnd.\n")
    marks.write(page, {"n": "2", "t": None})
    assert (
        page.read_text()
        == "Of <!-- n:begin -->2<!-- n:end --> cells:\n\n<!-- t:begin -->\nold\n<!-- t:end -->\n\nEnd.\n"
    )
    marks.put(page, "t", ["| a |", "|---|"])
    assert "<!-- t:begin -->\n| a |\n|---|\n<!-- t:end -->\n\nEnd.\n" in page.read_text()
    before = page.read_text()
    marks.put(page, "t", ["| a |", "|---|"])
    assert page.read_text() == before


@pytest.mark.parametrize(
    "text", ["none", "<!-- a:begin -->", "<!-- a:end --><!-- a:begin -->", 2 * "<!-- a:begin --><!-- a:end -->"]
)
def test_marks_that_are_not_there_are_an_error(text):
    from benchmarks.pages import marks

    with pytest.raises(ValueError, match="must have <!-- a:begin --> and then <!-- a:end -->, each once"):
        marks.rewritten(text, "a", "new")


def test_the_readme_has_the_level_of_the_validity_study():
    """It is the mean over the kinds of data in the table of the page that the README links to."""
    from benchmarks.pages import marks

    head, _, *rows, mean = marks.part(ROOT / "docs" / "validity.md", "default_now").splitlines()
    place = [cell.strip() for cell in head.split("|")].index("level 0.05")
    shares = [float(row.split("|")[place].split("±")[0]) for row in rows]
    assert "mean of rows" in mean
    assert float(mean.split("|")[place].strip(" *")) == pytest.approx(np.mean(shares), abs=0.0005)
    assert float(marks.part(ROOT / "README.md", "level")) == pytest.approx(np.mean(shares), abs=0.001)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"over {len(shares)} kinds of data" in readme


def test_the_picture_of_a_report_is_of_its_top(tmp_path):
    from benchmarks.pages import report_figure

    call = report_figure.command("chromium", tmp_path / "a.html", tmp_path / "a.png")
    assert call[0] == "chromium"
    assert f"--screenshot={tmp_path / 'a.png'}" in call
    assert call[-1] == (tmp_path / "a.html").as_uri()


@pytest.mark.filterwarnings("ignore")  # of what hyppo imports
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_finds_what_it_imports(script):
    assert importlib.import_module(script).__doc__


def test_every_test_that_a_page_names_exists():
    """`tests/a.py::test_b`, or `::test_c` after it for another one of the same file."""
    lacking = []
    for page in [*PAGES, ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md"]:
        source = ""
        for file, test in re.findall(r"(tests/[\w/]+\.py)?(?:::(test_\w+))?", page.read_text(encoding="utf-8")):
            if file:
                source = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).exists() else ""
            if (file and not source) or (test and f"def {test}(" not in source):
                lacking.append((page.name, file, test))
    assert lacking == []


def test_every_script_that_is_named_exists():
    """As a file, or as a module that is run: on pages, in docstrings and in comments."""
    named = set()
    for pattern in ("*.md", "docs/**/*.md", "src/**/*.py", "tests/**/*.py", "benchmarks/**/*.py", "examples/*.py"):
        for file in ROOT.glob(pattern):
            text = file.read_text(encoding="utf-8")
            named.update(re.findall(r"\bbenchmarks/[\w/]+\.py\b", text))
            named.update(f"{name.replace('.', '/')}.py" for name in re.findall(r"-m (benchmarks[.\w]*\w)", text))
    assert len(named) > 40
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_the_readme_has_the_figures_of_the_evidence_pages():
    from benchmarks.pages import marks, readme_example

    for name, text in readme_example.figures().items():
        shown = marks.part(ROOT / "README.md", name)
        assert shown.split() == text.split(), "run: python -m benchmarks.pages.readme_example"
