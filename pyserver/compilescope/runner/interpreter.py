"""Which Python runs the user's program, and whether it can."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from compilescope.runner.problem import Problem

OLDEST = (3, 10)
_MARK = "compilescope-interpreter:"
_SCRIPT = f"""
import sys
sys.path[:] = [p for p in sys.path if p]
answer = {{"version": "%d.%d.%d" % sys.version_info[:3], "torch": None, "error": None, "executable": sys.executable}}
if sys.version_info >= (3, 8):
    import importlib.util, importlib.metadata
    if importlib.util.find_spec("torch"):
        try:
            answer["torch"] = importlib.metadata.version("torch")
        except Exception:
            answer["torch"] = "unknown"
if len(sys.argv) > 1 and answer["torch"]:
    try:
        import torch
        answer["torch"] = torch.__version__
    except BaseException as error:
        answer["error"] = "%s: %s" % (type(error).__name__, error)
import json
print("\\n{_MARK}" + json.dumps(answer))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python that exists and is new enough. `torch`: version of the torch that it would import, null without one."""

    path: str
    version: str
    torch: str | None

    @property
    def name(self) -> str:
        """`Python 3.11.7 (.venv)`: the version and the environment's folder."""
        return f"Python {self.version} ({_place(self.path)})"


def probe(python: str, *, import_torch: bool = False, timeout_s: float = 60) -> Interpreter:
    """Ask `python` (a path, or a name on PATH) what it is.

    Torch is only looked up, which is quick; with `import_torch` it is imported too. Nothing else that is installed
    there is imported. Raises Problem when it does not exist, can't be run, is too old, or its torch does not import.
    """
    path = shutil.which(python)
    if path is None:
        why = "it is not executable" if os.path.isfile(python) else "no such file"  # noqa: PTH113 - never raises
        raise Problem("bad-interpreter", f"Can't run {python[:200]}: {why}.")
    answer = _ask(path, import_torch=import_torch, timeout_s=timeout_s)
    version, torch = str(answer["version"]), answer["torch"]
    found = Interpreter(path, version, str(torch) if torch else None)
    if tuple(map(int, version.split(".")[:2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise Problem(
            "old-python",
            f"Can't trace: {found.name} is too old.",
            f"Python {oldest} or newer is needed.",
        )
    if answer["error"]:
        tail = str(answer["error"]).strip()[-600:]
        raise Problem("broken-torch", f"Can't trace: torch {torch} of {found.name} can't be imported.", tail)
    return found


def require_torch(found: Interpreter) -> Interpreter:
    """`found` itself. Raises Problem when it has no torch."""
    if found.torch is None:
        raise Problem("no-torch", f"Can't trace: {found.name} has no torch.")
    return found


def choose(asked: str | None) -> Interpreter:
    """The interpreter to run programs with: the one asked for, else the first of these that has torch.

    Our own; the active environment (VIRTUAL_ENV, CONDA_PREFIX); python3 and python on PATH.
    Raises Problem that says what was tried.
    """
    if asked is not None:
        return require_torch(probe(asked))
    own = _own()
    if own.torch is not None:
        return own
    tried = [f"{own.path}: no torch (runs compilescope)"]
    seen = {own.path}
    for python, origin in _candidates():
        if python in seen:
            continue
        seen.add(python)
        try:
            return require_torch(probe(python))
        except Problem as problem:
            tried.append(f"{python}: {'no torch' if problem.code == 'no-torch' else problem.title} ({origin})")
    raise Problem("no-torch", "Can't trace: no interpreter with torch was found.", "\n  ".join(["Tried:", *tried]))


def _own() -> Interpreter:
    torch = None
    if importlib.util.find_spec("torch"):
        try:
            torch = importlib.metadata.version("torch")
        except importlib.metadata.PackageNotFoundError:
            torch = "unknown"
    return Interpreter(sys.executable, platform.python_version(), torch)


def _candidates() -> list[tuple[str, str]]:
    prefixes = [(os.environ.get(name), name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    active = [(str(Path(prefix, "bin", "python")), name) for prefix, name in prefixes if prefix]
    return [*active, *((path, "PATH") for name in ("python3", "python") if (path := shutil.which(name)))]


def _ask(path: str, *, import_torch: bool, timeout_s: float) -> dict[str, object]:
    command = [path, "-c", _SCRIPT, *(["import"] if import_torch else [])]
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that the user named
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Problem("bad-interpreter", f"Can't run {path}: no answer within {timeout_s:g} s.") from None
    except OSError as error:
        raise Problem("bad-interpreter", f"Can't run {path}: {error.strerror or error}.") from error
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(_MARK):
            answer = json.loads(line[len(_MARK) :])
            assert isinstance(answer, dict)
            return answer
    if import_torch and done.returncode < 0:
        raise Problem(
            "broken-torch",
            f"Can't trace: importing torch in {path} ended with signal {-done.returncode}.",
            done.stderr.strip()[-600:],
        )
    said = done.stderr.strip()
    if done.returncode == 0 or _MARK in said:  # what it says is about our question
        said = ""
    raise Problem("bad-interpreter", f"Can't run {path}: it is not a Python interpreter.", said[-600:])


def _place(path: str) -> str:
    """The environment's folder name for `…/.venv/bin/python`, else the whole path."""
    folder = Path(path).parent
    if folder.name in {"bin", "Scripts"} and (folder.parent / "pyvenv.cfg").exists():
        return folder.parent.name
    return path
