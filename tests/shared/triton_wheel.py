"""Triton for tests that need it, in a folder of its own: beside the torch of all other tests it would change these."""

from __future__ import annotations

import fcntl
import importlib.metadata
import importlib.util
import platform
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / ".venv" / "triton"
VERSIONS = {"2.9": "3.5.1", "2.10": "3.6.0", "2.11": "3.6.0", "2.12": "3.7.0", "2.13": "3.7.1", "2.14": "3.8.0"}
"""The Triton that each torch comes with on Linux; its wheels for CPUs don't ask for it."""


def triton_path() -> str:
    """What to add to PYTHONPATH for Triton to be there: the first time it is downloaded. Skips where there is none."""
    if importlib.util.find_spec("triton") is not None:
        return ""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip("Triton has no wheel for this machine")
    torch = ".".join(importlib.metadata.version("torch").split(".")[:2])
    version = VERSIONS.get(torch, VERSIONS["2.13"])
    folder = FOLDER / version
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".complete").exists():
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
            subprocess.run([*command, "--upgrade", f"triton=={version}"], check=True)
            (folder / ".complete").touch()
    return str(folder)
