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

_AOT_ID = re.compile(rb"# AOT ID: \['\w+?_(forward|backward|inference)'\]")
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
    count: Counter[tuple[str, str]] = Counter()
    for event in recording.events("inductor_output_code"):
        path = ours.text(event.fields.get("filename")) or ""
        match = _AOT_ID.search(recording.raw_payload(event, _HEAD)) if event.has_payload else None
        compile_id = compile_of(context, event, "")
        direction = match[1].decode() if match else "forward"
        number = count[compile_id, direction]
        count[compile_id, direction] += 1
        graph = known.get((event.process, path.replace("\\", "/").rpartition("/")[2]))
        named = graph or f"{event.base_id or '-'}/{direction}" + (f"#{number}" if number else "")
        graph = f"{context.prefix(event.process)}{named}"
        found.append(GraphCode(compile_id=compile_id, graph=graph, file=path, event=event.id))
    return found


def text(recording: Recording, code: GraphCode) -> str | None:
    """Return the code itself; None when the recording has no such event (any more)."""
    events = (event for event in recording.events("inductor_output_code") if event.id == code.event)
    event = next(events, None)
    return None if event is None else recording.payload(event)
