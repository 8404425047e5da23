"""The lines that Dynamo went through are those that Python runs, however a function is cut into pieces."""

from __future__ import annotations

import ast
import json

import pytest

from tests.unit.tracer.conftest import Runner

PROGRAM = '''\
import json, os, sys
import torch


def scale(x, big):
    if big:
        k = 3
    else:
        k = 4
    return x * k


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = False

    def width(self):
        return 8 if self.wide else 4

    def forward(self, x):
        """Doc."""
        return scale(x, self.width() > 4)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(), Block()])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def pieces(x, n):
    y = (
        x.sin()
        .cos()
        .exp()
    )
    print("here")
    z = (
        y
        .tanh()
        .abs()
    )
    if n > 3:
        z = z + 1
    try:
        z = [z * i for i in range(2)][1]
    except ValueError:
        z = y
    else:
        z = z - 1
    with torch.no_grad():
        z = z + 2
    return z


def main(compiled):
    functions = (Net(), pieces) if not compiled else (torch.compile(Net(), backend="eager"), COMPILED)
    functions[0](torch.ones(4))
    functions[1](torch.ones(4), 2)


COMPILED = torch.compile(pieces, backend="eager")
if os.environ.get("PLAIN_LINES"):
    lines = set()

    def trace(frame, event, argument):
        if frame.f_code.co_filename != __file__ or frame.f_code.co_name in {"main", "<module>", "__init__"}:
            return None if frame.f_code.co_filename != __file__ else trace if event == "call" else None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    sys.settrace(trace)
    main(compiled=False)
    sys.settrace(None)
    print(json.dumps(sorted(lines)))
else:
    main(compiled=True)
'''


def statements(lines):
    """The first lines of the statements on some lines: in a piece after a break, those within a chain may be missing.

    Definitions are left out: that Dynamo begins with one is no line event of Python's.
    """
    tree = ast.parse(PROGRAM)
    found = [one for one in ast.walk(tree) if isinstance(one, ast.stmt)]
    at = {
        line: max((one for one in found if one.lineno <= line <= one.end_lineno), key=lambda one: one.lineno)
        for line in lines
    }
    return {one.lineno for one in at.values() if not isinstance(one, ast.FunctionDef)}


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    return Runner(tmp_path_factory.mktemp("lines"))


@pytest.fixture(scope="module")
def bodies(runner):
    runner.write("p.py", PROGRAM)
    return runner.traced("p.py", depth="capture")


def test_they_are_what_python_runs(runner, bodies):
    ran = runner.plain("p.py", env={"PLAIN_LINES": "1"})
    truth = set(json.loads(ran.out.splitlines()[-1]))
    last = {
        event.envelope["frame_id"]: event.body["lines"] for event in bodies.events if event.name == "compilescope_lines"
    }
    assert all(list(lines) == [str(runner.folder / "p.py")] for lines in last.values())
    found = {line for lines in last.values() for own in lines.values() for line in own}
    assert statements(found) == statements(truth)
    assert bodies.code == 0
    assert not bodies.bodies("unavailable")


def test_a_retry_tells_its_own(bodies):
    attempts = [
        (event.envelope["frame_id"], event.envelope["attempt"])
        for event in bodies.events
        if event.name == "compilescope_lines"
    ]
    assert (attempts[-1][0], 0) in attempts
    assert any(attempt == 1 for _, attempt in attempts)
    assert len(attempts) == len(set(attempts))
