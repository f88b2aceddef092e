"""Compiling a kernel, and keeping what was compiled for the next process.

numba keeps compiled code in files. Here such a file carries a checksum, because a damaged one would run whatever it
holds; one that is damaged or from another writer is discarded and made again. Where no folder can be written, or the
disk is full, kernels are compiled in every process, and the user is warned once.

Compilation blocks Ctrl-C for up to 20 s, so it runs in a worker thread while the main thread waits.

The code that grows trees takes longest to compile, so `foretell` announces it to the user.

Compiling helpers no further than the kernels need that contain them.

numba would optimise every helper and make machine code of it, and do both again for each function between it and the
kernel. A helper that is only ever part of a kernel needs neither: it is optimised with the kernel, once. That and
plain loops in place of array expressions halved the time that a first test takes to compile.

All of it rests on numba's documented way to change its compiler, and on a few names inside. Should another version of
numba not have those, helpers are compiled as numba does it, and results are the same, only later.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import os
import pickle
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

_DIGEST = 32  # bytes of a SHA-256
_ATTENTION = 0.1  # seconds between looks whether somebody pressed Ctrl-C

SECONDS = "10 to 30 s"  # that compiling takes before a first test: docs/performance.md

_warned: list[str] = []
_foretold: list[str] = []


def kernel(function: Any) -> Any:
    """Compile a function for arrays, without the interpreter's lock, and cache it where that is possible."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if compiled is function:  # as NUMBA_DISABLE_JIT asks
        return function
    compiled.compile = apart(compiled.compile)
    try:
        compiled._cache = _KernelCache(function)
    except (RuntimeError, OSError) as error:  # numba finds no folder that it may write to
        _warn_once(str(error))
    return compiled


def apart(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that is called in a thread of its own, where the main thread would have to call it.

    On Ctrl-C the main thread goes on at once. The other one finishes what it does, and Python ends after it.
    """

    def called(argument: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return function(argument)
        outcome: Future[Any] = Future()

        def work() -> None:
            try:
                outcome.set_result(function(argument))
            except BaseException as error:
                outcome.set_exception(error)

        threading.Thread(target=work, name="kmerf compiling").start()
        while not outcome.done():  # the signal may reach the other thread: a wait without end would not hear of it
            wait([outcome], timeout=_ATTENTION)
        return outcome.result()

    return called


def foretell(compiled: Any, say: Callable[[str], None]) -> None:
    """Say, once in a process, that a kernel has to be compiled: now if nothing of it is kept, or else when it is.

    What is kept may be of another type of arguments.
    """
    if _foretold or not hasattr(compiled, "overloads"):  # the latter as NUMBA_DISABLE_JIT asks
        return
    cache = compiled._cache
    kept = isinstance(cache, _KernelCache)
    text = f"kmerf compiles its code before the first use: {SECONDS}, or more on a busy computer."
    text += " Later runs skip this." if kept else ""

    def tell() -> None:
        if not _foretold:
            _foretold.append(text)
            say(text)

    if not compiled.overloads and not (kept and cache.holds_something()):
        tell()
    elif compiled not in _watched:
        _watched.append(compiled)
        event.register("numba:compile", _Compilations(compiled, tell))


_watched: list[Any] = []


class _Compilations(event.Listener):
    """Waits for a kernel to be compiled."""

    def __init__(self, compiled: Any, tell: Callable[[], None]) -> None:
        self._compiled = compiled
        self._tell = tell

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"] is self._compiled:
            self._tell()

    def on_end(self, event: Any) -> None:
        """Nothing is to be said."""


class UncachedWarning(RuntimeWarning):
    """Compiled code could not be kept: results are the same, only later."""


class _KernelCache(FunctionCache):
    """A cache whose failures cost a compilation and nothing else."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        kind = "checked" if vars(numba.config)["BOUNDSCHECK"] else "kmerf"  # numba's own files have another form
        name = f"{self._impl.filename_base}.{kind}"
        stamp = self._impl.locator.get_source_stamp(), _stamp_of_the_room()
        self._cache_file: _CheckedFile = _CheckedFile(self._cache_path, name, stamp)

    def holds_something(self) -> bool:
        """Return whether code is kept that this version has written, for whatever arguments."""
        try:
            return bool(self._cache_file._load_index())
        except Exception:  # unpickling what is damaged can raise anything
            return False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling what is damaged can raise anything
            self._cache_file.discard()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            self._cache_file.discard()
            _warn_once(str(error))


class _CheckedFile(IndexDataCacheFile):
    """The index and the data of a kernel; each file begins with the checksum of the rest."""

    def _load_index(self) -> Any:
        try:
            version, stamp, names = _read(self._index_path)
        except FileNotFoundError:
            return {}
        return names if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: Any) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return _read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, value: Any) -> None:
        content = self._dump(value)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def discard(self) -> None:
        """Remove the index; without it, data files are not looked at, and are written over."""
        with contextlib.suppress(OSError):
            os.unlink(self._index_path)


