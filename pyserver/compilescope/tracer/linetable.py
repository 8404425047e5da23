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

RESUMED = "torch_dynamo_resume_in_"
_ENTRY = 8
"""Units of two bytes that one entry of the table has room for."""


class Shifts:
    """How far down the lines of code are, by code: worked out once, at the first question."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[CodeType, dict[int, int]]] = {}

    def at(self, code: CodeType, offset: int | None) -> int:
        """How many lines the place of the instruction `offset` bytes into `code` is too far down."""
        known = self._known.get(id(code))
        if known is None or known[0] is not code:
            known = self._known[id(code)] = code, shifts(code)
        return known[1].get(offset or 0, 0)


def shifts(code: CodeType) -> dict[int, int]:
    """How many lines the place of each instruction of `code`, by its offset, is too far down; without those at 0."""
    dis = sys.modules.get("dis")
    if dis is None or not hasattr(code, "co_positions"):  # Python 3.10
        return {}
    lines = [position[0] for position in code.co_positions()]
    starts = [one.offset // 2 for one in dis.get_instructions(code)]
    found: dict[int, int] = {}
    wrong = 0
    for index, start in enumerate(starts):
        if wrong:
            found[2 * start] = wrong
        end = starts[index + 1] if index + 1 < len(starts) else len(lines)
        for unit in range(start + _ENTRY, end, _ENTRY):
            here, before = lines[unit], lines[unit - _ENTRY]
            wrong += here - before if here is not None and before is not None else 0
    return found
