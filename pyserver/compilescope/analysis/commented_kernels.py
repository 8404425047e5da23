"""Triton kernels of runs of which nobody recorded the kernels, from the comments that Inductor writes above each.

`# Graph fragment:` stands above a kernel's definition and has the nodes of the last graph that it computes
(`get_kernel_metadata` in torch/_inductor/utils.py, 2.6 to 2.14). Above C++ kernels and library calls there is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compilescope.analysis import text_graphs
from compilescope.analysis.kernel_model import Kernel, KernelPlace
from compilescope.analysis.kernel_source import OutputCode
from compilescope.analysis.mapped_kernels import node_lines
from compilescope.analysis.model import Place
from compilescope.analysis.once import Once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilescope.analysis.context import Context
    from compilescope.analysis.mapped_kernels import Lines
    from compilescope.analysis.model import GraphCode
    from compilescope.recording.reader import Event, Recording

_LAST = ("after_post_grad_graph", "inductor_post_grad_graph")
_FRAGMENT = re.compile(r"^# Graph fragment:\n((?:#   [^\n]*\n)+)(\w+) = async_compile\.triton\(", re.MULTILINE)
_NODE = re.compile(r"^#   %(\w+) : [^\n]*? = call_\w+\[", re.MULTILINE)


def with_commented(
    recording: Recording, context: Context, codes: Sequence[GraphCode], known: list[Kernel]
) -> list[Kernel]:
    """Return `known` and the kernels of each graph that has none among them, in the order of their code."""
    have = {one.graph for one in known}
    wanted = {one.event: one for one in codes if one.graph not in have}
    if not wanted:
        return known
    graphs = text_graphs.named(recording, context, codes)
    texts: dict[str, Event] = {}
    commented = Once(recording, lambda event: _Commented(recording.payload(event)))
    lines = Once(recording, lambda event: node_lines(recording, event))
    found = list(known)
    for event in recording.events(*_LAST, "inductor_output_code"):
        prefix = context.prefix(event.process)
        if event.name in _LAST:
            texts[prefix + graphs[event.id]] = event
            continue
        code = wanted.get(event.id)
        written = commented.of(event) if code is not None else None
        if code is None or written is None or not written.nodes:
            continue
        text = texts.get(code.graph)
        places = (lines.of(text) if text is not None else None) or {}
        for name in written.nodes:
            found.append(_kernel(context, code, written, name, places))
            found[-1].process = event.process
    return found


class _Commented:
    """The kernels of one graph's code: their nodes by name, and where they stand."""

    def __init__(self, text: str) -> None:
        self.nodes = {match[2]: _NODE.findall(match[1]) for match in _FRAGMENT.finditer(text)}
        self._code = OutputCode(text) if self.nodes else None
        self._calls = {name: _line_of_call(text, name) for name in self.nodes}

    def place(self, name: str, file: str) -> KernelPlace | None:
        source = self._code.kernels.get(name) if self._code is not None else None
        return None if source is None else KernelPlace(file, source.start_line, source.end_line, self._calls[name])


def _line_of_call(text: str, name: str) -> int | None:
    called = re.search(rf"^[ \t]+{name}\.run\(", text, re.MULTILINE)
    return 1 + text.count("\n", 0, called.start()) if called else None


def _kernel(context: Context, code: GraphCode, written: _Commented, name: str, places: Lines) -> Kernel:
    frames = [frame for node in written.nodes[name] if (frame := places.get(node)) is not None]
    own = [one for one in frames if context.rules.in_user_code(one.file)] or frames
    return Kernel(
        compile_id=code.compile_id,
        graph=code.graph,
        name=name,
        kind="triton",
        language="Triton",
        nodes=list(dict.fromkeys(written.nodes[name])),
        lines=[{"file": file, "line": line} for file, line in dict.fromkeys((one.file, one.line) for one in own)],
        places=list(dict.fromkeys(Place(one.file, context.ranges.of(one)) for one in own)),
        code=code.file.replace("\\", "/").rpartition("/")[2],
        source=written.place(name, code.file),
    )
