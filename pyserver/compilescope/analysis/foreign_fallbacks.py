"""Operators without a lowering in logs that torch alone wrote: calls of operators in the code that Inductor wrote.

Where a call comes from is in the graph after the last pass, which torch prints before the code, with a comment above
each line of the program (torch/_inductor/compile_fx.py, 2.6 to 2.14). A log without that graph has no such finding.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis import snapshots
from compilescope.analysis.fallbacks import Fallback, is_preferred
from compilescope.analysis.kernel_model import Kernel
from compilescope.analysis.model import Place
from compilescope.analysis.once import Once
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.model import GraphCode
    from compilescope.analysis.snapshots import Node
    from compilescope.recording.reader import Event, Recording

_GRAPHS, _CODE = ("inductor_post_grad_graph", "after_post_grad_graph"), "inductor_output_code"
_CALL = re.compile(rb"= torch\.ops\.((?!inductor\.|higher_order\.)\w+\.\w+\.\w+)\(")
_MOST = 64_000_000
"""Bytes of generated code that are looked through."""


def fallbacks(recording: Recording, context: Context, codes: Iterable[GraphCode]) -> list[Fallback]:
    """Return the calls of operators, by the nodes of their graphs. Processes that our tracer watched are left out.

    `codes` says which code is of which graph.
    """
    own = {number for number, process in context.facts.processes.items() if process.environment}
    graphs = {code.event: code.graph for code in codes}
    found: list[Fallback] = []
    last: dict[tuple[int, str | None], Event] = {}
    left = _MOST
    nodes = Once(recording, lambda event: snapshots.from_text(recording.payload(event)))
    for event in recording.events(*_GRAPHS, _CODE):
        key = (event.process, event.compile_id)
        if event.name in _GRAPHS:
            last[key] = event
        elif event.process not in own and key in last and left > 0:
            raw = recording.raw_payload(event)
            left -= len(raw)
            called = {name.decode(errors="replace") for name in _CALL.findall(raw)}
            base = Kernel(compile_of(context, event, ""), graphs[event.id], "", "fallback", "library", [], [])
            wanted = {name for name in called if not is_preferred(_kernel(base, context, name, None))}
            if wanted:
                found += _calls(nodes.of(last[key]) or [], wanted, base, context)
    return found


def _calls(nodes: list[Node], wanted: set[str], base: Kernel, context: Context) -> Iterator[Fallback]:
    for node in nodes:
        if node.op == "call_function" and node.target in wanted:
            is_complex = any(one.dtype.startswith("complex") for one in (node, *(nodes[at] for at in node.inputs)))
            kernel = _kernel(base, context, node.target, node)
            yield Fallback(kernel, () if node.frame is None else (node.frame,), is_complex)


def _kernel(base: Kernel, context: Context, operator: str, node: Node | None) -> Kernel:
    frame = node.frame if node is not None else None
    return Kernel(
        compile_id=base.compile_id,
        graph=base.graph,
        name=f"torch.ops.{operator}",
        kind=base.kind,
        language=base.language,
        nodes=[] if node is None else [node.name],
        lines=[] if frame is None else [{"file": frame.file, "line": frame.line}],
        operator=operator,
        places=[] if frame is None else [Place(frame.file, context.ranges.of(frame))],
    )
