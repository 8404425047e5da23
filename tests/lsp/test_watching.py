"""A folder that is watched: runs that come, grow and go while the server looks."""

from __future__ import annotations

import shutil

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
