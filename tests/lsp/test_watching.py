"""A folder that is watched: runs that come, grow and go while the server looks."""

from __future__ import annotations

import json
import shutil
import subprocess

from .made import Made


def last(client):
    told = client.texts("compilescope/watched")
    return told[-1].folders[0] if told and told[-1].folders else None


async def test_a_folder_is_followed_from_before_it_exists_until_after(client, tmp_path, script):
    folder = tmp_path / "traces"
    answer = await client.ask("compilescope/watch", path=str(folder))
    assert [(one.path, one.state) for one in answer.folders] == [(str(folder), "waiting")]
    first = Made(folder / "first", script, status="running")
    first.compile("0/0")
    first.end(pid=1)
    await client.until(lambda: last(client) and last(client).state == "following")
    first.graph_break("0/0")
    found = await client.until(lambda: client.diagnostics.get(script.as_uri()))
    assert [one.code for one in found] == ["GB0170"]
    Made(folder / "second", script, started="2026-11-29T14:00:00+00:00").compile("0/0").end()
    await client.until(lambda: last(client).recordings == 2)
    runs = await client.ask("compilescope/runs")
    assert len(runs.runs) == 2
    first.graph_break("0/0")
    await client.until(lambda: client.diagnostics.get(script.as_uri()))
    shutil.rmtree(folder)
    await client.until(lambda: last(client).state == "gone")
    assert client.diagnostics[script.as_uri()]
    assert (await client.ask("compilescope/unwatch", path=None)).count == 1
    assert await client.ask("compilescope/unwatch", path=None)
    await client.until(lambda: client.texts("compilescope/watched")[-1].folders == [])


async def test_a_writer_that_is_killed_in_the_middle_of_a_compile_is_told(client, tmp_path, script):
    folder = tmp_path / "traces"
    folder.mkdir()
    log = folder / "dedicated_log_torch_trace_rank_3_x.log"
    with log.open("w") as stream:
        job = subprocess.Popen(["sleep", "600"], stdout=stream)  # noqa: ASYNC220 - it returns at once
        start = {"stack": [{"line": 1, "name": "step", "filename": 0}]}
        for envelope in (
            {"str": [str(script), 0]},
            {"dynamo_start": start, "frame_id": 0, "frame_compile_id": 0, "attempt": 0},
        ):
            stream.write(f"V1130 10:00:00.000000 {job.pid} torch/_dynamo/x.py:1] {json.dumps(envelope)}\n")
    await client.ask("compilescope/watch", path=str(folder))
    await client.until(lambda: last(client) and "1 running" in last(client).words)
    job.kill()
    job.wait()
    await client.until(lambda: f"process {job.pid} (rank 3) has ended, while compiling step" in last(client).words)
    assert last(client).ended.startswith(f"process {job.pid} (rank 3) has ended, while compiling step")
