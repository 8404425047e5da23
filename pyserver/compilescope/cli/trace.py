"""`compilescope trace`: run a program under the tracer, then show what was found."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compilescope.cli.codes import FOUND, TIMED_OUT
from compilescope.cli.eager import check_eager
from compilescope.cli.fixing import prover
from compilescope.cli.options.trace import RANKS
from compilescope.cli.output import Fixing, Format, report
from compilescope.cli.signals import cancelled_by_signals
from compilescope.cli.streams import check_output
from compilescope.runner.folder import given_folder, new_folder
from compilescope.runner.interpreter import choose
from compilescope.runner.job import Job
from compilescope.runner.launch import Outcome, shell_exit_code, start
from compilescope.runner.log_registry import check
from compilescope.runner.problem import Problem
from compilescope.runner.reaper import Reaper
from compilescope.runner.terminal import Terminal
from compilescope.runner.worker import Streams

if TYPE_CHECKING:
    from argparse import Namespace

KEEP_CACHES = "COMPILESCOPE_KEEP_CACHES"
"""The environment variable that has the tracer leave torch's graph caches as they are (`tracer/settings.py`)."""


@dataclass(frozen=True)
class Options:
    """What the command line asks for beside the job."""

    python: str | None
    record: str | None
    format: Format
    output: str | None
    timeout_s: float | None
    fail_on: frozenset[str]
    keep_caches: bool = False
    fix_preview: bool = False
    fix_verify: bool = False
    check_eager: bool = False


def run(options: Namespace) -> int:
    """Run what the command line names. Raises Problem when it names nothing that can be run."""
    words = options.module or options.script
    if not options.module and words[:1] == ["--"]:
        words = words[1:]
    if not words:
        raise Problem("no-script", "Nothing to run: give a script, or -m and a module.")
    if options.triton_preview and options.depth == "capture":
        raise Problem("bad-depth", "--triton-preview needs --depth full: at capture depth no code is generated.")
    name, *arguments = words
    script, module = (None, name) if options.module else (name, None)
    ranks = [(f"--{name}", getattr(options, name.replace("-", "_"))) for name in RANKS]
    job = Job(
        script,
        module,
        tuple(arguments),
        str(Path.cwd()),
        options.depth,
        target=options.target,
        inputs=tuple(options.inputs),
        triton_preview=options.triton_preview,
        ranks=tuple(word for name, value in ranks if value is not None for word in (name, value)),
        fusion=options.fusion,
        profile=options.profile,
        logs=options.logs,
    )
    return trace(
        job,
        Options(
            python=options.python,
            record=options.record,
            format=options.format,
            output=options.output,
            timeout_s=options.timeout,
            keep_caches=options.keep_caches,
            fail_on=options.fail_on,
            fix_preview=options.fix_preview,
            fix_verify=options.fix_verify,
            check_eager=options.check_eager,
        ),
    )


def trace(job: Job, options: Options) -> int:
    """Run `job`, write the report, and return the exit code. Raises Problem when it can't be run."""
    job.check()
    check_output(options.output)
    python = choose(options.python)
    if job.logs is not None:
        check(job.logs, python.path)
    recording, note = (given_folder(Path(options.record)), None) if options.record else new_folder(Path(job.cwd))
    env = {**os.environ, **({KEEP_CACHES: "1"} if options.keep_caches else {})}
    streams = Streams(stdout_to_stderr=options.output is None, terminal=Terminal.current())
    with Reaper() as reaper:
        run = start(job, python=python.path, env=env, recording=recording, streams=streams, reaper=reaper)
        with cancelled_by_signals(run) as received:
            outcome = run.wait(options.timeout_s)
    if options.output is None and sys.stdout is not None and sys.stdout.isatty():
        print()
    if not recording.is_dir():
        raise Problem(
            "no-recording",
            f"There is nothing to report: {recording} was removed while the program ran.",
            f"The program ended with exit code {_exit_code(outcome, received)}. --record DIR records to another place.",
        )
    if options.check_eager and not received and outcome.unwritten is None:
        check_eager(job, python.path, env, recording, options.timeout_s)
    prove = prover(job, python.path, env, options.timeout_s) if options.fix_verify else None
    fixing = Fixing(options.fix_preview, prove)
    result = report(recording, options.format, options.output, [note] if note else [], outcome, fixing=fixing)
    if any(finding.rule in options.fail_on for finding in result.findings):
        return FOUND
    return _exit_code(outcome, received)


def _exit_code(outcome: Outcome, received: list[int]) -> int:
    if received:
        return 128 + received[0]
    return TIMED_OUT if outcome.status == "timed-out" else shell_exit_code(outcome.exit_code)
