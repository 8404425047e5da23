"""Our own requests, notifications and commands beside LSP's, by method; `shapes` has what they carry.

`tools/generate_protocol.py` writes `extension/src/protocol.gen.ts` from both; a test fails when that is stale. Field
names are Python's here and camelCase on the wire. Columns (lists of equal length, one entry per node) keep large
graphs small and quick to parse.
"""

from __future__ import annotations

from compilescope.lsp.shapes.artifacts import ArtifactsParams, ArtifactsResult
from compilescope.lsp.shapes.code import CodeParams, CodeResult, KernelStagesParams, KernelStagesResult
from compilescope.lsp.shapes.coverage import CoverageParams, CoverageResult
from compilescope.lsp.shapes.elsewhere import LogSourceParams, LogSourceResult, PathGuess, PathMappingsParams
from compilescope.lsp.shapes.fixing import FixAndVerifyParams, FixParams, FixResult
from compilescope.lsp.shapes.graphs import (
    GraphDiffParams,
    GraphDiffResult,
    GraphParams,
    GraphResult,
    GraphTextParams,
    GraphTextResult,
    LineageParams,
    LineageResult,
    StagesParams,
    StagesResult,
)
from compilescope.lsp.shapes.jobs import JobsParams, JobsResult
from compilescope.lsp.shapes.log_places import LogPlaceParams, LogPlaceResult
from compilescope.lsp.shapes.logs import (
    LogCountsParams,
    LogCountsResult,
    LogNamesParams,
    LogNamesResult,
    LogTextParams,
    LogTextResult,
)
from compilescope.lsp.shapes.notices import ProgramOutput, RunsChanged, StatusChanged
from compilescope.lsp.shapes.passes import PassesParams, PassesResult
from compilescope.lsp.shapes.recompiles import GuardTreeParams, GuardTreeResult, RecompilesParams, RecompilesResult
from compilescope.lsp.shapes.running import (
    CancelParams,
    ClearParams,
    Done,
    InterpreterParams,
    InterpreterResult,
    OpenRecordingParams,
    OpenRecordingResult,
    StaticHintsParams,
    TargetAtParams,
    TargetAtResult,
    TraceParams,
    TraceResult,
)
from compilescope.lsp.shapes.runs import (
    CompileDetailParams,
    CompileDetailResult,
    ReportParams,
    ReportResult,
    RunDetailParams,
    RunDetailResult,
    RunDiffParams,
    RunDiffResult,
    RunsParams,
    RunsResult,
    RunTextParams,
    RunTextResult,
)
from compilescope.lsp.shapes.search import EventTextParams, EventTextResult, SearchParams, SearchResult
from compilescope.lsp.shapes.sharing import PackParams, PackResult
from compilescope.lsp.shapes.timeline import TimelineParams, TimelineResult
from compilescope.lsp.shapes.watching import UnwatchParams, Watched, WatchParams

REQUESTS: dict[str, tuple[type, type]] = {
    "compilescope/trace": (TraceParams, TraceResult),
    "compilescope/cancel": (CancelParams, Done),
    "compilescope/targetAt": (TargetAtParams, TargetAtResult),
    "compilescope/clear": (ClearParams, Done),
    "compilescope/openRecording": (OpenRecordingParams, OpenRecordingResult),
    "compilescope/jobs": (JobsParams, JobsResult),
    "compilescope/watch": (WatchParams, Watched),
    "compilescope/unwatch": (UnwatchParams, Done),
    "compilescope/setPathMappings": (PathMappingsParams, Done),
    "compilescope/logSource": (LogSourceParams, LogSourceResult),
    "compilescope/setInterpreter": (InterpreterParams, InterpreterResult),
    "compilescope/runs": (RunsParams, RunsResult),
    "compilescope/runDetail": (RunDetailParams, RunDetailResult),
    "compilescope/compileDetail": (CompileDetailParams, CompileDetailResult),
    "compilescope/artifacts": (ArtifactsParams, ArtifactsResult),
    "compilescope/runText": (RunTextParams, RunTextResult),
    "compilescope/runDiff": (RunDiffParams, RunDiffResult),
    "compilescope/report": (ReportParams, ReportResult),
    "compilescope/pack": (PackParams, PackResult),
    "compilescope/stages": (StagesParams, StagesResult),
    "compilescope/graph": (GraphParams, GraphResult),
    "compilescope/graphDiff": (GraphDiffParams, GraphDiffResult),
    "compilescope/lineage": (LineageParams, LineageResult),
    "compilescope/passes": (PassesParams, PassesResult),
    "compilescope/graphText": (GraphTextParams, GraphTextResult),
    "compilescope/code": (CodeParams, CodeResult),
    "compilescope/kernelStages": (KernelStagesParams, KernelStagesResult),
    "compilescope/recompiles": (RecompilesParams, RecompilesResult),
    "compilescope/guardTree": (GuardTreeParams, GuardTreeResult),
    "compilescope/timeline": (TimelineParams, TimelineResult),
    "compilescope/coverage": (CoverageParams, CoverageResult),
    "compilescope/logNames": (LogNamesParams, LogNamesResult),
    "compilescope/logCounts": (LogCountsParams, LogCountsResult),
    "compilescope/logText": (LogTextParams, LogTextResult),
    "compilescope/search": (SearchParams, SearchResult),
    "compilescope/eventText": (EventTextParams, EventTextResult),
    "compilescope/logPlace": (LogPlaceParams, LogPlaceResult),
    "compilescope/setStaticHints": (StaticHintsParams, Done),
    "compilescope/applyFix": (FixParams, FixResult),
    "compilescope/fixAndVerify": (FixAndVerifyParams, FixResult),
}

NOTIFICATIONS: dict[str, type] = {
    "compilescope/runsChanged": RunsChanged,
    "compilescope/status": StatusChanged,
    "compilescope/output": ProgramOutput,
    "compilescope/watched": Watched,
    "compilescope/pathGuess": PathGuess,
}

COMMANDS = {
    "compilescope.server.trace": "Trace a file: one argument, TraceParams",
    "compilescope.server.cancel": "Cancel the run that goes on",
    "compilescope.server.clear": "Clear all findings",
    "compilescope.server.openRecording": "Open a recording: one argument, OpenRecordingParams",
    "compilescope.server.applyFix": "Make fixes in the text of now: one argument, FixParams",
    "compilescope.server.fixAndVerify": "Make fixes when they are proven: one argument, FixAndVerifyParams",
    "compilescope.server.explain": "Open the page about a finding: one argument, ExplainParams",
}
