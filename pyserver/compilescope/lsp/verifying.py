"""Fix and verify: the program runs again with fixes in place, and only what is proven changes a file."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from compilescope.analysis.model import Result
from compilescope.lsp import applying, problems, status
from compilescope.lsp.fixing import Chosen
from compilescope.lsp.interpreter import Interpreters
from compilescope.lsp.output import OutputGate
from compilescope.lsp.progress import Progress
from compilescope.lsp.session import Session
from compilescope.lsp.shapes.fixing import FixAndVerifyParams, FixParams, FixResult
from compilescope.lsp.shapes.notices import ProgramOutput
from compilescope.lsp.shapes.running import Problem
from compilescope.lsp.tracing import Tracing
from compilescope.lsp.wording import command_text, joined, run_time
from compilescope.report.counted import counted
from compilescope.runner.folder import new_folder
from compilescope.runner.problem import Problem as RunnerProblem
from compilescope.verify import Cancellation, Difference, Request, Step, Verdict, job_of, verify, words
from compilescope.verify.words import delta, subject

GONE = "The findings to fix are not on show any more. Trace again."


@dataclass(frozen=True)
class Verifying:
    """Verifies fixes and makes those that are proven. Belongs to the event loop's thread."""

    session: Session
    interpreters: Interpreters
    tracing: Tracing
    new_progress: Callable[[str], Progress]

    async def fix(self, params: FixAndVerifyParams) -> FixResult:
        """Verify fixes together, and make them when that is proven. Nothing is changed otherwise."""
        named = FixParams(params.recording, params.fixes)
        chosen, result = applying.found(self.session, named), self.session.shown.results().get(params.recording)
        if not chosen or result is None:
            return FixResult("refused", GONE)
        if self.session.edits_now(chosen) is None:
            return FixResult("refused", applying.CHANGED)
        script = command_text(result.run)
        cancellation = Cancellation()
        with self.tracing.hold(script, cancellation.cancel) as held:
            if not held:
                return _failed(problems.busy(self.tracing.script or script))
            progress = self.new_progress(f"Verifying a fix of {script}")
            self.session.set_busy(status.tracing(script, f"verifying {script}", None))
            try:
                await progress.begin(cancellation.cancel)
                return await self._verify(params, chosen, result, progress, cancellation)
            except RunnerProblem as problem:
                return _failed(problems.from_runner(problem))
            finally:
                progress.end()
                self.session.set_busy(None)

    async def _verify(
        self,
        params: FixAndVerifyParams,
        chosen: Sequence[Chosen],
        result: Result,
        progress: Progress,
        cancellation: Cancellation,
    ) -> FixResult:
        job = job_of(result.run)
        python = await asyncio.to_thread(self.interpreters.resolve, params.python, job.cwd)
        request = Request(job, result, chosen[0].shown.sources, python.path, {**os.environ, **params.env})
        folder, _ = await asyncio.to_thread(new_folder, Path(job.cwd))
        loop = asyncio.get_running_loop()
        gate = OutputGate()

        def step(step: Step) -> None:
            loop.call_soon_threadsafe(progress.report, f"{step.text} ({step.number} of {step.total})")

        try:
            verdict = await asyncio.to_thread(
                verify,
                request,
                [one.shown.finding for one in chosen],
                [one.fix for one in chosen],
                recording=folder,
                reaper=self.tracing.reaper,
                standby=self.tracing.standby,
                progress=step,
                cancellation=cancellation,
                output=gate.write,
            )
        finally:
            if text := gate.take(final=True):
                self.session.notify_output(ProgramOutput(text))
        made = await self._made(chosen, verdict)
        if made.status == "applied":
            await self._show(folder)
        else:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return made

    async def _made(self, chosen: Sequence[Chosen], verdict: Verdict) -> FixResult:
        if verdict.status == "cancelled":
            return FixResult("cancelled")
        if not verdict.proven:
            return FixResult("unproven", words(verdict), values=_values(verdict))
        made = await applying.make(self.session, chosen)
        if made.status != "applied":
            return made
        return FixResult("applied", words(verdict) + self._since(chosen), made.files, note=_note(verdict))

    def _since(self, chosen: Sequence[Chosen]) -> str:
        """What to add when the files are no longer those that were run."""
        shown = chosen[0].shown
        if self.session.is_unchanged(shown):
            return ""
        when = run_time(shown.started).removeprefix("from ")
        return f" Tried in the text of {when}; it was edited since."

    async def _show(self, folder: Path) -> None:
        """Put on show what was traced with the fixes, in place of the run before."""
        found = await asyncio.to_thread(lambda: self.session.runs.open(str(folder)).found())
        self.session.runs.ask_for(str(folder))
        self.session.show(found)


def _failed(problem: Problem) -> FixResult:
    return FixResult("refused", problems.text(problem), problem=problem)


def _note(verdict: Verdict) -> str:
    """`break gone · outputs equal (δ_max 0) · 2 graphs → 1`."""
    before, after = verdict.graphs
    equal = f"outputs equal (δ_max {delta(verdict.compared.delta_max)})" if verdict.compared else ""
    graphs = f"{counted(before, 'graph')} → {after}" if before is not None and after is not None else ""
    return joined([f"{subject(verdict.findings)} gone", equal, graphs])


def _values(verdict: Verdict) -> str | None:
    """What differed, as text to look at; null when nothing was compared or nothing differed."""
    first = verdict.compared.first if verdict.compared else None
    if first is None:
        return None
    return "\n".join([words(verdict), "", *_difference(first)]) + "\n"


def _difference(first: Difference) -> list[str]:
    of = f"call {first.call}" if first.call is not None else f"backward {first.backward}"
    lines = [f"First difference: {of}{f' of {first.function}' if first.function else ''}, {first.place or 'its end'}"]
    lines += [first.message] if first.message else []
    rows = [[str(one.get(name)) for name in ("index", "reference", "other")] for one in first.values]
    if rows:
        rows = [["index", "in eager", "with the change, compiled"], *rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines += ["", *("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)]
    return lines
