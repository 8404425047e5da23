"""Exceptions of torch's that a program can't be made to raise on a CPU: made here, from torch's own classes."""

from __future__ import annotations

import importlib

import pytest
from compilescope.tracer.taxonomy import class_of, is_rewrapped, stage_of

pytestmark = pytest.mark.torch

SYMBOLIC, FAKE = "torch.fx.experimental.symbolic_shapes", "torch._subclasses.fake_tensor"
DYNAMO, INDUCTOR = "torch._dynamo.exc", "torch._inductor.exc"
MADE = [
    (DYNAMO, "InfiniteGeneratorError", "control-flow"),
    (DYNAMO, "CondOpArgsMismatchError", "control-flow"),
    (FAKE, "DynamicOutputShapeException", "control-flow"),  # captured without a break from 2.13 on
    (FAKE, "UnsupportedFakeTensorException", "backend-operator"),
    (FAKE, "UnsupportedMutationAliasingException", "backend-operator"),
    (INDUCTOR, "SubgraphLoweringException", "backend-operator"),
    (INDUCTOR, "GPUTooOldForTriton", "backend-operator"),
    (INDUCTOR, "CUDACompileError", "backend-operator"),
    (INDUCTOR, "CppWrapperCodegenError", "backend-operator"),
    (INDUCTOR, "TritonMissing", "configuration"),
    (DYNAMO, "ResetRequired", "configuration"),
    (DYNAMO, "PackageError", "configuration"),
    ("torch._inductor.codecache", "BypassFxGraphCache", "configuration"),
    ("torch._functorch._aot_autograd.autograd_cache", "FXGraphCacheMiss", "configuration"),
    (DYNAMO, "ResumePrologueTracingError", "other"),
    ("torch._dynamo.symbolic_convert", "SpeculationLogDivergence", "other"),
]
USER_ERRORS = {
    "DYNAMIC_CONTROL_FLOW": "control-flow",
    "UNSUPPORTED_ALIASED_MUTATED_DYNAMIC_INPUTS": "control-flow",
    "CONSTRAINT_VIOLATION": "guard",
    "DYNAMIC_DIM": "guard",
    "STANDARD_LIBRARY": None,
    "INVALID_INPUT": None,
    "INVALID_OUTPUT": None,
}


def make(module, name):
    found = getattr(importlib.import_module(module), name, None)
    if found is None:
        pytest.skip(f"this torch has no {module}.{name}")
    return found.__new__(found)


@pytest.mark.parametrize(("module", "name", "wanted"), MADE, ids=[name for _, name, _ in MADE])
def test_class(module, name, wanted):
    error = make(module, name)
    assert class_of([error]) == wanted
    assert class_of([RuntimeError("torch wraps it"), error]) == wanted


@pytest.mark.parametrize("name", USER_ERRORS)
def test_user_errors(name):
    exceptions = importlib.import_module(DYNAMO)
    kind = getattr(exceptions.UserErrorType, name, None)
    if kind is None:
        pytest.skip(f"this torch has no {name}")
    assert class_of([exceptions.UserError(kind, "no")]) == USER_ERRORS[name]


def test_stage_of_an_exception_that_is_made_in_one_place_only():
    assert stage_of([make(DYNAMO, "ResetRequired")]) == ("capture", None)
    assert stage_of([ValueError()]) == ("execute", None)


def test_what_dynamo_rewraps():
    assert is_rewrapped(ZeroDivisionError())
    assert not is_rewrapped(AssertionError())
    assert not is_rewrapped(make(DYNAMO, "Unsupported"))
