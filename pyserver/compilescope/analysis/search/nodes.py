"""Hits in graphs and generated code that need more than the text: nodes, at the first stage where they stand so."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from compilescope.analysis import ours
from compilescope.analysis.graph_text import SHORT_DTYPES, node_line
from compilescope.analysis.graphs import TEXT_ID
from compilescope.analysis.kernel_source import OutputCode
from compilescope.analysis.passes import compile_of
from compilescope.analysis.search.model import Hit
from compilescope.analysis.search.shown import shown
from compilescope.analysis.search.written import lines, place
from compilescope.analysis.snapshots import from_json
from compilescope.analysis.stages import label
from compilescope.analysis.text_graphs import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.search.query import Matcher
    from compilescope.recording.reader import Event, Recording

_ID = re.compile(rb'"id"\s*:\s*"([^"]+)"')
_HEAD = 200
_MADE = tuple(one.encode() for one in (*SHORT_DTYPES.values(), "input", "return", "self"))
"""Words of a node's line that its snapshot need not have."""
_ASSIGNED = re.compile(r'^\s*(\w+)(?:: "[^"]*")? = ')
_ARGUMENT = re.compile(r'(\w+): "')


class Nodes:
    """The nodes of one recording's graphs, and the kernels of its generated code, searched."""

    def __init__(self, recording: Recording, context: Context, matcher: Matcher, check: Callable[[], None]) -> None:
        self._recording = recording
        self._context = context
        self._matcher = matcher
        self._check = check

    def found(self) -> Iterator[Hit]:
        """Yield a hit for each node with the text in its line: name, type, operator, arguments.

        Those of snapshots first; of compiles without any, those of the graphs that torch printed.
        """
        own: set[str] = set()
        yield from self._of_snapshots(own)
        seen: set[tuple[str | None, str]] = set()
        for event in self._recording.events(*TEXTS):
            self._check()
            if event.base_id is not None and event.has_payload and compile_of(self._context, event, "") not in own:
                found = [hit for hit in self._of_text(event) if (hit.compile_id, hit.text) not in seen]
                seen.update((hit.compile_id, hit.text) for hit in found)
                yield from found

    def _of_snapshots(self, own: set[str]) -> Iterator[Hit]:
        snapshots = self._snapshots()
        seen: set[tuple[str, str]] = set()
        read: set[tuple[str, str]] = set()
        for event in self._recording.events("compilescope_stage"):
            self._check()
            data = ours.mapping(self._recording.json(event))
            compile_id = compile_of(self._context, event, ours.text(data.get("graph")) or "")
            own.add(compile_id)
            snapshot = ours.text(data.get("snapshot")) or ""
            if snapshot not in snapshots or (compile_id, snapshot) in read:
                continue
            read.add((compile_id, snapshot))
            at = label(ours.text(data.get("stage")) or "", ours.text(data.get("position")) or "after")
            for name, line, start, end in self._nodes(snapshots[snapshot]):
                if (compile_id, line) not in seen:
                    seen.add((compile_id, line))
                    text, first, last = shown(line, start, end)
                    hit = Hit("node", text, first, last, name, compile_id=compile_id, stage=at)
                    yield replace(hit, snapshot=snapshot, node=name)

    def _snapshots(self) -> dict[str, Event]:
        found: dict[str, Event] = {}
        for event in self._recording.events("compilescope_snapshot"):
            match = _ID.search(self._recording.raw_payload(event, _HEAD))
            if match:
                found.setdefault(match[1].decode(errors="replace"), event)
        return found

    def _nodes(self, event: Event) -> list[tuple[str, str, int, int]]:
        if not self._matcher.may_be_about(self._recording.raw_payload(event), _MADE):
            return []
        nodes = from_json(self._recording.json(event))
        found = self._matcher.of(map(node_line, nodes))
        return [(nodes[number].name, line, start, end) for number, line, start, end in found]

    def _of_text(self, event: Event) -> Iterator[Hit]:
        raw = self._recording.raw_payload(event)
        if not self._matcher.may_be_in(raw):
            return
        stage, position, _ = TEXTS[event.name]
        compile_id = compile_of(self._context, event, "")
        log, offset = place(self._recording, event)
        for number, line, start, end in self._matcher.of(lines(raw)):
            name = _node_of(line, start)
            if name is not None:
                text, first, last = shown(line, start, end)
                yield Hit(
                    "node",
                    text,
                    first,
                    last,
                    name,
                    compile_id=compile_id,
                    stage=label(stage, position),
                    snapshot=f"{TEXT_ID}{event.id}",
                    node=name,
                    event=event.name,
                    log=log,
                    offset=offset,
                    payload_line=number + 1,
                )

    def kernels(self, told: Collection[tuple[str, str]]) -> Iterator[Hit]:
        """Yield a hit for each kernel of the generated code with the text in its name, but for those `told` of."""
        for event in self._recording.events("inductor_output_code"):
            self._check()
            raw = self._recording.raw_payload(event) if event.has_payload else b""
            compile_id = compile_of(self._context, event, "")
            if not raw or not self._matcher.may_be_in(raw):
                continue
            code = OutputCode("\n".join(lines(raw)))
            log, offset = place(self._recording, event)
            for name, source in code.kernels.items():
                for _, line, start, end in () if (compile_id, name) in told else self._matcher.of([name]):
                    text, first, last = shown(line, start, end)
                    yield Hit(
                        "kernel",
                        text,
                        first,
                        last,
                        name,
                        compile_id=compile_id,
                        event=event.name,
                        log=log,
                        offset=offset,
                        payload_line=source.start_line,
                    )


def _node_of(line: str, start: int) -> str | None:
    """Return the node of a line of a printed graph: what it assigns, or the argument that the match is in."""
    if assigned := _ASSIGNED.match(line):
        return assigned[1]
    if "def forward(" in line or line.lstrip().startswith(('"', "%")) or _ARGUMENT.match(line.lstrip()):
        arguments = [one for one in _ARGUMENT.finditer(line) if one.start() <= start]
        return arguments[-1][1] if arguments else None
    return "output" if line.lstrip().startswith("return ") else None
