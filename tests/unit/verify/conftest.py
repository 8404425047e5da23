"""Traces programs and makes changes of them for `verify`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from compilescope.analysis import analyse
from compilescope.analysis.model import Edit, Finding, Fix, Position, Range, Result
from compilescope.recording.reader import Recording
from compilescope.report.sources import sources
from compilescope.runner.job import Job
from compilescope.runner.launch import start
from compilescope.runner.reaper import Reaper
from compilescope.runner.worker import Streams
from compilescope.verify import Request


def place(text: str, offset: int) -> Position:
    """An offset as editors count."""
    before = text[:offset].replace("\r\n", "\n").split("\n")
    return Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)


def edit(file: str, text: str, old: str, new: str) -> Edit:
    """The edit that puts `new` in the place of the only `old`."""
    assert text.count(old) == 1, old
    at = text.index(old)
    return Edit(file, Range(place(text, at), place(text, at + len(old))), new)


@dataclass
class Project:
    """A traced program."""

    folder: Path
    request: Request
    printed: str

    @property
    def result(self) -> Result:
        return self.request.result

    def finding(self, rule: str, file: str, line_of: str) -> Finding:
        """The finding of a rule on the line that holds `line_of`."""
        path = str(self.folder / file)
        lines = self.request.sources[path].splitlines()
        found = [
            one
            for one in self.result.findings
            if one.rule == rule and one.file == path and line_of in lines[one.range.start.line]
        ]
        assert len(found) == 1, [(one.rule, one.file, one.range.start.line) for one in self.result.findings]
        return found[0]

    def fix(self, file: str, *replacements: tuple[str, str]) -> Fix:
        """A change of one file."""
        path = str(self.folder / file)
        return Fix("Change", [edit(path, self.request.sources[path], old, new) for old, new in replacements])


@pytest.fixture(scope="module")
def reaper() -> Iterator[Reaper]:
    with Reaper() as reaper:
        yield reaper


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory, reaper: Reaper) -> Callable[..., Project]:
    """Writes files, traces the first of them at capture depth, and gives what was found."""

    def traced(files: dict[str, str]) -> Project:
        folder = tmp_path_factory.mktemp("project")
        for name, text in files.items():
            (folder / name).write_bytes(text.encode())
        recording = folder / "recording"
        recording.mkdir()
        printed: list[bytes] = []
        job = Job(next(iter(files)), None, (), str(folder), "capture")
        run = start(
            job,
            python=sys.executable,
            env=os.environ,
            recording=recording,
            streams=Streams(output=printed.append),
            reaper=reaper,
        )
        outcome = run.wait()
        assert outcome.exit_code == 0, b"".join(printed).decode()
        with Recording.open(recording) as opened:
            result = analyse(opened)
            texts = sources(opened, result)
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
        request = Request(job, result, texts, sys.executable, os.environ)
        return Project(folder, request, b"".join(printed).decode())

    return traced
