"""kmerf works with the lowest versions that it declares, and with the newest Python that there is here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import smoke

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEWER = [f"python3.{minor}" for minor in (14, 13, 12)]


def declared() -> list[str]:
    extras = PROJECT["optional-dependencies"]
    return [*PROJECT["dependencies"], *extras["cli"], *extras["dask"]]


def lowest(requirement: str) -> str:
    found = re.fullmatch(r"([\w.\[\]-]+)>=([\d.]+)", requirement)
    assert found, f"{requirement!r} has no lower bound that can be tested"
    return f"{found[1]}=={found[2]}"


def run(*command: str | Path, cwd: Path) -> str:
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_CACHE_DIR"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def smoked(python: str | Path, requirements: list[str], folder: Path) -> dict[str, float]:
    """Return what a fresh environment finds."""
    run(python, "-m", "venv", "env", cwd=folder)
    own = folder / "env" / "bin" / "python"
    pip = [own, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    run(*pip, "--only-binary", ":all:", *requirements, cwd=folder)
    paths = f"import sys; sys.path[:0] = [{str(ROOT / 'src')!r}]; sys.argv = ['smoke.py', '.']"
    script = f"{paths}; import runpy; runpy.run_path({str(ROOT / 'tests' / 'smoke.py')!r}, run_name='__main__')"
    found: dict[str, float] = json.loads(run(own, "-c", script, cwd=folder).splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """What this environment finds."""
    return smoke.by_hand() | smoke.by_command(tmp_path_factory.mktemp("smoke"))


@pytest.mark.versions
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="the lowest versions have no wheels for it")
def test_the_lowest_declared_versions_find_the_same(here, tmp_path):
    assert smoked(sys.executable, [lowest(each) for each in declared()], tmp_path) == pytest.approx(here, rel=1e-6)


@pytest.mark.versions
def test_the_newest_python_finds_the_same(here, tmp_path):
    python = newest()
    if python is None:
        pytest.skip(f"there is none of {', '.join(NEWER)}, or none newer than this one")
    assert smoked(python, declared(), tmp_path) == pytest.approx(here, rel=1e-6)


def newest() -> str | None:
    """Return the newest Python, newer than this one, that runs: on the path, or among those of pyenv."""
    for name in NEWER:
        if int(name.rpartition(".")[2]) <= sys.version_info.minor:
            continue
        for candidate in [name, *map(str, Path.home().glob(f".pyenv/versions/3.*/bin/{name}"))]:
            try:
                subprocess.run([candidate, "-c", "import venv"], check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                continue
            return candidate
    return None
