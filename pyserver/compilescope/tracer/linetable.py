"""Lines of the code that Dynamo makes, as the program's source has them.

Up to 2.14 `linetable_311_writer` (torch/_dynamo/bytecode_transformation.py) writes the step to the next line once for
every eight units of an instruction. After a method whose name is on another line than what it is called on (a chain
over several lines), everything in the piece of a function behind a graph break is that many lines too far down.
Python's own tables have no step within an instruction: a step there is the error, and their sum has to be taken off.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType

_ENTRY = 8
"""Units of two bytes that one entry of the table has room for."""


def shift(code: CodeType, offset: int) -> int:
    """How many lines the place of the instruction `offset` bytes into `code` is too far down; 0 before Python 3.11."""
    dis = sys.modules.get("dis")
    if dis is None or not hasattr(code, "co_positions"):
        return 0
    lines = [position[0] for position in code.co_positions()]
    starts = [one.offset // 2 for one in dis.get_instructions(code) if one.offset <= offset]
    wrong = 0
    for index, start in enumerate(starts[:-1]):
        for unit in range(start + _ENTRY, starts[index + 1], _ENTRY):
            here, before = lines[unit], lines[unit - _ENTRY]
            wrong += here - before if here is not None and before is not None else 0
    return wrong
