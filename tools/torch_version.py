"""The tests on another version of torch: `python3 dev.py torch 2.9.1 [TEST …]`.

Each version has a virtual environment of its own beside the other slow downloads (see `system.cache_dir`). Torch is
installed without NVIDIA's libraries; stand-ins take their place (see `cuda_stubs`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

from tools import cuda_stubs
from tools.environment import ROOT
from tools.system import Missing, cache_dir, need_compiler, need_python, run, say

TESTS = ("tests/unit/tracer", "tests/unit/cli", "tests/cases")
LEFT_OUT = re.compile(r"(nvidia|cuda)\b", re.IGNORECASE)


def python(version: str) -> Path:
    """The interpreter with torch `version`; makes its environment when it is not there."""
    need_python()
    need_compiler()
    folder = cache_dir() / f"torch-{version}"
    target = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / ".complete").exists():
        say(f"making {folder}")
        venv.create(folder, with_pip=True)
        pip = [target, "-m", "pip", "install", "-q"]
        run([*pip, "--no-deps", f"torch=={version}"])
        run([*pip, "numpy", *_pure_requirements(target)])
        _stand_in(target)
        (folder / ".complete").touch()
    run([target, "-m", "pip", "install", "-q", "-e", f"{ROOT}[dev]"])
    return target


def test(version: str, tests: list[str]) -> int:
    """Run `tests` (those that run torch, when empty) on torch `version`; pytest's exit code."""
    target = python(version)
    say(f"tests on torch {version}")
    return subprocess.run([str(target), "-m", "pytest", *(tests or TESTS)], cwd=ROOT, check=False).returncode


def _ask(target: Path, code: str) -> str:
    return subprocess.run([str(target), "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def _pure_requirements(target: Path) -> list[str]:
    wanted = _ask(target, "import importlib.metadata as m; print(*m.requires('torch') or [], sep='\\n')").split("\n")
    plain = [requirement for requirement in wanted if requirement and "extra ==" not in requirement]
    return [requirement for requirement in plain if not LEFT_OUT.match(requirement)]


def _stand_in(target: Path) -> None:
    where = _ask(target, "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])")
    if sys.platform == "linux":
        made = cuda_stubs.make(Path(where))
        say(f"stand-ins for {', '.join(made) or 'nothing'}")
    tried = subprocess.run([str(target), "-c", "import torch"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Missing(f"torch can't be imported by {target}:\n{tried.stderr[-2000:]}")
