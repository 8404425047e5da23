"""A log that torch wrote alone tells of a break that raised by a failed compile's metrics only."""

from __future__ import annotations

from pathlib import Path

from tests.unit.analysis.made import Made

REASON = """Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print`
  Hint: Please report an issue to PyTorch.

  Developer debug context: builtin print

 For more details about this graph break, please visit: https://meta-pytorch.github.io/x/gb/gb0059.html"""


def test_raised(tmp_path: Path) -> None:
    made = Made(tmp_path, ours=False)
    failed = {"fail_type": "Unsupported", "fail_reason": REASON, "has_guarded_code": False}
    made.compiled("0/0", "f", 1, **failed, fail_user_frame_filename=made.file, fail_user_frame_lineno=3)
    (found,) = made.result().findings
    assert (found.rule, found.file, found.range.start.line) == ("graph-break-error", made.file, 2)
    assert found.compile_ids == ["0/0"]
    assert found.code == "GB0059"
