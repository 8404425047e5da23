"""Lines of the program as a log has them: torch writes some into tracebacks, stacks and printed graphs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from compilescope.analysis.once import Once
from compilescope.analysis.ours import items, line_number, mapping, text
from compilescope.analysis.sources import Source, is_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import Finding
    from compilescope.recording.reader import Event, Recording

    Lines = Mapping[str, Mapping[int, str]]

MOST = 4_000_000
"""Bytes of payloads that are looked through of what is written per problem, and as many of graphs."""
LOG_LINE, FILE_HERE = "log_line", "file_here"
"""Where a finding's `detail` has the line of the log, and why: the file is `missing` here, or `changed`."""
_TEXTS = (
    ("dynamo_graph_break_reason", "dynamo_error"),
    ("dynamo_output_graph", "aot_joint_graph", "aot_forward_graph", "inductor_post_grad_graph"),
)
_STACKS = ("dynamo_start", "guard_added", "guard_added_fast", "create_unbacked_symbol", "symbolic_shape_specialization")
# The forms in which a line stands beside its place: below a frame of a traceback, and in a comment of a graph.
_TRACEBACK = re.compile(r'^ *File "([^"\n]+)", line (\d{1,9}), in [^\n]*\n {2,}(?=\S)(?!File ")([^\n]+)', re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*# File: ([^\n]{1,1000}?):(\d{1,9}) in [^\n,]{1,200}?, code: ([^\n]+)", re.MULTILINE)


def read(recording: Recording, files: Collection[str] | None = None, most: int = MOST) -> dict[str, dict[int, str]]:
    """Return lines by file and number (from 1), without their indentation; of `files` only, where they are named.

    `most`: bytes of payloads of a kind after which no more are read.
    """
    found: dict[str, dict[int, str]] = {}
    for file, number, line in _all(recording, most):
        if (files is None or file in files) and is_whole(file):
            found.setdefault(file, {}).setdefault(number, line.strip())
    return found


def of_findings(recording: Recording, findings: Iterable[Finding], context: Context) -> dict[str, dict[int, str]]:
    """Return lines of the files that findings are in and whose text nobody has.

    Each finding there gets the line of its place, and so does one whose file is here, not recorded, and has another.
    """
    placed = [(one, one.file) for one in findings if one.file is not None and one.file not in context.facts.sources]
    lines = read(recording, {file for _, file in placed}) if placed else {}
    for finding, file in placed:
        number = finding.range.start.line + 1
        logged, here = lines.get(file, {}).get(number), context.sources.get(file)
        if logged is not None and (here is None or not _same(here.line(number) or "", logged)):
            finding.detail |= {LOG_LINE: logged, FILE_HERE: "missing" if here is None else "changed"}
    return {file: found for file, found in lines.items() if context.sources.get(file) is None}


def is_changed(finding: Finding) -> bool:
    """Whether the file here has another line in a finding's place than the log."""
    return finding.detail.get(FILE_HERE) == "changed"


def agreeing(lines: Mapping[int, str], text: str) -> tuple[int, int]:
    """Return how many of some lines a text has in their places, and how many were compared."""
    here = Source(text)
    return sum(_same(here.line(number) or "", one) for number, one in lines.items()), len(lines)


def as_text(lines: Mapping[int, str]) -> str:
    """Return a file of which only some lines are known, each in its place, the others empty."""
    return "\n".join(lines.get(number, "") for number in range(1, max(lines, default=0) + 1))


def with_gaps(lines: Mapping[int, str]) -> list[str]:
    """Return known lines in their places; the first line of each gap says which lines are not known."""
    found: list[str] = []
    for number in sorted(lines):
        first, last = len(found) + 1, number - 1
        if first == last:
            found.append(f"# line {first} is not in the log")
        elif first < last:
            found += [f"# lines {first} to {last} are not in the log", *[""] * (last - first)]
        found.append(lines[number])
    return found


def _same(here: str, logged: str) -> bool:
    """Whether a line is that of the log, which may have cut it or drawn several into one."""
    one, other = " ".join(here.split()), " ".join(logged.split())
    return one == other or (bool(one) and other.startswith(one))


def _all(recording: Recording, most: int) -> Iterator[tuple[str, int, str]]:
    written = Once(recording, lambda event: _of_text(recording.payload(event)))
    for names in _TEXTS:
        left = most
        for event in recording.events(*names):
            left -= event.raw().payload_length
            if left >= 0 and event.has_payload:
                yield from written.of(event) or ()
    for event in recording.events(*_STACKS):
        if event.mentions(b'"loc"'):
            yield from _of_stack(recording, event)


def _of_text(payload: str) -> list[tuple[str, int, str]]:
    return [
        (file, int(number), line)
        for mark, pattern in (('File "', _TRACEBACK), ("# File: ", _COMMENT))
        if mark in payload  # quicker to see than where
        for file, number, line in pattern.findall(payload)
    ]


def _of_stack(recording: Recording, event: Event) -> Iterator[tuple[str, int, str]]:
    names = recording.strings(event.process)
    for key in ("stack", "user_stack"):
        for frame in map(mapping, items(event.fields.get(key))):
            file, number, line = _file(frame, names), line_number(frame.get("line")), text(frame.get("loc"))
            if file and number and line:
                yield file, number, line


def _file(frame: dict[str, Any], names: Mapping[int, str]) -> str | None:
    name = frame.get("filename")
    return names.get(name) if isinstance(name, int) else text(name)
