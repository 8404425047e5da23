"""Kernels of runs that our tracer did not watch, from the node mappings that torch writes itself.

`inductor_provenance_tracking_node_mappings` (torch/_inductor/debug.py, 2.6 to 2.14; with `trace.provenance_tracking`
or its level on) says which nodes of the last graph each kernel computes, and which nodes they were made of. The lines
are in the texts of the graphs: `# File: model.py:29 in forward, code: …` stands before the nodes of a line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.facts import Frame
from compilescope.analysis.kernel_model import Kernel, KernelPlace
from compilescope.analysis.kernel_source import OutputCodes
from compilescope.analysis.model import Place
from compilescope.analysis.once import Once
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compilescope.analysis.context import Context
    from compilescope.analysis.kernel_source import OutputCode
    from compilescope.analysis.model import GraphCode
    from compilescope.recording.reader import Event, Recording

MAPPINGS = "inductor_provenance_tracking_node_mappings"
_LAST = ("after_post_grad_graph", "inductor_post_grad_graph")
_FIRST = ("before_pre_grad_graph", "dynamo_output_graph")
_LINE = re.compile(r"^\s*# File: (?P<file>.+?):(?P<line>\d{1,9}) in (?P<function>[\w<>]+)")
_NODE = re.compile(r"^\s*(?P<name>\w+)(?:: \"[^\"]*\")? = ")
_HANDLE = re.compile(r":(\d{1,9})$")
_KINDS = (("triton_", "triton", "Triton"), ("cpp_", "cpp", "C++"))

Lines = dict[str, "Frame | None"]
"""Where the program has each node of a graph."""


def table(recording: Recording, context: Context, codes: list[GraphCode]) -> list[Kernel]:
    """Return the kernels of processes that have none of our own; `codes` says which code is of which graph."""
    if next(recording.events(MAPPINGS), None) is None:
        return []
    watched = {event.process for event in recording.events("compilescope_kernels")}
    texts = OutputCodes(recording)
    by_event = {one.event: one for one in codes}
    latest: dict[tuple[int, str | None, str], Event] = {}
    found: list[Kernel] = []
    read = Once(recording, lambda event: node_lines(recording, event))
    for event in recording.events(MAPPINGS, "inductor_output_code", *_LAST, *_FIRST):
        if event.process in watched:
            continue
        if event.name != MAPPINGS:
            stage = "last" if event.name in _LAST else "first" if event.name in _FIRST else "code"
            latest[event.process, event.base_id, stage] = event
            continue
        own = {stage: latest.get((event.process, event.base_id, stage)) for stage in ("code", "first", "last")}
        code = by_event.get(own["code"].id) if own["code"] is not None else None
        name = code.file.replace("\\", "/").rpartition("/")[2] if code is not None else None
        texts_of = ((stage, own[stage]) for stage in ("first", "last"))
        lines = {stage: (read.of(text) if text is not None else None) or {} for stage, text in texts_of}
        for kernel in _kernels(context, recording.json(event), lines, texts.find(event.process, name)):
            kernel.compile_id = compile_of(context, event, "")
            kernel.graph = code.graph if code is not None else f"{kernel.compile_id}/forward"
            kernel.process, kernel.code = event.process, name
            found.append(kernel)
    return found


def _kernels(context: Context, data: Any, lines: dict[str, Lines], code: OutputCode | None) -> Iterator[Kernel]:
    mapping = ours.mapping(data)
    made_of = ours.mapping(mapping.get("postToPre"))
    for key, value in ours.mapping(mapping.get("cppCodeToPost")).items():
        handle = _HANDLE.search(key)
        name = key[: handle.start()] if handle else key
        nodes = list(dict.fromkeys(ours.strings(value)))
        frames = [frame for node in nodes for frame in _frames(node, made_of, lines)]
        known = ((kind, language) for start, kind, language in _KINDS if name.startswith(start))
        kind, language = next(known, ("extern", "library"))
        own = [one for one in frames if context.rules.in_user_code(one.file)] or frames
        yield Kernel(
            compile_id="",
            graph="",
            name=name,
            kind=kind,
            language=language,
            nodes=nodes,
            lines=[{"file": file, "line": line} for file, line in dict.fromkeys((one.file, one.line) for one in own)],
            places=list(dict.fromkeys(Place(one.file, context.ranges.of(one)) for one in own)),
            source=_source(code, name, int(handle[1]) if handle else None),
        )


def _frames(node: str, made_of: dict[str, Any], lines: dict[str, Lines]) -> list[Frame]:
    """Return the line that the last graph has for a node, else those of what it was made of."""
    own = lines["last"].get(node)
    if own is not None:
        return [own]
    return [frame for one in ours.strings(made_of.get(node)) if (frame := lines["first"].get(one)) is not None]


def node_lines(recording: Recording, event: Event) -> Lines:
    """Return the line of each node of a graph's text; None for those that it has none for."""
    found: Lines = {}
    at: Frame | None = None
    for text in recording.payload(event).splitlines():
        if match := _LINE.match(text):
            at = Frame(match["file"], int(match["line"]), match["function"])
        elif text.lstrip().startswith("# No stacktrace"):
            at = None
        elif match := _NODE.match(text):
            found[match["name"]] = at
    return found


def _source(code: OutputCode | None, name: str, handle: int | None) -> KernelPlace | None:
    if code is None:
        return None
    source, call_line = code.kernels.get(name), code.calls.get(handle or 0)
    if source is None:
        return None if call_line is None else KernelPlace(code.file, None, None, call_line)
    return KernelPlace(code.file, source.start_line, source.end_line, call_line)
