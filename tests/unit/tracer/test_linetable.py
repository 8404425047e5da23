"""Lines in the code that Dynamo makes are those of the program's source, though torch's table has them too far down."""

from __future__ import annotations

import dis
import sys

import pytest
from compilescope.tracer.linetable import Shifts, shifts

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="such tables are new in Python 3.11"),
]


# fmt: off
def chained(x, y):
    z = (
        x.sin()
        .cos()
        .relu(
        )
    )
    z = z.add(
        y
    ).sum()
    return [z + one.item() for one in (
        x,
        y)]
# fmt: on


def plain(x):
    y = x.sin()
    return y + 1


def as_torch_writes_it(code):
    """`code` with the table of lines that Dynamo writes for its instructions."""
    transformation = pytest.importorskip("torch._dynamo.bytecode_transformation")
    instructions = transformation.cleaned_instructions(code)
    _, table = transformation.assemble(instructions, code.co_firstlineno)
    return code.replace(co_linetable=bytes(table))


def lines(code):
    every = [position[0] for position in code.co_positions()]
    return {one.offset: every[one.offset // 2] for one in dis.get_instructions(code)}


@pytest.mark.parametrize(("function", "shifted"), [(chained, True), (plain, False)])
def test_the_shift_leads_back_to_the_source(function, shifted):
    made = as_torch_writes_it(function.__code__)
    found = shifts(made)
    right = {offset: line for offset, line in lines(function.__code__).items() if line is not None}
    torch_s = {offset: lines(made)[offset] for offset in right}
    if torch_s != right:  # torch has the error
        assert bool(found) == shifted
    assert {offset: line - found.get(offset, 0) for offset, line in torch_s.items()} == right


def test_python_s_own_tables_have_none():
    assert shifts(chained.__code__) == {}
    assert Shifts().at(chained.__code__, 4) == 0
    assert Shifts().at(chained.__code__, None) == 0


def test_each_code_has_its_own():
    known, made = Shifts(), as_torch_writes_it(chained.__code__)
    found = shifts(made)
    assert [known.at(made, offset) for offset in lines(made)] == [found.get(offset, 0) for offset in lines(made)]
    assert known.at(plain.__code__, 10) == 0
