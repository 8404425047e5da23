"""A log that torch wrote alone tells of a break that raised by a failed compile's metrics only."""

from __future__ import annotations

from pathlib import Path

import pytest
from compilescope.analysis.model import Finding

from tests.unit.analysis.made import Made

REASON = """Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print`
  Hint: Please report an issue to PyTorch.

  Developer debug context: builtin print

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb0059.html"""


def found(tmp_path: Path, **metrics: str) -> Finding:
    made = Made(tmp_path, ours=False)
    failed = {"fail_type": "Unsupported", "fail_reason": REASON, "has_guarded_code": False, **metrics}
    made.compiled("0/0", "f", 1, **failed, fail_user_frame_filename=made.file, fail_user_frame_lineno=3)
    (one,) = made.result().findings
    assert (one.file, one.range.start.line, one.compile_ids, one.code) == (made.file, 2, ["0/0"], "GB0059")
    return one


@pytest.mark.parametrize("version", ["2.11.0+cu130", "2.13.0+cpu", "2.14.1", "3.0.0a0+git1234567"])
def test_where_torch_tells_of_what_it_gave_up_the_rest_raised(tmp_path, version):
    assert found(tmp_path, pytorch_version=version).rule == "graph-break-error"


def test_an_older_torch_does_not_say_whether_it_raised(tmp_path):
    # torch 2.9.1 writes the same for a break in a `try` block, where the frame runs in eager.
    assert found(tmp_path).rule == "frame-skipped"


SAID_BY = {
    "decorator": ("import torch\n\n@torch.compile(fullgraph=True)\ndef f(x):\n    print(x)\n", 3, "graph-break-error"),
    "call": (
        "import torch\n\ndef f(x):\n    print(x)\n\ng = torch.compile(f, fullgraph=True)\n",
        3,
        "graph-break-error",
    ),
    "several graphs": ("import torch\n\n@torch.compile\ndef f(x):\n    print(x)\n", 3, "frame-skipped"),
    "both ways": (
        "import torch\n\ndef f(x):\n    print(x)\n\ng = torch.compile(f, fullgraph=True)\nh = torch.compile(f)\n",
        3,
        "frame-skipped",
    ),
    "another function": (
        "import torch\n\n@torch.compile(fullgraph=True)\ndef g(x):\n    return x\n\ndef f(x):\n    print(x)\n",
        7,
        "frame-skipped",
    ),
}


@pytest.mark.parametrize("said_by", SAID_BY)
def test_of_an_older_torch_the_program_says_whether_it_raised(tmp_path, said_by):
    text, line, rule = SAID_BY[said_by]
    made = Made(tmp_path, file=str(tmp_path / "main.py"), ours=False)
    (tmp_path / "main.py").write_text(text)
    failed = {"fail_type": "Unsupported", "fail_reason": REASON, "has_guarded_code": False}
    made.compiled("0/0", "f", line, **failed, fail_user_frame_filename=made.file, fail_user_frame_lineno=line + 1)
    assert [one.rule for one in made.result().findings] == [rule]


LIMIT = """Dynamo recompile limit exceeded
  Explanation: Dynamo attempted to recompile the code object, exceeding the recompile_limit cache size limit \
(currently set to 8).
  Hint: Set torch._logging.set_logs(recompiles=True) to see why.

  Developer debug context: Limit type: recompile_limit

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb0039.html"""


def test_the_limit_has_torchs_id_and_is_no_break_that_raised(tmp_path):
    made = Made(tmp_path, ours=False)
    made.compiled("0/0", "f", 3)
    made.event("recompile_reasons", ["0/0: L['n'] == 1"], "0/1")
    metrics = {"fail_type": "Unsupported", "fail_reason": LIMIT, "pytorch_version": "2.13.0"}
    made.torch_event("compilation_metrics", {"compile_id": "0/1", **metrics}, "0/1")
    (one,) = made.result().findings
    assert (one.rule, one.code, one.count, one.range.start.line) == ("recompile-limit", "GB0039", 1, 2)
    assert one.detail["limit"] == 8


def test_a_backend_that_failed_has_its_name(tmp_path):
    made = Made(tmp_path, ours=False)
    reason = "backend='broken' raised:\nRuntimeError: no kernels today"
    made.compiled("0/0", "f", 3, fail_type="BackendCompilerFailed", fail_reason=reason, has_guarded_code=False)
    (one,) = made.result().findings
    assert (one.rule, one.title) == ("compile-error", "the backend `broken` failed: RuntimeError: no kernels today")


def test_a_frame_of_which_nothing_was_made_was_given_up(tmp_path):
    # Torch 2.9.1 writes this for a break in a loop.
    found = {}
    for name, count in (("skipped", None), ("broken", 3)):
        folder = tmp_path / name
        folder.mkdir()
        made = Made(folder, ours=False)
        reason = (
            f'Graph Break Reason: {REASON}\n\nUser code traceback:\n  File "{made.file}", line 4, in f\n    print(x)\n'
        )
        made.event("dynamo_graph_break_reason", reason, "0/0")
        made.compiled("0/0", "f", 3, guard_count=count, graph_node_count=count, fail_type=None)
        found[name] = [(one.rule, one.range.start.line) for one in made.result().findings]
    assert found == {"skipped": [("frame-skipped", 3)], "broken": [("graph-break", 3)]}
