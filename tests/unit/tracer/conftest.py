"""Runs programs plainly and under the tracer, and reads what the tracer wrote."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

BOOT = Path(__file__).parents[3] / "pyserver/compilescope/tracer/boot.py"


@dataclass
class Event:
    """One record: `log` is the process's file, `envelope` and `payload` what torch's format has."""

    log: str
    envelope: dict
    payload: str

    @property
    def name(self) -> str:
        kind = next(iter(self.envelope))
        return self.envelope["artifact"]["name"] if kind == "artifact" else kind

    @property
    def body(self) -> dict:
        return json.loads(self.payload)


@dataclass
class Traced:
    """A program's end and its recording."""

    code: int
    out: str
    err: str
    events: list[Event] = field(default_factory=list)

    def bodies(self, name: str) -> list[dict]:
        """The contents of all events `compilescope_<name>`."""
        return [event.body for event in self.events if event.name == f"compilescope_{name}"]


def read(folder: Path) -> list[Event]:
    events = []
    for log in sorted(folder.glob("*.log")):
        for record in log.read_text(encoding="utf-8").split("\nV"):
            head, _, payload = record.partition("\n\t")
            events.append(
                Event(log.name, json.loads(head.partition("] ")[2]), payload.replace("\n\t", "\n").rstrip("\n"))
            )
    return events


class Runner:
    """Runs scripts in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, folder: Path) -> list[Event]:
        """All records of a folder of logs."""
        return read(folder)

    def write(self, name: str, source: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source).lstrip("\n"), encoding="utf-8")
        return path

    def plain(self, *command: str, options: Sequence[str] = (), env: dict[str, str] | None = None) -> Traced:
        ended = self._run([sys.executable, *options, *command], env)
        return Traced(ended.returncode, ended.stdout, ended.stderr)

    def traced(
        self,
        script: str | None,
        *args: str,
        module: str | None = None,
        depth: str = "full",
        options: Sequence[str] = (),
        env: dict[str, str] | None = None,
        more: dict[str, object] | None = None,
    ) -> Traced:
        recording = self.folder / "recording"
        recording.mkdir(exist_ok=True)
        for old in recording.glob("*.log"):
            old.unlink()
        job = {
            "script": None if script is None else str(self.folder / script),
            "argv0": script,
            "module": module,
            "args": list(args),
            "recording": str(recording),
            "depth": depth,
            "cwd": str(self.folder),
            **(more or {}),
        }
        ended = self._run([sys.executable, *options, str(BOOT), json.dumps(job)], env)
        return Traced(ended.returncode, ended.stdout, ended.stderr, read(recording))

    def _run(self, command: list[str], env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            stdin=subprocess.DEVNULL,
        )


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


@pytest.fixture(scope="module")
def shared_runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="session")
def boot() -> Path:
    return BOOT


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if importlib.util.find_spec("torch") is None:
        for item in items:
            if item.get_closest_marker("torch"):
                item.add_marker(pytest.mark.skip(reason="torch is not installed"))
