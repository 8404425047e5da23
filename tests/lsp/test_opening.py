"""Opening a recording: at once, with progress, given up, and what can't be opened."""

from __future__ import annotations

import asyncio
import gzip
import os
import threading
from types import SimpleNamespace

import pytest
from compilescope.lsp import opening, runs
from compilescope.lsp.shapes.running import OpenRecordingParams
from compilescope.recording.reader import RecordingError

from .made import Made


class Progress:
    """What the client saw: the title, and whether it is still there."""

    def __init__(self):
        self.seen = []
        self.begun = asyncio.Event()

    def __call__(self, title):
        self.title = title
        return self

    async def begin(self, cancel):
        self.seen.append("begin")
        self.cancel = cancel
        self.begun.set()

    def end(self):
        self.seen.append("end")


class SlowRuns:
    """A recording that takes until `go` to open. `given_up` is set when it was told to stop."""

    def __init__(self, error=None):
        self.go, self.given_up = threading.Event(), threading.Event()
        self.error = error

    def ask_for(self, path):
        self.asked_for = path

    def open(self, path, check):
        while not self.go.wait(0.005):
            try:
                check()
            except BaseException:
                self.given_up.set()
                raise
        if self.error:
            raise self.error
        return SimpleNamespace(found=lambda: SimpleNamespace(recording=path, result=SimpleNamespace(findings=[1])))


@pytest.fixture
def slow(monkeypatch):
    """A session whose recording is slow to open, and an opening of it that is under way."""
    monkeypatch.setattr(opening, "PATIENCE_S", 0.05)

    def start(error=None, path="/traces/big"):
        runs, shown, progress = SlowRuns(error), [], Progress()
        session = SimpleNamespace(runs=runs, show=shown.append, prepare=lambda _: None)
        work = opening.Opening(session, OpenRecordingParams(path), progress)
        return SimpleNamespace(runs=runs, shown=shown, progress=progress, done=asyncio.ensure_future(work.finish()))

    return start


async def begun(under_way):
    await asyncio.wait_for(under_way.progress.begun.wait(), 5)


async def test_what_opens_at_once_shows_no_progress(slow):
    under_way = slow()
    under_way.runs.go.set()
    result = await under_way.done
    assert (result.recording, result.findings, result.problem) == ("/traces/big", 1, None)
    assert under_way.progress.seen == ["end"]
    assert len(under_way.shown) == 1


async def test_what_takes_long_does(slow):
    under_way = slow()
    await begun(under_way)
    assert under_way.progress.title == "Opening big"
    under_way.runs.go.set()
    assert (await under_way.done).findings == 1
    assert under_way.progress.seen == ["begin", "end"]


async def test_giving_up_answers_at_once_and_ends_the_reading(slow):
    under_way = slow()
    await begun(under_way)
    under_way.progress.cancel()
    result = await asyncio.wait_for(under_way.done, 5)
    assert (result.recording, result.problem) == (None, None)
    assert under_way.progress.seen == ["begin", "end"]
    assert under_way.shown == []
    assert await asyncio.to_thread(under_way.runs.given_up.wait, 5)


async def test_a_request_that_is_cancelled_ends_the_reading_too(slow):
    under_way = slow()
    await begun(under_way)
    under_way.done.cancel()
    with pytest.raises(asyncio.CancelledError):
        await under_way.done
    assert under_way.progress.seen == ["begin", "end"]
    assert await asyncio.to_thread(under_way.runs.given_up.wait, 5)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RecordingError("no log"), "bad-recording"),
        (PermissionError("no"), "bad-recording"),
        (KeyError("x"), "internal"),
    ],
)
async def test_what_goes_wrong_is_a_problem(slow, error, code):
    under_way = slow(error)
    under_way.runs.go.set()
    assert (await under_way.done).problem.code == code


async def test_a_recording_by_uri_and_from_home(slow, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    for path, expected in (("file:///traces/a%20b", "/traces/a b"), ("~/traces", "/home/me/traces")):
        under_way = slow(path=path)
        under_way.runs.go.set()
        assert (await under_way.done).recording == expected


async def test_what_is_no_recording(client, tmp_path, script):
    log = next(Made(tmp_path / "made", script).graph_break().compile("0/0").end().folder.glob("*.log"))
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.log").write_text("hello\n")
    (tmp_path / "broken.log.gz").write_bytes(b"\x1f\x8bno gzip")
    os.mkfifo(tmp_path / "pipe.log")
    for name, why in (
        ("nothing", "does not exist"),
        ("empty", "no TORCH_TRACE log"),
        ("text.log", "does not start with a trace record"),
        ("broken.log.gz", "does not start with a trace record"),
        ("pipe.log", "neither a file nor a folder"),
        (".", "open one of them: made"),
    ):
        result = await client.ask("compilescope/openRecording", path=str(tmp_path / name))
        assert result.recording is None
        assert result.problem.code == "bad-recording"
        assert why in result.problem.detail, name
    # What can be read of a packed log that is cut off is shown.
    (tmp_path / "cut.log.gz").write_bytes(gzip.compress(log.read_bytes())[:-20])
    result = await client.ask("compilescope/openRecording", path=str(tmp_path / "cut.log.gz"))
    assert (result.problem, result.findings) == (None, 1)


def test_one_that_was_put_aside_is_opened_again(tmp_path, script):
    made = [Made(tmp_path / f"{number}", script).graph_break().compile("0/0").end() for number in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "MOST_OPEN", 2)
        store = runs.RunStore(list)
        first = store.open(str(made[0].folder))
        assert len(first.found().result.findings) == 1
        for other in made[1:]:
            store.open(str(other.folder))
        assert len(first.found().result.findings) == 1
        assert store.open(str(made[0].folder)) is not first
