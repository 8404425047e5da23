"""A recording as one file, from the editor: written, without what is to be left out, given up, refused."""

from __future__ import annotations

import asyncio
import threading

from compilescope.lsp import packing
from compilescope.lsp.shapes.sharing import PackParams


async def test_a_recording_becomes_one_file_that_opens(client, made, script, tmp_path):
    made.source(script).compile("0/0").graph_break().end()
    file = tmp_path / "step.compilescope"
    result = await client.ask("compilescope/pack", recording=str(made.folder), file=str(file), leaveOut=["source"])
    assert (result.file, result.problem) == (str(file), None)
    assert result.leftOut.startswith("source text (")
    assert "bytes" in result.words or "KiB" in result.words
    opened = await client.ask("compilescope/openRecording", path=str(file))
    assert opened.problem is None
    assert opened.findings > 0
    detail = await client.ask("compilescope/runDetail", recording=opened.recording)
    assert "left out on request: source text" in detail.notes


async def test_what_was_left_out_is_said_where_it_would_be(client, made, tmp_path):
    made.compile("0/0").end()
    file = tmp_path / "step.compilescope"
    await client.ask("compilescope/pack", recording=str(made.folder), file=str(file), leaveOut=["payloads"])
    recording = (await client.ask("compilescope/openRecording", path=str(file))).recording
    stages = (await client.ask("compilescope/stages", recording=recording, compileId="0/0")).stages
    assert {one.unavailable for one in stages} == {"Graphs were left out of this recording on request."}
    passes = await client.ask("compilescope/passes", recording=recording, compileId="0/0")
    assert passes.note == "Passes were left out of this recording on request."
    code = await client.ask("compilescope/code", recording=recording, compileId="0/0")
    assert code.note == "Generated code was left out of this recording on request."


async def test_a_file_that_was_written_again_is_read_again(client, made, tmp_path):
    made.compile("0/0").end()
    file = tmp_path / "step.compilescope"
    for kinds, note in (([], ""), (["paths"], "left out on request: paths"), (["payloads"], "payloads of events")):
        await client.ask("compilescope/pack", recording=str(made.folder), file=str(file), leaveOut=kinds)
        recording = (await client.ask("compilescope/openRecording", path=str(file))).recording
        notes = (await client.ask("compilescope/runDetail", recording=recording)).notes
        assert note in "".join(notes)
    file.write_bytes(b"no pack")
    assert "damaged" in (await client.ask("compilescope/openRecording", path=str(file))).problem.detail


async def test_what_can_not_be_written_is_said(client, made, tmp_path):
    made.compile("0/0").end()
    for file, kinds, why in (
        (tmp_path / "nowhere" / "x.compilescope", [], "No such file"),
        (tmp_path / "x.compilescope", ["colours"], "colours can't be left out"),
    ):
        result = await client.ask("compilescope/pack", recording=str(made.folder), file=str(file), leaveOut=kinds)
        assert result.file is None
        assert result.problem.title == f"Can't write {file}."
        assert why in result.problem.detail


class Progress:
    """What the client saw of it."""

    def __init__(self, title):
        self.title, self.ended = title, False

    async def begin(self, cancel):
        self.cancel = cancel

    def end(self):
        self.ended = True


async def test_it_can_be_given_up(monkeypatch, tmp_path):
    began, progress = threading.Event(), []

    def pack(_path, _file, check, _redaction):
        began.set()
        while True:
            check()

    def shown(title):
        progress.append(Progress(title))
        return progress[0]

    monkeypatch.setattr(packing, "pack", pack)
    work = asyncio.ensure_future(packing.Packing(PackParams("/runs/one", str(tmp_path / "x")), shown).finish())
    assert await asyncio.to_thread(began.wait, 5)
    progress[0].cancel()
    result = await asyncio.wait_for(work, 5)
    assert (result.file, result.problem, progress[0].ended) == (None, None, True)
    assert progress[0].title == "Packing one"


async def test_a_request_that_is_cancelled_ends_the_work(monkeypatch, tmp_path):
    began, ended = threading.Event(), threading.Event()

    def pack(_path, _file, check, _redaction):
        began.set()
        try:
            while True:
                check()
        finally:
            ended.set()

    monkeypatch.setattr(packing, "pack", pack)
    work = asyncio.ensure_future(packing.Packing(PackParams("/runs/one", str(tmp_path / "x")), Progress).finish())
    assert await asyncio.to_thread(began.wait, 5)
    work.cancel()
    assert await asyncio.to_thread(ended.wait, 5)


async def test_a_recording_that_is_gone_is_no_file_that_can_not_be_written(client, tmp_path):
    gone = tmp_path / "20261130-100000"
    result = await client.ask("compilescope/pack", recording=str(gone), file=str(tmp_path / "x"), leaveOut=[])
    assert (result.file, result.problem.code) == (None, "recording-gone")
    assert str(gone) in result.problem.detail
    assert result.problem.actions[0] == "compilescope.locateRecording"
