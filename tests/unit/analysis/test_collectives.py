"""Collectives that are scheduled beside those that the generated code calls.

The differences are those of tlparse 0.4.3 for the same events (`collectives_parity.json`: `offset`, `missing_waits`).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compilescope.analysis.to_json import to_json
from compilescope.report.collectives import collectives_block, sentence
from compilescope.report.html import page
from compilescope.report.html.material import Material
from compilescope.report.style import Style

from tests.unit.analysis.made import Made
from tests.unit.analysis.schema import problems

CODE = """# AOT ID: ['0_inference']
# Topologically Sorted Source Nodes: [a], Original ATen: [_c10d_functional.all_reduce]
# %r : call_function[target=torch.ops._c10d_functional.all_reduce.default](args = (%x, sum, 0), kwargs = {})
def call(args):
    torch.ops._c10d_functional.all_reduce_.default(buf0, 'sum', '0')
    torch.ops._c10d_functional.wait_tensor.default(buf0)
    buf4 = torch.ops._c10d_functional.all_gather_into_tensor.default(buf0, 2, '0')
    return (buf0,)
"""
REDUCE, WAIT, GATHER = (
    f"torch.ops._c10d_functional.{name}.default" for name in ("all_reduce_", "wait_tensor", "all_gather_into_tensor")
)


def made_with(folder: Path, schedule: object, code: str = CODE) -> Made:
    made = Made(folder)
    made.compiled("0/0", "f", 1)
    made.event("inductor_collective_schedule", schedule, "0/0")
    made.torch_event("inductor_output_code", {"filename": "/tmp/abc.py"}, "0/0", payload=code)
    return made


@pytest.mark.parametrize(
    ("schedule", "offset"), [([REDUCE, WAIT, GATHER], 0), ([REDUCE, WAIT], 1), ([REDUCE, REDUCE, REDUCE], 3)]
)
def test_differences(tmp_path, schedule, offset):
    (one,) = made_with(tmp_path, schedule).result().collectives
    names = {*one.scheduled, *one.called}
    assert sum(abs(one.scheduled.get(name, 0) - one.called.get(name, 0)) for name in names) == offset
    assert one.unwaited == 1
    assert one.compile_id == "0/0"


def test_in_words(tmp_path):
    result = made_with(tmp_path, [REDUCE, REDUCE]).result()
    (one,) = result.collectives
    said = "all_gather_into_tensor is scheduled never and called once; all_reduce_ is scheduled 2 times and called once"
    assert sentence(one) == f"{said}; 1 call is never waited for"
    text = collectives_block(result.collectives, Style(Path("/app"), colour=False))
    assert text[0] == "collectives: 1 graph not as scheduled"
    assert 'id="collectives"' in page.render(Material(result, {}))
    assert problems(json.loads(json.dumps(to_json(result)))) == []


def test_as_scheduled_is_not_told(tmp_path):
    code = "torch.ops._c10d_functional.all_reduce_.default(x)\ntorch.ops._c10d_functional.wait_tensor.default(x)\n"
    result = made_with(tmp_path, [REDUCE, WAIT], code).result()
    assert not result.collectives[0].differs
    assert collectives_block(result.collectives, Style(Path("/app"), colour=False)) == []


@pytest.mark.parametrize("schedule", [{}, [None, 3, []], "text"])
def test_schedules_that_are_none(tmp_path, schedule):
    (one,) = made_with(tmp_path, schedule).result().collectives
    assert one.scheduled == {}


def test_code_that_comes_before_its_schedule(tmp_path):
    # torch 2.11; the first graph of the compile has no collectives.
    made = Made(tmp_path)
    for number, names in enumerate(([REDUCE, WAIT, GATHER], [REDUCE])):
        made.compiled(f"{number}/0", "f", 1)
        made.torch_event("inductor_output_code", {"filename": "/tmp/b.py"}, f"{number}/0", payload="def call(): pass")
        made.torch_event("inductor_output_code", {"filename": "/tmp/a.py"}, f"{number}/0", payload=CODE)
        made.event("inductor_collective_schedule", names, f"{number}/0")
    made.torch_event("inductor_output_code", {"filename": "/tmp/c.py"}, "1/0", payload="def call(): pass")
    called = {"all_reduce_": 1, "all_gather_into_tensor": 1}
    assert [(one.compile_id, one.scheduled, one.called) for one in made.result().collectives] == [
        ("0/0", called, called),
        ("1/0", {"all_reduce_": 1}, called),
    ]


def test_a_graph_without_collectives_before_a_schedule_is_not_its_code(tmp_path):
    made = Made(tmp_path)
    made.compiled("0/0", "f", 1)
    made.torch_event("inductor_output_code", {"filename": "/tmp/b.py"}, "0/0", payload="def call(): pass")
    made.event("inductor_collective_schedule", [REDUCE, WAIT, GATHER], "0/0")
    made.torch_event("inductor_output_code", {"filename": "/tmp/a.py"}, "0/0", payload=CODE)
    (one,) = made.result().collectives
    assert not one.scheduled.keys() ^ one.called.keys()
