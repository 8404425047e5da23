"""Which lines of the program each compile went through (`compilescope_lines`), else where it has operations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compilescope.analysis.ours import line_number, mapping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import LineTime
    from compilescope.recording.reader import Recording

_MOST = 100_000
"""Lines of one compile that are looked at."""


@dataclass
class TracedLines:
    """Lines by compile id and file; of a compile that was tried again, those of the last attempt.

    `recorded`: they are all that were gone through, whether an operation came of them or not.
    """

    by_compile: dict[str, dict[str, set[int]]] = field(default_factory=dict)
    recorded: bool = False


def traced(recording: Recording, context: Context, operations: Iterable[LineTime]) -> TracedLines:
    """Return the lines of all compiles."""
    found = TracedLines()
    for event in recording.events("compilescope_lines"):
        if event.base_id is None:
            continue
        files = mapping(mapping(recording.json(event)).get("lines"))
        own = {file: _numbers(lines) for file, lines in files.items() if isinstance(lines, list)}
        found.by_compile[context.name(context.compiles.where(event))] = own
        found.recorded = True
    if not found.recorded:
        for one in operations:
            for compile_id in one.compile_ids if one.operations else ():
                found.by_compile.setdefault(compile_id, {}).setdefault(one.file, set()).add(one.line)
    return found


def _numbers(lines: list[object]) -> set[int]:
    return {number for one in lines[:_MOST] if (number := line_number(one)) is not None}
