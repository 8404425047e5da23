"""Waiting for a recording to grow."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from compilescope.recording import tail as tailing
from compilescope.recording.tail import Tail, tail

NAME = "dedicated_log_torch_trace_1_a.log"


class Seen:
    def __init__(self):
        self.times = 0
        self._changed = threading.Condition()

    def __call__(self):
        with self._changed:
            self.times += 1
            self._changed.notify_all()

    def reach(self, times, timeout=5.0):
        with self._changed:
            return self._changed.wait_for(lambda: self.times >= times, timeout)


def without_observer(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise OSError("inotify watch limit reached")

    monkeypatch.setattr("watchdog.observers.Observer", refuse)


@pytest.mark.parametrize("watching", [True, False])
def test_growth_is_told(tmp_path, monkeypatch, watching):
    if not watching:
        without_observer(monkeypatch)
    log = tmp_path / NAME
    log.write_bytes(b"")
    seen = Seen()
    with Tail(tmp_path, seen, poll_s=0.05 if not watching else 5.0):
        assert seen.reach(1)
        time.sleep(0.2)
        log.write_bytes(b"x")
        assert seen.reach(2, timeout=3.0)
        (tmp_path / "dedicated_log_torch_trace_2_b.log").write_bytes(b"y")
        assert seen.reach(3, timeout=3.0)
        (tmp_path / "run.json").write_text("{}")
        assert seen.reach(4, timeout=3.0)
    times = seen.times
    log.write_bytes(b"after the end")
    time.sleep(0.2)
    assert seen.times == times


def test_stop_is_quick_and_quiet_without_changes(tmp_path):
    seen = Seen()
    start = time.monotonic()
    with Tail(tmp_path, seen, poll_s=60.0):
        assert seen.reach(1)
    assert time.monotonic() - start < 3
    assert seen.times == 1


async def test_in_an_event_loop(tmp_path):
    changed = asyncio.Event()
    thread = []

    def notice():
        thread.append(threading.current_thread())
        changed.set()

    async with tail(tmp_path, notice, poll_s=0.05):
        await asyncio.wait_for(changed.wait(), 5)
        changed.clear()
        (tmp_path / NAME).write_bytes(b"x")
        await asyncio.wait_for(changed.wait(), 5)
    assert set(thread) == {threading.main_thread()}


def test_path_that_goes_away_does_not_end_the_tail(tmp_path):
    inner = tmp_path / "recording"
    inner.mkdir()
    assert tailing._state(inner) is not None
    inner.rmdir()
    assert tailing._state(inner) is None
