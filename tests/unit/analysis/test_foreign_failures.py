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


BREAK = """Data-dependent branching
  Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`).

  Developer debug context: attempted to jump with TensorVariable()

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb0170.html

from user code:
   File "/opt/venv/lib/python3.12/site-packages/torch/_dynamo/functional_export.py", line 221, in forward
    res = self._export_root(*args, **kwargs)
  File "/app/main.py", line 8, in forward
    if x.sum() > 0: return x * 2
"""
CONSTRAINT = """Constraints violated (b)! For more information, run with TORCH_LOGS="+dynamic".
  - You marked b as dynamic but your code specialized it to be a constant (4).

User stack:
  File "/app/main.py", line 11, in forward
    return x.reshape(4, -1)
"""


def test_exports_have_metrics_without_a_compile(tmp_path):
    made = Made(tmp_path, ours=False)
    for kind, reason in ((None, None), ("Unsupported", BREAK), ("ConstraintViolationError", CONSTRAINT)):
        fields = {"compile_id": None, "pytorch_version": "2.11.0", "fail_type": kind, "fail_reason": reason}
        made.torch_event("compilation_metrics", fields)
    result = made.result()
    assert [(one.rule, one.range.start.line) for one in result.findings] == [
        ("graph-break-error", 7),
        ("compile-error", 10),
    ]
    assert [(one.compile_id, one.type) for one in result.restarts] == [
        ("-", "Unsupported"),
        ("-", "ConstraintViolationError"),
    ]
