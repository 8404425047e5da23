"""The status bar's text, for the newest run or for what goes on."""

from __future__ import annotations

from compilescope.analysis.model import Result
from compilescope.lsp.shapes.notices import StatusChanged
from compilescope.lsp.wording import command_text, joined, totals
from compilescope.report.cost import tracing_cost
from compilescope.report.counted import counted

IDLE = StatusChanged(
    state="idle",
    text="$(telescope) Compilescope",
    tooltip="No trace yet. Run Compile and Trace to see what torch.compile does.",
    breaks=0,
    recompiles=0,
    skipped=0,
    errors=0,
    graphs=0,
)


def of_result(result: Result) -> StatusChanged:
    """`2 breaks · 4 recompiles · 1 skipped`; a clean run says how many graphs it has."""
    counts = totals(result)
    found = joined(
        [
            counted(counts["errors"], "error") if counts["errors"] else "",
            counted(counts["breaks"], "break") if counts["breaks"] else "",
            counted(counts["recompiles"], "recompile") if counts["recompiles"] else "",
            f"{counts['skipped']} skipped" if counts["skipped"] else "",
        ]
    )
    graphs = counted(counts["graphs"], "graph")
    tooltip = f"{command_text(result.run) or result.run.recording}: {joined([graphs, found, tracing_cost(result)])}"
    return StatusChanged(state="idle", text=f"$(telescope) {found or graphs}", tooltip=tooltip, **counts)


def starting(script: str) -> StatusChanged:
    """A run was asked for and the program is not compiling yet."""
    return _busy("starting", f"starting {script}", script, None)


def tracing(script: str, stage: str | None, result: Result | None) -> StatusChanged:
    """A run goes on; `stage` is what it is at, `denoise [0/0], code generation`."""
    return _busy("tracing", stage or f"running {script}", script, result)


def _busy(state: str, words: str, script: str, result: Result | None) -> StatusChanged:
    counts = totals(result) if result else dict.fromkeys(("graphs", "breaks", "recompiles", "skipped", "errors"), 0)
    return StatusChanged(state=state, text=f"$(loading~spin) {words}", tooltip=f"Tracing {script}", **counts)
