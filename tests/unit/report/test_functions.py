"""What became of a compiled function: what is a recompile of it, what runs in eager, what came to no end."""

from __future__ import annotations

import pytest
from compilescope.analysis.model import Compile
from compilescope.report.functions import CompiledFunction


def compile_(id_, status="ok"):
    return Compile(id_, "f", "/w/a.py", 3, status, 1, {"total": 1.0}, {"nodes": 3, "edges": 2}, 1, None)


def function(*compiles):
    return CompiledFunction("f", "/w/a.py", 3, [compile_(*one) for one in compiles])


@pytest.mark.parametrize(
    ("compiles", "recompiles", "failed", "skipped"),
    [
        ([("0/0", "ok"), ("0/1", "ok")], 1, 0, False),
        ([("0/0", "failed"), ("0/1", "ok")], 0, 1, False),  # there was no version yet
        ([("0/0", "ok"), ("0/1", "failed"), ("0/2", "ok")], 2, 1, False),
        ([("0/0", "ok"), ("0/1", "skipped")], 0, 0, True),  # the limit refused it
        ([("0/0", "ok"), ("1/0", "ok"), ("rank1:0/0", "ok")], 0, 0, False),
        ([("0/0", "ok"), ("reset1:0/0", "ok"), ("reset1:0/1", "ok")], 1, 0, False),
    ],
)
def test_recompiles_and_ends(compiles, recompiles, failed, skipped):
    found = function(*compiles)
    assert (found.recompiles, found.failed, found.skipped) == (recompiles, failed, skipped)
    assert found.seconds_again == recompiles
