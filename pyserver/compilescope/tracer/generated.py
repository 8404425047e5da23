"""Errors that Dynamo's own bytecode raises when it runs: the program fails where it would not without a compile.

Relies on `convert_frame.orig_code_map` (generated code to the code that it was made from, torch 2.6 to 2.14). An
instruction that Dynamo made up has no position of its own, so Python shows the line of the `def`; where the error says
which name it was about, the instruction of the original that uses that name tells the true line.
"""

from __future__ import annotations

import dis
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, TracebackType

Position = tuple["int | None", ...]


def dynamo_made_place(error: BaseException) -> tuple[CodeType, Position] | None:
    """The original code and the position in it of an error that Dynamo's made-up instructions raised, else None."""
    entry = error.__traceback__
    if entry is None:
        return None
    while entry.tb_next is not None:
        entry = entry.tb_next
    originals = getattr(sys.modules.get("torch._dynamo.convert_frame"), "orig_code_map", None)
    code = entry.tb_frame.f_code
    if originals is None or code not in originals or not _is_made_up(entry):
        return None
    original: CodeType = originals[code]
    return original, _use_of(getattr(error, "name", None), original) or (entry.tb_lineno, None, None, None)


def _is_made_up(entry: TracebackType) -> bool:
    code = entry.tb_frame.f_code
    if not hasattr(code, "co_positions"):
        return entry.tb_lineno == code.co_firstlineno
    position = list(code.co_positions())[entry.tb_lasti // 2]
    return position[2] is None


def _use_of(name: str | None, code: CodeType) -> Position | None:
    if name is None or not hasattr(code, "co_positions"):
        return None
    uses = [
        getattr(instruction, "positions", None)
        for instruction in dis.get_instructions(code)
        if instruction.argval == name and instruction.opname.startswith("LOAD_")
    ]
    found = uses[0] if len(uses) == 1 else None
    return None if found is None else (found.lineno, found.end_lineno, found.col_offset, found.end_col_offset)
