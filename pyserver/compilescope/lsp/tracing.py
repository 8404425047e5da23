"""Runs programs under the tracer, one at a time, and shows what is found while they still run."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from lsprotocol import types

from compilescope.analysis.model import Result
from compilescope.lsp import paths, problems, status
from compilescope.lsp.difference import difference
from compilescope.lsp.interpreter import Interpreters, what_is_wrong_with_torch
from compilescope.lsp.output import OutputGate
from compilescope.lsp.progress import Progress
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.notices import ProgramOutput
from compilescope.lsp.shapes.running import Problem, TraceParams, TraceResult
from compilescope.lsp.shown import Found, Shown, leaves_open, script_of
from compilescope.lsp.wording import joined
from compilescope.recording.reader import RecordingError
from compilescope.recording.tail import tail
from compilescope.report.counted import counted
from compilescope.runner.folder import new_folder
from compilescope.runner.job import Depth, Job
from compilescope.runner.launch import Outcome, Run, start
from compilescope.runner.problem import Problem as RunnerProblem
from compilescope.runner.reaper import Reaper
from compilescope.runner.standby import Standby
from compilescope.runner.worker import Streams

OUTPUT_EVERY_S = 0.05
POLL_S = 0.1
SHARE = 3
"""Between two looks at a growing recording pass this many times what the last look took."""


class Tracing:
    """The run that goes on, if any. Its methods belong to the event loop's thread, `close` may be called from any."""

    def __init__(self, session: Session, interpreters: Interpreters, new_progress: Callable[[str], Progress]) -> None:
        self._session = session
        self._interpreters = interpreters
        self._new_progress = new_progress
        self.reaper = Reaper()
        self.standby = Standby(self.reaper)
        self._stop: Callable[[], object] | None = None
        self._script: str | None = None
        self._run: Run | None = None
        self._cancelled = False
        self._going: asyncio.Future[TraceResult] | None = None
        self._warming: asyncio.Future[None] | None = None

    def cancel(self) -> int:
        """End the run that goes on; how many those are: 0 or 1."""
        if self._script is None:
            return 0
        self._cancelled = True
        if self._stop is not None:
            self._stop()
        if self._run is not None:
            self._run.cancel()
        return 1

    @property
    def script(self) -> str | None:
        """What goes on, null while nothing does."""
        return self._script

    @contextlib.contextmanager
    def hold(self, script: str, stop: Callable[[], object]) -> Iterator[bool]:
        """Run nothing else meanwhile; `cancel` calls `stop`. False when something goes on already."""
        if self._script is not None:
            yield False
            return
        self._script, self._stop = script, stop
        try:
            yield True
        finally:
            self._script = self._stop = None

    def close(self) -> None:
        """End the run and the waiting worker at once."""
        self.reaper.close()

    async def trace(self, params: TraceParams) -> TraceResult:
        """Run what `params` says and answer when it has ended and everything that it found is on show.

        Whoever cancels this ends the run: that goes on to its end in the background, as after `cancel`.
        """
        script = params.target or (Path(params.script).name if params.script else params.module or "")
        if self._script is not None:
            return _refused(problems.busy(self._script))
        self._script, self._cancelled = script, False
        self._going = asyncio.ensure_future(self._to_the_end(params, script))
        try:
            return await asyncio.shield(self._going)
        except asyncio.CancelledError:
            self.cancel()
            raise

    async def _to_the_end(self, params: TraceParams, script: str) -> TraceResult:
        progress = self._new_progress(f"Tracing {script}")
        self._session.set_busy(status.starting(script))
        try:
            await progress.begin(self.cancel)
            return await self._trace(params, script, progress)
        except RunnerProblem as problem:
            return self._failed(problems.from_runner(problem))
        finally:
            self._script = self._run = None
            progress.end()
            self._session.set_busy(None)

    def _failed(self, problem: Problem) -> TraceResult:
        self._session.show_message(problems.text(problem), types.MessageType.Error)
        return _refused(problem)

    async def _trace(self, params: TraceParams, script: str, progress: Progress) -> TraceResult:
        job = _job(params, self._session.wire.folders())
        job.check()
        python = await asyncio.to_thread(self._interpreters.resolve, params.python, job.cwd)
        folder, note = await asyncio.to_thread(new_folder, Path(job.cwd))
        gate = OutputGate()
        if note:
            gate.write(f"[Compilescope: {note}]\n".encode())
        env = {**os.environ, **params.env}
        if self._cancelled:
            return TraceResult(None, None, "cancelled", 0, None)
        self._run = await asyncio.to_thread(
            start,
            job,
            python=python.path,
            env=env,
            recording=folder,
            streams=Streams(output=gate.write),
            reaper=self.reaper,
            standby=self.standby,
        )
        if self._cancelled:
            self._run.cancel()
        self._session.runs.ask_for(str(folder))
        before = self._session.shown.findings()
        outcome = await self._follow(self._run, script, gate=gate, progress=progress, timeout_s=params.timeout_s)
        found = await self._show(str(folder))
        result = found.result if found else None
        self._warming = asyncio.ensure_future(self._warm(python.path, env, job.cwd))
        problem = await self._problem(python.path, outcome, result)
        findings = len(result.findings) if result else 0
        change = await asyncio.to_thread(_difference, before, found) if found else None
        return TraceResult(str(folder), outcome.exit_code, outcome.status, findings, problem, change)

    async def _problem(self, python: str, outcome: Outcome, result: Result | None) -> Problem | None:
        """What there is to say about the end of a run; null when it ended by itself and torch could be imported."""
        problem = problems.of_outcome(outcome, result) if result else None
        if problem is None and outcome.exit_code == 1 and result is not None and result.run.torch is None:
            broken = await asyncio.to_thread(what_is_wrong_with_torch, python)
            problem = problems.from_runner(broken) if broken else None
        if problem is not None and problem.code != "cancelled":
            self._session.show_message(problems.text(problem), types.MessageType.Error)
        return problem

    async def _follow(
        self, run: Run, script: str, *, gate: OutputGate, progress: Progress, timeout_s: float | None
    ) -> Outcome:
        """Wait for the end of the run; until then show what the recording says and what the program prints."""
        grown = asyncio.Event()
        recording = str(run.recording)
        waiting = asyncio.ensure_future(asyncio.to_thread(run.wait, timeout_s))
        async with tail(run.recording, grown.set, poll_s=POLL_S):
            watching = [
                asyncio.ensure_future(self._watch(recording, script, grown, progress)),
                asyncio.ensure_future(self._forward(gate)),
            ]
            try:
                return await waiting
            finally:
                for task in watching:
                    task.cancel()
                await asyncio.gather(*watching, return_exceptions=True)
                self._send_output(gate, final=True)

    async def _watch(self, recording: str, script: str, grown: asyncio.Event, progress: Progress) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await grown.wait()
            grown.clear()
            began = loop.time()
            found = await self._show(recording)
            if found is not None:
                result = found.result
                stage = await asyncio.to_thread(self._session.runs.open(recording).last_step)
                self._session.set_busy(status.tracing(script, stage, result))
                so_far = f"{counted(len(result.findings), 'finding')} so far" if result.findings else ""
                progress.report(joined([f"compiling {stage}" if stage else "", so_far]) or f"running {script}")
            await asyncio.sleep((loop.time() - began) * SHARE)

    async def _show(self, recording: str) -> Found | None:
        """Bring the recording's findings up to date and on show; null while there is nothing to read yet."""
        try:
            found = await asyncio.to_thread(lambda: self._session.runs.open(recording).found())
        except RecordingError:
            return None
        self._session.show(found)
        return found

    async def _forward(self, gate: OutputGate) -> None:
        while True:
            await asyncio.sleep(OUTPUT_EVERY_S)
            self._send_output(gate, final=False)

    def _send_output(self, gate: OutputGate, *, final: bool) -> None:
        if text := gate.take(final=final):
            self._session.notify_output(ProgramOutput(text))

    async def _warm(self, python: str, env: dict[str, str], cwd: str) -> None:
        """Have the next worker ready before it is asked for."""
        with contextlib.suppress(OSError):
            await asyncio.to_thread(self.standby.prepare, python, env, cwd)


