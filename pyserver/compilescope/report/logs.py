"""Torch's log records as lines of text, and a table of how much each level of each log would print."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from compilescope.analysis.logs import LEVELS
from compilescope.report.clean import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.logs import LogCount, LogRecord

_SHOWN = LEVELS[:4]


def line(record: LogRecord) -> str:
    """One record: time, level, compile, log, place, and its message, which may have several lines."""
    where = f"[{record.compile_id}] " if record.compile_id is not None else ""
    name = record.name if record.name == record.component else f"{record.name} ({record.component})"
    cut = f"\n… {record.cut} more characters were not kept …" if record.cut else ""
    return clean(
        f"{_clock(record.time)} {record.level:7} {where}{name} {record.file}:{record.line}: {record.message}{cut}"
    )


def table(counts: Sequence[LogCount], dropped: int) -> list[str]:
    """The lines of the table, and below them what only was counted."""
    if not counts:
        return ["No log was recorded; `compilescope trace --logs` takes names as TORCH_LOGS does."]
    names = [_name(one) for one in counts]
    width = max(map(len, names))
    head = f"{'log':{width}}" + "".join(f"{level:>19}" for level in _SHOWN)
    rows = [
        f"{clean(name):{width}}" + "".join(f"{_cell(one, level):>19}" for level in _SHOWN)
        for name, one in zip(names, counts, strict=True)
    ]
    note = "Records and bytes that each level would print, higher levels included; -: not recorded."
    more = [f"{dropped} records were only counted: a process keeps 64 MB of messages."] if dropped else []
    return [head, *rows, note, *more]


def size(number: int) -> str:
    """`810 B`, `53.7 KB`, `12 MB`."""
    for unit, factor in (("MB", 1 << 20), ("KB", 1 << 10)):
        if number >= factor:
            value = number / factor
            return f"{value:.1f} {unit}"
    return f"{number} B"


def _clock(seconds: float) -> str:
    """`21:07:00.103`, in local time."""
    try:
        return f"{datetime.fromtimestamp(seconds).astimezone():%H:%M:%S.%f}"[:12]
    except (ValueError, OverflowError, OSError):
        return "--:--:--.---"


def _name(one: LogCount) -> str:
    return one.name if one.name == one.component else f"{one.name} ({one.component})"


def _cell(one: LogCount, level: str) -> str:
    if level not in one.levels:
        return "-"
    records, printed = one.levels[level]
    return f"{records:,}  {size(printed):>8}"
