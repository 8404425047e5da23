"""Our own requests: what `protocol` lists, answered. What reads files or makes much JSON does so in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from compilescope.analysis.graphs import NotComparable
from compilescope.lsp import (
    applying,
    code,
    coverage,
    graphs,
    log_places,
    passes,
    problems,
    recompiles,
    timeline,
    torch_logs,
)
from compilescope.lsp.artifacts import artifacts
from compilescope.lsp.comparing import comparison
from compilescope.lsp.compile_detail import compile_detail
from compilescope.lsp.elsewhere import log_source
from compilescope.lsp.event_texts import event_text
from compilescope.lsp.jobs import jobs
from compilescope.lsp.reporting import NoReport, report
from compilescope.lsp.shapes.coverage import CoverageParams
from compilescope.lsp.shapes.elsewhere import LogSourceParams, PathMappingsParams
from compilescope.lsp.shapes.fixing import FixAndVerifyParams, FixParams, FixResult
from compilescope.lsp.shapes.jobs import JobsParams
from compilescope.lsp.shapes.logs import LogNamesParams, LogNamesResult
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
    ReportParams,
    RunDetailParams,
    RunDiffParams,
    RunsParams,
    RunTextParams,
    RunTextResult,
)
from compilescope.lsp.shapes.search import SearchBatch, SearchHit, SearchParams, SearchResult
from compilescope.lsp.shapes.sharing import PackParams, PackResult
from compilescope.lsp.shapes.watching import UnwatchParams, Watched, WatchParams
from compilescope.lsp.wire import Encoded
from compilescope.recording.error import RecordingError
from compilescope.report.outline import outline
from compilescope.runner.problem import Problem as RunnerProblem

if TYPE_CHECKING:
    from compilescope.lsp.opened import OpenRecording
    from compilescope.lsp.server import Server

LIST_BUDGET_S = 0.5
REST_BUDGET_S = 600.0


_OF_RECORDINGS: dict[str, Callable[[OpenRecording, Any], Any]] = {
    "compilescope/timeline": timeline.timeline,
    "compilescope/passes": passes.passes,
    "compilescope/stages": graphs.stages,
    "compilescope/graph": graphs.graph,
    "compilescope/graphDiff": graphs.difference,
    "compilescope/lineage": graphs.lineage,
    "compilescope/graphText": graphs.text,
    "compilescope/recompiles": recompiles.recompiles,
    "compilescope/guardTree": recompiles.guard_tree,
    "compilescope/code": code.code,
    "compilescope/kernelStages": code.kernel_stages,
    "compilescope/logCounts": torch_logs.counts,
    "compilescope/logText": torch_logs.text,
    "compilescope/eventText": event_text,
    "compilescope/logPlace": log_places.place,
    "compilescope/artifacts": artifacts,
}
"""What one recording answers."""


def register(server: Server) -> None:
    """Answer all requests of `protocol.REQUESTS`."""
    _register_running(server)
    for method, answer in _OF_RECORDINGS.items():
        _register_of_recording(server, method, answer)
    _register_runs(server)
    _register_fixes(server)
    _register_logs(server)
    _register_watching(server)
    _register_search(server)

    @server.feature("compilescope/coverage")
    async def _coverage(params: CoverageParams) -> Encoded:
        return await _encoded(server, lambda: coverage.coverage(server.session, params.file))


def _register_of_recording(server: Server, method: str, answer: Callable[[OpenRecording, Any], Any]) -> None:
    @server.feature(method)
    async def _answer(params: Any) -> Encoded:
        return await _encoded(server, lambda: answer(server.session.runs.open(params.recording), params))


def _register_running(server: Server) -> None:
    @server.feature("compilescope/trace")
    async def _trace(params: TraceParams) -> TraceResult:
        return await server.tracing.trace(params)

    @server.feature("compilescope/targetAt")
    async def _target_at(params: TargetAtParams) -> TargetAtResult:
        return TargetAtResult(await asyncio.to_thread(server.lenses.target_at, params.file, params.line))

    @server.feature("compilescope/cancel")
    def _cancel(_: CancelParams) -> Done:
        return Done(server.tracing.cancel())

    @server.feature("compilescope/clear")
    async def _clear(_: ClearParams) -> Done:
        return Done(await server.session.clear())

    @server.feature("compilescope/setInterpreter")
    async def _interpreter(params: InterpreterParams) -> InterpreterResult:
        server.interpreters.chosen = params.python
        try:
            found = await asyncio.to_thread(server.interpreters.resolve, None, None)
        except RunnerProblem as problem:
            return InterpreterResult(params.python, None, None, problems.from_runner(problem))
        return InterpreterResult(found.path, found.version, found.torch, None)


def _register_fixes(server: Server) -> None:
    @server.feature("compilescope/applyFix")
    async def _apply(params: FixParams) -> FixResult:
        return await applying.apply(server.session, params)

    @server.feature("compilescope/fixAndVerify")
    async def _verify(params: FixAndVerifyParams) -> FixResult:
        return await server.verifying.fix(params)


def _register_logs(server: Server) -> None:
    @server.feature("compilescope/jobs")
    async def _jobs(params: JobsParams) -> Encoded:
        return await _encoded(server, lambda: jobs(params))

    @server.feature("compilescope/logNames")
    async def _names(params: LogNamesParams) -> LogNamesResult:
        return await asyncio.to_thread(server.log_names.of, params)

    @server.feature("compilescope/setStaticHints")
    async def _hints(params: StaticHintsParams) -> Done:
        return Done(server.hints.set_enabled(enabled=params.enabled))


def _register_watching(server: Server) -> None:
    @server.feature("compilescope/watch")
    async def _watch(params: WatchParams) -> Watched:
        return server.watching.watch(params.path)

    @server.feature("compilescope/setPathMappings")
    async def _paths(params: PathMappingsParams) -> Done:
        return Done(await server.elsewhere.set(params.mappings))

    @server.feature("compilescope/logSource")
    async def _source(params: LogSourceParams) -> Encoded:
        return await _encoded(server, lambda: log_source(server.session.runs, params))

    @server.feature("compilescope/unwatch")
    async def _unwatch(params: UnwatchParams) -> Done:
        return Done(server.watching.stop(params.path))


def _register_search(server: Server) -> None:
    @server.feature("compilescope/search")
    async def _search(params: SearchParams) -> SearchResult:
        token = params.partial_result_token

        def report(hits: list[SearchHit]) -> None:
            value = server.protocol.plain(SearchBatch(hits))
            server.protocol.notify(types.PROGRESS, types.ProgressParams(token or 0, value))

        paths = [(one.there, one.here) for one in server.session.paths.prefixes]
        return await server.searching.search(params, paths, None if token is None else report)


def _register_runs(server: Server) -> None:
    @server.feature("compilescope/openRecording")
    async def _open(params: OpenRecordingParams) -> OpenRecordingResult:
        return await server.open_recording(params)

    @server.feature("compilescope/runs")
    async def _runs(_: RunsParams) -> Encoded:
        runs, complete = await asyncio.to_thread(server.session.runs.summaries, LIST_BUDGET_S)
        if not complete:
            server.keep(asyncio.ensure_future(_rest(server)))
        return server.protocol.encode(runs)

    @server.feature("compilescope/runDetail")
    async def _detail(params: RunDetailParams) -> Encoded:
        return await _encoded(server, lambda: server.session.runs.detail(params.recording))

    @server.feature("compilescope/compileDetail")
    async def _compile(params: CompileDetailParams) -> Encoded:
        runs = server.session.runs
        return await _encoded(server, lambda: compile_detail(runs.open(params.recording).result(), params.compile_id))

    @server.feature("compilescope/runText")
    async def _text(params: RunTextParams) -> Encoded:
        return await _encoded(server, lambda: _outline(server.session.runs.open(params.recording)))

    @server.feature("compilescope/runDiff")
    async def _difference(params: RunDiffParams) -> Encoded:
        return await _encoded(server, lambda: comparison(params, server.session.paths))

    @server.feature("compilescope/pack")
    async def _pack(params: PackParams) -> PackResult:
        return await server.pack(params)

    @server.feature("compilescope/report")
    async def _report(params: ReportParams) -> Encoded:
        return await _encoded(server, lambda: report(server.session.runs.open(params.recording), params))


def _outline(opened: OpenRecording) -> RunTextResult:
    result = opened.result()
    with opened.graphs() as graphs:
        captured = [one for one in graphs.stages() if one.stage == "dynamo"]
    return RunTextResult(outline(result, {one.compile_id: (one.nodes, one.edges) for one in captured}))


async def _rest(server: Server) -> None:
    """Look at the recordings that the first answer had no time for, then say that there are more."""
    await asyncio.to_thread(server.session.runs.summaries, REST_BUDGET_S)
    server.session.runs_changed(None)


async def _encoded(server: Server, answer: Callable[[], Any]) -> Encoded:
    """The answer as JSON. Raises JsonRpcInvalidParams when the request names something that is not there."""
    try:
        return await asyncio.to_thread(lambda: server.protocol.encode(answer()))
    except (RecordingError, graphs.NoSnapshot, NoReport, NotComparable, OSError) as error:
        raise JsonRpcInvalidParams(str(error)) from error