def _difference(before: Mapping[str, Sequence[Shown]], found: Found) -> str | None:
    """What a run changed; null for the first of its script, and for one that did not come to its end."""
    run = found.result.run
    script = script_of(run.command, run.cwd, found.recording)
    if script not in before or run.refused is not None or leaves_open(found.result):
        return None
    return difference(before[script], found).words


def _job(params: TraceParams, folders: list[str]) -> Job:
    """What to run, and where: where the client says, else in the script's workspace folder, else beside the script."""
    script = params.script
    if script is not None and script.startswith("file:"):
        script = paths.to_path(script)
    cwd = params.cwd
    if cwd is None and script is not None and Path(script).is_absolute():
        inside = [folder for folder in folders if Path(script).is_relative_to(folder)]
        cwd = max(inside, key=len, default=str(Path(script).parent))
    depth: Depth = "capture" if params.depth == "capture" else "full"  # nothing else passes TraceParams
    cwd = cwd or next(iter(folders), str(Path.cwd()))
    inputs = tuple(params.inputs)
    what = (script, params.module, tuple(params.args), cwd, depth)
    return Job(*what, target=params.target, inputs=inputs, profile=params.profile, logs=params.logs)


def _refused(problem: Problem) -> TraceResult:
    return TraceResult(recording=None, exit_code=None, status="failed", findings=0, problem=problem)
