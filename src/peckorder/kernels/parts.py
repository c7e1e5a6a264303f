"""Parts of loops without machine code of their own, which makes the first use a third shorter.

Numba optimizes every function and turns it into machine code, also those that only other compiled
functions call and that are optimized again with each of their callers. A part stops earlier: what
is kept of it is what its callers need, and they optimize it.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class PartLibrary(JITCodeLibrary):
    """The code of a part, ready to be linked to its callers but not to be run."""

    def _optimize_final_module(self) -> None:
        """Left to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No address: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """The code generator, which does not know this library."""
        return _Unconnected(self._codegen)


class _Unconnected:
    """A code generator that does not set the environment of a function that it does not hold."""

    def __init__(self, codegen: Any):
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing to set: loops read constants and arguments only."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """The step from Numba's code to that of LLVM, into a library of a part."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> Any:
        """As for every function, but into another kind of library."""
        if state.library is None:
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().run_pass(state)


class PartCompiler(CompilerBase):
    """Numba's compiler with the other last step."""

    def define_pipelines(self) -> list:
        """The steps of the compiler."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.passes = [
            (PartLowering if step is NativeLowering else step, text) for step, text in steps.passes
        ]
        steps.finalize()
        return [steps]
