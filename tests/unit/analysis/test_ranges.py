"""Columns: from Python's UTF-8 bytes to an editor's UTF-16 units."""

from __future__ import annotations

import ast
import dis

import pytest
from compilescope.analysis.facts import Frame
from compilescope.analysis.model import Position, Range
from compilescope.analysis.ranges import Ranges, from_utf8
from compilescope.analysis.sources import Source, Sources
from hypothesis import given
from hypothesis import strategies as st

LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=40)


def at(line, start, end, end_line=None):
    return Range(Position(line, start), Position(line if end_line is None else end_line, end))


@given(LINES, st.data())
def test_every_character_start_maps_to_utf16(line, data):
    index = data.draw(st.integers(0, len(line)))
    column = len(line[:index].encode())
    assert from_utf8(line, column) == len(line[:index].encode("utf-16-le")) // 2


@given(LINES, st.integers(-5, 300))
def test_any_column_stays_within_the_line(line, column):
    assert 0 <= from_utf8(line, column) <= len(line.encode("utf-16-le")) // 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_range_of_an_expression_behind_wide_characters(end):
    text = end.join(["def f(é):", '\ts = "😀 é"; x = float(é.std())  # \u2028 is no line end', "\treturn x", ""])
    line = Source(text).lines[1]
    # The columns that Python itself gives.
    call = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    frame = Frame("a.py", call.lineno, "f", call.end_lineno, call.col_offset, call.end_col_offset)
    found = Ranges(Sources({"a.py": text})).of(frame)
    units = line.encode("utf-16-le")
    assert units[found.start.character * 2 : found.end.character * 2].decode("utf-16-le") == "float(é.std())"
    assert found.start.line == 1


def test_without_columns_the_line_without_its_indentation():
    ranges = Ranges(Sources({"a.py": "if x:\n\t  y = 1  \n\n"}))
    assert ranges.of(Frame("a.py", 2)) == at(1, 3, 8)
    assert ranges.of(Frame("a.py", 3)) == at(2, 0, 0)


def test_unknown_text_gives_the_whole_line():
    ranges = Ranges(Sources({}))
    assert ranges.of(Frame("/nowhere/a.py", 7)) == at(6, 0, 0, end_line=7)
    assert ranges.of(Frame("/nowhere/a.py", 7, "f", 7, 4, 9)) == at(6, 4, 9)
    assert ranges.of(Frame("<string>", 0, "f", 0, 4, 2)) == at(0, 0, 0, end_line=1)


@pytest.mark.skipif(not hasattr(dis.Instruction, "positions"), reason="positions of instructions: Python 3.11")
@pytest.mark.parametrize(
    "line",
    ["if flag:\n  x = 1", "if é: x = 1", "while flag.any(): x = 1", "y = 1 if flag else 2", "assert flag, 'no'"],
)
def test_a_jump_is_at_its_test(line):
    # Python gives a jump on a bare name or a call the position of the whole statement.
    jump = next(one for one in dis.get_instructions(compile(line, "a.py", "exec")) if "JUMP" in one.opname)
    place = jump.positions
    found = Ranges(Sources({"a.py": line})).of(
        Frame("a.py", place.lineno, "f", place.end_lineno, place.col_offset, place.end_col_offset)
    )
    (test,) = [node.test for node in ast.walk(ast.parse(line)) if hasattr(node, "test")]
    text = ast.get_source_segment(line, test)
    assert found == at(0, line.index(text), line.index(text) + len(text))


@pytest.mark.skipif(not hasattr(dis.Instruction, "positions"), reason="positions of instructions: Python 3.11")
def test_a_method_on_a_later_line_is_the_whole_call():
    text = "y = (é\n  .sin()\n    .cos(\n))\n"
    calls = [one.positions for one in dis.get_instructions(compile(text, "a.py", "exec")) if one.opname == "CALL"]
    ranges = Ranges(Sources({"a.py": text}))
    found = [
        ranges.of(Frame("a.py", one.lineno, "", one.end_lineno, one.col_offset, one.end_col_offset)) for one in calls
    ]
    assert found == [at(0, 5, 8, end_line=1), at(0, 5, 1, end_line=3)]


def test_expression_over_several_lines():
    ranges = Ranges(Sources({"a.py": "x = f(\n    1,\n)\n"}))
    assert ranges.of(Frame("a.py", 1, "", 3, 4, 1)) == at(0, 4, 1, end_line=2)
