"""What is known of generated code as plain values, a part of the contract of `--format json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilescope.analysis.kernel_model import (
        CudaGraph,
        Eliminated,
        FusionDecision,
        Hint,
        Kernel,
        KernelPart,
        TritonKernel,
    )
    from compilescope.analysis.model import Place


def kernel(one: Kernel) -> dict[str, Any]:
    """Return a kernel with exactly the keys of the contract."""
    return {
        "compile_id": one.compile_id,
        "graph": one.graph,
        "name": one.name,
        "kind": one.kind,
        "language": one.language,
        "operator": one.operator,
        "nodes": one.nodes,
        "lines": one.lines,
        "ranges": [_place(place) for place in one.places],
        "parts": [_part(part) for part in one.parts],
        "source": None if one.source is None else {**vars(one.source)},
        "autotune": one.autotune,
    }


def eliminated(one: Eliminated) -> dict[str, Any]:
    """Return a node that no kernel computes with exactly the keys of the contract."""
    return {
        "compile_id": one.compile_id,
        "graph": one.graph,
        "node": one.node,
        "why": one.why,
        "of": one.of,
        "place": None if one.place is None else _place(one.place),
    }


def triton(one: TritonKernel) -> dict[str, Any]:
    """Return a Triton kernel with exactly the keys of the contract; its texts are in the recording alone."""
    return {
        "compile_id": one.compile_id,
        "graph": one.graph,
        "kernel": one.kernel,
        "registers": one.registers,
        "spills": one.spills,
        "shared": one.shared,
        "num_warps": one.num_warps,
        "num_stages": one.num_stages,
        "config": one.config,
        "candidates": one.candidates,
        "preview": one.preview,
        "target": one.target,
        "limits": one.limits,
        "error": one.error,
        "seconds": one.seconds,
        "nodes": one.nodes,
        "trial": one.trial,
    }


def fusion(one: FusionDecision) -> dict[str, Any]:
    """Return whether two groups of loops were fused, with exactly the keys of the contract."""
    return {**vars(one), "first": _part(one.first), "second": _part(one.second)}


def cudagraph(one: CudaGraph) -> dict[str, Any]:
    """Return what became of a CUDA graph with exactly the keys of the contract."""
    return {**vars(one), "place": None if one.place is None else _place(one.place)}


def hint(one: Hint) -> dict[str, Any]:
    """Return a hint of torch's with exactly the keys of the contract."""
    return {**vars(one), "place": None if one.place is None else _place(one.place)}


def _part(one: KernelPart) -> dict[str, Any]:
    return {"nodes": one.nodes, "ranges": [_place(place) for place in one.places]}


def _place(one: Place) -> dict[str, Any]:
    start, end = one.range.start, one.range.end
    return {"file": one.file, "range": {"start": {**vars(start)}, "end": {**vars(end)}}}
