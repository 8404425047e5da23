"""Stage and class of a failure, from where in torch it happened and which exception it is (torch 2.6 to 2.14)."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from compilescope.tracer.sources import TRACER

if TYPE_CHECKING:
    from collections.abc import Sequence

STAGE_OF_FILE = (
    ("torch/_inductor/", "compile"),
    ("torch/_functorch/", "aot"),
    ("torch/_dynamo/guards.py", "guard"),
    ("torch/_dynamo/backends/", "compile"),
    ("torch/_dynamo/repro/", "compile"),
    ("torch/_dynamo/", "capture"),
)
NOT_COMPILING = ("_dynamo/eval_frame.py", "_dynamo/external_utils.py", "_dynamo/exc.py")
"""Through these the program's own code is called, or exceptions of Dynamo are made."""
STAGE_OF_EXCEPTION = {
    "FailOnRecompileLimitHit": "guard",
    "RecompileError": "guard",
    "ConstraintViolationError": "guard",
    "InvalidBackend": "capture",
    "ResetRequired": "capture",
}
GUARD, CONTROL, OPERATOR, CONFIGURATION = "guard", "control-flow", "backend-operator", "configuration"
CLASS_OF_EXCEPTION = {
    "FailOnRecompileLimitHit": GUARD,
    "RecompileError": GUARD,
    "ConstraintViolationError": GUARD,
    "GuardOnDataDependentSymNode": CONTROL,
    "UncapturedHigherOrderOpError": CONTROL,
    "CondOpArgsMismatchError": CONTROL,
    "DataDependentOutputException": CONTROL,
    "DynamicOutputShapeException": CONTROL,
    "InfiniteGeneratorError": CONTROL,
    "MissingOperatorWithDecomp": OPERATOR,
    "MissingOperatorWithoutDecomp": OPERATOR,
    "LoweringException": OPERATOR,
    "UnsupportedOperatorException": OPERATOR,
    "UnsupportedFakeTensorException": OPERATOR,
    "UnsupportedMutationAliasingException": OPERATOR,
    "SubgraphLoweringException": OPERATOR,
    "GPUTooOldForTriton": OPERATOR,
    "CppCompileError": OPERATOR,
    "CUDACompileError": OPERATOR,
    "CppWrapperCodegenError": OPERATOR,
    "InvalidCxxCompiler": CONFIGURATION,
    "TritonMissing": CONFIGURATION,
    "ModuleNotFoundError": CONFIGURATION,
    "InvalidBackend": CONFIGURATION,
    "ResetRequired": CONFIGURATION,
    "PackageError": CONFIGURATION,
    "BypassAOTAutogradCache": CONFIGURATION,
    "BypassFxGraphCache": CONFIGURATION,
    "FXGraphCacheMiss": CONFIGURATION,
}
CLASS_OF_USER_ERROR = {
    "DYNAMIC_CONTROL_FLOW": CONTROL,
    "UNSUPPORTED_ALIASED_MUTATED_DYNAMIC_INPUTS": CONTROL,
    "CONSTRAINT_VIOLATION": GUARD,
    "DYNAMIC_DIM": GUARD,
}
BREAKS = ("Unsupported", "UserError")
LEAVE_AS_THEY_ARE = (
    "Unsupported",
    "UserError",
    "TorchRuntimeError",
    "BackendCompilerFailed",
    "AssertionError",
    "IndexError",
    "ConstraintViolationError",
    "GuardOnDataDependentSymNode",
    "ValidationException",
    "UncapturedHigherOrderOpError",
    "BisectValidationException",
    "ShortenTraceback",
    "PackageError",
    "ResumePrologueTracingError",
    "InternalTorchDynamoError",
)
"""What leaves a compile as it is; the rest is rewrapped (`_compile` in torch/_dynamo/convert_frame.py, 2.13)."""
NO_KERNEL = ("fake impl", "fake kernel", "meta kernel", "register_fake", "notimplementederror", "unsupportedoperator")


def stage_of(chain: Sequence[BaseException]) -> tuple[str, str | None]:
    """The stage that failed, and the innermost frame of the compiler as `torch/_inductor/lowering.py:412 in cumsum`."""
    names = [type(link).__name__ for link in chain]
    fixed = next((STAGE_OF_EXCEPTION[name] for name in reversed(names) if name in STAGE_OF_EXCEPTION), None)
    for link in reversed(chain):
        for frame in reversed(traceback.extract_tb(link.__traceback__)):
            place = _compiler_file(frame.filename)
            if place is not None:
                file, stage = place
                if stage == "capture" and "BackendCompilerFailed" in names:
                    stage = "compile"  # the program's own backend raised
                return fixed or stage, f"{file}:{frame.lineno} in {frame.name}"
    return fixed or "execute", None


def is_rewrapped(error: BaseException) -> bool:
    """Whether Dynamo raises an `InternalTorchDynamoError` in place of what ended a frame's compile."""
    return not any(kind.__name__ in LEAVE_AS_THEY_ARE for kind in type(error).__mro__)


def class_of(chain: Sequence[BaseException]) -> str | None:
    """One of the classes of findings, by the innermost exception that says something; None for a graph break.

    The kind of a break (`gb_type`) says its class.
    """
    in_backend = any(type(link).__name__ == "BackendCompilerFailed" for link in chain)
    for link in reversed(chain):
        name = type(link).__name__
        if in_backend and name == "NotImplementedError":
            return OPERATOR
        if name in CLASS_OF_EXCEPTION:
            return CLASS_OF_EXCEPTION[name]
        user_error = getattr(getattr(link, "error_type", None), "name", None)
        if user_error in CLASS_OF_USER_ERROR:
            return CLASS_OF_USER_ERROR[user_error]
        if name == "TorchRuntimeError" and any(word in str(link).lower() for word in NO_KERNEL):
            return OPERATOR
    return None if chain and type(chain[0]).__name__ in BREAKS else "other"


def _compiler_file(file: str) -> tuple[str, str] | None:
    path = file.replace("\\", "/")
    if file.startswith(TRACER) or path.endswith(NOT_COMPILING):
        return None
    for part, stage in STAGE_OF_FILE:
        position = path.rfind("/" + part)
        if position >= 0:
            return path[position + 1 :], stage
    return None
