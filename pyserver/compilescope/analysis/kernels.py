"""The kernels that graphs became, and the nodes that none computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from compilescope.analysis import ours
from compilescope.analysis.fallbacks import Fallback
from compilescope.analysis.kernel_model import Eliminated, Kernel, KernelPart, KernelPlace
from compilescope.analysis.kernel_source import OutputCodes
from compilescope.analysis.model import Place
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.analysis.context import Context
    from compilescope.analysis.facts import Frame
    from compilescope.analysis.kernel_source import KernelSource, OutputCode
    from compilescope.recording.reader import Recording

_LANGUAGES = {"cpp": "C++", "triton": "Triton", "template": "Triton"}


class Table(NamedTuple):
    """What a recording says about kernels."""

    kernels: list[Kernel]
    eliminated: list[Eliminated]
    fallbacks: list[Fallback]


def table(recording: Recording, context: Context) -> Table:
    """Return the kernels, and which of them run for want of a lowering."""
    kernels: list[Kernel] = []
    eliminated: list[Eliminated] = []
    fallbacks: list[Fallback] = []
    codes = OutputCodes(recording)
    for event in recording.events("compilescope_kernels"):
        data = ours.mapping(recording.json(event))
        graph = ours.text(data.get("graph")) or ""
        compile_id = compile_of(context, event, graph)
        name = ours.text(data.get("code"))
        code = codes.find(event.process, name)
        for one in _objects(data.get("kernels")):
            frames = ours.frames(one.get("frames"))
            kernel = _kernel(context, one, frames, code)
            kernel.compile_id, kernel.graph, kernel.process, kernel.code = compile_id, graph, event.process, name
            kernels.append(kernel)
            if kernel.kind == "fallback":
                fallbacks.append(Fallback(kernel, frames))
        eliminated += [_eliminated(context, compile_id, graph, one) for one in _objects(data.get("eliminated"))]
    return Table(kernels, eliminated, fallbacks)


def _objects(value: Any) -> Iterable[dict[str, Any]]:
    return [one for one in ours.items(value) if isinstance(one, dict)]


def _kernel(context: Context, data: dict[str, Any], frames: tuple[Frame, ...], code: OutputCode | None) -> Kernel:
    kind = ours.text(data.get("kind")) or "other"
    name = ours.text(data.get("name")) or "?"
    own = _own(context, frames)
    source = code.kernels.get(name) if code else None
    call_line = code.calls.get(ours.integer(data.get("handle")) or 0) if code else None
    return Kernel(
        compile_id="",
        graph="",
        name=name,
        kind=kind,
        language=source.language if source else "C++" if name.startswith("cpp_") else _LANGUAGES.get(kind, "library"),
        nodes=list(ours.strings(data.get("nodes"))),
        lines=[{"file": file, "line": line} for file, line in dict.fromkeys((one.file, one.line) for one in own)],
        operator=ours.text(data.get("operator")),
        places=_places(context, own),
        parts=[_part(context, one, frames) for one in _objects(data.get("parts"))],
        source=_source(code, source, call_line),
    )


def _source(code: OutputCode | None, source: KernelSource | None, call_line: int | None) -> KernelPlace | None:
    if code is None or (source is None and call_line is None):
        return None
    if source is None:
        return KernelPlace(code.file, None, None, call_line)
    return KernelPlace(code.file, source.start_line, source.end_line, call_line)


def _part(context: Context, data: dict[str, Any], frames: tuple[Frame, ...]) -> KernelPart:
    numbers = [ours.integer(one) for one in ours.items(data.get("frames"))]
    own = _own(context, [frames[one] for one in numbers if one is not None and 0 <= one < len(frames)])
    return KernelPart(list(ours.strings(data.get("nodes"))), _places(context, own))


def _eliminated(context: Context, compile_id: str, graph: str, data: dict[str, Any]) -> Eliminated:
    frame = ours.frame(data.get("frame"))
    return Eliminated(
        compile_id=compile_id,
        graph=graph,
        node=ours.text(data.get("name")) or "?",
        why=ours.text(data.get("why")) or "?",
        of=ours.text(data.get("of")),
        place=None if frame is None else Place(frame.file, context.ranges.of(frame)),
    )


def _own(context: Context, frames: Iterable[Frame]) -> list[Frame]:
    """Return those in the user's code; all, if none is."""
    every = list(frames)
    return [frame for frame in every if context.rules.in_user_code(frame.file)] or every


def _places(context: Context, frames: Iterable[Frame]) -> list[Place]:
    return list(dict.fromkeys(Place(frame.file, context.ranges.of(frame)) for frame in frames))