@functools.cache
def _stamp_of_the_room() -> tuple[tuple[str, float, int], ...]:
    """Return what changes when any file of the engine does: kernels contain the helpers of other files."""
    found = [(file.name, file.stat()) for file in Path(__file__).parent.glob("*.py")]
    return tuple(sorted((name, stat.st_mtime, stat.st_size) for name, stat in found))


def _read(path: str) -> Any:
    with open(path, "rb") as file:
        digest, content = file.read(_DIGEST), file.read()
    if hashlib.sha256(content).digest() != digest:
        raise ValueError(f"{path} is damaged")
    return pickle.loads(content)


def _warn_once(why: str) -> None:
    if _warned:
        return
    _warned.append(why)
    warnings.warn(
        f"kmerf cannot keep its compiled code ({why}), so every process compiles it again, which takes some seconds: "
        "set the environment variable NUMBA_CACHE_DIR to a folder that can be written.",
        UncachedWarning,
        stacklevel=2,
    )


def helper(function: Any) -> Any:
    """Mark a function that kernels call and Python does not: it is only ever compiled as a part of them.

    It owns no memory, so it needs no reference counts; leaving those out makes growing a quarter faster.
    """
    options = {"nogil": True, "error_model": "numpy", "forceinline": True, "_nrt": False}
    only_inside = {"pipeline_class": _HelperCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiler: Any = numba.njit
    return compiler(**options, **only_inside)(function)


class _WrittenPart(JITCodeLibrary):
    """The code of a helper as it is written down: neither optimised nor made machine code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _WriteDown(NativeLowering):
    """The last step of the compiler, for a helper."""

    _name = "kmerf_write_down"

    def run_pass(self, state: Any) -> bool:
        try:
            self._write_down(state)
        except (AttributeError, TypeError):  # another numba
            state.library = None
            super().run_pass(state)
        return True

    def _write_down(self, state: Any) -> None:
        from numba import _dynfunc  # type: ignore[attr-defined]

        library: Any = _WrittenPart(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library = library
        state.flags.no_compile = True
        try:
            super().run_pass(state)
        finally:
            state.flags.no_compile = False
        library._ensure_finalized()
        written = state["cr"]
        about = written.fndesc
        named = about.lookup_module(), about.qualname.split(".")[-1], "part of compiled code"
        # It stands for the helper. There is nothing that Python could call: one that does raises MemoryError.
        refuses = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value
        function = _dynfunc.make_function(*named, refuses, written.env, (library,))
        state.targetctx.insert_user_function(function, about, [library])
        state["cr"] = written._replace(cfunc=function)


class _HelperCompiler(CompilerBase):
    """numba's compiler with another last step."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_WriteDown, text) if each is NativeLowering else (each, text) for each, text in passes.passes]
        passes.finalize()
        return [passes]
