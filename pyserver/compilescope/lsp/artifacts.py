"""The texts that a recording has of one compile, for the runs view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.lsp.shapes.artifacts import ArtifactInfo, ArtifactsParams, ArtifactsResult

if TYPE_CHECKING:
    from compilescope.lsp.opened import OpenRecording

MOST = 500
_WITHOUT_PAYLOAD = frozenset({"compilation_metrics", "bwd_compilation_metrics"})
_LEFT_OUT = frozenset({"chromium_event", "str"})
OURS = "compilescope_"


def artifacts(opened: OpenRecording, params: ArtifactsParams) -> ArtifactsResult:
    """The texts of torch's about a compile and its attempts; spans are on the timeline. At most `MOST`."""
    base = params.compile_id.rpartition(":")[2]
    found: list[ArtifactInfo] = []
    with opened.graphs() as graphs, opened.read() as recording:
        context = graphs.context
        for event in recording.events(compile_id=base):
            if (
                event.name in _LEFT_OUT
                or event.name.startswith(OURS)
                or not (event.has_payload or event.name in _WITHOUT_PAYLOAD)
            ):
                continue
            if context.name(context.compiles.where(event)) != params.compile_id:
                continue
            row = event.raw()
            found.append(
                ArtifactInfo(
                    name=event.name,
                    attempt=(event.compile_id or "").partition("_")[2] or None,
                    bytes=row.payload_length or row.envelope_length,
                    log=recording.logs[row.log].name,
                    offset=row.envelope_offset,
                )
            )
            if len(found) == MOST:
                break
    return ArtifactsResult(found)
