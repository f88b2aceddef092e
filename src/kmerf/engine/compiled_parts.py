"""Compiling helpers no further than the kernels need that contain them.

numba would optimise every helper and make machine code of it, and do both again for each function between it and the
kernel. A helper that is only ever part of a kernel needs neither: it is optimised with the kernel, once. That and
plain loops in place of array expressions halved the time that a first test takes to compile.

All of it rests on numba's documented way to change its compiler, and on a few names inside. Should another version of
numba not have those, helpers are compiled as numba does it, and results are the same, only later.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


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
