"""`trace --check-eager`: run the program once more without torch.compile, to know whose mistake a failure is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compilescope.analysis.analyse import context_of
from compilescope.recording.reader import Recording
from compilescope.runner.job import Trial
from compilescope.runner.launch import start
from compilescope.runner.reaper import Reaper
from compilescope.runner.worker import Streams

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from compilescope.runner.job import Job

FOLDER = "eager"
"""Where in a recording the second run is recorded."""


def check_eager(job: Job, python: str, env: Mapping[str, str], recording: Path, timeout_s: float | None) -> None:
    """Run `job` without torch.compile if something failed, and note in `run.json` how that ended.

    The second run's output goes nowhere, and it reads nothing. Raises Problem when it can't be started.
    """
    with Recording.open(recording) as opened:
        facts = context_of(opened).facts
    if not facts.failures and not any(one.kind == "error" for one in facts.breaks):
        return
    folder = recording / FOLDER
    folder.mkdir()
    again = replace(job, trial=Trial("", "", eager=True), triton_preview=None, profile=False, fusion=False)
    with Reaper() as reaper:
        streams = Streams(output=lambda _written: None)
        run = start(again, python=python, env=env, recording=folder, streams=streams, reaper=reaper)
        outcome = run.wait(timeout_s)
    ended = {"status": outcome.status, "exit_code": outcome.exit_code, "exception": _exception(folder)}
    _note(recording, ended)


def _exception(folder: Path) -> dict[str, Any] | None:
    """The exception that ended the first process that one ended, as `compilescope_exit` has it."""
    with Recording.open(folder) as opened:
        for event in opened.events("compilescope_exit"):
            body = opened.json(event)
            raised = body.get("exception") if isinstance(body, dict) else None
            if isinstance(raised, dict):
                return raised
    return None


def _note(recording: Path, ended: dict[str, Any]) -> None:
    file, new = recording / "run.json", recording / ".run.json.new"
    values = json.loads(file.read_text(encoding="utf-8"))
    new.write_text(json.dumps({**values, "eager": ended}, indent=1) + "\n", encoding="utf-8")
    new.replace(file)
