"""What there is to choose from in a folder with the logs of several jobs, or above several recordings."""

from __future__ import annotations

from pathlib import Path

from compilescope.lsp import paths
from compilescope.lsp.runs import run_info
from compilescope.lsp.shapes.jobs import JobInfo, JobsParams, JobsResult
from compilescope.recording.address import Addressed, addressed
from compilescope.recording.command import read
from compilescope.recording.newest import recordings
from compilescope.report.jobs import job_words

MOST = 200
"""Recordings of a folder that are listed, the newest."""


def jobs(params: JobsParams) -> JobsResult:
    """The jobs or recordings in a folder, newest first; none unless there are several."""
    path = (paths.to_path(params.path) if params.path.startswith("file:") else None) or params.path
    folder = Path(path).expanduser().absolute()
    if several := addressed(folder):
        numbered = list(enumerate(several, 1))[::-1]
        return JobsResult([_job(number, one) for number, one in numbered[:MOST]])
    found = recordings(folder)[::-1]
    return JobsResult([_recording(folder, one) for one in found[:MOST]] if len(found) > 1 else [])


def _job(number: int, one: Addressed) -> JobInfo:
    started = one.job.started.astimezone().isoformat()
    return JobInfo(str(one.address), f"Job {number}", job_words(one.job), started)


def _recording(folder: Path, recording: Path) -> JobInfo:
    info = run_info(str(recording))
    command, started = info.get("command"), info.get("started")
    run = read([str(word) for word in command] if isinstance(command, list) else [])
    what = run.module or Path(run.script or "").name
    words = ", ".join(filter(None, [str(info.get("status") or ""), recording.relative_to(folder).as_posix()]))
    return JobInfo(str(recording), what or recording.name, words, started if isinstance(started, str) else None)
