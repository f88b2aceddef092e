"""What is shipped works: the source distribution, the wheel in an empty environment, and the README's examples."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def call(*command: str | Path, cwd: Path) -> str:
    """Run a command that knows nothing of this checkout, and return what it printed."""
    return run(*command, cwd=cwd).stdout


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that knows nothing of this checkout."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "NUMBA_BOUNDSCHECK"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, and from it the wheel."""
    out = tmp_path_factory.mktemp("built")
    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (file,) = built.glob("kmerf-*.whl")
    return file


def test_source_distribution_holds_the_sources_and_no_leftovers(built: Path) -> None:
    (file,) = built.glob("kmerf-*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md"} <= names
    assert {path.relative_to(ROOT).as_posix() for path in _sources()} <= names
    stray = [name for name in names if name.startswith((".", "site/", "build/")) or "__pycache__" in name]
    assert stray in ([], [".gitignore"])


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "kmerf/py.typed" in names
    assert any(re.fullmatch(r"kmerf-[^/]+\.dist-info/licenses/LICENSE", name) for name in names)
    assert {name.split("/")[0] for name in names} == {"kmerf", f"{wheel.name.split('-py3')[0]}.dist-info"}
    assert not [name for name in names if Path(name).name.startswith("test_") or "__pycache__" in name]
    modules = {f"kmerf/{path.relative_to(ROOT / 'src' / 'kmerf').as_posix()}" for path in _sources()}
    assert modules <= set(names)


def _sources() -> list[Path]:
    return sorted((ROOT / "src" / "kmerf").rglob("*.py"))


def environment(folder: Path) -> Path:
    """Make an empty environment, and return its Python."""
    venv.create(folder)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


@pytest.mark.versions
def test_the_wheel_brings_what_it_needs(wheel: Path, tmp_path: Path) -> None:
    python = environment(tmp_path / "env")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
    call(*pip, "install", "--quiet", wheel, cwd=tmp_path)
    script = 'import kmerf; print(kmerf.independence(range(20), range(20), method="dcorr", rng=1).pvalue)'
    assert call(python, "-I", "-W", "error", "-c", script, cwd=tmp_path) == "0.001\n"


@pytest.mark.slow
def test_demo_runs_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """With the dependencies of this environment; the test above installs them from scratch."""
    python, empty = environment(tmp_path / "env"), tmp_path / "empty"
    empty.mkdir()
    site = Path(call(python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=empty).strip())
    zipfile.ZipFile(wheel).extractall(site)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    assert Path(call(python, "-I", "-c", "import kmerf; print(kmerf.__file__)", cwd=empty)).is_relative_to(site)
    first, again = (run(python, "-I", "-X", "utf8", "-W", "error", "-m", "kmerf.demo", cwd=empty) for _ in range(2))
    printed = first.stdout
    assert "Does progression depend on age, sex and 8 more?\nThere is evidence that progression is related" in printed
    assert "There is evidence that the 3 groups of cultivar differ" in printed
    assert len(re.findall(r"  p-value  p <= \S+ \(\d+ rows; \d+ permutations, none as large\)\n", printed)) == 2
    assert "progression rises with log triglycerides" in printed
    assert "proline is 600 higher for first than for second" in printed
    assert not any(empty.iterdir())
    assert again.stdout == printed
    assert [each.stderr.count("compiles its code before the first use") for each in (first, again)] == [
        1,
        0,
    ]
    checked = subprocess.run([sys.executable, "-m", "kmerf.demo"], capture_output=True, text=True, check=True).stdout
    assert os.environ["NUMBA_BOUNDSCHECK"] == "1"
    assert printed == checked  # the kernels without bounds checking, as shipped, give the same numbers


def test_readme_has_the_two_commands_and_is_short() -> None:
    commands = re.findall(r"^```sh\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)
    assert "make demo\nmake test\n" in commands
    assert 400 <= len(README.split()) <= 800


def test_readme_examples_run_and_print_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the example saves a picture
    blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", README, flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 2
    assert any(shown for _, shown in blocks)
    space: dict[str, object] = {}
    for code, shown in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "README.md", "exec"), space)
        if shown:
            assert out.getvalue().rstrip() == shown.rstrip()


def test_readme_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert target.startswith("https://") or (ROOT / target).is_file(), target
