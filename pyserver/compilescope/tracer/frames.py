"""Where in the source something happens: frames with exact ranges.

Dynamo's translators keep the positions of the instruction that they trace (`InstructionTranslatorBase.
current_instruction.positions`, torch/_dynamo/symbolic_convert.py, 2.6 to 2.14; Python 3.11 and newer).
"""

from __future__ import annotations

import ast
import linecache
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from compilescope.tracer.linetable import RESUMED
from compilescope.tracer.positions import position_at
from compilescope.tracer.sources import TRACER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType

    from compilescope.tracer.positions import Position, Positions
    from compilescope.tracer.sources import Sources

Frame = dict[str, Any]
TOP_FILE, TOP_LINE = ("<sys>", 0) if sys.version_info >= (3, 13) else ("sys", 1)
"""The place of a warning whose stack level reaches above the program, as Python says it (Python/_warnings.c)."""


class Frames:
    """Makes the recording's frames and mentions their files to the sources."""

    def __init__(self, sources: Sources, positions: Positions) -> None:
        self._sources = sources
        self._positions = positions

    def traced(self) -> list[Frame]:
        """The frames that Dynamo traces at this moment, outermost first; empty outside of a trace."""
        frames: list[Frame] = []
        seen: set[int] = set()
        python: FrameType | None = sys._getframe(1)
        while python is not None:
            code = python.f_code
            if code.co_name == "step" and code.co_filename.endswith("symbolic_convert.py"):
                translator = python.f_locals.get("self")
                if translator is not None and id(translator) not in seen:
                    seen.add(id(translator))
                    frames.append(self._of_translator(translator))
            elif _is_dynamo_entry(code) and frames:
                break
            python = python.f_back
        frames.reverse()
        return frames

    def passed(self, error: BaseException) -> list[Frame]:
        """The frames that Dynamo traced when `error` was raised through them, outermost first, by its traceback."""
        frames: list[Frame] = []
        entry = error.__traceback__
        while entry is not None:
            code = entry.tb_frame.f_code
            if code.co_name == "step" and code.co_filename.endswith("symbolic_convert.py"):
                frames.append(self._of_translator(entry.tb_frame.f_locals["self"]))
            entry = entry.tb_next
        return frames

    def above(self) -> list[Frame]:
        """The Python frames that led to the compile that is going on, outermost first, without ours."""
        entry: FrameType | None = sys._getframe(1)
        python = entry
        while python is not None and not _is_dynamo_entry(python.f_code):
            python = python.f_back
        while python is not None and python.f_code.co_filename.endswith(("convert_frame.py", "_utils_internal.py")):
            entry = python = python.f_back
        frames = []
        while entry is not None:
            if not is_launcher(entry.f_code):
                frames.append(self.make(entry.f_code.co_filename, _position(entry), entry.f_code.co_name))
            entry = entry.f_back
        frames.reverse()
        return frames

    def now(self) -> list[Frame]:
        """The Python frames of the program at this moment, outermost first, without ours and those of imports."""
        frames = []
        entry: FrameType | None = sys._getframe(1)
        while entry is not None:
            code = entry.f_code
            if not is_launcher(code) and not code.co_filename.startswith("<frozen importlib"):
                frames.append(self.make(code.co_filename, _position(entry), code.co_name))
            entry = entry.f_back
        frames.reverse()
        return frames

    def of_summary(self, stack: Sequence[Any] | None) -> list[Frame]:
        """The frames of a `traceback.StackSummary`, without ours; exact where it is one of Dynamo's."""
        return [
            self.make(frame.filename, self.position_in(stack, index), frame.name)
            for index, frame in enumerate(stack or ())
            if not frame.filename.startswith(TRACER)
        ]

    def position_in(self, stack: Any, index: int) -> Position:
        """The range of one frame of a `traceback.StackSummary`: torch's have a column from 2.13 on, but no end line."""
        frame = stack[index]
        exact = position_at(self._positions.of_stack(stack)[index : index + 1], frame.filename, frame.lineno)
        if exact is not None:
            return exact
        end_line = getattr(frame, "end_lineno", None)
        if end_line is None:
            return frame.lineno, None, None, None
        return frame.lineno, end_line, frame.colno, frame.end_colno

    def make(self, file: str, position: Position, function: str) -> Frame:
        """One frame. `position` is (line, end line, column, end column), columns in bytes; only the line is needed."""
        self._sources.mention(file)
        line, end_line, column, end_column = position
        return {
            "file": file,
            "line": line or 1,
            "end_line": end_line or line or 1,
            "col": column,
            "end_col": end_column,
            "function": function,
        }

    def code(self, code: CodeType) -> dict[str, Any]:
        """A code object: its file, first line and name."""
        self._sources.mention(code.co_filename)
        return {"file": code.co_filename, "line": code.co_firstlineno, "function": code.co_name}

    def _of_translator(self, translator: Any) -> Frame:
        instruction = translator.current_instruction
        code = translator.f_code
        positions = getattr(instruction, "positions", None)
        if positions is None or positions.lineno is None:
            return self.make(code.co_filename, (translator.lineno, None, None, None), code.co_name)
        down = self._positions.down(code, instruction.offset) if code.co_name.startswith(RESUMED) else 0
        position: Position = (
            positions.lineno - down,
            None if positions.end_lineno is None else positions.end_lineno - down,
            positions.col_offset,
            positions.end_col_offset,
        )
        if "JUMP" in instruction.opname:
            position = _narrow_to_test(code.co_filename, position)
        return self.make(code.co_filename, position, code.co_name)


def is_ours(code: CodeType) -> bool:
    """Whether `code` is the tracer's."""
    return code.co_filename.startswith(TRACER) or code.co_filename == TOP_FILE


def is_launcher(code: CodeType) -> bool:
    """Whether `code` is the tracer's, or the machinery of `python -m`."""
    return is_ours(code) or "runpy" in code.co_filename


def _is_dynamo_entry(code: CodeType) -> bool:
    """Where a frame's compile begins: `CatchErrorsWrapper.__call__` (torch/_dynamo/convert_frame.py)."""
    return code.co_filename.endswith("convert_frame.py") and code.co_name in ("__call__", "catch_errors")


def _position(frame: FrameType) -> Position:
    code = frame.f_code
    if frame.f_lasti >= 0 and hasattr(code, "co_positions"):
        line, end_line, column, end_column = next(
            islice(code.co_positions(), frame.f_lasti // 2, None), (None, None, None, None)
        )
        if line is not None:
            return line, end_line, column, end_column
    return frame.f_lineno, None, None, None


def _narrow_to_test(file: str, position: Position) -> Position:
    """The test of a branch on a bare name, whose instruction has the position of the whole statement."""
    line, end_line, column, end_column = position
    if column is None:
        return position
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return position
    for node in ast.walk(tree):
        if position == (
            getattr(node, "lineno", None),
            getattr(node, "end_lineno", None),
            getattr(node, "col_offset", None),
            getattr(node, "end_col_offset", None),
        ) and (test := _test_of(node)):
            return test.lineno, test.end_lineno, test.col_offset, test.end_col_offset
    return line, end_line, column, end_column


def _test_of(node: ast.AST) -> ast.expr | None:
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return node.test
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        tests = [test for generator in node.generators for test in generator.ifs]
        return tests[0] if len(tests) == 1 else None
    return None
