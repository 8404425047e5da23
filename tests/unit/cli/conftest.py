from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import compilescope
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = [sys.executable, "-m", "compilescope"]
ENV = {**os.environ, "PYTHONPATH": str(Path(compilescope.__file__).parents[1]), "NO_COLOR": "1"}


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Writes a program into the working directory of `run` and returns its name."""

    def write(text: str) -> str:
        (tmp_path / "program.py").write_text(text)
        return "program.py"

    return write


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `compilescope` with the given words in a folder of its own."""

    def call(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
        defaults = {"cwd": tmp_path, "env": ENV, "capture_output": True, "text": True, "timeout": 120}
        return subprocess.run([*COMMAND, *words], check=False, **{**defaults, **options})

    return call
