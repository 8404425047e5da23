"""The callers that a diagnostic names."""

from __future__ import annotations

from compilescope.analysis.model import StackFrame
from compilescope.lsp.diagnostics import callers


def frame(line, function, *, own=True):
    return StackFrame("/w/a.py" if own else "/site/torch/x.py", line, function, in_user_code=own, range=None)


def test_a_piece_of_the_same_function_is_no_caller():
    main, lib, resumed, at = frame(20, "<module>"), frame(1, "wrapper", own=False), frame(5, "f"), frame(7, "f")
    assert callers([main, lib, resumed, at]) == [main, lib]
    assert callers([main, resumed, lib, at]) == [main, lib]
    assert callers([main, frame(9, "g"), at]) == [main, frame(9, "g")]
