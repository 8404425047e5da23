"""Which stage of a compile each of torch's spans is of, and what it is called.

The names are those of `dynamo_timed` in torch 2.6 to 2.14; a name that is not known has the stage of what is around it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilescope.analysis.timeline_model import Stage

_STAGES: dict[str, Stage] = {
    "dynamo": "capture",
    "entire_frame_compile": "capture",
    "bytecode_tracing": "capture",
    "insert_deferred_runtime_asserts": "capture",
    "gc": "capture",
    "build_guards": "guard",
    "backend_compile": "aot",
    "OutputGraph.call_user_compiler": "aot",
    "create_aot_dispatcher_function": "aot",
    "entire_backward_compile": "aot",
    "min_cut_rematerialization_partition": "aot",
    "inductor_compile": "lower",
    "fx_codegen_and_compile": "lower",
    "additional_fake_tensor_prop": "lower",
    "GraphLowering.run": "lower",
    "GraphLowering.compile_to_fn": "codegen",
    "GraphLowering.compile_to_module": "codegen",
    "GraphLowering.codegen": "codegen",
    "PythonWrapperCodegen.generate": "codegen",
    "code_gen": "codegen",
    "PyCodeCache.load_by_key_path": "compiler",
    "compile_file": "compiler",
    "async_compile.precompile": "compiler",
    "async_compile.wait": "wait",
}
_PATTERNS: tuple[tuple[re.Pattern[str], Stage], ...] = (
    (re.compile(r"compile_attempt_\d+"), "capture"),
    (re.compile(r"pass\..+|_recursive_\w+_passes"), "pass"),
    (re.compile(r"aot_\w+"), "aot"),
    (re.compile(r"compile_fx\..+"), "lower"),
    (re.compile(r"Scheduler\.\w+"), "codegen"),
    (re.compile(r"CachingAutotuner\..+|\w*[Tt]riton\w*compile\w*"), "compiler"),
)
_SHORT = re.compile(r"pass\.\w+\.(?P<pass>.+)|compile_fx\.<locals>\.(?P<compiler>\w+)")


def stage_of(name: str, around: Stage | None) -> Stage:
    """Return the stage of a span of torch's; `around`: that of the span it lies in."""
    known = _STAGES.get(name) or next((stage for pattern, stage in _PATTERNS if pattern.fullmatch(name)), None)
    return known or around or "capture"


def label(name: str, times: int = 1) -> str:
    """Return what a span is called; `times`: how many there are in it."""
    match = _SHORT.fullmatch(name)
    own = (match["pass"] or match["compiler"]) if match else name
    return f"{own}, {times} at once" if times > 1 else own
