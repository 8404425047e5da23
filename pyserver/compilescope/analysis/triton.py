"""Triton kernels: those that a GPU ran, and the preview of those that it would run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compilescope.analysis import ours
from compilescope.analysis.kernel_model import TritonCode, TritonKernel
from compilescope.analysis.passes import compile_of

if TYPE_CHECKING:
    from compilescope.analysis.context import Context
    from compilescope.analysis.kernel_model import Kernel
    from compilescope.recording.reader import Event, Recording

STAGES = ("source", "ttir", "ttgir", "llir", "ptx", "amdgcn")
"""A kernel's texts from Inductor's own to the assembler's, as `code` gives them."""


def table(recording: Recording, context: Context) -> list[TritonKernel]:
    """Return the kernels without their texts, then trials; a graph whose preview failed has its error and no kernel."""
    found = []
    for event in recording.events("compilescope_triton", "compilescope_triton_preview"):
        data = recording.json(event)
        if not isinstance(data, dict):
            continue
        name = ours.text(data.get("kernel"))
        if name is not None or ours.text(data.get("error")) is not None or data.get("trial") is True:
            found.append(_kernel(context, event, data, name))
    return sorted(found, key=lambda one: one.trial)


def code(recording: Recording, kernel: TritonKernel) -> TritonCode | None:
    """Return the texts of a kernel, read from the recording now; None when it has none."""
    same = []
    for event in recording.events("compilescope_triton"):
        data = recording.json(event)
        if isinstance(data, dict) and data.get("kernel") == kernel.kernel and _is_of(event, data, kernel):
            same.append(data)
    data = next((one for one in same if ours.mapping(one.get("stages"))), same[0] if same else None)
    if data is None:
        return None
    texts = {"source": data.get("source"), **ours.mapping(data.get("stages"))}
    return TritonCode(kernel, {stage: texts[stage] for stage in STAGES if isinstance(texts.get(stage), str)})


def of(kernel: Kernel, known: list[TritonKernel]) -> TritonKernel | None:
    """Return what Triton made of a kernel that a graph became; None for one that is no Triton."""
    same = [one for one in known if (one.kernel, one.process) == (kernel.name, kernel.process) and not one.preview]
    return next((one for one in same if one.graph == kernel.graph), same[0] if same else None)


def _is_of(event: Event, data: dict[str, Any], kernel: TritonKernel) -> bool:
    """Whether the event has the texts of `kernel`: they are recorded once for all kernels of one key."""
    if event.process != kernel.process:
        return False
    return data.get("key") == kernel.key if kernel.key is not None else data.get("graph") == kernel.graph


def _kernel(context: Context, event: Event, data: dict[str, Any], name: str | None) -> TritonKernel:
    graph = ours.text(data.get("graph")) or ""
    return TritonKernel(
        compile_id=compile_of(context, event, graph) if graph else "",
        graph=graph,
        kernel=name,
        registers=ours.integer(data.get("registers")),
        spills=ours.integer(data.get("spills")),
        shared=ours.integer(data.get("shared")),
        num_warps=ours.integer(data.get("num_warps")),
        num_stages=ours.integer(data.get("num_stages")),
        config=_config(data.get("config")),
        candidates=ours.integer(data.get("candidates")),
        preview=data.get("preview") is True,
        target=ours.text(data.get("target")),
        limits=list(ours.strings(data.get("limits"))),
        error=ours.text(data.get("error")),
        seconds=ours.duration(data.get("seconds")),
        nodes=list(ours.strings(data.get("nodes"))),
        key=ours.text(data.get("key")),
        process=event.process,
        trial=data.get("trial") is True,
    )


def _config(value: Any) -> dict[str, Any]:
    """Return the names and values of a configuration: numbers, texts, true and false."""
    known = {
        key: one if isinstance(one, (str, bool)) else ours.integer(one) for key, one in ours.mapping(value).items()
    }
    return {key: one for key, one in known.items() if one is not None}
