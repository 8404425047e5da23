"""The main job on an example: trace it and show what was found."""

from __future__ import annotations

import subprocess

from tools import environment
from tools.system import say


def run() -> int:
    """Trace examples/sampler.py; returns 0 when that worked."""
    python = environment.python()
    example = "examples/sampler.py"
    say(f"compilescope trace {example}")
    ended = subprocess.run([str(python), "-m", "compilescope", "trace", example], cwd=environment.ROOT, check=False)
    return ended.returncode
