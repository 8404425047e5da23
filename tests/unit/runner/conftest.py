from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from compilescope.runner import launch, standby
from compilescope.runner.job import Job
from compilescope.runner.launch import Run, start
from compilescope.runner.reaper import Reaper
from compilescope.runner.worker import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLAIN_BOOT = str(Path(__file__).with_name("plain_boot.py"))


@pytest.fixture(autouse=True)
def _no_tracer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "BOOT", PLAIN_BOOT)
    monkeypatch.setattr(standby, "BOOT", PLAIN_BOOT)


@pytest.fixture
def reaper() -> Iterator[Reaper]:
    with Reaper() as reaper:
        yield reaper


@pytest.fixture
def launched(tmp_path: Path, reaper: Reaper) -> Callable[..., Run]:
    """Starts a program given as text; `launched.output` collects what it prints."""

    def launch_text(text: str, *args: str, **options: object) -> Run:
        script = tmp_path / "program.py"
        script.write_text(text)
        recording = tmp_path / f"recording-{time.monotonic_ns()}"
        recording.mkdir()
        return start(
            Job("program.py", None, args, str(tmp_path), "capture"),
            python=sys.executable,
            env=os.environ,
            recording=recording,
            streams=Streams(output=launch_text.output.append),
            reaper=reaper,
            **options,
        )

    launch_text.output = []
    return launch_text
