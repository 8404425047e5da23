"""Compiles that failed, as a log that torch wrote alone tells of them: the kind, and what to do. Texts of an H200."""

from __future__ import annotations

from typing import Any

import pytest
from compilescope.analysis.model import Finding

from tests.unit.analysis.made import Made

INDUCTOR = "torch._inductor.exc.InductorError"
TRITON = """CompilationError: at 3:20:
def broken(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, undefined_name(tl.load(x + i)))
                    ^
NameError('undefined_name is not defined')"""
LOWERING = """LoweringException: NotImplementedError: no lowering for this
  target: mine.lowered.default
  args[0]: TensorBox(StorageBox(...))"""
MEMORY = "OutOfMemoryError: CUDA out of memory. Tried to allocate 310.00 MiB. GPU 0 has 139.80 GiB."
ASSERT = "CUDA error: device-side assert triggered\nSearch for `cudaErrorAssert' in https://docs.nvidia.com"
DATA = """Consider annotating your code using torch._check*(). Could not guard on data-dependent expression u0 > 4 \
(unhinted: u0 > 4).  (Size-like symbols: none)

Caused by: (moe.py:31 in unchecked)"""


def found(folder, kind: str, reason: str, **more: Any) -> Finding:
    made = Made(folder, ours=False)
    made.compiled("0/0", "f", 3, fail_type=kind, fail_reason=reason, has_guarded_code=False, **more)
    (one,) = made.result().findings
    return one


@pytest.mark.parametrize(
    ("kind", "reason", "is_kind", "title"),
    [
        (
            INDUCTOR,
            TRITON,
            "triton-kernel",
            "Triton can't compile the kernel `broken`: NameError('undefined_name is not defined')",
        ),
        (
            INDUCTOR,
            LOWERING,
            "lowering",
            "Inductor's lowering of `mine.lowered.default` failed: NotImplementedError: no lowering for this",
        ),
        (
            INDUCTOR,
            "ValueError: our pass does not know this graph",
            "compile",
            "generating code failed: ValueError: our pass does not know this graph",
        ),
        (
            INDUCTOR,
            MEMORY,
            "out-of-memory",
            f"the GPU's memory was full while this was compiled: {MEMORY.partition(': ')[2]}",
        ),
        (
            "torch.AcceleratorError",
            ASSERT,
            "cuda-error",
            "an error of an earlier GPU kernel came out here: CUDA error: device-side assert triggered",
        ),
    ],
)
def test_what_failed(tmp_path, kind, reason, is_kind, title):
    one = found(tmp_path, kind, reason)
    assert (one.rule, one.detail["kind"], one.title) == ("compile-error", is_kind, title)
    assert one.hints


def test_the_line_of_the_kernel_is_told(tmp_path):
    assert "`tl.store(x + i, undefined_name(tl.load(x + i)))`" in found(tmp_path, INDUCTOR, TRITON).explanation


def test_a_decision_on_data_has_words_of_its_own(tmp_path):
    one = found(tmp_path, "torch._dynamo.exc.UserError", DATA, pytorch_version="2.13.0")
    assert (one.rule, one.title) == ("graph-break-error", "the data decide `u0 > 4`, and this graph may not end here")
    assert any("torch._check" in hint for hint in one.hints)
    assert any("torch.cond" in hint for hint in one.hints)


def test_the_chain_is_unfolded(tmp_path):
    chain = [one["type"] for one in found(tmp_path, INDUCTOR, LOWERING).detail["chain"]]
    assert chain == [INDUCTOR, "LoweringException", "NotImplementedError"]


@pytest.mark.parametrize("reason", ["", "Error", "LoweringException: ", "CompilationError: at 9:1:\n", "at 3:20:"])
def test_reasons_that_say_little_do_no_harm(tmp_path, reason):
    assert found(tmp_path, INDUCTOR, reason).rule == "compile-error"
