"""What the code panel is answered about a compile that has no code, in a run where others have some."""

from __future__ import annotations

import contextlib

import pytest
from compilescope.lsp.code import code
from compilescope.lsp.opened import OpenRecording
from compilescope.lsp.shapes.code import CodeParams

from tests.unit.analysis.made import Made


@pytest.fixture
def asked(tmp_path):
    made = Made(tmp_path, "def f(x):\n    return x\n")
    made.compiled("0/0", "f", 1)
    made.torch_event("inductor_output_code", {"filename": "/tmp/ab.py"}, "0/0", "def call(args):\n    return args\n")
    made.compiled("1/0", "helper", 1, graph_node_count=1)
    made.compiled("2/0", "inner", 1, has_guarded_code=False, graph_node_count=0)
    made.result()
    with contextlib.closing(OpenRecording(str(made.folder))) as opened:
        yield lambda compile_id: code(opened, CodeParams(str(tmp_path), compile_id))


def test_one_with_code_has_it_and_the_picker_lists_those_with_code(asked):
    found = asked("0/0")
    assert (found.compile_id, len(found.texts), [one.id for one in found.compiles]) == ("0/0", 1, ["0/0"])


@pytest.mark.parametrize(
    ("compile_id", "cause", "note"),
    [
        ("1/0", "empty", "No operation of this function is in a graph, so no code was generated."),
        ("2/0", "eager", "This function runs in eager, so no code was generated."),
    ],
)
def test_one_without_code_is_listed_and_says_why(asked, compile_id, cause, note):
    found = asked(compile_id)
    assert (found.texts, found.cause, found.note) == ([], cause, note)
    assert [one.id for one in found.compiles] == ["0/0", compile_id]


def test_one_that_is_not_in_the_run_is_not_listed(asked):
    assert [one.id for one in asked("9/9").compiles] == ["0/0"]
