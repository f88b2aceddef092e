"""Compiled code is kept where it can be; where it cannot, or is damaged, it is compiled again and no more changes."""

from __future__ import annotations

import importlib.util
import os
import pickle
import resource
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numba
import numpy as np
import pytest

from kmerf.engine import compiling

KERNEL = """
from kmerf.engine.compiling import kernel

@kernel
def double(x):
    return 2.0 * x
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a kernel in a module, and another in which compiled code is kept."""
    (tmp_path / "doubling.py").write_text(KERNEL, encoding="utf-8")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiling, "_warned", [])
    return tmp_path


def load(folder):
    """Import the kernel anew, as another process would."""
    spec = importlib.util.spec_from_file_location("doubling", folder / "doubling.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.double


def files(folder):
    return {kind: next((folder / "cache").rglob(f"*.{kind}")) for kind in ("nbi", "nbc")}


def hits(double):
    return sum(double.stats.cache_hits.values())


def test_what_was_compiled_is_loaded_by_the_next_process(folder):
    assert load(folder)(3.0) == 6.0
    again = load(folder)
    assert again(3.0) == 6.0
    assert hits(again) == 1


def test_another_version_of_a_helper_is_not_taken_for_this_one(folder, monkeypatch):
    """Kernels contain what they call, also from other files of the engine."""
    assert load(folder)(3.0) == 6.0
    monkeypatch.setattr(compiling, "_stamp_of_the_room", lambda: (("randomness.py", 1.0, 2),))
    again = load(folder)
    assert again(3.0) == 6.0
    assert hits(again) == 0


def test_the_stamp_knows_every_file_of_the_engine():
    names = {name for name, _, _ in compiling._stamp_of_the_room()}
    assert {"grow.py", "randomness.py"} <= names


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: b"\x00" * len(content),
        flipped,
        lambda content: pickle.dumps("of another writer"),
    ],
    ids=["empty", "cut", "zeros", "flipped bit", "another writer"],
)
def test_damaged_files_are_discarded_and_written_again(folder, kind, damage):
    load(folder)(3.0)
    file = files(folder)[kind]
    file.write_bytes(damage(file.read_bytes()))
    after = load(folder)
    assert after(3.0) == 6.0
    assert hits(after) == 0
    again = load(folder)
    assert again(3.0) == 6.0
    assert hits(again) == 1


def test_a_lost_data_file_is_written_again(folder):
    load(folder)(3.0)
    files(folder)["nbc"].unlink()
    assert load(folder)(3.0) == 6.0
    assert hits_after(folder) == 1


def hits_after(folder):
    again = load(folder)
    again(3.0)
    return hits(again)


def test_without_a_writable_folder_it_runs_and_warns_once(folder, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull + "/none")
    monkeypatch.setenv("HOME", os.devnull + "/none")
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    (folder / "__pycache__").touch()  # where numba would make a folder beside the module
    with pytest.warns(compiling.UncachedWarning, match="no locator available.*set .* NUMBA_CACHE_DIR to a folder"):
        double = load(folder)
    assert double(3.0) == 6.0
    assert load(folder)(3.0) == 6.0  # warnings are errors here: there was no second one


def test_a_full_disk_costs_no_more_than_the_compilation(folder):
    double = load(folder)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))  # no file may grow beyond so many bytes
    try:
        with pytest.warns(compiling.UncachedWarning, match="File too large.*NUMBA_CACHE_DIR"):
            assert double(3.0) == 6.0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert load(folder)(3.0) == 6.0
    assert hits_after(folder) == 1


def test_a_read_only_install_tests_and_says_so_in_one_line(tmp_path):
    """The whole of it, from the command line: neither the package nor a home can be written to."""
    package = tmp_path / "site" / "kmerf"
    shutil.copytree(Path(compiling.__file__).parents[1], package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "engine" / "__pycache__").touch()
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i},{i * i % 7}\n" for i in range(30)), encoding="utf-8")
    none = os.devnull + "/none"
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "HOME": none, "XDG_CACHE_HOME": none}
    env.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-m", "kmerf", "independence", "t.csv", "--y", "y", "--method", "rv", "--quiet"]
    done = subprocess.run(
        [*command, "--resamples", "99", "--jobs", "1"],
        cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "evidence that y is related to this column" in done.stdout
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1
    assert "Traceback" not in done.stderr
    assert "compiling.py" not in done.stderr


@numba.njit(nogil=True)
def deaf(release, ticks, ended):
    """As LLVM does: stay away from Python, whatever signal comes, until the work is done."""
    while release[0] == 0 and ticks[0] < 10_000_000_000:
        ticks[0] += 1
    ended[0] = 1


@pytest.fixture
def hears_ctrl_c():
    """A shell may have told its children to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_is_heard_while_the_compiler_is_deaf():
    release, ticks, ended = np.zeros(3, np.int64)[:, None]
    deaf(np.ones(1, np.int64), ticks, np.zeros(1, np.int64))  # so that it is compiled
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        compiling.apart(lambda _: deaf(release, ticks, ended))(None)
    assert not ended[0]
    release[0] = 1


def test_what_is_compiled_apart_is_returned_or_raised():
    assert compiling.apart(lambda x: (x, threading.current_thread()))(3)[0] == 3
    assert compiling.apart(lambda _: threading.current_thread())(None) is not threading.main_thread()
    with pytest.raises(ZeroDivisionError):
        compiling.apart(lambda x: 1 // x)(0)


def test_another_thread_compiles_itself():
    threads = []
    note = compiling.apart(lambda _: threads.append(threading.current_thread()))
    thread = threading.Thread(target=note, args=(None,))
    thread.start()
    thread.join()
    assert threads == [thread]


@pytest.fixture
def heard(monkeypatch):
    """What is said about compiling, as if nothing had been said yet in this process."""
    monkeypatch.setattr(compiling, "_foretold", [])
    monkeypatch.setattr(compiling, "_watched", [])
    return []


def test_compiling_is_announced_before_it_begins_and_once(folder, heard):
    double = load(folder)
    compiling.foretell(double, heard.append)
    assert len(heard) == 1
    assert compiling.SECONDS in heard[0]
    assert not double.overloads  # it is yet to come
    double(3.0)
    compiling.foretell(load(folder), heard.append)
    assert len(heard) == 1


def test_nothing_is_announced_if_the_code_is_kept(folder, heard):
    load(folder)(3.0)
    again = load(folder)
    compiling.foretell(again, heard.append)
    again(3.0)
    assert hits(again) == 1
    assert heard == []


def test_code_that_is_kept_for_other_arguments_is_announced_when_it_is_compiled(folder, heard):
    load(folder)(3.0)
    again = load(folder)
    compiling.foretell(again, heard.append)
    again(np.ones(2))
    assert len(heard) == 1


def test_damaged_files_are_no_code_that_is_kept(folder, heard):
    load(folder)(3.0)
    files(folder)["nbi"].write_bytes(b"")
    compiling.foretell(load(folder), heard.append)
    assert len(heard) == 1


def test_a_function_that_is_not_compiled_is_not_announced(heard):
    compiling.foretell(lambda x: x, heard.append)
    assert heard == []
