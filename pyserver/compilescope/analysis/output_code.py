"""The code that Inductor wrote for each graph, from a compile or from a cache.

Torch writes an `inductor_output_code` for both; its first line says which graph it is of (`# AOT ID: ['0_forward']`,
torch/_inductor/codegen/wrapper.py, 2.6 to 2.14).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from compilescope.analysis import ours
from compilescope.analysis.model import GraphCode
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.recording.reader import Recording

_AOT_ID = re.compile(rb"# AOT ID: \['(\w+?)_(forward|backward|inference)'\]")
_HEAD = 400


def table(recording: Recording, context: Context) -> list[GraphCode]:
    """Return which file has the code of which graph, in the order in which torch wrote them."""
    known: dict[tuple[int, str], str] = {}
    for event in recording.events("compilescope_kernels"):
        data = ours.mapping(recording.json(event))
        graph, file = ours.text(data.get("graph")), ours.text(data.get("code"))
        if graph and file:
            known.setdefault((event.process, file), graph)
    found: list[GraphCode] = []
    numbers: dict[str, _Numbers] = {}
    for event in recording.events("inductor_output_code"):
        path = ours.text(event.fields.get("filename")) or ""
        match = _AOT_ID.search(recording.raw_payload(event, _HEAD)) if event.has_payload else None
        compile_id = compile_of(context, event, "")
        direction = match[2].decode() if match else "forward"
        number = numbers.setdefault(compile_id, _Numbers()).of(direction, match[1] if match else b"")
        graph = known.get((event.process, path.replace("\\", "/").rpartition("/")[2]))
        named = graph or f"{event.base_id or '-'}/{direction}" + (f"#{number}" if number else "")
        graph = f"{context.prefix(event.process)}{named}"
        found.append(GraphCode(compile_id=compile_id, graph=graph, file=path, event=event.id))
    return found


class _Numbers:
    """The graphs of one compile by number: a backward graph has that of its forward graph.

    The AOT ids of a compile's graphs follow each other. Code out of a cache has the id that it was made for; such a
    backward graph takes the last number that is left, since they are compiled as they run, the last first.
    """

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._first: Counter[int] = Counter()
        self._left: list[int] = []

    def of(self, direction: str, aot_id: bytes) -> int:
        """Return the number of the next graph of a direction."""
        number = self._count[direction]
        self._count[direction] += 1
        if direction == "forward":
            self._left.append(number)
            if aot_id.isdigit():
                self._first[int(aot_id) - number] += 1
        elif direction == "backward" and self._left:
            first = self._first.most_common(1)
            own = int(aot_id) - first[0][0] if first and aot_id.isdigit() else -1
            number = self._left.pop(self._left.index(own) if own in self._left else -1)
        return number


def text(recording: Recording, code: GraphCode) -> str | None:
    """Return the code itself; None when the recording has no such event (any more)."""
    events = (event for event in recording.events("inductor_output_code") if event.id == code.event)
    event = next(events, None)
    return None if event is None else recording.payload(event)
