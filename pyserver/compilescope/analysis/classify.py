"""Sorts breaks and failures into the classes of the report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.model import FindingClass

# By torch's name of the kind of break (`gb_type`), the first that fits.
_BREAKS: tuple[tuple[FindingClass, str], ...] = (
    ("guard", r"recompile limit|cache limit"),
    (
        "control-flow",
        (
            r"data.dependent|dynamic shape operator|dynamic slicing with tensor|tensor\.item\(\)|\.tolist\(\)|guard_scalar"
            r"|symbolic shapes|unbacked|torch\.(cond|switch|while_loop|scan|map|associative_scan):|graph break in loop"
            r"|infinite (loop|generator)|^HOP|higher ?order ?op|non-scalar tensor|one_hot"
            r"|annotating your code using torch\._check|list_richcompare|comprehension graph break|SymNode"
        ),
    ),
    (
        "configuration",
        (
            r"config\.|trace_numpy|compiled autograd|torch\.compiler\.disable"
            r"|torch\._dynamo\.(disable|graph_break|skip_frame|step_unsupported)|NumPy (is )?(unavailable|installed)"
            r"|without NumPy|distributed package|strict mode|with export|during export|for export|P2P compilation disabled"
            r"|functional_call capture|forced graph break|FSDP with|AOTDispatcher"
        ),
    ),
    (
        "backend-operator",
        (
            r"backend compiler exception|missing fake impl|fake ?(tensor|impl|kernel|script)|does not support running"
            r"|no meta kernel|non-PT2-compliant|resolve op packet|torch\.\* op returned|unhandled tensor method"
            r"|unsupported Tensor\.|Tensor\.(random_|uniform_|numpy)|sparse|NestedTensor|inplace op|out= |`out=`|ndarray"
            r"|numpy|triton|torch\.Generator|tensor method call|elementwise_dtypes|wrap RNN|as_subclass|nested_tensor"
            r"|COW tensor|collectives|in-graph function on only|error getting associated real value"
            r"|NotImplementedError/UnsupportedFake|tensor subclass|register_hook|functorch|custom (jvp|vjp)|index\(Tensor\)"
            r"|tensor comparison op|builtin op on tensor|_SDPAParams|dual tensor|tensor device mismatch"
        ),
    ),
    (
        "python-feature",
        (
            r"builtin|logging|print|generator|context ?manager|exception|raise|try|import|class|metaclass|inspect|deepcopy"
            r"|skipped|method call|function call|attribute|iterator|iter\(|isinstance|hash|closure|async|str|dict|set\b"
            r"|list|Parameter|bytecode|opcode"
        ),
    ),
)
_USER_ERRORS: dict[str, FindingClass] = {
    "DYNAMIC_CONTROL_FLOW": "control-flow",
    "UNSUPPORTED_ALIASED_MUTATED_DYNAMIC_INPUTS": "control-flow",
    "CONSTRAINT_VIOLATION": "guard",
    "DYNAMIC_DIM": "guard",
}
# By the exception's name, the first in the chain from the inside that fits.
_EXCEPTIONS: tuple[tuple[FindingClass, str], ...] = (
    ("guard", r"FailOnRecompileLimitHit|RecompileError|ConstraintViolationError"),
    (
        "control-flow",
        (
            r"GuardOnDataDependentSymNode|UncapturedHigherOrderOpError|CondOpArgsMismatchError|InfiniteGeneratorError"
            r"|DataDependentOutputException|DynamicOutputShapeException"
        ),
    ),
    (
        "configuration",
        r"InvalidCxxCompiler|TritonMissing|InvalidBackend|ResetRequired|PackageError|Bypass\w*Cache|FXGraphCacheMiss",
    ),
    (
        "backend-operator",
        (
            r"Unsupported(Operator|FakeTensor|MutationAliasing)Exception|LoweringException|MissingOperator\w+"
            r"|GPUTooOldForTriton|C(pp|UDA)CompileError|CppWrapperCodegenError|NotImplementedError|OperatorIssue"
        ),
    ),
)
_NO_FAKE = re.compile(r"fake impl|meta kernel|fake kernel|NotImplementedError", re.IGNORECASE)


def of_break(gb_type: str | None, user_error: str | None, *, in_library: bool) -> FindingClass:
    """Return the class of a break: by torch's name for it; `library-code` if only that is known of it."""
    if user_error in _USER_ERRORS:
        return _USER_ERRORS[user_error]
    for class_, pattern in _BREAKS:
        if gb_type and re.search(pattern, gb_type, re.IGNORECASE):
            if class_ == "python-feature" and in_library:
                return "library-code"
            return class_
    return "library-code" if in_library else "other"


def of_failure(chain: Sequence[tuple[str, str]]) -> FindingClass:
    """Return the class of a failure by its exceptions, the innermost first."""
    for type_, message in reversed(chain):
        name = type_.rpartition(".")[2]
        for class_, pattern in _EXCEPTIONS:
            if re.fullmatch(pattern, name):
                return class_
        if name == "TorchRuntimeError" and _NO_FAKE.search(message):
            return "backend-operator"
    return "other"
