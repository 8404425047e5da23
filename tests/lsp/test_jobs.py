"""Several jobs in one folder: listed, opened each as a run of its own, followed, compared, and there again later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .made import Made

NAME = "dedicated_log_torch_trace_rank_{}_{}.log"


def write(folder: Path, rank: int, job: str, hour: int, *functions: str, script: Path) -> Path:
    """A log of a rank that compiled `functions`, one after the other, and broke at the last."""
    lines = []

    def record(fields: object, payload: str = "") -> None:
        at = f"1130 {hour}:00:{len(lines):02}.000001"
        text = f"\n\t{payload}" if payload else ""
        lines.append(f"V{at} {hour}{rank} torch/_dynamo/x.py:1] {json.dumps(fields)}{text}\n")

    record({"str": [str(script), 0]})
    for frame, function in enumerate(functions):
        ids = {"frame_id": frame, "frame_compile_id": 0, "attempt": 0}
        record({"dynamo_start": {"stack": [{"line": 4, "name": function, "filename": 0}]}, **ids})
        code = {"co_name": function, "co_filename": str(script), "co_firstlineno": 4}
        metrics = {"compile_id": f"{frame}/0", "pytorch_version": "2.11.0", **code}
        record({"compilation_metrics": metrics, **ids})
    folder.mkdir(exist_ok=True)
    log = folder / NAME.format(rank, job)
    log.write_text("".join(lines))
    return log


def address(log: Path) -> str:
    return f"{log.parent}#job={log.name}"


@pytest.fixture
def folder(tmp_path: Path, script: Path) -> Path:
    """Two jobs of two ranks each."""
    for rank in (0, 1):
        write(tmp_path / "traces", rank, "a", 10, "step", script=script)
        write(tmp_path / "traces", rank, "b", 12, "step", "other", script=script)
    return tmp_path / "traces"


async def compiles(client):
    """How many compiles each run has, the newest run first."""
    return [
        (path, sum(len(one.compiles) for one in (await client.ask("compilescope/runDetail", recording=path)).functions))
        for path in await runs(client)
    ]


async def runs(client):
    return {one.recording: one for one in (await client.ask("compilescope/runs")).runs}


async def test_jobs_are_listed_newest_first_and_opened_one_by_one(client, folder):
    first, second = (address(folder / NAME.format(0, job)) for job in "ab")
    listed = (await client.ask("compilescope/jobs", path=str(folder))).jobs
    assert [(one.recording, one.title) for one in listed] == [(second, "Job 2"), (first, "Job 1")]
    assert listed[0].words.startswith("11-30 12:00:00 to 11-30 12:00:04, ranks 0 to 1, torch 2.11.0, 2 logs, ")
    assert (await client.ask("compilescope/jobs", path=folder.as_uri())).jobs == listed
    assert (await client.ask("compilescope/openRecording", path=first)).recording == first
    assert set(await runs(client)) == {first}
    assert (await client.ask("compilescope/openRecording", path=str(folder))).recording == second
    found = await runs(client)
    assert list(found) == [second, first]
    assert {one.title for one in found.values()} == {"traces"}
    assert {path: one.torch for path, one in found.items()} == {first: "2.11.0", second: "2.11.0"}
    names = {
        path: [one.name for one in (await client.ask("compilescope/runDetail", recording=path)).functions]
        for path in found
    }
    assert names == {first: ["step"], second: ["step", "other"]}
    changed = await client.ask("compilescope/runDiff", before=first, after=second)
    assert "other" in changed.text
    hits = await client.ask("compilescope/search", recording=first, text="step")
    logs = {hit.log for hit in hits.hits if hit.log}
    assert logs
    assert logs <= {NAME.format(rank, "a") for rank in (0, 1)}


async def test_a_folder_with_one_job_or_of_one_run_is_no_choice(client, folder, made, tmp_path):
    for log in folder.glob("*_b.log"):
        log.unlink()
    assert (await client.ask("compilescope/jobs", path=str(folder))).jobs == []
    assert (await client.ask("compilescope/openRecording", path=str(folder))).recording == str(folder)
    assert (await client.ask("compilescope/jobs", path=str(made.folder))).jobs == []
    assert (await client.ask("compilescope/jobs", path=str(tmp_path / "nothing"))).jobs == []


async def test_recordings_below_a_folder_are_listed(client, tmp_path, script):
    for number in (1, 2):
        Made(tmp_path / "all" / f"run{number}", script, started=f"2026-11-29T1{number}:00:00+00:00").end()
    listed = (await client.ask("compilescope/jobs", path=str(tmp_path / "all"))).jobs
    assert [(Path(one.recording).name, one.title, one.words) for one in listed] == [
        ("run2", "script.py", "finished, run2"),
        ("run1", "script.py", "finished, run1"),
    ]


async def test_a_job_that_begins_in_a_watched_folder_is_a_run_of_its_own(client, folder, script):
    for log in folder.glob("*_b.log"):
        log.unlink()
    await client.ask("compilescope/watch", path=str(folder))
    await client.until(lambda: any(one.recording for one in client.texts("compilescope/runsChanged")))
    assert set(await runs(client)) == {str(folder)}
    first, second = (address(folder / NAME.format(0, job)) for job in "ab")
    write(folder, 0, "b", 12, "step", script=script)
    told = client.texts
    await client.until(lambda: told("compilescope/watched")[-1].folders[0].recordings == 2)
    assert await compiles(client) == [(second, 1), (first, 2)]
    write(folder, 1, "b", 12, "step", script=script)
    await client.until(lambda: "2 ranks" in told("compilescope/watched")[-1].folders[0].words)
    assert await compiles(client) == [(second, 2), (first, 2)]
    assert told("compilescope/runsChanged")[-1].recording == second


async def test_jobs_are_there_again(another_server, options, folder):
    first, second = (address(folder / NAME.format(0, job)) for job in "ab")
    # The folder was opened when it held one job.
    for opened in ([first, second], [str(folder), second]):
        options["recordings"] = opened
        async with another_server() as client:
            await client.until(lambda: len(client.texts("compilescope/runsChanged")) > 1)
            assert list(await runs(client)) == [second, first]
